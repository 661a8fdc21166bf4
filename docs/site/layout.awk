# SPDX-FileCopyrightText: 2026 The Souple authors
# SPDX-License-Identifier: MIT
#
# The navigation of the site (DoxygenLayout.xml) from docs/README.md: its headings with the pages below them, each by
# its own title; then the headers.

function title_of(path,    line, title) {
    title = path
    while ((getline line < path) > 0) {
        if (line ~ /^# /) {
            title = substr(line, 3)
            break
        }
    }
    close(path)
    gsub(/`/, "", title)
    gsub(/&/, "\\&amp;", title)
    return title
}

function close_group() {
    if (group) {
        print "    </tab>"
    }
    group = 0
}

BEGIN {
    print "<doxygenlayout version=\"1.0\">"
    print "  <navindex>"
    print "    <tab type=\"mainpage\" title=\"Souple\"/>"
}

/^## / {
    close_group()
    theme = substr($0, 4)
}

/^\| \[[^\]]*\]\([^)]*\.md\)/ {
    match($0, /\([^)]*\.md\)/)
    path = substr($0, RSTART + 1, RLENGTH - 2)
    file = path ~ /^\.\.\// ? substr(path, 4) : "docs/" path
    name = file
    sub(/.*\//, "", name)
    sub(/\.md$/, "", name)
    if (!group) {
        printf "    <tab type=\"usergroup\" title=\"%s\">\n", theme
        group = 1
    }
    printf "      <tab type=\"user\" url=\"@ref %s\" title=\"%s\"/>\n", tolower(name), title_of(file)
}

END {
    close_group()
    print "    <tab type=\"examples\" title=\"Samples\"/>"
    print "    <tab type=\"usergroup\" title=\"API\">"
    count = split("base world mesh body element collider scene record view", headers, " ")
    for (i = 1; i <= count; ++i) {
        printf "      <tab type=\"user\" url=\"@ref %s.h\" title=\"souple/%s.h\"/>\n", headers[i], headers[i]
    }
    print "      <tab type=\"globals\" title=\"All names\"/>"
    print "      <tab type=\"classlist\" title=\"All structs\"/>"
    print "    </tab>"
    print "  </navindex>"
    # The page of a header begins with its opening comment
    print "  <file>"
    print "    <detaileddescription title=\"Introduction\"/>"
    print "    <memberdecl>"
    print "      <classes visible=\"yes\" title=\"\"/>"
    print "      <defines title=\"\"/>"
    print "      <typedefs title=\"\"/>"
    print "      <enums title=\"\"/>"
    print "      <functions title=\"\"/>"
    print "    </memberdecl>"
    print "    <memberdef>"
    print "      <inlineclasses title=\"\"/>"
    print "      <defines title=\"\"/>"
    print "      <typedefs title=\"\"/>"
    print "      <enums title=\"\"/>"
    print "      <functions title=\"\"/>"
    print "    </memberdef>"
    print "  </file>"
    print "</doxygenlayout>"
}
