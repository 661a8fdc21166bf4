// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// One vhost of libwebsockets with two protocols: HTTP, which knows the address "/" and nothing else, and
// souple-1. No path of the disk is behind any address: there are no mounts. A request is refused unless its
// Host, its Origin and its token are right; that keeps out pages of other sites, which a browser would let
// through to a server on this machine.

#include "server.h"

#include "base/log.h"
#include "base/timer.h"
#include "crowd.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <libwebsockets.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

// Bytes that are written at once to a client: a frame of 30000 vertices goes in one piece
#define SP_CHUNK_SIZE 262144

// Seconds for a request to come in whole
#define SP_REQUEST_SECONDS 5

// A client that takes nothing for so long is dropped, s
#define SP_STALL_SECONDS 10.0

// Seconds between two looks at a client
#define SP_LOOK_SECONDS 1

// Connections beside those of clients: pages that are being fetched, requests that are not complete
#define SP_SPARE_CONNECTIONS 64

// Of these, so many may be silent: one more ends the oldest
#define SP_MOST_SILENT (SP_SPARE_CONNECTIONS / 2)

// Bytes a second that a client may send beside its messages: their heads, and pings, which the library answers
// by itself
#define SP_BESIDE_RATE 65536

// Longest Host or Origin that is looked at
#define SP_HOST_SIZE 256

struct spServer
{
    struct lws_context* context;
    struct lws_vhost* vhost;
    pthread_t thread;
    bool started;
    atomic_bool quit;
    int port;
    char token[132]; // "" when there is none
    char** hosts;    // names of this server, with port
    int hostCount;
    int ownCount; // the first ones are its own: they are spoken to by http alone
    int clientLimit;
    const void* page;
    size_t pageSize;
    const void* compressedPage;
    size_t compressedSize;
    bool live;
    spExchange* exchange;
    spCrowd crowd;
    spLogger logger;
    struct lws* silent[SP_SPARE_CONNECTIONS]; // connections that have asked for nothing yet, oldest first
    int silentCount;
    uint64_t upgradeSize; // bytes of the last request to become a WebSocket: its client comes right after it
    uint8_t chunk[LWS_PRE + SP_CHUNK_SIZE];
};

// A page on its way
typedef struct spDelivery
{
    const uint8_t* data;
    size_t size, sent;
} spDelivery;

// ---------------------------------------------------------------------------------------------------------
// Who may come in

static bool spIsSameName(const char* a, const char* b)
{
    for (; *a != 0 && tolower((unsigned char)*a) == tolower((unsigned char)*b); ++a, ++b)
    {
    }
    return *a == 0 && *b == 0;
}

static bool spKnowsHost(const spServer* server, const char* host, int count)
{
    for (int i = 0; i < count; ++i)
    {
        if (spIsSameName(server->hosts[i], host))
        {
            return true;
        }
    }
    return false;
}

static bool spKnowsOrigin(const spServer* server, const char* origin)
{
    if (strncmp(origin, "http://", 7) == 0)
    {
        return spKnowsHost(server, origin + 7, server->hostCount);
    }
    // A proxy that was named may add encryption
    return strncmp(origin, "https://", 8) == 0 && spKnowsHost(server, origin + 8, server->hostCount) &&
           spKnowsHost(server, origin + 8, server->ownCount) == false;
}

// Takes as long for a wrong token as for a right one
static bool spIsSameToken(const char* secret, const char* given)
{
    size_t size = strlen(secret), givenSize = strlen(given);
    unsigned difference = size != givenSize;
    for (size_t i = 0; i < size; ++i)
    {
        difference |= (unsigned)(secret[i] ^ given[i < givenSize ? i : 0]);
    }
    return difference == 0;
}

static bool spBringsToken(const spServer* server, struct lws* wsi)
{
    char text[160] = "";
    const char* given = lws_get_urlarg_by_name(wsi, "token=", text, (int)sizeof(text) - 1);
    return spIsSameToken(server->token, given != NULL ? given : "");
}

// A header into a buffer. Returns false when it is too long; "" when it is not there.
static bool spGetHeader(struct lws* wsi, enum lws_token_indexes token, char* text, int size)
{
    int length = lws_hdr_total_length(wsi, token);
    text[0] = 0;
    return length < size && (length == 0 || lws_hdr_copy(wsi, text, size, token) == length);
}

// Returns the reason why a request is refused; NULL when it is not
static const char* spFindFault(const spServer* server, struct lws* wsi)
{
    char text[SP_HOST_SIZE];
    if (spGetHeader(wsi, WSI_TOKEN_HOST, text, sizeof(text)) == false ||
        spKnowsHost(server, text, server->hostCount) == false)
    {
        return "its Host is not this server";
    }
    if (spGetHeader(wsi, WSI_TOKEN_ORIGIN, text, sizeof(text)) == false ||
        (text[0] != 0 && spKnowsOrigin(server, text) == false))
    {
        return "its Origin is another site";
    }
    if (server->token[0] != 0 && spBringsToken(server, wsi) == false)
    {
        return "it brings no token, or a wrong one";
    }
    return NULL;
}

static void spNoteRefused(spServer* server, const char* what, const char* reason)
{
    if (server->exchange != NULL)
    {
        atomic_fetch_add_explicit(&server->exchange->refusedCount, 1, memory_order_relaxed);
    }
    spLog(&server->logger, sp_logInfo, "%s refused: %s", what, reason);
}

// All bytes that a connection has brought; 0 where the system does not say
static uint64_t spCountReceived(struct lws* wsi)
{
    struct tcp_info info;
    socklen_t size = sizeof(info);
    memset(&info, 0, sizeof(info));
    return getsockopt(lws_get_socket_fd(wsi), IPPROTO_TCP, TCP_INFO, &info, &size) == 0
               ? (uint64_t)info.tcpi_bytes_received
               : 0;
}

static void spForgetSilent(spServer* server, struct lws* wsi)
{
    int kept = 0;
    for (int i = 0; i < server->silentCount; ++i)
    {
        server->silent[kept] = server->silent[i];
        kept += server->silent[i] != wsi;
    }
    server->silentCount = kept;
}

// Those that only hold a place make room for whoever comes
static void spNoteSilent(spServer* server, struct lws* wsi)
{
    spForgetSilent(server, wsi);
    if (server->silentCount >= SP_MOST_SILENT)
    {
        spNoteRefused(server, "connection", "it asks for nothing");
        lws_set_timeout(server->silent[0], PENDING_TIMEOUT_HTTP_CONTENT, LWS_TO_KILL_ASYNC);
        spForgetSilent(server, server->silent[0]);
    }
    server->silent[server->silentCount++] = wsi;
}

// ---------------------------------------------------------------------------------------------------------
// HTTP

static bool spIsAddress(struct lws* wsi, const char* address)
{
    char text[64];
    return spGetHeader(wsi, WSI_TOKEN_GET_URI, text, sizeof(text)) && strcmp(text, address) == 0;
}

// Answers with a status alone and ends the connection
static int spAnswerStatus(struct lws* wsi, unsigned status)
{
    lws_return_http_status(wsi, status, NULL);
    return -1;
}

// Begins to deliver the page
static int spAnswerPage(spServer* server, struct lws* wsi, spDelivery* delivery)
{
    char encodings[256];
    bool packed = server->compressedPage != NULL &&
                  spGetHeader(wsi, WSI_TOKEN_HTTP_ACCEPT_ENCODING, encodings, sizeof(encodings)) &&
                  strstr(encodings, "gzip") != NULL;
    *delivery = packed ? (spDelivery){server->compressedPage, server->compressedSize, 0}
                       : (spDelivery){server->page, server->pageSize, 0};
    uint8_t* begin = server->chunk + LWS_PRE;
    uint8_t* at = begin;
    uint8_t* end = server->chunk + sizeof(server->chunk) - 1;
    if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, "text/html; charset=utf-8", delivery->size, &at,
                                    end) != 0 ||
        (packed && lws_add_http_header_by_token(wsi, WSI_TOKEN_HTTP_CONTENT_ENCODING,
                                                (const unsigned char*)"gzip", 4, &at, end) != 0) ||
        lws_finalize_write_http_header(wsi, begin, &at, end) != 0)
    {
        return -1;
    }
    lws_callback_on_writable(wsi);
    return 0;
}

static int spAnswerRequest(spServer* server, struct lws* wsi, spDelivery* delivery)
{
    const char* fault = spFindFault(server, wsi);
    if (fault != NULL)
    {
        spNoteRefused(server, "request", fault);
        return spAnswerStatus(wsi, HTTP_STATUS_FORBIDDEN);
    }
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) == 0)
    {
        return spAnswerStatus(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED);
    }
    return spIsAddress(wsi, "/") ? spAnswerPage(server, wsi, delivery)
                                 : spAnswerStatus(wsi, HTTP_STATUS_NOT_FOUND);
}

static int spDeliver(spServer* server, struct lws* wsi, spDelivery* delivery)
{
    if (delivery->data == NULL)
    {
        return 0;
    }
    size_t left = delivery->size - delivery->sent;
    size_t size = left < SP_CHUNK_SIZE ? left : SP_CHUNK_SIZE;
    bool last = size == left;
    memcpy(server->chunk + LWS_PRE, delivery->data + delivery->sent, size);
    if (lws_write(wsi, server->chunk + LWS_PRE, size, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < 0)
    {
        return -1;
    }
    delivery->sent += size;
    if (last)
    {
        *delivery = (spDelivery){0};
        spNoteSilent(server, wsi);
        return lws_http_transaction_completed(wsi) != 0 ? -1 : 0;
    }
    lws_set_timeout(wsi, PENDING_TIMEOUT_HTTP_CONTENT, SP_REQUEST_SECONDS);
    lws_callback_on_writable(wsi);
    return 0;
}

// Returns 0 when a connection may become a WebSocket; > 0 when it was answered, < 0 when it is just ended
static int spJudgeUpgrade(spServer* server, struct lws* wsi, const char* protocol)
{
    char wanted[64];
    const char* fault = spFindFault(server, wsi);
    if (fault != NULL)
    {
        spNoteRefused(server, "connection", fault);
        return lws_return_http_status(wsi, HTTP_STATUS_FORBIDDEN, NULL) < 0 ? -1 : 1;
    }
    if (protocol == NULL || strcmp(protocol, "websocket") != 0 || server->live == false ||
        spIsAddress(wsi, "/live") == false ||
        spGetHeader(wsi, WSI_TOKEN_PROTOCOL, wanted, sizeof(wanted)) == false ||
        strcmp(wanted, "souple-1") != 0)
    {
        spNoteRefused(server, "connection", "it asks for something that is not here");
        return lws_return_http_status(wsi, HTTP_STATUS_NOT_FOUND, NULL) < 0 ? -1 : 1;
    }
    if (server->crowd.clientCount >= server->clientLimit)
    {
        spNoteRefused(server, "connection", "there are as many clients as may be");
        return lws_return_http_status(wsi, HTTP_STATUS_SERVICE_UNAVAILABLE, NULL) < 0 ? -1 : 1;
    }
    return 0;
}

static spServer* spGetServer(struct lws* wsi)
{
    return lws_context_user(lws_get_context(wsi));
}

static void spPassOn(spServer* server);

static int spOnHttp(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in, size_t length)
{
    spServer* server = spGetServer(wsi);
    (void)length;
    switch (reason)
    {
        case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED:
            spNoteSilent(server, wsi);
            return 0;
        case LWS_CALLBACK_WSI_DESTROY:
            spForgetSilent(server, wsi);
            return 0;
        case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
            spForgetSilent(server, wsi);
            server->upgradeSize = spCountReceived(wsi);
            return spJudgeUpgrade(server, wsi, in);
        case LWS_CALLBACK_HTTP:
            spForgetSilent(server, wsi);
            return spAnswerRequest(server, wsi, user);
        case LWS_CALLBACK_HTTP_WRITEABLE:
            return spDeliver(server, wsi, user);
        case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
            spPassOn(server);
            return 0;
        case LWS_CALLBACK_HTTP_BODY:
        case LWS_CALLBACK_ESTABLISHED:
        case LWS_CALLBACK_RECEIVE:
            return -1;
        default:
            return 0;
    }
}

// ---------------------------------------------------------------------------------------------------------
// WebSocket

// What has come in or was done: who has something to send now, and what is waited for
static void spPassOn(spServer* server)
{
    if (server->live == false)
    {
        return;
    }
    spTakeInNews(&server->crowd);
    for (int i = 0; i < server->crowd.clientCount; ++i)
    {
        if (server->crowd.clients[i]->first != NULL)
        {
            lws_callback_on_writable(server->crowd.clients[i]->connection);
        }
    }
    spTellWanted(&server->crowd);
}

// Frames of clients must be masked (RFC 6455, 5.1), which the library lets pass: the head of a message with a
// mask has 6 bytes at least, so that so many have come
static bool spIsMasked(const spClient* client, uint64_t received)
{
    return received == 0 || received - client->upgradeSize >= client->heardSize + 6 * client->heardCount;
}

static int spCloseClient(spServer* server, struct lws* wsi, const spRefusal* refusal)
{
    spNoteRefused(server, "message", refusal->reason);
    lws_close_reason(wsi, (enum lws_close_status)refusal->code, (unsigned char*)refusal->reason,
                     strlen(refusal->reason));
    return -1;
}

static int spReceive(spServer* server, struct lws* wsi, spClient* client, const char* bytes, size_t size)
{
    spRefusal refusal = {.code = 1009, .reason = "the message is too long"};
    if (lws_is_first_fragment(wsi))
    {
        client->messageSize = 0;
    }
    if (size + lws_remaining_packet_payload(wsi) > sizeof(client->message) - client->messageSize)
    {
        return spCloseClient(server, wsi, &refusal);
    }
    if (lws_frame_is_binary(wsi))
    {
        refusal = (spRefusal){.code = 1008, .reason = "messages are texts"};
        return spCloseClient(server, wsi, &refusal);
    }
    memcpy(client->message + client->messageSize, bytes, size);
    client->messageSize += size;
    client->heardSize += size;
    if (lws_is_final_fragment(wsi) == 0)
    {
        return 0;
    }
    client->heardCount += 1;
    if (spIsMasked(client, spCountReceived(wsi)) == false)
    {
        refusal = (spRefusal){.code = 1002, .reason = "frames of clients are masked"};
        return spCloseClient(server, wsi, &refusal);
    }
    if (spHearClient(&server->crowd, client, client->message, client->messageSize, &refusal) == false)
    {
        return spCloseClient(server, wsi, &refusal);
    }
    spPassOn(server);
    return 0;
}

static int spSend(spServer* server, struct lws* wsi, spClient* client)
{
    const uint8_t* bytes;
    size_t size;
    bool first, last;
    if (client->lost)
    {
        return -1;
    }
    spNoteSent(&server->crowd, client); // the library has nothing left of what it was given
    if (spGetBytes(client, SP_CHUNK_SIZE, &bytes, &size, &first, &last) == false)
    {
        return 0;
    }
    // The library writes its own head in front of the bytes, which others may have still to send: a copy
    memcpy(server->chunk + LWS_PRE, bytes, size);
    int how = lws_write_ws_flags(LWS_WRITE_BINARY, first, last);
    if (lws_write(wsi, server->chunk + LWS_PRE, size, (enum lws_write_protocol)how) < (int)size)
    {
        return -1;
    }
    spTakeBytes(&server->crowd, client, size);
    if (lws_partial_buffered(wsi) == 0)
    {
        spNoteSent(&server->crowd, client);
    }
    if (client->first != NULL || client->frameSent > 0.0)
    {
        lws_callback_on_writable(wsi);
    }
    return 0;
}

// A client that takes nothing while something waits for it is dropped, and so is one that sends pings without
// end
static int spLookAtClient(spServer* server, struct lws* wsi, spClient* client)
{
    uint64_t beside = spCountReceived(wsi) - client->heardSize;
    if (beside > client->besideSize + SP_BESIDE_RATE * SP_LOOK_SECONDS)
    {
        spNoteRefused(server, "client", "it sends more than messages");
        return -1;
    }
    client->besideSize = beside;
    if (client->lost || (client->first != NULL && spGetSeconds() - client->progress > SP_STALL_SECONDS))
    {
        spNoteRefused(server, "client", "it takes no data");
        return -1;
    }
    lws_set_timer_usecs(wsi, SP_LOOK_SECONDS * LWS_USEC_PER_SEC);
    return 0;
}

static int spOnLive(struct lws* wsi, enum lws_callback_reasons reason, void* user, void* in, size_t length)
{
    spServer* server = spGetServer(wsi);
    spClient* client = user;
    switch (reason)
    {
        case LWS_CALLBACK_ESTABLISHED:
            if (server->crowd.clientCount >= server->clientLimit ||
                spJoinCrowd(&server->crowd, client, wsi) == false)
            {
                return -1;
            }
            spLog(&server->logger, sp_logInfo, "client %d has come", client->number);
            client->upgradeSize = server->upgradeSize;
            client->besideSize = spCountReceived(wsi);
            lws_set_timer_usecs(wsi, SP_LOOK_SECONDS * LWS_USEC_PER_SEC);
            spPassOn(server);
            return 0;
        case LWS_CALLBACK_RECEIVE:
            return spReceive(server, wsi, client, in, length);
        case LWS_CALLBACK_SERVER_WRITEABLE:
            return spSend(server, wsi, client);
        case LWS_CALLBACK_TIMER:
            return spLookAtClient(server, wsi, client);
        case LWS_CALLBACK_CLOSED:
            if (client != NULL && client->number != 0)
            {
                spLog(&server->logger, sp_logInfo, "client %d has gone", client->number);
                spLeaveCrowd(&server->crowd, client);
                spPassOn(server);
            }
            return 0;
        default:
            return 0;
    }
}

// ---------------------------------------------------------------------------------------------------------
// The server

static void* spServe(void* context)
{
    spServer* server = context;
    while (atomic_load_explicit(&server->quit, memory_order_acquire) == false)
    {
        if (lws_service(server->context, 0) < 0)
        {
            break;
        }
    }
    return NULL;
}

void spWakeServer(spServer* server)
{
    lws_cancel_service(server->context);
}

static char* spCopyText(const char* text)
{
    char* copy = malloc(strlen(text) + 1);
    if (copy != NULL)
    {
        strcpy(copy, text);
    }
    return copy;
}

static bool spAddHost(spServer* server, const char* format, const char* name)
{
    char text[SP_HOST_SIZE];
    snprintf(text, sizeof(text), format, name, server->port);
    server->hosts[server->hostCount] = spCopyText(text);
    server->hostCount += server->hosts[server->hostCount] != NULL;
    return server->hostCount > 0 && server->hosts[server->hostCount - 1] != NULL;
}

// The names that this server answers to
static bool spNameHosts(spServer* server, const spServerDef* def)
{
    bool six = strchr(def->address, ':') != NULL;
    server->hosts = calloc((size_t)def->hostCount + 4, sizeof(char*));
    if (server->hosts == NULL || !spAddHost(server, "%s:%d", "127.0.0.1") ||
        !spAddHost(server, "%s:%d", "localhost") || !spAddHost(server, "[%s]:%d", "::1") ||
        !spAddHost(server, six ? "[%s]:%d" : "%s:%d", def->address))
    {
        return false;
    }
    server->ownCount = server->hostCount;
    for (int i = 0; i < def->hostCount; ++i)
    {
        server->hosts[server->hostCount] = spCopyText(def->hosts[i]);
        if (server->hosts[server->hostCount++] == NULL)
        {
            return false;
        }
    }
    return true;
}

// Whether one can listen there: the library would not say why it cannot
static bool spTryAddress(const spServerDef* def, spError* error)
{
    union
    {
        struct sockaddr any;
        struct sockaddr_in four;
        struct sockaddr_in6 six;
    } place;
    memset(&place, 0, sizeof(place));
    socklen_t size = sizeof(place.four);
    if (inet_pton(AF_INET, def->address, &place.four.sin_addr) == 1)
    {
        place.four.sin_family = AF_INET;
        place.four.sin_port = htons((uint16_t)def->port);
    }
    else if (inet_pton(AF_INET6, def->address, &place.six.sin6_addr) == 1)
    {
        place.six.sin6_family = AF_INET6;
        place.six.sin6_port = htons((uint16_t)def->port);
        size = sizeof(place.six);
    }
    else
    {
        return spFail(error, sp_errorBadArgument,
                      "the address \"%s\" is not one: give numbers, as in 127.0.0.1 or 0.0.0.0",
                      def->address);
    }
    int on = 1;
    int handle = socket(place.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool good = handle >= 0 && setsockopt(handle, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
                bind(handle, &place.any, size) == 0 && listen(handle, 1) == 0;
    int reason = errno;
    if (handle >= 0)
    {
        close(handle);
    }
    if (good)
    {
        return true;
    }
    return spFail(error, sp_errorBadArgument, "cannot listen on %s port %d: %s%s", def->address, def->port,
                  strerror(reason), reason == EADDRINUSE ? "; choose another port, or 0 for any" : "");
}

static bool spListen(spServer* server, const spServerDef* def, spError* error)
{
    static const struct lws_protocols protocols[] = {
        {.name = "http", .callback = spOnHttp, .per_session_data_size = sizeof(spDelivery)},
        {.name = "souple-1",
         .callback = spOnLive,
         .per_session_data_size = sizeof(spClient),
         .rx_buffer_size = SP_CLIENT_MESSAGE_SIZE,
         .tx_packet_size = SP_CHUNK_SIZE},
        {.name = NULL},
    };
    static const struct lws_protocol_vhost_options headers[] = {
        {headers + 1, NULL, "x-content-type-options:", "nosniff"},
        {headers + 2, NULL, "x-frame-options:", "DENY"},
        {headers + 3, NULL, "referrer-policy:", "no-referrer"},
        {headers + 4, NULL, "cache-control:", "no-store"},
        {NULL, NULL, "cross-origin-resource-policy:", "same-origin"},
    };
    // Pings show who has vanished without a word
    static const lws_retry_bo_t idle = {.secs_since_valid_ping = 20, .secs_since_valid_hangup = 30};
    struct lws_context_creation_info info;
    memset(&info, 0, sizeof(info));
    info.iface = def->address;
    info.port = def->port;
    info.protocols = protocols;
    info.headers = headers;
    info.server_string = "souple";
    info.vhost_name = "souple";
    info.timeout_secs = SP_REQUEST_SECONDS;
    info.timeout_secs_ah_idle = SP_REQUEST_SECONDS;
    info.keepalive_timeout = SP_REQUEST_SECONDS;
    info.retry_and_idle_policy = &idle;
    info.fd_limit_per_thread = (unsigned)(def->clientLimit + SP_SPARE_CONNECTIONS);
    info.gid = (gid_t)-1;
    info.uid = (uid_t)-1;
    info.user = server;
    info.options = LWS_SERVER_OPTION_EXPLICIT_VHOSTS |
                   (strchr(def->address, ':') == NULL ? LWS_SERVER_OPTION_DISABLE_IPV6 : 0);
    lws_set_log_level(0, NULL);
    errno = 0;
    server->context = lws_create_context(&info);
    server->vhost = server->context != NULL ? lws_create_vhost(server->context, &info) : NULL;
    server->port = server->vhost != NULL ? lws_get_vhost_listen_port(server->vhost) : 0;
    // The port is free, so that the library lacks memory or cannot do what it is asked for
    return server->port > 0 || spFail(error, errno == ENOMEM ? sp_errorOutOfMemory : sp_errorUnsupported,
                                      "the network library cannot listen on %s port %d%s", def->address,
                                      def->port, errno == ENOMEM ? ": out of memory" : "");
}

spServer* spCreateServer(const spServerDef* def, spError* error)
{
    spServer* server = calloc(1, sizeof(spServer));
    if (server == NULL)
    {
        spFail(error, sp_errorOutOfMemory, "there is no memory for the server");
        return NULL;
    }
    server->clientLimit = def->clientLimit;
    server->page = def->page;
    server->pageSize = def->pageSize;
    server->compressedPage = def->compressedPage;
    server->compressedSize = def->compressedSize;
    server->exchange = def->exchange;
    server->live = def->exchange != NULL;
    server->logger = def->logger;
    snprintf(server->token, sizeof(server->token), "%s", def->token != NULL ? def->token : "");
    bool good = spTryAddress(def, error) && spListen(server, def, error);
    if (good && (spNameHosts(server, def) == false ||
                 (server->live && spOpenCrowd(&server->crowd, def->exchange, def->hello) == false)))
    {
        good = spFail(error, sp_errorOutOfMemory, "there is no memory for the server");
    }
    if (good && pthread_create(&server->thread, NULL, spServe, server) != 0)
    {
        good = spFail(error, sp_errorThread, "the system gave no thread for the server");
    }
    server->started = good;
    if (good == false)
    {
        spDestroyServer(server);
        return NULL;
    }
    return server;
}

void spDestroyServer(spServer* server)
{
    if (server == NULL)
    {
        return;
    }
    if (server->started)
    {
        atomic_store_explicit(&server->quit, true, memory_order_release);
        spWakeServer(server);
        pthread_join(server->thread, NULL);
    }
    if (server->context != NULL)
    {
        lws_context_destroy(server->context);
    }
    spCloseCrowd(&server->crowd);
    for (int i = 0; i < server->hostCount; ++i)
    {
        free(server->hosts[i]);
    }
    free(server->hosts);
    free(server);
}

int spGetServerPort(const spServer* server)
{
    return server->port;
}
