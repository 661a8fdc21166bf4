#!/bin/sh
# SPDX-FileCopyrightText: 2026 The Souple authors
# SPDX-License-Identifier: MIT
#
# The man page: what checks it has nothing to say, and every command and option is in it. usage: man.sh COMMAND
# FOLDER; exit code 77 where neither mandoc nor groff is there

set -eu
rm -rf "$2"
mkdir -p "$2"
page="$2/souple.1"
"$1" help --man >"$page"
checked=
if command -v mandoc >/dev/null 2>&1; then
    checked=mandoc
    # A page without a date is the same file in every build
    mandoc -T lint -W warning "$page" >"$2/lint.txt" || true
    if grep -v 'missing date' "$2/lint.txt"; then
        exit 1
    fi
    mandoc -T ascii -O width=200 "$page" | sed "s/.$(printf '\b')//g" >"$2/souple.txt" # bold is typed twice
elif command -v groff >/dev/null 2>&1; then
    checked=groff
    groff -man -rLL=200n -Tascii -P-cbou "$page" >"$2/souple.txt"
fi
if command -v groff >/dev/null 2>&1; then
    [ -z "$(groff -man -ww -z "$page" 2>&1)" ] || { groff -man -ww -z "$page"; exit 1; }
fi
if [ -z "$checked" ]; then
    echo "there is neither mandoc nor groff here"
    exit 77
fi

failed=0
look() {
    grep -qF -e "$1" "$2/souple.txt" || { echo "the man page has no \"$1\""; failed=1; }
}
for section in NAME SYNOPSIS DESCRIPTION COMMANDS "EXIT STATUS" ENVIRONMENT TOPICS "SEE ALSO"; do
    look "$section" "$2"
done
for command in $("$1" help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    look "souple $command" "$2"
    for option in $("$1" "$command" --help | sed -n 's/^  \(-., \)*\(--[a-z-]*\).*/\2/p'); do
        [ "$option" = --help ] || look "$option" "$2"
    done
done
exit $failed
