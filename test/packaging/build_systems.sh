#!/bin/bash
# The small projects of examples/build-systems, built with regloom as it lies in its tree, installed, and moved after that: what is made,
# what is made again after a change and what not, and what mistakes are told.
. "$(dirname "$0")/../lib.sh"
root=$PWD arch=$(gcc -print-multiarch)
unset PKG_CONFIG_PATH LD_LIBRARY_PATH CMAKE_PREFIX_PATH
here() { command -v "$1" > /dev/null; }
fresh() { rm -rf "$tmp/a b" && mkdir "$tmp/a b" && cp -r examples/build-systems/* "$tmp/a b"; }     # a name with a blank in it
src="$tmp/a b/cmake" out="$tmp/a b/out" kernels="$tmp/a b/kernels"
installed() {
	make -s install PREFIX="$tmp/first" LIBDIR="$tmp/first/lib/$arch" && mv "$tmp/first" "$tmp/moved" &&
	! grep -rl "$tmp/first" "$tmp/moved" --include='*.cmake' --include='*.mk'
}
t "make install LIBDIR, and the folder moved" installed
configure() { rm -rf "$out" && cmake -S "$src" -B "$out" -DCMAKE_C_COMPILER=gcc "$@"; }
build() { cmake --build "$out" "$@" 2>&1; }
watched="scale.rlo shift.rlo cycles scale.listing" targets=all
stamps() { (cd "$out" && stat -c '%n %y' $watched 2>/dev/null); }
changed() { # NAME...: of the watched files exactly these are made again by the next build
	local before want
	before=$(stamps); sleep 0.02
	build --target $targets > "$tmp/log" || { cat "$tmp/log"; return 1; }
	want=$(printf '%s\n' "$@" | sort | xargs)
	[ "$(diff <(echo "$before") <(stamps) | sed -nE 's/^> ([^ ]*) .*/\1/p' | sort | xargs)" = "$want" ] ||
		{ echo "made again, not just $want:"; diff <(echo "$before") <(stamps); cat "$tmp/log"; return 1; }
}
project() { # CMAKE-OPTION...
	fresh && configure "$@" && build && [ -s "$out/scale.rlo" ] && [ -s "$out/scale.listing" ] && [ -x "$out/cycles-static" ] &&
	ctest --test-dir "$out" > "$tmp/log" && grep -q '100% tests passed, 0 tests failed out of 5' "$tmp/log" && [ ! -e "$out/metrics.json" ] &&
	build --target metrics && grep -q '"cycles"' "$out/metrics.json" || { cat "$tmp/log"; return 1; }
}
again() { # after a change, what depends on it
	changed "" && echo '// more' >> "$kernels/scale.ptx" && changed scale.rlo scale.listing &&
	echo '# more' >> "$kernels/scale.yaml" && changed scale.rlo scale.listing &&
	{ [ ! -e "$out/shift.rlo" ] || { echo '// more' >> "$kernels/distance.h" && changed shift.rlo; }; } && changed ""
}
broken() { # a kernel that is wrong stops the build, names the place, and leaves the object that was
	cp "$kernels/scale.ptx" "$tmp/scale.ptx" && sed -i 's/mul\.f32/mul.f33/' "$kernels/scale.ptx" && ! build > "$tmp/log" &&
	grep -q 'scale.ptx:[0-9]*:[0-9]*: error:' "$tmp/log" && cp "$tmp/scale.ptx" "$kernels" && build > "$tmp/log"
}
limits() { # a limit that a kernel breaks stops the build each time, until it holds
	sed -i 's/CHECK max-spill=0/CHECK max-live=2/' "$src/CMakeLists.txt" && ! build > "$tmp/log" && grep -q 'broken' "$tmp/log" && ! build > "$tmp/log" &&
	sed -i 's/CHECK max-live=2/CHECK max-spill=0/' "$src/CMakeLists.txt" && build > "$tmp/log" && [ -e "$out/scale.checked" ]
}
wrong_result() { # a test that expects something else fails
	sed -i 's/start: 2, step: 2/start: 2, step: 3/' "$kernels/scale.yaml" && build && ! ctest --test-dir "$out" > "$tmp/log" && grep -q 'scale.baseline (Failed)' "$tmp/log"
}
finds() { # VERSION...: of find_package
	printf 'cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES NONE)\nfind_package(regloom %s REQUIRED)\nif(NOT TARGET regloom::sm-model)\nmessage(FATAL_ERROR none)\nendif()\n' "$*" > "$tmp/v/CMakeLists.txt"
	rm -rf "$tmp/v/out"; cmake -S "$tmp/v" -B "$tmp/v/out" -Dregloom_DIR="$tmp/moved/lib/$arch/cmake/regloom"
}
versions() {
	mkdir -p "$tmp/v"
	for v in "" 0.1 0.1.0 "0.1.0 EXACT" 0.1...0.9 "0.1...<0.2"; do finds "$v" || { echo "not found: $v"; return 1; }; done
	for v in 0.0.9 0.1.1 0.2 1 "0.0...<0.1" 0.2...1; do ! finds "$v" > /dev/null 2>&1 || { echo "found: $v"; return 1; }; done
}
refused() { # TEXT LINE...: a project with these lines cannot be configured
	local text=$1; shift
	mkdir -p "$tmp/v"
	{ printf 'cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES NONE)\nfind_package(regloom REQUIRED)\n'; printf '%s\n' "$@"; } > "$tmp/v/CMakeLists.txt"
	rm -rf "$tmp/v/out"
	! cmake -S "$tmp/v" -B "$tmp/v/out" -Dregloom_DIR="$root/$B" > "$tmp/log" 2>&1 && tr -s ' \n' ' ' < "$tmp/log" | grep -qF "$text" || { cat "$tmp/log"; return 1; }
}
mistakes() {
	refused "no kernels for k" "regloom_annotate(k)" &&
	refused "what.txt is no kernel file" "regloom_annotate(k what.txt)" &&
	refused "a second kernel file would make" "regloom_annotate(k a.ptx b/a.ptx)" &&
	refused "needs nvcc" "regloom_annotate(k a.cu)" &&
	refused "no value after EMIT" "regloom_annotate(k a.ptx EMIT)" &&
	refused "name the file" "regloom_annotate(k a.ptx b.ptx)" "regloom_add_test(NAME t OBJECT k LAUNCH l.yaml)" &&
	refused "OBJECT and LAUNCH are needed" "regloom_run(r OBJECT k)" &&
	refused "what is EXTRA" "regloom_run(r EXTRA OBJECT k.rlo LAUNCH l.yaml)"
}
# A project in which nothing depends on more than one thing. Its nvcc and clang are one program, which leaves its arguments beside its output.
parts() { # GENERATOR
	local watched="k.rlo k.listing k.checked cu.rlo c.rlo r.json" targets="all r" in="$tmp/parts in" out="$tmp/parts out" ran=$tmp/moved/bin
	rm -rf "$in" "$out" && mkdir "$in" && cp "$kernels/scale.ptx" "$in/k.ptx" && touch "$in"/{cu.cu,c.c,header.h} &&
	cp "$kernels/scale.yaml" "$in/annotate.yaml" && sed 's/fill: ramp, start: 1, step: 1/fill: file, file: x.data/' "$kernels/scale.yaml" > "$in/run.yaml" &&
	python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("<1000f", *range(1, 1001)))' > "$in/x.data" || return
	cat > "$in/compiler" <<-'EOF'
		#!/bin/bash
		for o; do [ "$last" != -o ] || out=$o; [ "$last" != -MF ] || deps=$o; last=$o; done
		printf '%s\n' "$@" > "$out.arguments"
		here=$(dirname "$0")
		cp "$here/k.ptx" "$out" && printf '%s: %s\n' "${out// /\\ }" "${here// /\\ }/header.h" > "$deps"
	EOF
	cat > "$in/CMakeLists.txt" <<-'EOF'
		cmake_minimum_required(VERSION 3.20)
		project(parts LANGUAGES NONE)
		find_package(regloom REQUIRED)
		enable_testing()
		set(CMAKE_CUDA_COMPILER "${CMAKE_CURRENT_SOURCE_DIR}/compiler")
		set(CMAKE_CUDA_ARCHITECTURES 75 80)
		regloom_annotate(k k.ptx LAUNCH annotate.yaml CHECK max-spill=0 EMIT listing)
		regloom_annotate(cu cu.cu COMPILE_OPTIONS -DSCALE=2 "-DTEXT=two words")
		regloom_annotate(c c.c COMPILE_OPTIONS -DSCALE=3 "-DTEXT=two words")
		regloom_run(r OBJECT k LAUNCH run.yaml MACHINE corf RF corf DATA x.data)
		regloom_add_test(NAME t OBJECT k LAUNCH run.yaml MACHINE wir OPTIONS --json "${CMAKE_CURRENT_BINARY_DIR}/t.json")
	EOF
	chmod +x "$in/compiler" && cmake -S "$in" -B "$out" -G "$1" -Dregloom_DIR="$tmp/moved/lib/$arch/cmake/regloom" -DREGLOOM_CLANG="$in/compiler" &&
	changed $watched && changed "" &&
	echo "a launch file of regloom_annotate" && touch "$in/annotate.yaml" && changed k.rlo k.listing k.checked r.json &&
	echo "a launch file of regloom_run" && touch "$in/run.yaml" && changed r.json &&
	echo "DATA" && touch "$in/x.data" && changed r.json &&
	echo "a header" && touch "$in/header.h" && changed cu.rlo c.rlo &&
	echo "ptx-annotate" && touch "$ran/ptx-annotate" && changed $watched &&
	echo "sm-model" && touch "$ran/sm-model" && changed r.json && changed "" &&
	echo "COMPILE_OPTIONS" && [ "$(grep -cxE -e '-DSCALE=2|-DTEXT=two words|-arch=sm_75' "$out/cu.ptx.arguments")" = 3 ] &&
	[ "$(grep -cxE -e '-DSCALE=3|-DTEXT=two words' "$out/c.ptx.arguments")" = 2 ] &&
	echo "MACHINE, RF, OPTIONS" && ctest --test-dir "$out" && python3 - "$out/r.json" corf corf "$out/t.json" wir baseline <<-'EOF'
		import json, sys
		for file, machine, rf in zip(*[iter(sys.argv[1:])] * 3):
		    run = json.load(open(file))
		    assert (run["machine"], run["rf"]) == (machine, rf), (file, run["machine"], run["rf"])
	EOF
}
gone() { # an installation without one of its commands is not found, and says why
	local c
	mkdir -p "$tmp/v"
	printf 'cmake_minimum_required(VERSION 3.20)\nproject(p LANGUAGES NONE)\nfind_package(regloom ${HOW})\nif(regloom_FOUND)\nmessage(FATAL_ERROR found)\nendif()\n' > "$tmp/v/CMakeLists.txt"
	for c in ptx-annotate sm-model; do
		mv "$tmp/moved/bin/$c" "$tmp/command" && rm -rf "$tmp/v/out" && cmake -S "$tmp/v" -B "$tmp/v/out" -Dregloom_DIR="$tmp/moved/lib/$arch/cmake/regloom" -DHOW=QUIET &&
		! cmake "$tmp/v/out" -DHOW=REQUIRED > "$tmp/log" 2>&1 && tr -s ' \n' ' ' < "$tmp/log" | grep -qF "bin/$c does not exist" || { cat "$tmp/log"; return 1; }
		mv "$tmp/command" "$tmp/moved/bin/$c"
	done
}
if here cmake; then
	for generator in "Unix Makefiles" Ninja; do
		if [ "$generator" = Ninja ] && ! here ninja; then skip "CMake with Ninja" "no ninja"; continue; fi
		t "CMake with $generator: builds and passes" project -G "$generator" -Dregloom_DIR="$root/$B"
		t "CMake with $generator: a change rebuilds what depends on it" again
		t "CMake with $generator: each dependency and option counts" parts "$generator"
	done
	t "CMake: a wrong kernel stops the build" broken
	t "CMake: a limit that is broken stops the build" limits
	t "CMake: a wrong result fails" wrong_result
	t "CMake with the moved installation" project -DCMAKE_PREFIX_PATH="$tmp/moved"
	t "CMake: versions that are compatible" versions
	t "CMake: an installation that lacks a command" gone
	t "CMake: mistakes are told" mistakes
	if here nvcc; then
		t "CMake with CUDA" project -Dregloom_DIR="$root/$B" -DCUDA=ON
		cuda() { [ -s "$out/add.rlo" ] && "$A" "$out/add.rlo" --emit=summary | grep -q add && local watched="add.rlo scale.rlo shift.rlo" && echo '// more' >> "$kernels/distance.h" && changed add.rlo shift.rlo; }
		t "CMake with CUDA: a change rebuilds the kernel" cuda
	else
		skip "CMake with CUDA" "no nvcc"
	fi
else
	skip "CMake" "no cmake"
fi

fragment() { make -s -C "$tmp/plain/make" REGLOOM_MK="$mk" "$@" > "$tmp/log" 2>&1 || { cat "$tmp/log"; return 1; }; }
made() { # REGLOOM.MK: everything, then nothing, then what a change asks for
	mk=$1
	rm -rf "$tmp/plain" && cp -r examples/build-systems "$tmp/plain" && fragment && [ -s "$tmp/plain/make/scale.rlo" ] && [ -s "$tmp/plain/make/scale.listing" ] &&
	fragment check && grep -q 'scale: pass' "$tmp/log" && fragment -q &&
	{ [ ! -e "$tmp/plain/make/shift.rlo" ] || { touch -d '+1 minute' "$tmp/plain/kernels/distance.h" && ! make -s -C "$tmp/plain/make" REGLOOM_MK="$mk" -q; }; } &&
	fragment regloom-check REGLOOM_CHECK=max-live=40 && ! fragment regloom-check REGLOOM_CHECK=max-live=2 > /dev/null && grep -q broken "$tmp/log" && ! fragment regloom-check > /dev/null &&
	fragment clean && [ ! -e "$tmp/plain/make/scale.rlo" ]
}
t "Make with the tree" made "$root/$B/regloom.mk"
t "Make with the moved installation" made "$tmp/moved/share/regloom/regloom.mk"
tree_pc() { # pkg-config finds what lies in the tree
	local PKG_CONFIG_PATH=$root/$B v
	export PKG_CONFIG_PATH
	for v in ptx_annotate sm_model makefile; do [ -f "$(pkg-config --variable=$v regloom)" ] || return; done
	[ "$(pkg-config --variable=makefile regloom)" -ef "$B/regloom.mk" ] && echo '#include <regloom.h>
int main(void) { return !regloom_version(); }' > "$tmp/pc.c" && cc -c "$tmp/pc.c" -o "$tmp/pc.o" $(pkg-config --cflags regloom) && cc "$tmp/pc.o" -o "$tmp/pc" $(pkg-config --libs regloom)
}
t "pkg-config with the tree" tree_pc
meson_project() {
	fresh
	export PKG_CONFIG_PATH=$tmp/moved/lib/$arch/pkgconfig LD_LIBRARY_PATH=$tmp/moved/lib/$arch
	sed -i "s|$tmp/first|$tmp/moved|" "$PKG_CONFIG_PATH/regloom.pc"
	meson setup "$out" "$tmp/a b/meson" && meson compile -C "$out" && meson test -C "$out" > "$tmp/log" && grep -qE '^Ok: +4' "$tmp/log" && [ -s "$out/listings.txt" ] || { cat "$tmp/log"; return 1; }
}
if here meson && here ninja; then t "Meson: builds and passes" meson_project; else skip "Meson" "no meson"; fi
finish
