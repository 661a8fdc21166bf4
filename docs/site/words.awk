# SPDX-FileCopyrightText: 2026 The Souple authors
# SPDX-License-Identifier: MIT
#
# The text of the site for its search, find.js: a section of a page for each heading, as [page, heading, address, text].

function plain(text) {
    gsub(/<[^>]*>/, " ", text)
    gsub(/&#160;|&nbsp;/, " ", text)
    gsub(/&lt;/, "<", text)
    gsub(/&gt;/, ">", text)
    gsub(/&quot;/, "\"", text)
    gsub(/&amp;/, "\\&", text)
    gsub(/[ \t\r]+/, " ", text)
    return text
}

function quoted(text) {
    gsub(/[\\"]/, "\\\\&", text)
    gsub(/[\001-\037]/, " ", text)
    return "\"" text "\""
}

function close_section(    words) {
    words = plain(text)
    if (inside && words ~ /[a-z]/) {
        printf "%s[%s,%s,%s,%s]", count++ ? ",\n" : "", quoted(page), quoted(plain(heading)), quoted(file (anchor != "" ? "#" anchor : "")), quoted(words)
    }
    text = ""
}

BEGIN {
    print "window.soupleText = ["
}

FNR == 1 {
    close_section()
    file = FILENAME
    sub(/.*\//, "", file)
    page = file
    heading = anchor = last = ""
    inside = naming = 0
}

/<title>/ {
    page = $0
    sub(/.*<title>(Souple: )?/, "", page)
    sub(/<\/title>.*/, "", page)
    page = plain(page)
}

/<div class="contents">/ {
    inside = 1
}

/<!-- contents -->|<div class="toc">/ {
    if ($0 !~ /toc/) {
        close_section()
        inside = 0
    }
}

!inside {
    next
}

{
    line = $0
    if (line ~ /^<div class="toc">/) {
        next
    }
    if (match(line, /<a [^>]*id="[^"]*"/)) {
        last = substr(line, RSTART, RLENGTH)
        sub(/.*id="/, "", last)
        sub(/"$/, "", last)
    }
    if (line ~ /<h[1-4]/) {
        close_section()
        anchor = last
        heading = ""
        naming = 1
        sub(/.*<h[1-4][^>]*>/, "", line)
    }
    if (naming) {
        heading = heading " " line
        if (line ~ /<\/h[1-4]>/) {
            sub(/<\/h[1-4]>.*/, "", heading)
            gsub(/<span class="permalink">.*<\/span>/, "", heading)
            heading = plain(heading)
            gsub(/^ +| +$|◆/, "", heading)
            naming = 0
        }
        next
    }
    text = text " " line
}

END {
    close_section()
    print "];"
}
