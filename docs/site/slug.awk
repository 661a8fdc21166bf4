# SPDX-FileCopyrightText: 2026 The Souple authors
# SPDX-License-Identifier: MIT
#
# Shared by the filter of the site and scripts/check-links.

# The anchor that a heading gets where Markdown is shown: lower case, punctuation left out, spaces as dashes; a
# second one of the same name has a number
function slug(heading, seen,    text) {
    text = tolower(heading)
    gsub(/`|\*/, "", text)
    text = gensub_links(text)
    gsub(/[!-,.\/:-@\[-^{-~]/, "", text)
    gsub(/ /, "-", text)
    if (text in seen) {
        return text "-" seen[text]++
    }
    seen[text] = 1
    return text
}

# [words](target) in a heading counts as its words
function gensub_links(text,    start, words) {
    while (match(text, /\[[^\]]*\]\([^)]*\)/)) {
        start = RSTART
        words = substr(text, RSTART, RLENGTH)
        text = substr(text, 1, start - 1) substr(words, 2, index(words, "](") - 2) substr(text, start + RLENGTH)
    }
    return text
}
