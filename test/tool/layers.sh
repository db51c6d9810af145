#!/bin/bash
# Rooms include and link one way (test/tool/layers.py, docs/rooms.txt); and a link, an include or a room that should not be is found.
. "$(dirname "$0")/../lib.sh"
t "rooms are as docs/rooms.txt has them" test/tool/layers.py "$B"
tree=$tmp/tree
mkdir -p "$tree/b" && cp -as "$PWD"/{analyzer,passes,runtime-model,docs} "$tree/" && cp -as "$PWD/$B"/{analyzer,passes,runtime-model} "$tree/b/"
finds() { # SAYS
	ROOT=$tree exits 1 test/tool/layers.py b && grep -qF "$1" "$tmp/out" || { cat "$tmp/out"; return 1; }
}
upward_link() {
	rm "$tree/b/analyzer/base/near.o" &&
	echo '_Bool axis_takes(const char *, unsigned long); _Bool up(void); _Bool up(void) { return axis_takes("", 0); }' | cc -x c -c - -o "$tree/b/analyzer/base/near.o" &&
	finds "analyzer/base/near.c: analyzer/base may not link runtime-model/core: axis_takes" && cp "$B/analyzer/base/near.o" "$tree/b/analyzer/base/"
}
upward_include() {
	rm "$tree/passes/live.c" && { cat passes/live.c; echo '#include "analyzer/ptx/ptx.h"'; } > "$tree/passes/live.c" &&
	finds "passes may not include analyzer/ptx/ptx.h" && cp passes/live.c "$tree/passes/"
}
new_room() { mkdir "$tree/passes/new" && echo 'int x;' > "$tree/passes/new/x.c" && finds "passes/new/x.c: its folder has no row" && rm -r "$tree/passes/new"; }
upward_row() {
	rm "$tree/docs/rooms.txt" && sed 's#^analyzer/ir | #&runtime-model/core #' docs/rooms.txt > "$tree/docs/rooms.txt" && finds "analyzer/ir uses runtime-model/core, which is in no earlier row"
}
t "an object that links upwards is found" upward_link
t "a file that includes upwards is found" upward_include
t "a folder without a row is found" new_room
t "a row that looks upwards is found" upward_row
finish
