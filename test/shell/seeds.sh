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

# The check must fail. $1 what was done, $2 the tree, $3 what must be said, then further options
must_say() {
    what=$1 tree=$2 words=$3
    shift 3
    if "$source/scripts/check-seeds" "$@" "$tree" >"$tree/said" 2>&1; then
        echo "seeds.sh: passes: $what" >&2
        exit 1
    fi
    grep -qF "$words" "$tree/said" || {
        echo "seeds.sh: $what: does not say '$words':" >&2
        cat "$tree/said" >&2
        exit 1
    }
}

# $1 what sed does to the page, $2 the tree, $3 what must be said of it
refuse() {
    sed "$1" "$source/docs/seeds.md" >"$2/docs/seeds.md"
    if cmp -s "$source/docs/seeds.md" "$2/docs/seeds.md"; then
        echo "seeds.sh: changes nothing: $1" >&2
        exit 1
    fi
    must_say "$1" "$2" "$3"
}
refuse '/^| S3 /s/| stands |/| partly |/' "$2" 'counted'
refuse '/^| S3 /s/| stands |/| good |/' "$2" 'must be stands, partly or not yet'
refuse '/^| S3 /s/TestOrders/TestOrderz/' "$2" 'S3: test_method.c does not run TestOrderz'
refuse '/^| S3 /s/test_method.c/test_methods.c/' "$2" 'there is no test test_methods.c'
refuse '/^| S13 /s/reproduce slides/reproduce slide/' "$2" 'there is no experiment slide'
refuse '/^| B9 /s/--part green/--part grey/' "$2" 'no experiment has a part grey'
refuse '/^| S4 /s/`test_method.c` TestDampingSettles/a friend/' "$2" 'nothing shows it'
refuse '/^| S4 /s/`test_method.c` TestDampingSettles/`souple run`/' "$2" 'S4: stands, and no test shows it'
refuse '/^| all /s/188/189/' "$2" '189 rows, counted 188'
refuse '/^| S3 /s/| S3 |/| S2 |/' "$2" 'comes twice'

# --fix mends the counts and nothing else
sed '/^| all /s/188/189/' "$source/docs/seeds.md" >"$2/docs/seeds.md"
"$source/scripts/check-seeds" --fix "$2"
cmp "$source/docs/seeds.md" "$2/docs/seeds.md"

# Held to a run. A table in which every test of the tree passed:
cp "$source/docs/seeds.md" "$2/docs/seeds.md"
{
    for file in "$source"/test/*/test_*.c; do
        name=$(basename "$file" .c)
        echo "<testcase name=\"${name#test_}\" classname=\"x\" time=\"1\" status=\"run\">"
        echo '<system-out>[==========] Running'
        grep -oE 'cmocka_unit_test[a-z_]*\(Test[A-Za-z0-9]+' "$file" | sed 's/.*(/[       OK ] /'
        echo '</system-out></testcase>'
    done
} >"$2/good.xml"
"$source/scripts/check-seeds" --results "$2/good.xml" "$2"

# $1 what sed does to the table, $2 the tree, $3 what must be said of it
refuse_results() {
    sed "$1" "$2/good.xml" >"$2/bad.xml"
    must_say "$1" "$2" "$3" --results "$2/bad.xml"
}
refuse_results 's/\[       OK \] TestOrders$/[  SKIPPED ] TestOrders/' "$2" 'S3: test_method.c TestOrders failed or was skipped'
refuse_results 's/\[       OK \] TestOrders$/[  FAILED  ] TestOrders/' "$2" 'S3: test_method.c TestOrders failed or was skipped'
refuse_results '/TestOrders$/d' "$2" 'S3: test_method.c TestOrders did not run'
refuse_results '/name="method"/s/status="run"/status="fail"/' "$2" 'test_method.c failed or was skipped'
must_say 'no file' "$2" "there are no results in '$2/none.xml'" --results "$2/none.xml"
# A table with commands, as nightly's, is asked for every one of them
echo '<testcase name="souple reproduce slides" status="fail"></testcase>' >"$2/night.xml"
must_say 'a command that failed' "$2" 'S13: souple reproduce slides failed' --results "$2/good.xml" --results "$2/night.xml"
must_say 'a command that did not run' "$2" 'souple reproduce operators did not run' --results "$2/good.xml" \
    --results "$2/night.xml"
