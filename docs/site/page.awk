# SPDX-FileCopyrightText: 2026 The Souple authors
# SPDX-License-Identifier: MIT
#
# A page of Markdown for doxygen: headings get anchors of their own, links to other pages become references, links to
# samples lead to their listings, links to what is not part of the site become plain text, and names of the API in
# backticks lead to their places (NAMES is the file that lists them).

# Name of a page in the site: that of its file; the two READMEs are the start and the index
function page_of(path,    name) {
    name = path
    sub(/^\.\//, "", name)
    if (name == "README.md") {
        return "mainpage"
    }
    sub(/^docs\//, "", name)
    if (name == "README.md") {
        return "documents"
    }
    sub(/\.md$/, "", name)
    return tolower(name)
}

# A path as seen from the root of the repository
function from_root(path) {
    path = folder path
    while (sub(/[^\/]+\/\.\.\//, "", path)) {
    }
    return path
}

function link_to(words, target,    path, anchor, name) {
    if (target ~ /^(https?|mailto):/) {
        return "[" words "](" target ")"
    }
    anchor = ""
    path = target
    if (index(target, "#") > 0) {
        anchor = substr(target, index(target, "#") + 1)
        path = substr(target, 1, index(target, "#") - 1)
    }
    path = path == "" ? FILENAME : from_root(path)
    name = path
    sub(/.*\//, "", name)
    if (path == "README.md" && anchor != "") {
        return "[" words "](index.html#mainpage-" anchor ")"
    }
    if (path ~ /\.md$/ && (path !~ /\// || path ~ /^docs\//)) {
        return "[" words "](@ref " page_of(path) (anchor != "" ? "-" anchor : "") ")"
    }
    if (path ~ /^include\/souple\/.*\.h$/) {
        return "[" words "](@ref " name ")"
    }
    if (path ~ /^samples\/.*\.c$/) {
        sub(/\.c$/, "_8c-example.html", name)
        return "[" words "](" name ")"
    }
    return words
}

# All links of a piece of text without code in it
function with_links(text,    out, all, words, target, picture) {
    out = ""
    while (match(text, /!?\[[^\]]*\]\([^)]*\)/)) {
        all = substr(text, RSTART, RLENGTH)
        out = out substr(text, 1, RSTART - 1)
        text = substr(text, RSTART + RLENGTH)
        picture = substr(all, 1, 1) == "!"
        words = substr(all, picture ? 3 : 2, index(all, "](") - (picture ? 3 : 2))
        target = substr(all, index(all, "](") + 2)
        sub(/\)$/, "", target)
        if (picture) {
            sub(/.*\//, "", target)
            out = out "<img src=\"" target "\" alt=\"" words "\">"
        } else {
            out = out link_to(words, target)
        }
    }
    return out text
}

# Names of the API in backticks, outside of links
function with_names(text,    out, name) {
    out = ""
    while (match(text, /`sp_?[A-Za-z0-9_]+`|\[[^\]]*\]\([^)]*\)/)) {
        name = substr(text, RSTART + 1, RLENGTH - 2)
        out = out substr(text, 1, RSTART - 1)
        if (substr(text, RSTART, 1) == "`" && name in names) {
            out = out "<code>#" name "</code>"
        } else {
            out = out substr(text, RSTART, RLENGTH)
        }
        text = substr(text, RSTART + RLENGTH)
    }
    return out text
}

# Code with an apostrophe in it needs more than one backtick on each side, or the apostrophe ends it
function with_quotes(text,    out, span) {
    out = ""
    while (match(text, /`[^`]+`/)) {
        span = substr(text, RSTART, RLENGTH)
        out = out substr(text, 1, RSTART - 1) (index(span, "\047") > 0 ? "`" span "`" : span)
        text = substr(text, RSTART + RLENGTH)
    }
    return out text
}

BEGIN {
    while ((getline name < NAMES) > 0) {
        names[name] = 1
    }
}

FNR == 1 {
    folder = FILENAME
    if (sub(/[^\/]*$/, "", folder) == 0) {
        folder = ""
    }
    page = page_of(FILENAME)
    fenced = 0
}

/^(```|~~~)/ {
    fenced = !fenced
    print
    next
}

fenced || /^    / {
    print
    next
}

/^#+ / {
    heading = $0
    sub(/^#+ +/, "", heading)
    anchor = slug(heading, seen)
    level = index($0, " ") - 1
    if (page == "mainpage" && level > 1) {
        # Its headings are no branches of the navigation
        print "<h" level "><a id=\"mainpage-" anchor "\"></a>" with_links(heading) "</h" level ">"
    } else {
        print with_links($0) " {#" (level == 1 ? page : page "-" anchor) "}"
    }
    titled = level == 1
    next
}

# Below the title of a long page stands what is in it
/^$/ && titled && page != "mainpage" && page != "documents" {
    print "@tableofcontents"
    titled = 0
    next
}

# Emphasis that begins or ends with code is not understood
/^\*`/ {
    sub(/^\*/, "<em>")
    emphasis = 1
}

emphasis && /\*$/ {
    sub(/\*$/, "</em>")
    emphasis = 0
}

{
    titled = 0
    print with_quotes(with_names(with_links($0)))
}
