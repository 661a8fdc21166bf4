#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Souple authors
# SPDX-License-Identifier: MIT
#
# scripts/check-seeds on the page as it is, and with one thing wrong at a time.
# usage: seeds.sh SOURCE FOLDER

set -eu
source=$1
rm -rf "$2"
mkdir -p "$2/docs"
for folder in test cli lab scripts; do
    ln -s "$source/$folder" "$2/$folder"
done
cp "$source/docs/seeds.md" "$2/docs/seeds.md"
"$source/scripts/check-seeds" "$2"

# $1 what sed does to the page, $2 what must be said of it
refuse() {
    sed "$1" "$source/docs/seeds.md" >"$2/docs/seeds.md"
    if cmp -s "$source/docs/seeds.md" "$2/docs/seeds.md"; then
        echo "seeds.sh: changes nothing: $1" >&2
        exit 1
    fi
    if "$source/scripts/check-seeds" "$2" >"$2/said"; then
        echo "seeds.sh: passes: $1" >&2
        exit 1
    fi
    grep -qF "$3" "$2/said" || {
        echo "seeds.sh: $1: does not say '$3':" >&2
        cat "$2/said" >&2
        exit 1
    }
}
refuse '/^| S3 /s/| stands |/| partly |/' "$2" 'counted'
refuse '/^| S3 /s/| stands |/| good |/' "$2" 'must be stands, partly or not yet'
refuse '/^| S3 /s/TestOrders/TestOrderz/' "$2" 'S3: test_method.c does not run TestOrderz'
refuse '/^| S3 /s/test_method.c/test_methods.c/' "$2" 'there is no test test_methods.c'
refuse '/^| S13 /s/reproduce slides/reproduce slide/' "$2" 'there is no experiment slide'
refuse '/^| B9 /s/--part green/--part grey/' "$2" 'no experiment has a part grey'
refuse '/^| S4 /s/`test_method.c` TestDampingSettles/a friend/' "$2" 'nothing shows it'
refuse '/^| all /s/188/189/' "$2" '189 rows, counted 188'
refuse '/^| S3 /s/| S3 |/| S2 |/' "$2" 'comes twice'
