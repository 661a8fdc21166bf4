// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The other engine in a build without it.

#include "peer.h"

#include <stddef.h>

const char* spGetPeerVersion(void)
{
    return "";
}

spPeer* spCreatePeer(const spPeerDef* def)
{
    (void)def;
    return NULL;
}

spPeer* spCreatePeerLinks(const spPeerLinksDef* def)
{
    (void)def;
    return NULL;
}

void spDestroyPeer(spPeer* peer)
{
    (void)peer;
}

void spStepPeer(spPeer* peer, double dt)
{
    (void)peer;
    (void)dt;
}

spPeerReport spGetPeerReport(spPeer* peer)
{
    (void)peer;
    return (spPeerReport){0};
}

double spGetPeerHeight(const spPeer* peer, int vertex)
{
    (void)peer;
    (void)vertex;
    return 0.0;
}
