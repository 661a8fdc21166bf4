// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The live page: messages, the parser of what clients say, and whole views with clients made of bare sockets,
// friendly and hostile ones, while the simulation goes on.

#include "souple/view.h"
#include "testbed/check.h"
#include "testbed/view_client.h"
#include "viewer/client_message.h"

#include <dirent.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FOLDER SOUPLE_BINARY_DIR "/test/"
#define CLOTH FOLDER "view_cloth.json"
#define BALL FOLDER "view_ball.json"
#define BROKEN FOLDER "view_broken.json"
#define PAGE "<!doctype html><title>a page</title>"
#define TOKEN "0123456789abcdefABCDEF"

static const char s_cloth[] =
    "{\"souple\": 1, \"name\": \"cloth\", \"duration\": 1, \"bodies\": [{\"name\": \"cloth\","
    "\"mesh\": {\"generator\": \"cloth\", \"countX\": 9, \"countZ\": 9}, \"nodeMass\": 0.01,"
    "\"transform\": {\"position\": [0, 1, 0]}, \"springs\": {\"stiffness\": 200, \"damping\": 0.1},"
    "\"pins\": {\"nodes\": [0, 8]}}],"
    "\"colliders\": [{\"name\": \"ground\", \"shape\": \"plane\"}],"
    "\"measurements\": [{\"name\": \"height\", \"type\": \"height\", \"body\": \"cloth\"}]}";

static const char s_ball[] =
    "{\"souple\": 1, \"name\": \"ball\", \"duration\": 1, \"bodies\": [{\"name\": \"ball\","
    "\"mesh\": {\"generator\": \"ball\", \"radius\": 0.25, \"resolution\": 2},"
    "\"transform\": {\"position\": [0, 1, 0]}, \"springs\": {\"youngModulus\": 50000, \"damping\": 5}}],"
    "\"colliders\": [{\"name\": \"ground\", \"shape\": \"plane\"}]}";

static double GetClock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void Sleep(double seconds)
{
    struct timespec pause = {(time_t)seconds, (long)(1e9 * (seconds - floor(seconds)))};
    nanosleep(&pause, NULL);
}

static void WriteFile(const char* path, const char* text)
{
    FILE* file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static int WriteScenes(void** state)
{
    (void)state;
    WriteFile(CLOTH, s_cloth);
    WriteFile(BALL, s_ball);
    WriteFile(BROKEN, "{\"souple\": 1, \"bodies\": 7}");
    return 0;
}

// ---------------------------------------------------------------------------------------------------------
// Messages

static uint32_t ReadU32(const uint8_t* bytes)
{
    uint32_t value;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

static float ReadF32(const uint8_t* bytes)
{
    float value;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

// A frame as docs/view_protocol.md describes it
typedef struct Frame
{
    uint32_t serial, number, flags, colour, bodyCount, poseCount, handCount;
    double time;
    uint64_t step;
    float top;
    // The first body
    uint32_t body, version, bodyFlags, count;
    float* points; // to be freed
    const uint8_t* values;
    float size[3];
} Frame;

static Frame DecodeFrame(const uint8_t* bytes, size_t size)
{
    Frame f = {0};
    assert_true(size >= 60);
    assert_int_equal(ReadU32(bytes), sp_messageFrame);
    f.serial = ReadU32(bytes + 4);
    f.number = ReadU32(bytes + 8);
    f.flags = ReadU32(bytes + 12);
    memcpy(&f.time, bytes + 16, 8);
    memcpy(&f.step, bytes + 24, 8);
    f.colour = ReadU32(bytes + 32);
    f.top = ReadF32(bytes + 36);
    f.bodyCount = ReadU32(bytes + 40);
    f.poseCount = ReadU32(bytes + 44);
    f.handCount = ReadU32(bytes + 48);
    const uint8_t* at = bytes + 52 + 32 * (size_t)f.poseCount + 40 * (size_t)f.handCount;
    if (f.bodyCount > 0)
    {
        f.body = ReadU32(at);
        f.version = ReadU32(at + 4);
        f.bodyFlags = ReadU32(at + 8);
        f.count = ReadU32(at + 12);
        assert_true((size_t)(at - bytes) + 40 + 6 * (size_t)f.count <= size);
        f.points = malloc(3 * (size_t)f.count * sizeof(float) + 1);
        assert_non_null(f.points);
        for (uint32_t i = 0; i < 3 * f.count; ++i)
        {
            uint16_t share;
            memcpy(&share, at + 40 + 2 * (size_t)i, 2);
            f.size[i % 3] = ReadF32(at + 28 + 4 * (i % 3));
            f.points[i] = ReadF32(at + 16 + 4 * (i % 3)) + f.size[i % 3] * (float)share / 65535.0f;
        }
        f.values = at + 40 + 6 * (size_t)f.count;
    }
    return f;
}

static void TestFrameMessage(void** state)
{
    (void)state;
    const float points[] = {0.0f, 1.0f, 2.0f, 0.5f, -1.0f, 2.0f, NAN, 0.25f, 2.0f};
    const float values[] = {0.0f, 5.0f, 20.0f};
    const spViewPoints body = {.body = 3, .version = 7, .points = points, .values = values, .count = 3};
    const spViewPose pose = {.collider = 1, .position = {1, 2, 3}, .rotation = {0, 0, 0, 1}};
    const spViewHand hand = {.body = 3, .force = {1, 0, 0}};
    const spViewFrame frame = {.serial = 2,
                               .number = 9,
                               .flags = 4,
                               .time = 1.5,
                               .step = 90,
                               .colour = sp_viewStress,
                               .top = 10.0f,
                               .bodies = &body,
                               .poses = &pose,
                               .hands = &hand,
                               .bodyCount = 1,
                               .poseCount = 1,
                               .handCount = 1};
    spBuffer buffer = {0};
    spAppendFrame(&buffer, &frame);
    assert_false(buffer.failed);
    assert_int_equal(buffer.size % 4, 0);
    Frame f = DecodeFrame(buffer.data, buffer.size);
    assert_int_equal(f.number, 9);
    assert_int_equal(f.step, 90);
    assert_int_equal(f.body, 3);
    assert_int_equal(f.version, 7);
    assert_int_equal(f.count, 3);
    for (int i = 0; i < 6; ++i)
    {
        CHECK_NEAR(f.points[i], points[i], 2.0 / 65535.0);
    }
    assert_true(isfinite(f.points[6]));
    assert_int_equal(f.values[0], 0);
    assert_int_equal(f.values[1], 128);
    assert_int_equal(f.values[2], 255);
    free(f.points);
    spFreeBuffer(&buffer);
}

static void TestTopologyMessage(void** state)
{
    (void)state;
    const int32_t nodes[] = {4, 7, 9}, triangles[] = {0, 1, 2}, tets[] = {0, 1, 2, 3};
    const spViewShape shape = {.serial = 1,
                               .body = 2,
                               .version = 3,
                               .vertexCount = 3,
                               .triangleCount = 1,
                               .nodeCount = 10,
                               .tetCount = 1,
                               .vertexNodes = nodes,
                               .triangles = triangles,
                               .tets = tets};
    spBuffer buffer = {0};
    spAppendTopology(&buffer, &shape);
    assert_int_equal(buffer.size, 4 * (9 + 3 + 3 + 4));
    assert_int_equal(ReadU32(buffer.data), sp_messageTopology);
    assert_int_equal(ReadU32(buffer.data + 4 * 9), 4);
    assert_int_equal(ReadU32(buffer.data + 4 * 11), 9);
    assert_int_equal(ReadU32(buffer.data + 4 * 14), 2);
    assert_int_equal(ReadU32(buffer.data + 4 * 18), 3);
    // What an edit laid bare comes last, filled up to four bytes
    const uint8_t bare[] = {1};
    spViewShape cut = shape;
    cut.bare = bare;
    spClearBuffer(&buffer);
    spAppendTopology(&buffer, &cut);
    assert_int_equal(buffer.size, 4 * (9 + 3 + 3 + 4 + 1));
    assert_int_equal(ReadU32(buffer.data + 4 * 19), 1);
    spFreeBuffer(&buffer);
}

// ---------------------------------------------------------------------------------------------------------
// The parser

static void TestGoodMessages(void** state)
{
    (void)state;
    static const struct
    {
        const char* text;
        spClientDo type;
    } good[] = {
        {"{\"do\": \"pause\"}", sp_doPause},
        {"{\"do\": \"run\"}", sp_doRun},
        {"{\"do\": \"step\"}", sp_doStep},
        {"{\"do\": \"speed\", \"value\": 0.01}", sp_doSpeed},
        {"{\"do\": \"speed\", \"value\": 10}", sp_doSpeed},
        {"{\"do\": \"scene\", \"index\": 3}", sp_doScene},
        {"{\"do\": \"take\"}", sp_doTake},
        {"{\"do\": \"leave\"}", sp_doLeave},
        {"{\"do\": \"show\"}", sp_doShow},
        {"{\"do\": \"show\", \"colour\": \"stress\", \"nodes\": true}", sp_doShow},
        {"{\"do\": \"seen\", \"frame\": 4294967295}", sp_doSeen},
        {"{\"do\": \"probe\", \"body\": 0, \"node\": 7}", sp_doProbe},
        {"{\"do\": \"act\", \"event\": {\"type\": \"lift\"}}", sp_doAct},
        {"{\"do\": \"file\", \"name\": \"a-b_C.1\", \"size\": 5, \"offset\": 0, \"data\": \"YWJj\", "
         "\"open\": "
         "true}",
         sp_doFile},
    };
    for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); ++i)
    {
        spClientMessage message;
        spRefusal refusal;
        assert_true(spReadClientMessage(good[i].text, strlen(good[i].text), &message, &refusal));
        assert_int_equal(message.type, good[i].type);
        if (message.type == sp_doAct)
        {
            assert_string_equal(message.event, "{\"type\":\"lift\"}");
        }
        if (message.hasColour)
        {
            assert_int_equal(message.colour, sp_viewStress);
            assert_true(message.nodes);
        }
        if (message.type == sp_doFile)
        {
            assert_true(message.open && message.total == 5 && message.offset == 0);
            assert_int_equal(message.dataSize, 3);
            assert_memory_equal(message.data, "abc", 3);
        }
        if (message.type == sp_doSeen)
        {
            assert_true(message.frame == UINT32_MAX);
        }
        spFreeClientMessage(&message);
    }
}

static void TestBadMessages(void** state)
{
    (void)state;
    static const struct
    {
        const char* text;
        int code;
    } bad[] = {
        {"", 1007},
        {"{", 1007},
        {"hello", 1007},
        {"{\"do\": \"run\"} more", 1007},
        {"{\"do\": \"run\", \"do\": \"pause\"}", 1007},
        {"{\"do\": \"speed\", \"value\": NaN}", 1007},
        {"{\"do\": \"speed\", \"value\": 1e999}", 1007},
        {"{\"do\": \"run\\u0000\"}", 1007},
        {"{\"do\": \"\xff\xfe\"}", 1007},
        {"[]", 1008},
        {"7", 1007},
        {"{}", 1008},
        {"{\"do\": 7}", 1008},
        {"{\"do\": \"fly\"}", 1008},
        {"{\"do\": \"run\", \"now\": true}", 1008},
        {"{\"do\": \"speed\"}", 1008},
        {"{\"do\": \"speed\", \"value\": 0}", 1008},
        {"{\"do\": \"speed\", \"value\": 11}", 1008},
        {"{\"do\": \"speed\", \"value\": \"1\"}", 1008},
        {"{\"do\": \"scene\", \"index\": -1}", 1008},
        {"{\"do\": \"scene\", \"index\": 0.5}", 1008},
        {"{\"do\": \"scene\", \"index\": 9999999999}", 1008},
        {"{\"do\": \"seen\", \"frame\": 4294967296}", 1008},
        {"{\"do\": \"show\", \"colour\": \"smell\"}", 1008},
        {"{\"do\": \"show\", \"colour\": 1}", 1008},
        {"{\"do\": \"show\", \"nodes\": 1}", 1008},
        {"{\"do\": \"act\"}", 1008},
        {"{\"do\": \"act\", \"event\": []}", 1008},
        {"{\"do\": \"file\"}", 1008},
        {"{\"do\": \"file\", \"name\": \"../a\", \"size\": 3, \"offset\": 0, \"data\": \"YWJj\", \"open\": "
         "true}",
         1008},
        {"{\"do\": \"file\", \"name\": \".a\", \"size\": 3, \"offset\": 0, \"data\": \"YWJj\", \"open\": "
         "true}",
         1008},
        {"{\"do\": \"file\", \"name\": \"\", \"size\": 3, \"offset\": 0, \"data\": \"YWJj\", \"open\": true}",
         1008},
        {"{\"do\": \"file\", \"name\": \"a\", \"size\": 99999999, \"offset\": 0, \"data\": \"YWJj\", "
         "\"open\": true}",
         1008},
        {"{\"do\": \"file\", \"name\": \"a\", \"size\": 3, \"offset\": 0, \"data\": \"Y?Jj\", \"open\": "
         "true}",
         1008},
        {"{\"do\": \"file\", \"name\": \"a\", \"size\": 3, \"offset\": 0, \"data\": \"\", \"open\": true}",
         1008},
        {"{\"do\": \"file\", \"name\": \"a\", \"size\": 3, \"offset\": 0, \"data\": \"YWJj\"}", 1008},
    };
    spClientMessage message;
    spRefusal refusal;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); ++i)
    {
        assert_false(spReadClientMessage(bad[i].text, strlen(bad[i].text), &message, &refusal));
        if (refusal.code != bad[i].code)
        {
            print_error("%s: %d instead of %d\n", bad[i].text, refusal.code, bad[i].code);
            fail();
        }
        assert_true(refusal.reason[0] != 0);
    }
    char nested[SP_CLIENT_MESSAGE_SIZE + 1];
    memset(nested, '[', sizeof(nested));
    assert_false(spReadClientMessage(nested, SP_CLIENT_MESSAGE_SIZE, &message, &refusal));
    assert_int_equal(refusal.code, 1007);
    assert_false(spReadClientMessage(nested, sizeof(nested), &message, &refusal));
    assert_int_equal(refusal.code, 1009);
}

// ---------------------------------------------------------------------------------------------------------
// A view on a stage: a thread of its own steps it

typedef struct Stage
{
    spView* view;
    pthread_t thread;
    pthread_mutex_t mutex;
    atomic_bool quit;
    int port;
} Stage;

static spViewDef MakeDef(void)
{
    static const char* const scenes[] = {CLOTH, BALL, BROKEN};
    spViewDef def = spDefaultViewDef();
    def.scenePaths = scenes;
    def.sceneCount = 3;
    def.page = PAGE;
    def.pageSize = sizeof(PAGE) - 1;
    return def;
}

static void* KeepUpdating(void* context)
{
    Stage* stage = context;
    while (!atomic_load(&stage->quit))
    {
        pthread_mutex_lock(&stage->mutex);
        double patience = spView_Update(stage->view);
        pthread_mutex_unlock(&stage->mutex);
        Sleep(patience > 0.0 ? patience : 1e-5);
    }
    return NULL;
}

static void Open(Stage* stage, const spViewDef* def)
{
    spError error = SP_ZERO_INIT;
    stage->view = spCreateView(def, &error);
    if (stage->view == NULL)
    {
        print_error("%s\n", error.message);
        if (error.code == sp_errorUnsupported)
        {
            skip();
        }
        fail();
    }
    stage->port = spView_GetPort(stage->view);
    atomic_init(&stage->quit, false);
    pthread_mutex_init(&stage->mutex, NULL);
    assert_int_equal(pthread_create(&stage->thread, NULL, KeepUpdating, stage), 0);
}

static void Close(Stage* stage)
{
    atomic_store(&stage->quit, true);
    pthread_join(stage->thread, NULL);
    pthread_mutex_destroy(&stage->mutex);
    spDestroyView(stage->view);
}

static spViewStats GetStats(Stage* stage)
{
    pthread_mutex_lock(&stage->mutex);
    spViewStats stats = spView_GetStats(stage->view);
    pthread_mutex_unlock(&stage->mutex);
    return stats;
}

// Waits until so many clients are there
static void AwaitClients(Stage* stage, int count)
{
    double end = GetClock() + 10.0;
    while (GetStats(stage).clientCount != count && GetClock() < end)
    {
        Sleep(0.01);
    }
    assert_int_equal(GetStats(stage).clientCount, count);
}

static void SendSeen(spTestClient* client)
{
    char seen[64];
    snprintf(seen, sizeof(seen), "{\"do\":\"seen\",\"frame\":%u}", ReadU32(client->message + 8));
    spSendMessage(client, seen);
}

// Waits for a text message that has a part; other messages are passed over
static const char* AwaitText(spTestClient* client, const char* part)
{
    double end = GetClock() + 10.0;
    while (GetClock() < end && spReadMessage(client, 10.0))
    {
        if (ReadU32(client->message) == sp_messageFrame)
        {
            SendSeen(client);
        }
        else if (ReadU32(client->message) == sp_messageText &&
                 strstr((char*)client->message + 4, part) != NULL)
        {
            return (char*)client->message + 4;
        }
    }
    print_error("no message with %s; closed with %d\n", part, client->closeCode);
    fail();
    return NULL;
}

// Waits for a frame, and says that it was seen
static Frame AwaitFrame(spTestClient* client)
{
    double end = GetClock() + 10.0;
    while (GetClock() < end && spReadMessage(client, 10.0))
    {
        if (ReadU32(client->message) == sp_messageFrame)
        {
            SendSeen(client);
            return DecodeFrame(client->message, client->messageSize);
        }
    }
    print_error("no frame came; closed with %d\n", client->closeCode);
    fail();
    return (Frame){0};
}

static void TestBadDefinitions(void** state)
{
    (void)state;
    spError error = SP_ZERO_INIT;
    spViewDef def = MakeDef();
    spView* view = spCreateView(&def, &error);
    if (view == NULL && error.code == sp_errorUnsupported)
    {
        skip();
    }
    assert_non_null(view);
    int taken = spView_GetPort(view);
    assert_true(taken > 0);
    assert_null(spCreateView(NULL, NULL));
    def.internalValue = 0;
    assert_null(spCreateView(&def, &error));
    assert_int_equal(error.code, sp_errorBadDef);
    const char* missing = FOLDER "not_there.json";
    const char* badOrigin = "evil org";
    const char* shortToken = "short";
    for (int i = 0; i < 13; ++i)
    {
        def = MakeDef();
        switch (i)
        {
            case 0:
                def.sceneCount = -1;
                break;
            case 1:
                def.scenePaths = NULL;
                break;
            case 2:
                def.scenePaths = &missing;
                def.sceneCount = 1;
                break;
            case 3:
                def.address = "0.0.0.0"; // without a token
                break;
            case 4:
                def.address = "example.org";
                def.token = TOKEN;
                break;
            case 5:
                def.port = taken;
                break;
            case 6:
                def.port = 70000;
                break;
            case 7:
                def.token = shortToken;
                break;
            case 8:
                def.origins = &badOrigin;
                def.originCount = 1;
                break;
            case 9:
                def.frameRate = NAN;
                break;
            case 10:
                def.clientLimit = 65;
                break;
            case 11:
                def.budget = -1.0;
                break;
            case 12:
                def.speed = 11.0;
                break;
        }
        error = (spError)SP_ZERO_INIT;
        if (spCreateView(&def, &error) != NULL || error.code == sp_errorNone || error.message[0] == 0)
        {
            print_error("definition %d: %s\n", i, error.message);
            fail();
        }
    }
    spDestroyView(view);
    spDestroyView(NULL);
}

// ---------------------------------------------------------------------------------------------------------
// HTTP

static int Ask(int port, const char* line, const char* headers)
{
    char request[1024], host[64];
    spTestClient client;
    snprintf(host, sizeof(host), "Host: 127.0.0.1:%d\r\n", port);
    snprintf(request, sizeof(request), "%s HTTP/1.1\r\n%s\r\n", line, headers != NULL ? headers : host);
    assert_true(spConnectClient(&client, port));
    int status = spSendRequest(&client, request) ? spReadStatus(&client, 10.0) : 0;
    spCloseTestClient(&client);
    return status;
}

static void TestHttp(void** state)
{
    (void)state;
    Stage stage;
    spViewDef def = MakeDef();
    const char* origins[] = {"example.org:8080"};
    def.origins = origins;
    def.originCount = 1;
    Open(&stage, &def);
    int port = stage.port;
    assert_int_equal(Ask(port, "GET /", NULL), 200);
    assert_int_equal(Ask(port, "GET /?x=1", NULL), 200);
    assert_int_equal(Ask(port, "GET /live", NULL), 404);
    assert_int_equal(Ask(port, "GET /index.html", NULL), 404);
    assert_int_equal(Ask(port, "GET /../../../../etc/passwd", NULL), 404);
    assert_int_equal(Ask(port, "GET /%2e%2e/%2e%2e/etc/passwd", NULL), 404);
    assert_int_equal(Ask(port, "GET //etc/passwd", NULL), 404);
    assert_int_equal(Ask(port, "GET /" CLOTH, NULL), 404);
    assert_int_equal(Ask(port, "POST /", NULL), 405);
    assert_int_equal(Ask(port, "HEAD /", NULL), 405);
    assert_int_equal(Ask(port, "DELETE /", NULL), 405);
    assert_int_not_equal(Ask(port, "BREW /", NULL), 200);
    assert_int_not_equal(Ask(port, "GET http://127.0.0.1/etc/passwd", NULL), 200);

    // Names of this server, and others
    char headers[200];
    snprintf(headers, sizeof(headers), "Host: LocalHost:%d\r\n", port);
    assert_int_equal(Ask(port, "GET /", headers), 200);
    assert_int_equal(Ask(port, "GET /", "Host: example.org:8080\r\n"), 200);
    assert_int_equal(Ask(port, "GET /", "Host: example.org\r\n"), 403);
    assert_int_equal(Ask(port, "GET /", "Host: 127.0.0.1\r\n"), 403);
    assert_int_equal(Ask(port, "GET /", "Accept: text/html\r\n"), 403);
    snprintf(headers, sizeof(headers), "Host: 127.0.0.1:%d\r\nOrigin: http://127.0.0.1:%d\r\n", port, port);
    assert_int_equal(Ask(port, "GET /", headers), 200);
    snprintf(headers, sizeof(headers), "Host: 127.0.0.1:%d\r\nOrigin: https://127.0.0.1:%d\r\n", port, port);
    assert_int_equal(Ask(port, "GET /", headers), 403);
    snprintf(headers, sizeof(headers), "Host: 127.0.0.1:%d\r\nOrigin: http://evil.org\r\n", port);
    assert_int_equal(Ask(port, "GET /", headers), 403);
    snprintf(headers, sizeof(headers), "Host: 127.0.0.1:%d\r\nOrigin: null\r\n", port);
    assert_int_equal(Ask(port, "GET /", headers), 403);

    // The page comes whole
    spTestClient client;
    assert_true(spConnectClient(&client, port));
    snprintf(headers, sizeof(headers), "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n", port);
    assert_true(spSendRequest(&client, headers));
    assert_int_equal(spReadStatus(&client, 10.0), 200);
    assert_true(spReadBytes(&client, sizeof(PAGE) - 1, 10.0));
    assert_memory_equal(client.data, PAGE, sizeof(PAGE) - 1);
    spCloseTestClient(&client);
    Close(&stage);
}

static void TestToken(void** state)
{
    (void)state;
    Stage stage;
    spViewDef def = MakeDef();
    def.token = TOKEN;
    Open(&stage, &def);
    assert_non_null(strstr(spView_GetUrl(stage.view), "/?token=" TOKEN));
    assert_int_equal(Ask(stage.port, "GET /", NULL), 403);
    assert_int_equal(Ask(stage.port, "GET /?token=", NULL), 403);
    assert_int_equal(Ask(stage.port, "GET /?token=0123456789abcdefABCDEG", NULL), 403);
    assert_int_equal(Ask(stage.port, "GET /?token=0123456789abcdefABCDEFF", NULL), 403);
    assert_int_equal(Ask(stage.port, "GET /?tok=" TOKEN, NULL), 403);
    assert_int_equal(Ask(stage.port, "GET /?token=" TOKEN, NULL), 200);
    spTestClient client;
    assert_int_equal(spJoinView(&client, stage.port, NULL), 403);
    assert_int_equal(spJoinView(&client, stage.port, "?token=wrong"), 403);
    assert_int_equal(spJoinView(&client, stage.port, "?token=" TOKEN), 101);
    spCloseTestClient(&client);
    Close(&stage);
}

// ---------------------------------------------------------------------------------------------------------
// The stream

// The same scene stepped by ourselves
typedef struct Twin
{
    spScene* scene;
    spRun* run;
} Twin;

static Twin MakeTwin(const char* path)
{
    spError error = SP_ZERO_INIT;
    spRunDef def = spDefaultRunDef();
    def.live = true;
    Twin twin = {.scene = spLoadScene(path, NULL, &error)};
    assert_non_null(twin.scene);
    twin.run = spCreateRun(twin.scene, &def, &error);
    assert_non_null(twin.run);
    return twin;
}

static void DestroyTwin(Twin* twin)
{
    spDestroyRun(twin->run);
    spDestroyScene(twin->scene);
}

// Every vertex of a frame is where the twin has it, as far as 16 bits go
static void CheckPositions(const Frame* frame, Twin* twin, const int32_t* vertexNodes)
{
    spBodyId body = {0};
    spWorld* world = spRun_GetWorld(twin->run);
    assert_int_equal(spWorld_GetBodies(world, &body, 1), 1);
    spVec3View x = spBody_GetPositions(world, body);
    for (uint32_t i = 0; i < frame->count; ++i)
    {
        int node = vertexNodes[i];
        assert_true(node >= 0 && node < x.count);
        CHECK_NEAR(frame->points[3 * i], x.data[node].x, frame->size[0] / 65535.0 + 1e-6);
        CHECK_NEAR(frame->points[3 * i + 1], x.data[node].y, frame->size[1] / 65535.0 + 1e-6);
        CHECK_NEAR(frame->points[3 * i + 2], x.data[node].z, frame->size[2] / 65535.0 + 1e-6);
    }
}

static void TestStream(void** state)
{
    (void)state;
    Stage stage;
    spViewDef def = MakeDef();
    Open(&stage, &def);
    spTestClient client;
    assert_int_equal(spJoinView(&client, stage.port, NULL), 101);
    const char* hello = AwaitText(&client, "\"hello\"");
    assert_non_null(strstr(hello, "\"client\":1"));
    assert_non_null(strstr(hello, "\"name\":\"ball\""));
    assert_null(strstr(hello, SOUPLE_BINARY_DIR));
    const char* scene = AwaitText(&client, "\"scene\"");
    assert_non_null(strstr(scene, "\"serial\":1"));
    assert_non_null(strstr(scene, "\"measurements\""));
    assert_true(spReadMessage(&client, 10.0));
    assert_int_equal(ReadU32(client.message), sp_messageTopology);
    int vertexCount = (int)ReadU32(client.message + 16);
    assert_int_equal(vertexCount, 81);
    assert_int_equal(ReadU32(client.message + 20), 128);
    int32_t nodes[81];
    memcpy(nodes, client.message + 36, sizeof(nodes));

    // Frames are where the same steps bring a run of our own
    Twin twin = MakeTwin(CLOTH);
    uint64_t last = 0;
    for (int i = 0; i < 10; ++i)
    {
        Frame frame = AwaitFrame(&client);
        assert_true(frame.step >= last);
        last = frame.step;
        assert_int_equal(frame.count, vertexCount);
        assert_int_equal(frame.bodyFlags, 2);
        assert_int_equal(frame.poseCount, 1);
        while ((uint64_t)spWorld_GetStepCount(spRun_GetWorld(twin.run)) < frame.step)
        {
            spRun_Step(twin.run);
        }
        CheckPositions(&frame, &twin, nodes);
        CHECK_NEAR(frame.time, spRun_GetTime(twin.run), 1e-9);
        free(frame.points);
    }

    // Two frames are under way, not more, until one is seen
    int unseen = 0;
    double end = GetClock() + 0.5;
    while (GetClock() < end && spReadMessage(&client, 0.2))
    {
        unseen += ReadU32(client.message) == sp_messageFrame;
    }
    assert_int_equal(unseen, 2);
    spSendMessage(&client, "{\"do\":\"seen\",\"frame\":1000000}");
    Frame frame = AwaitFrame(&client);
    free(frame.points);

    // Numbers come along
    const char* stats = AwaitText(&client, "\"stats\"");
    assert_non_null(strstr(stats, "\"framesPerSecond\""));
    assert_non_null(strstr(stats, "\"kinetic\""));

    // Colours, and all nodes
    spSendMessage(&client, "{\"do\":\"show\",\"colour\":\"velocity\",\"nodes\":true}");
    do
    {
        frame = AwaitFrame(&client);
        free(frame.points);
    } while (frame.colour != sp_viewVelocity);
    assert_int_equal(frame.bodyFlags, 1);
    assert_true(frame.top > 0.0f);

    // Another scene; one that cannot be opened leaves it as it is
    spSendMessage(&client, "{\"do\":\"scene\",\"index\":1}");
    assert_non_null(strstr(AwaitText(&client, "\"scene\""), "\"serial\":2"));
    spSendMessage(&client, "{\"do\":\"scene\",\"index\":2}");
    assert_non_null(strstr(AwaitText(&client, "\"notice\""), "cannot be opened"));
    spSendMessage(&client, "{\"do\":\"scene\",\"index\":99}");
    AwaitText(&client, "no such scene");
    do
    {
        frame = AwaitFrame(&client);
        free(frame.points);
    } while (frame.serial != 2);
    DestroyTwin(&twin);
    spCloseTestClient(&client);
    Close(&stage);
}

static void TestPace(void** state)
{
    (void)state;
    Stage stage;
    spViewDef def = MakeDef();
    def.paused = true;
    Open(&stage, &def);
    spTestClient client;
    assert_int_equal(spJoinView(&client, stage.port, NULL), 101);
    // A paused scene is shown too
    Frame frame = AwaitFrame(&client);
    assert_int_equal(frame.step, 0);
    free(frame.points);
    spSendMessage(&client, "{\"do\":\"step\"}");
    frame = AwaitFrame(&client);
    assert_int_equal(frame.step, 1);
    free(frame.points);
    Sleep(0.2);
    assert_int_equal(GetStats(&stage).stepCount, 1);
    spSendMessage(&client, "{\"do\":\"speed\",\"value\":2}");
    spSendMessage(&client, "{\"do\":\"run\"}");
    AwaitText(&client, "\"paused\":false,\"speed\":2.0");
    spSendMessage(&client, "{\"do\":\"pause\"}");
    AwaitText(&client, "\"paused\":true");
    assert_true(GetStats(&stage).stepCount > 1);
    spCloseTestClient(&client);
    Close(&stage);
}

static void TestHand(void** state)
{
    (void)state;
    Stage stage;
    spViewDef def = MakeDef();
    def.paused = true;
    Open(&stage, &def);
    spTestClient first, second;
    assert_int_equal(spJoinView(&first, stage.port, NULL), 101);
    AwaitText(&first, "\"hand\",\"clients\":1,\"client\":1");
    assert_int_equal(spJoinView(&second, stage.port, NULL), 101);
    AwaitText(&first, "\"hand\",\"clients\":2,\"client\":1");
    Frame frame = AwaitFrame(&second);
    free(frame.points);

    // Who watches cannot act, and cannot take the hand from someone who uses it
    spSendMessage(&second, "{\"do\":\"step\"}");
    AwaitText(&second, "Someone else holds the hand");
    spSendMessage(&second, "{\"do\":\"take\"}");
    AwaitText(&second, "Someone else is using the hand");
    assert_int_equal(GetStats(&stage).stepCount, 0);

    // What one client does the other sees
    spSendMessage(&first, "{\"do\":\"act\",\"event\":{\"type\":\"pin\",\"body\":\"cloth\","
                          "\"nodes\":{\"nodes\":[40]}}}");
    AwaitText(&second, "\"pins\",\"bodies\":[[0,8,40]]");
    spSendMessage(&first, "{\"do\":\"act\",\"event\":{\"type\":\"grab\",\"name\":\"hand\",\"body\":\"cloth\","
                          "\"nodes\":{\"nodes\":[80]},\"stiffness\":500}}");
    spSendMessage(&first, "{\"do\":\"act\",\"event\":{\"type\":\"move\",\"grab\":\"hand\","
                          "\"offset\":[0,0.5,0]}}");
    spSendMessage(&first, "{\"do\":\"act\",\"event\":{\"type\":\"poke\",\"position\":[0,0.5,0],"
                          "\"radius\":0.1}}");
    spSendMessage(&first, "{\"do\":\"act\",\"event\":{\"type\":\"fly\"}}");
    AwaitText(&first, "\"notice\"");
    for (int i = 0; i < 20; ++i)
    {
        spSendMessage(&first, "{\"do\":\"step\"}");
    }
    do
    {
        frame = AwaitFrame(&second);
        free(frame.points);
    } while (frame.step < 20);
    assert_int_equal(frame.handCount, 1);
    assert_int_equal(frame.poseCount, 2);
    const uint8_t* tool = second.message + 52 + 32;
    assert_int_equal(ReadU32(tool), SP_VIEW_TOOL);
    CHECK_NEAR(ReadF32(tool + 16), 0.1, 1e-6);
    const uint8_t* hand = tool + 32;
    CHECK_NEAR(ReadF32(hand + 20) - 1.0, 0.5, 1e-5); // height of the hand
    assert_true(ReadF32(hand + 8) > 1.02f);          // the node follows it

    // The hand is given up with its client: what it held falls
    spCloseTestClient(&first);
    AwaitText(&second, "\"client\":null");
    do
    {
        frame = AwaitFrame(&second);
        free(frame.points);
    } while (frame.handCount > 0 || frame.poseCount > 1);
    spSendMessage(&second, "{\"do\":\"take\"}");
    AwaitText(&second, "\"client\":2");
    spSendMessage(&second, "{\"do\":\"step\"}");
    frame = AwaitFrame(&second);
    free(frame.points);
    spSendMessage(&second, "{\"do\":\"leave\"}");
    AwaitText(&second, "\"client\":null");
    spCloseTestClient(&second);
    Close(&stage);
}

// ---------------------------------------------------------------------------------------------------------
// Files

#define PIECE(name, size, offset, data)                                                                      \
    "{\"do\":\"file\",\"name\":\"" name "\",\"size\":" #size ",\"offset\":" #offset ",\"data\":\"" data      \
    "\",\"open\":true}"

// A scene in two pieces is opened; one that names a file of this machine, and what is no scene, is not. Nothing stays on the disk.
static void TestFiles(void** state)
{
    (void)state;
    setenv("TMPDIR", FOLDER "view_files", 1);
    mkdir(FOLDER "view_files", 0700);
    Stage stage;
    spViewDef def = MakeDef();
    def.paused = true;
    Open(&stage, &def);
    spTestClient first, second;
    assert_int_equal(spJoinView(&first, stage.port, NULL), 101);
    AwaitText(&first, "\"hand\",\"clients\":1,\"client\":1");
    assert_int_equal(spJoinView(&second, stage.port, NULL), 101);
    AwaitText(&first, "\"hand\",\"clients\":2,\"client\":1");
    spSendMessage(&second, PIECE("mine.json", 25, 0, "eyJzb3VwbGUiOjEs"));
    AwaitText(&second, "Someone else holds the hand");
    spSendMessage(&first, PIECE("mine.json", 25, 0, "eyJzb3VwbGUiOjEs"));
    spSendMessage(&first, PIECE("mine.json", 25, 12, "ImR1cmF0aW9uIjoxfQ=="));
    AwaitText(&second, "\"name\":\"mine\"");
    assert_int_equal(access(FOLDER "view_files", F_OK), 0);
    spSendMessage(&first, PIECE("far.json", 51, 0,
                                "eyJzb3VwbGUiOjEsImJvZGllcyI6W3sibWVzaCI6Ii4uLy4uL2V0Yy9wYXNzd2QifV19"));
    AwaitText(&first, "and no paths as");
    spSendMessage(&first, PIECE("odd.obj", 3, 0, "YWJj"));
    AwaitText(&first, "\"notice\"");
    // A piece that does not follow the one before ends the connection
    spSendMessage(&first, PIECE("gap.json", 9, 3, "YWJj"));
    AwaitText(&second, "\"client\":null");
    spCloseTestClient(&first);
    spCloseTestClient(&second);
    Close(&stage);
    assert_int_equal(rmdir(FOLDER "view_files"), 0); // it is empty
    unsetenv("TMPDIR");
}

// ---------------------------------------------------------------------------------------------------------
// Recording

static void TestRecording(void** state)
{
    (void)state;
    const char* path = FOLDER "view_recording.souple";
    Stage stage;
    spViewDef def = MakeDef();
    def.paused = true;
    def.recordPath = path;
    Open(&stage, &def);
    spTestClient client;
    assert_int_equal(spJoinView(&client, stage.port, NULL), 101);
    assert_non_null(strstr(AwaitText(&client, "\"scene\""), "\"recording\":\"view_recording.souple\""));
    spSendMessage(&client, "{\"do\":\"step\"}");
    spSendMessage(&client,
                  "{\"do\":\"act\",\"event\":{\"type\":\"grab\",\"name\":\"hand\",\"body\":\"cloth\","
                  "\"nodes\":{\"nodes\":[80]},\"stiffness\":300}}");
    for (int i = 0; i < 30; ++i)
    {
        char move[200];
        snprintf(move, sizeof(move),
                 "{\"do\":\"act\",\"event\":{\"type\":\"move\",\"grab\":\"hand\",\"offset\":[0.01,%g,0]}}",
                 0.01 * i);
        spSendMessage(&client, move);
        spSendMessage(&client, "{\"do\":\"step\"}");
    }
    spSendMessage(&client, "{\"do\":\"act\",\"event\":{\"type\":\"set\",\"gravity\":[0,-3,0]}}");
    AwaitText(&client, "\"gravity\":[0.0,-3.0,0.0]");
    for (int i = 0; i < 10; ++i)
    {
        spSendMessage(&client, "{\"do\":\"step\"}");
    }
    Frame frame;
    do
    {
        frame = AwaitFrame(&client);
        free(frame.points);
    } while (frame.step < 41);
    spCloseTestClient(&client);
    AwaitClients(&stage, 0);
    Close(&stage);

    // The same steps with the same acts give the same bits
    spError error = SP_ZERO_INIT;
    spRecording* recording = spLoadRecording(path, NULL, &error);
    assert_non_null(recording);
    assert_true(spRecording_IsComplete(recording));
    assert_int_equal(spRecording_GetRowCount(recording), 42);
    spPlayInfo play;
    assert_true(spRecording_GetPlayInfo(recording, &play));
    assert_true(play.live);
    Twin twin = MakeTwin(CLOTH);
    int frameIndex = 0, compared = 0;
    for (int row = 0; row < spRecording_GetRowCount(recording); ++row)
    {
        if (row > 0)
        {
            int first = 0;
            int count = spRecording_FindActs(recording, row, &first);
            for (int i = 0; i < count; ++i)
            {
                size_t size;
                const char* act = spRecording_GetAct(recording, first + i, &size);
                assert_true(spRun_Act(twin.run, act, size, &error));
            }
            spRun_Step(twin.run);
        }
        if (frameIndex < spRecording_GetFrameCount(recording) &&
            spRecording_GetFrameRow(recording, frameIndex) == row)
        {
            assert_true(spRecording_GetStateHash(recording, frameIndex) ==
                        spWorld_GetStateHash(spRun_GetWorld(twin.run)));
            frameIndex += 1;
            compared += 1;
        }
    }
    assert_true(compared > 5);
    DestroyTwin(&twin);
    spDestroyRecording(recording);
}

// ---------------------------------------------------------------------------------------------------------
// Hostile clients

static int CountFiles(void)
{
    int count = 0;
    DIR* folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder) != NULL)
    {
        count += 1;
    }
    closedir(folder);
    return count;
}

// Sends something and waits until it is closed. Returns the code of the close, 0 when there was none.
static int SendAndFall(int port, int opcode, bool final, const void* bytes, size_t size)
{
    spTestClient client;
    assert_int_equal(spJoinView(&client, port, NULL), 101);
    spSendFrame(&client, opcode, final, bytes, size);
    double end = GetClock() + 10.0;
    while (!client.ended && GetClock() < end)
    {
        spReadMessage(&client, 0.5);
    }
    assert_true(client.ended);
    int code = client.closeCode;
    spCloseTestClient(&client);
    return code;
}

static int SendTextAndFall(int port, const char* text)
{
    return SendAndFall(port, sp_frameText, true, text, strlen(text));
}

static void TestBadFrames(Stage* stage)
{
    static uint8_t big[100000];
    int port = stage->port;
    memset(big, 'x', sizeof(big));
    assert_int_equal(SendTextAndFall(port, "not JSON"), 1007);
    assert_int_equal(SendTextAndFall(port, "{\"do\":\"fly\"}"), 1008);
    assert_int_equal(SendTextAndFall(port, "{\"do\":\"speed\",\"value\":\"fast\"}"), 1008);
    assert_int_equal(SendAndFall(port, sp_frameBinary, true, "abc", 3), 1008);
    assert_int_equal(SendAndFall(port, sp_frameText, true, big, 4097), 1009);
    assert_int_equal(SendAndFall(port, sp_frameText, true, big, sizeof(big)), 1009);
    assert_int_equal(SendAndFall(port, sp_frameText, false, big, 65536), 1009);
    SendAndFall(port, sp_frameText, true, "\xff\xfe\xfd", 3);
    SendAndFall(port, 3, true, "?", 1);            // no such kind of frame
    SendAndFall(port, sp_framePing, false, "", 0); // a control frame in parts
    // A frame that claims to be endless
    static const uint8_t endless[] = {0x81, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
                                      0xFF, 0xFF, 1,    2,    3,    4,    'a'};
    spTestClient client;
    assert_int_equal(spJoinView(&client, port, NULL), 101);
    spSendBytes(&client, endless, sizeof(endless));
    double end = GetClock() + 10.0;
    while (!client.ended && GetClock() < end)
    {
        spReadMessage(&client, 0.5);
    }
    assert_true(client.ended);
    spCloseTestClient(&client);
    AwaitClients(stage, 1);
}

// So many messages that nobody could mean them
static void TestFlood(Stage* stage)
{
    spTestClient client;
    assert_int_equal(spJoinView(&client, stage->port, NULL), 101);
    for (int i = 0; i < 3000 && spSendMessage(&client, "{\"do\":\"take\"}"); ++i)
    {
    }
    double end = GetClock() + 10.0;
    while (!client.ended && GetClock() < end)
    {
        spReadMessage(&client, 0.5);
    }
    assert_true(client.ended);
    spCloseTestClient(&client);
    AwaitClients(stage, 1);
}

// Pings, which the library answers by itself
static void TestPings(Stage* stage)
{
    static const uint8_t ping[8] = {0x89, 0x82, 1, 2, 3, 4, 'a', 'b'};
    static uint8_t pings[4096 * sizeof(ping)];
    for (size_t i = 0; i < sizeof(pings); ++i)
    {
        pings[i] = ping[i % sizeof(ping)];
    }
    spTestClient client;
    assert_int_equal(spJoinView(&client, stage->port, NULL), 101);
    double end = GetClock() + 10.0;
    while (spSendBytes(&client, pings, sizeof(pings)) && GetClock() < end)
    {
        spReadMessage(&client, 0.01);
    }
    assert_true(GetClock() < end);
    spCloseTestClient(&client);
    AwaitClients(stage, 1);

    // A few are nobody's harm
    assert_int_equal(spJoinView(&client, stage->port, NULL), 101);
    for (int i = 0; i < 25; ++i)
    {
        assert_true(spSendBytes(&client, pings, 10 * sizeof(ping)));
        spReadMessage(&client, 0.1);
    }
    assert_false(client.ended);
    spCloseTestClient(&client);
    AwaitClients(stage, 1);
}

static void TestUnmasked(Stage* stage)
{
    static const char text[] = "{\"do\":\"take\"}";
    uint8_t frame[2 + sizeof(text) - 1] = {0x81, sizeof(text) - 1};
    memcpy(frame + 2, text, sizeof(text) - 1);
    spTestClient client;
    assert_int_equal(spJoinView(&client, stage->port, NULL), 101);
    assert_true(spSendMessage(&client, text));
    assert_true(spSendBytes(&client, frame, sizeof(frame)));
    double end = GetClock() + 10.0;
    while (!client.ended && GetClock() < end)
    {
        spReadMessage(&client, 0.5);
    }
    assert_true(client.ended);
    assert_int_equal(client.closeCode, 1002);
    spCloseTestClient(&client);
    AwaitClients(stage, 1);
}

// Connections that say nothing, more than there are places for, keep nobody out
static void TestSilent(Stage* stage)
{
    spTestClient silent[100];
    for (int i = 0; i < 100; ++i)
    {
        assert_true(spConnectClient(&silent[i], stage->port));
    }
    double start = GetClock();
    assert_int_equal(Ask(stage->port, "GET /", NULL), 200);
    assert_true(GetClock() - start < 2.5);
    for (int i = 0; i < 100; ++i)
    {
        spCloseTestClient(&silent[i]);
    }
}

static void TestHandshakes(Stage* stage)
{
    int port = stage->port;
    char headers[200];
    static const char garbage[] = "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 no HTTP at all\r\n\r\n";
    spTestClient client;
    assert_true(spConnectClient(&client, port));
    spSendBytes(&client, garbage, sizeof(garbage));
    assert_int_not_equal(spReadStatus(&client, 10.0), 101);
    spCloseTestClient(&client);

    static const char* const bad[] = {
        "Origin: http://evil.org\r\n",
        "Origin: null\r\n",
        "Origin: https://127.0.0.1\r\n",
        "Host: evil.org\r\n",
    };
    for (int i = 0; i < 4; ++i)
    {
        assert_true(spConnectClient(&client, port));
        assert_int_equal(spUpgradeClient(&client, port, NULL, bad[i]), 403);
        spCloseTestClient(&client);
    }
    snprintf(headers, sizeof(headers), "Origin: http://localhost:%d\r\n", port);
    assert_true(spConnectClient(&client, port));
    assert_int_equal(spUpgradeClient(&client, port, NULL, headers), 101);
    spCloseTestClient(&client);

    // Without the protocol, and at another address
    snprintf(headers, sizeof(headers),
             "GET /live HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
             "Sec-WebSocket-Key: AQIDBAUGBwgJCgsMDQ4PEA==\r\nSec-WebSocket-Version: 13\r\n\r\n",
             port);
    assert_true(spConnectClient(&client, port));
    spSendRequest(&client, headers);
    assert_int_equal(spReadStatus(&client, 10.0), 404);
    spCloseTestClient(&client);
    // A head that never ends
    assert_true(spConnectClient(&client, port));
    for (int i = 0; i < 2000 && spSendRequest(&client, "GET / HTTP/1.1\r\nX-Filler: abcdefghijklmnop\r\n");
         ++i)
    {
    }
    assert_int_not_equal(spReadStatus(&client, 10.0), 200);
    spCloseTestClient(&client);
}

static void TestManyConnects(Stage* stage)
{
    spTestClient client;
    for (int i = 0; i < 200; ++i)
    {
        if (spConnectClient(&client, stage->port))
        {
            if (i % 2 == 0)
            {
                spSendRequest(&client, "GET /");
            }
            spCloseTestClient(&client);
        }
    }
    for (int i = 0; i < 100; ++i)
    {
        // All may be taken for a moment by those that are going
        int status = spJoinView(&client, stage->port, NULL);
        assert_true(status == 101 || status == 503);
        spCloseTestClient(&client);
    }
    AwaitClients(stage, 1);
}

// A client that takes nothing is in nobody's way, nor are requests that are never finished
static void TestSlowReaders(Stage* stage, spTestClient* friend)
{
    spTestClient slow[4], half[20];
    for (int i = 0; i < 4; ++i)
    {
        assert_int_equal(spJoinView(&slow[i], stage->port, NULL), 101);
        spSendMessage(&slow[i], "{\"do\":\"show\",\"colour\":\"displacement\",\"nodes\":true}");
    }
    for (int i = 0; i < 20; ++i)
    {
        assert_true(spConnectClient(&half[i], stage->port));
        spSendRequest(&half[i], i % 2 == 0 ? "GET / HT" : "");
    }
    for (int i = 0; i < 20; ++i)
    {
        Frame frame = AwaitFrame(friend);
        free(frame.points);
    }
    // Those are ended by the server
    double end = GetClock() + 20.0;
    for (int i = 0; i < 20; ++i)
    {
        while (!half[i].ended && GetClock() < end)
        {
            spReadMessage(&half[i], 1.0);
            Frame frame = AwaitFrame(friend);
            free(frame.points);
        }
        assert_true(half[i].ended);
        spCloseTestClient(&half[i]);
    }
    for (int i = 0; i < 4; ++i)
    {
        spCloseTestClient(&slow[i]);
    }
    AwaitClients(stage, 1);
}

static void TestClientLimit(Stage* stage)
{
    spTestClient clients[8];
    for (int i = 0; i < 7; ++i)
    {
        assert_int_equal(spJoinView(&clients[i], stage->port, NULL), 101);
    }
    assert_int_equal(spJoinView(&clients[7], stage->port, NULL), 503);
    for (int i = 0; i < 7; ++i)
    {
        spCloseTestClient(&clients[i]);
    }
    AwaitClients(stage, 1);
}

static void TestHostileClients(void** state)
{
    (void)state;
    Stage stage;
    spViewDef def = MakeDef();
    Open(&stage, &def);
    spTestClient friend;
    assert_int_equal(spJoinView(&friend, stage.port, NULL), 101);
    Frame frame = AwaitFrame(&friend);
    free(frame.points);
    int files = CountFiles();
    double start = GetClock();
    int64_t steps = GetStats(&stage).stepCount;

    TestHandshakes(&stage);
    TestBadFrames(&stage);
    TestFlood(&stage);
    TestPings(&stage);
    TestUnmasked(&stage);
    TestSilent(&stage);
    TestClientLimit(&stage);
    TestManyConnects(&stage);
    TestSlowReaders(&stage, &friend);

    // The simulation has kept its rate of 60 steps a second all the while, as far as a busy machine lets it,
    // and the friend still sees it
    spViewStats stats = GetStats(&stage);
    double rate = (double)(stats.stepCount - steps) / (GetClock() - start);
    assert_true(stats.refusedCount >= 10);
    if (rate < 30.0)
    {
        print_error("%g steps in a second\n", rate);
        fail();
    }
    frame = AwaitFrame(&friend);
    free(frame.points);
    assert_int_equal(Ask(stage.port, "GET /", NULL), 200);
    for (int i = 0; i < 100 && CountFiles() > files; ++i)
    {
        Sleep(0.1);
    }
    assert_true(CountFiles() <= files);
    spCloseTestClient(&friend);
    Close(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestFrameMessage),   cmocka_unit_test(TestTopologyMessage),
        cmocka_unit_test(TestGoodMessages),   cmocka_unit_test(TestBadMessages),
        cmocka_unit_test(TestBadDefinitions), cmocka_unit_test(TestHttp),
        cmocka_unit_test(TestToken),          cmocka_unit_test(TestStream),
        cmocka_unit_test(TestPace),           cmocka_unit_test(TestHand),
        cmocka_unit_test(TestFiles),          cmocka_unit_test(TestRecording),
        cmocka_unit_test(TestHostileClients),
    };
    return cmocka_run_group_tests(tests, WriteScenes, NULL);
}
