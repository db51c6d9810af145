#!/bin/bash
# `make deb`: what the packages hold, lintian's opinion, installed below a folder and used there, purged. Compiled without optimisation
# and debug information, and compressed quickly, which changes nothing of that.
. "$(dirname "$0")/../lib.sh"
for c in dh lintian fakeroot dpkg-buildpackage; do
	command -v $c > /dev/null || { skip "Debian packages" "no $c"; finish; exit; }
done
debs=$PWD/build/deb-test root=$tmp/root arch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
packages="regloom libregloom0 libregloom-dev"
builds() { make -s deb DEB="$debs" DEB_OPT="-O0 -g0 -U_FORTIFY_SOURCE" DEB_BUILD_OPTIONS=noautodbgsym; }
holds() { # PACKAGE FILE...
	local p=$1 f; shift
	dpkg-deb -c "$debs/${p}"_*.deb | awk '{ print $6 }' > "$tmp/list"
	for f; do grep -qx "\./$f" "$tmp/list" || { echo "$p lacks $f"; cat "$tmp/list"; return 1; }; done
}
contents() {
	holds regloom usr/bin/ptx-annotate usr/bin/sm-model usr/bin/regloom-{gpu,nvcc,ptxas,run} usr/lib/regloom/regloom-llvm usr/lib/regloom/cuda/{libregloom-cuda.so,libcudart.so.11.0,libcudart.so.12,libcudart.so.13,libcuda.so.1} usr/share/man/man1/{ptx-annotate,sm-model,regloom-nvcc,regloom-ptxas,regloom-run,regloom-gpu}.1.gz usr/share/doc/regloom/copyright &&
	holds libregloom0 "usr/lib/$arch/libregloom.so.0" &&
	holds libregloom-dev usr/include/regloom.h "usr/lib/$arch/"{libregloom.a,pkgconfig/regloom.pc,cmake/regloom/regloomConfig.cmake} usr/share/regloom/regloom.mk usr/share/man/man3/regloom.3.gz
}
everything() { # each file that `make install` installs is in a package, but for the licence, which is in the copyright file
	make -s install PREFIX=/usr LIBDIR="/usr/lib/$arch" DESTDIR="$tmp/all" > /dev/null && (cd "$tmp/all" && find . -type f -o -type l) | grep -v 'doc/regloom/LICENSE$' > "$tmp/want" &&
	for p in $packages; do dpkg-deb -c "$debs/${p}"_*.deb | awk '{ print $6 }'; done > "$tmp/have" &&
	[ "$(wc -l < "$tmp/want")" -gt 15 ] && while read -r f; do grep -qx -e "$f" -e "$f.gz" "$tmp/have" || echo "in no package: $f"; done < "$tmp/want" | (! grep .)
}
version() { # the packages', the changelog's and the command's are one
	[ "$(dpkg-deb -f "$debs"/regloom_*.deb Version)" = "$("$A" --version | sed 's/.* //')" ]
}
symbols() { # the symbols file names what the library exports, all of it
	diff <(sed -n 's/^ \(regloom_[^@]*\)@.*/\1/p' share/debian/libregloom0.symbols | sort) <(nm -D --defined-only "$B/libregloom.so" | sed -n 's/.* \(regloom_[^@]*\)@.*/\1/p' | sort)
}
on() { fakeroot dpkg --root="$root" --force-depends --force-script-chrootless --log=/dev/null "$@"; }
installs() {
	mkdir -p "$root/var/lib/dpkg/"{info,updates,triggers} && : > "$root/var/lib/dpkg/status" && find "$root" | sort > "$tmp/before" &&
	on -i "$debs"/*.deb && [ "$(dpkg --root="$root" -l | grep -c '^i.  *.*regloom')" = 3 ]
}
works() { # moved to where no prefix says, the commands run and CMake finds all
	local bin=$root/usr/bin
	cp -r "$root/usr/share/doc/regloom/examples/saxpy" "$root/usr/share/doc/regloom/examples/build-systems" "$tmp" && gunzip -qr "$tmp/saxpy" "$tmp/build-systems" || true
	(cd "$tmp" && "$bin/ptx-annotate" saxpy/saxpy.ptx -q -o saxpy.rlo && "$bin/sm-model" run saxpy.rlo --launch saxpy/saxpy.yaml) &&
	if command -v cmake > /dev/null; then
		cmake -S "$tmp/build-systems/cmake" -B "$tmp/out" -DCMAKE_PREFIX_PATH="$root/usr" && cmake --build "$tmp/out" && ctest --test-dir "$tmp/out"
	fi
}
paths() { # nothing says where it was built
	! grep -rlF "$debs" "$root/usr"
}
purges() { on --purge $packages && find "$root" | grep -v '/var/lib/dpkg' | sort | diff <(grep -v '/var/lib/dpkg' "$tmp/before") -; }
t "make deb, and lintian" builds
t "what is in which package" contents
t "what is installed is packaged" everything
t "one version" version
t "the symbols file" symbols
t "dpkg --install" installs
t "the installed packages work" works
t "no build paths" paths
t "dpkg --purge" purges
finish
