#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 The Souple authors
# SPDX-License-Identifier: MIT
#
# Completion in bash: the script that `souple completion bash` prints, asked as readline asks it. bash splits words at
# '=', and so do the lines here. usage: bash.sh COMMAND SOURCES

set -eu
PATH="$(dirname "$1"):$PATH"
cd "$2"
script=$(souple completion bash)
eval "$script"

failed=0

# expect "answers with spaces between them" WORD...: the last word is the one to complete
expect() {
    local expected=$1
    shift
    COMP_WORDS=("$@")
    COMP_CWORD=$(($# - 1))
    COMPREPLY=()
    _souple || true
    if [ "${COMPREPLY[*]}" != "$expected" ]; then
        printf '[%s]\n  expected: %s\n  got:      %s\n' "$*" "$expected" "${COMPREPLY[*]}"
        failed=1
    fi
}

expect "run report replay reproduce" souple r
expect "info convert repair make fill levels simplify remesh" souple mesh ''
expect "torus" souple mesh make t
expect "--lanes --live" souple run --l
expect "1 4 8 16" souple run --lanes ''
expect "1 16" souple run --lanes = 1
expect "1 4 8 16" souple run scenes/demo.json --lanes =
expect "scenes/demo.json" souple run scenes/demo
expect "scenes/demo.json" souple run --threads 2 scenes/demo
expect "scenes/demo.json" souple run -q --threads = 2 scenes/demo
expect "" souple run scenes/cloth.json scenes/demo
expect "scenes/demo.json" souple check scenes/cloth.json scenes/demo
expect "scenes" souple run scen
expect "docs" souple run -o doc
expect "" souple run --duration ''
expect "png,csv" souple export x.souple --to png,c
expect "none stress displacement velocity pressure strain modulus level region" souple export --colour ''
expect "off" souple mesh convert a.vtu a.off --format of
expect "backwardEuler bdf2" souple compare scenes/demo.json -m b
expect "scene,verlet" souple compare scenes/demo.json --methods = scene,v
expect "meshes methods mesh" souple help me
expect "bash zsh fish" souple completion ''
expect "operators" souple reproduce o
expect "sizes sag settle" souple reproduce anderson --part s
expect "cantilever cantilever-large" souple validate twist cant
expect "--version" souple --v
expect "" souple nonsense ''
expect "README.md" souple run scenes/demo.json --report = README
exit $failed
