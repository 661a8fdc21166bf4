#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Souple authors
# SPDX-License-Identifier: MIT
#
# scripts/check-loops on a small tree of its own: loops over rows, patches and held nodes pass, those over nodes are refused.
# usage: loops.sh SOURCE FOLDER

set -eu
rm -rf "$2"
mkdir -p "$2/src/method"
cat >"$2/src/method/fine.c" <<'END'
    for (int i = 0; i < rowCount; ++i)
    for (int patch = begin; patch < end; ++patch)
    for (; held < body->heldCount && body->held[held] < body->order.patchBegin[patch + 1]; ++held)
    drift(x, v, h, 0, body->nodeCount);
END
"$1/scripts/check-loops" "$2"

for line in 'for (int node = 0; node < count; ++node)' 'for (int i = 0; i < body->nodeCount; ++i)' \
    'for (int i = body->order.patchBegin[p]; i < body->order.patchBegin[p + 1]; ++i)' \
    'for (int i = 0; there && i < s->body->nodeCount; ++i)'; do
    printf '    %s\n' "$line" >"$2/src/method/wrong.c"
    if "$1/scripts/check-loops" "$2"; then
        echo "loops.sh: passes: $line" >&2
        exit 1
    fi
done
