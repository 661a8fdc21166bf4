# SPDX-FileCopyrightText: 2026 The Souple authors
# SPDX-License-Identifier: MIT
#
# A header for doxygen: the comment between the SPDX lines and `#pragma once` becomes the text of its page. What is
# indented there is code. In all comments `docs/page.md` becomes a reference to the page, and names of functions and
# values (NAMES is the file that lists them) lead to their places.

function with_pages(text,    out, name) {
    out = ""
    while (match(text, /docs\/[a-z_]+\.md/)) {
        name = substr(text, RSTART + 5, RLENGTH - 8)
        out = out substr(text, 1, RSTART - 1) "@ref " name
        text = substr(text, RSTART + RLENGTH)
    }
    return out text
}

function with_names(text,    out, name, before) {
    out = ""
    while (match(text, /`[^`]*`|sp_?[A-Za-z0-9_]+/)) {
        name = substr(text, RSTART, RLENGTH)
        before = RSTART > 1 ? substr(text, RSTART - 1, 1) : ""
        out = out substr(text, 1, RSTART - 1) (name in names && before !~ /[A-Za-z0-9_#\/"]/ ? "#" : "") name
        text = substr(text, RSTART + RLENGTH)
    }
    return out text
}

BEGIN {
    while ((getline name < NAMES) > 0) {
        names[name] = 1
    }
}

/^#pragma once/ {
    opened = 1
}

/^$/ && !started && !opened {
    print "/// @file"
    started = 1
    next
}

/^\/\// && started && !opened {
    sub(/^\/\/ ?/, "")
    sub(/^  /, "      ")
    print "/// " ($0 ~ /^    / ? $0 : with_names(with_pages($0)))
    next
}

/\/\/\// {
    # What says nothing but what a function returns has that for its first sentence
    if (!within) {
        sub(/^\/\/\/ @return /, "/// Returns ")
    }
    within = /^ *\/\/\//
    at = index($0, "///")
    print substr($0, 1, at - 1) with_names(with_pages(substr($0, at)))
    next
}

{
    within = 0
    print
}
