#!/bin/bash
# `make install` into a fresh root: the commands run from there, and a program outside the tree builds against the library,
# shared and static, through pkg-config alone. Then `make uninstall` leaves nothing.
. "$(dirname "$0")/../lib.sh"
export PKG_CONFIG_PATH=$tmp/opt/lib/pkgconfig LD_LIBRARY_PATH=$tmp/opt/lib
args=("$PWD/examples" "$PWD/test/sass/cubin/saxpy.sm_75.cubin" "$tmp")
install_it() { make -s install PREFIX="$tmp/opt"; }
staged() { make -s install PREFIX=/usr DESTDIR="$tmp/stage" && grep -q '^prefix=/usr$' "$tmp/stage/usr/lib/pkgconfig/regloom.pc" && [ -x "$tmp/stage/usr/bin/sm-model" ]; }
command_runs() { cp examples/saxpy/saxpy.ptx "$tmp/" && (cd "$tmp" && opt/bin/ptx-annotate saxpy.ptx -q -o saxpy.rlo) && [ -s "$tmp/saxpy.rlo" ]; }
llvm_runs() { cp test/golden/llvm/scale.ll "$tmp/" && (cd "$tmp" && PATH=$tmp/opt/bin:$PATH ptx-annotate scale.ll -q -o scale.rlo) && [ -s "$tmp/scale.rlo" ]; }
# shellcheck disable=SC2046
shared() { gcc -std=c11 -Wall -Wextra -Werror test/packaging/t_install.c -o "$tmp/shared" $(pkg-config --cflags --libs regloom) && "$tmp/shared" "${args[@]}"; }
# shellcheck disable=SC2046
static() {
	gcc -std=c11 test/packaging/t_install.c -o "$tmp/static" $(pkg-config --cflags regloom) "$tmp/opt/lib/libregloom.a" \
	  $(pkg-config --static --libs-only-l --libs-only-other regloom | sed 's/-lregloom//') && env -u LD_LIBRARY_PATH "$tmp/static" "${args[@]}"
}
with_comma() { LOCPATH=$tmp/comma LC_ALL=de_DE.UTF-8 "$tmp/shared" "${args[@]}" comma; }
exports() { # only the public names, each with a version
	nm -D --defined-only "$tmp/opt/lib/libregloom.so" | awk '$2 != "A" { print $3 }' | (! grep -v '^regloom_.*@@REGLOOM_') &&
	[ "$(nm -D --defined-only "$tmp/opt/lib/libregloom.so" | grep -c '@@REGLOOM_')" -ge 3 ]
}
colon() { # a folder that no search path can name: nothing is installed; and regloom-run says why the libraries beside it are not found
	local p
	for p in "PREFIX=$tmp/a:b" "PREFIX=$tmp/ab LIBDIR=$tmp/c;d"; do
		# shellcheck disable=SC2086
		exits 2 make -s install $p && says 'nothing can be installed in ' && says "can name a folder with ':' or ';'" && ! ls -d "$tmp"/a* "$tmp"/c\;d 2> /dev/null || return
	done
	mkdir -p "$tmp/a:b/cuda" && cp build/regloom-run "$tmp/a:b" && : > "$tmp/a:b/cuda/libregloom-cuda.so" && exits 1 "$tmp/a:b/regloom-run" true &&
	says "the libraries are in $tmp/a:b/cuda, and LD_LIBRARY_PATH ends a folder's name at ':' and ';'" && [ "$(wc -l < "$tmp/err")" = 1 ] && rm -r "$tmp/a:b"
}
uninstall() { make -s uninstall PREFIX="$tmp/opt" && [ -z "$(find "$tmp/opt" -type f -o -type l)" ]; }
t "make install" install_it
t "make install DESTDIR" staged
t "an installed command runs" command_runs
if [ -x build/regloom-llvm ]; then t "an installed command reads LLVM IR" llvm_runs; else skip "an installed command reads LLVM IR" "built without LLVM"; fi
t "a program against the shared library" shared
t "a program against the static library" static
if comma_locale; then t "a program that writes numbers with a comma" with_comma; else skip "a program that writes numbers with a comma" "no locale of that kind can be made"; fi
t "exported symbols" exports
t "a folder with a colon" colon
t "make uninstall" uninstall
finish
