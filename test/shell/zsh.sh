#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Souple authors
# SPDX-License-Identifier: MIT
#
# Completion in zsh: lines are typed into a real one on a pseudo terminal, and what it offers is looked at.
# usage: zsh.sh COMMAND SOURCES FOLDER; exit code 77 where there is no zsh

set -eu
if ! command -v zsh >/dev/null 2>&1; then
    echo "there is no zsh here"
    exit 77
fi
rm -rf "$3"
mkdir -p "$3"
"$1" completion zsh >"$3/_souple"
zsh -n "$3/_souple"
cat >"$3/.zshrc" <<'END'
fpath=($ZDOTDIR $fpath)
autoload -Uz compinit
compinit -D -u
unsetopt beep
PROMPT=
bindkey '^I' list-choices
finish() { print END }
zle -N finish
bindkey '^X' finish
print READY
END
cat >"$3/test.zsh" <<'END'
zmodload zsh/zpty
failed=0
zpty shell zsh -i
zpty -r -m shell text '*READY*'

# expect WORD... -- LINE: each word must be offered for the line, those with '!' must not
expect() {
    local line=${@[-1]} word text
    zpty -w -n shell "$line"$'\t\x18'
    zpty -r -m shell text '*END*'
    zpty -w -n shell $'\x15'
    for word in "${@[1,-3]}"; do
        if [[ $word == !* ]]; then
            [[ $text == *[[:space:]]${word#!}[[:space:]]* ]] || continue
        else
            [[ $text == *[[:space:]]${word}[[:space:]]* ]] && continue
        fi
        print -r -- "[$line] $word: $text"
        failed=1
    done
}

expect run report replay reproduce '!view' -- 'souple r'
expect --lanes --live '!--threads' -- 'souple run --l'
expect 1 4 8 16 -- 'souple run --lanes '
expect 1 4 8 16 -- 'souple run --lanes='
expect demo.json -- 'souple run scenes/dem'
expect demo.json '!CMakeLists.txt' -- 'souple check scenes/cloth.json scenes/'
expect info convert repair make fill -- 'souple mesh '
expect torus '!ball' -- 'souple mesh make t'
expect --resolution -- 'souple mesh make torus --res'
expect csv '!obj' -- 'souple export x.souple --to png,c'
expect slides anderson -- 'souple reproduce '
expect methods meshes -- 'souple help me'
zpty -d shell
exit $failed
END
PATH="$(dirname "$1"):$PATH"
export PATH ZDOTDIR="$3" TERM=dumb COLUMNS=100
cd "$2"
exec zsh -f "$3/test.zsh"
