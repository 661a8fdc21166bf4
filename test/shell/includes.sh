#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Souple authors
# SPDX-License-Identifier: MIT
#
# scripts/check-includes on a small tree of its own: what is allowed passes, each include that is not is refused.
# usage: includes.sh SOURCE FOLDER

set -eu
rm -rf "$2"
mkdir -p "$2/scripts" "$2/include/souple" "$2/src/base" "$2/src/math" "$2/src/element" "$2/src/cuda"
cp "$1/scripts/check-includes" "$2/scripts"
cd "$2"
touch include/souple/element.h src/base/memory.h src/math/lanes.h src/math/lanes_node.h src/element/tet.h
printf '#include "math/lanes.h"\n#include "souple/element.h"\n' >src/element/tet_kernel.h
printf '#include "element/tet_kernel.h"\n' >src/element/rows_kernel.h
printf '#include "base/memory.h"\n#include "element/tet_kernel.h"\n#include "math/lanes.h"\n' >src/cuda/tet.cu
scripts/check-includes

# refuse FILE LINE: the line may not stand in the file
refuse() {
    cp "$1" kept
    printf '#include %s\n' "$2" >>"$1"
    if scripts/check-includes; then
        echo "includes.sh: $1 may include $2" >&2
        exit 1
    fi
    mv kept "$1"
}

refuse src/element/tet_kernel.h '"element/tet.h"'
refuse src/element/tet_kernel.h '"math/lanes_node.h"'
refuse src/element/tet_kernel.h '"base/memory.h"'
refuse src/element/tet_kernel.h '<stdlib.h>'
refuse src/cuda/tet.cu '"element/tet.h"'
refuse src/cuda/tet.cu '"math/lanes_node.h"'
refuse src/math/lanes.h '"element/tet.h"'
scripts/check-includes
