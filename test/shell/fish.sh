#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Souple authors
# SPDX-License-Identifier: MIT
#
# Completion in fish, which completes a line given to `complete -C`. usage: fish.sh COMMAND SOURCES FOLDER; exit
# code 77 where there is no fish

set -eu
if ! command -v fish >/dev/null 2>&1; then
    echo "there is no fish here"
    exit 77
fi
rm -rf "$3"
mkdir -p "$3"
"$1" completion fish >"$3/souple.fish"
PATH="$(dirname "$1"):$PATH"
export HOME="$3"
cd "$2"
failed=0

expect() {
    got=$(fish --no-config -c "source '$3'; complete -C '$2'" | cut -f 1 | sort | tr '\n' ' ')
    if [ "$got" != "$1 " ]; then
        printf '[%s]\n  expected: %s\n  got:      %s\n' "$2" "$1" "$got"
        failed=1
    fi
}

expect "replay report reproduce run" 'souple r' "$3/souple.fish"
expect "--lanes --live" 'souple run --l' "$3/souple.fish"
expect "1 16 4 8" 'souple run --lanes ' "$3/souple.fish"
expect "convert fill info levels make remesh repair simplify" 'souple mesh ' "$3/souple.fish"
expect "torus" 'souple mesh make t' "$3/souple.fish"
expect "png,csv" 'souple export --to png,c' "$3/souple.fish"
expect "scenes/demo.json" 'souple run scenes/dem' "$3/souple.fish"
expect "mesh meshes methods" 'souple help me' "$3/souple.fish"
exit $failed
