#!/bin/bash
# README's two commands on a fresh Debian: a minimal system (debootstrap's minbase, and make) in a folder of its own, without CUDA, with what is
# committed here and nothing else. Needs root, debootstrap and a mirror (MIRROR=URL; that of this machine's apt). Seeds: DRAW=N, else of the commit.
# FOLDER=DIR: there, and it stays; what was built there is built on.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ "$(id -u)" = 0 ] || { echo "fresh.sh: root is needed, for debootstrap and chroot" >&2; exit 2; }
command -v debootstrap > /dev/null || { echo "fresh.sh: debootstrap is needed: apt-get install debootstrap" >&2; exit 2; }
mirror=${MIRROR:-$(apt-get indextargets --format '$(SITE)' 'Codename: bookworm' 2> /dev/null | sort | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')}
draw=${DRAW:-$((16#$(git rev-parse --short=7 HEAD)))}
root=${FOLDER:-$(mktemp -d /var/tmp/regloom-fresh.XXXXXX)}
inside() { # a network for apt, processes and mounts of its own, which end with it
	unshare --mount --pid --fork --kill-child bash -c '
		mount --make-rprivate /
		mount -t proc proc "$1/proc"
		mount -t tmpfs tmpfs "$1/dev/shm"
		mount -t devpts -o newinstance,ptmxmode=0666 devpts "$1/dev/pts"
		mount --bind "$1/dev/pts/ptmx" "$1/dev/ptmx"
		root=$1; shift
		exec chroot "$root" env -i HOME=/root LANG=C.UTF-8 PATH=/usr/sbin:/usr/bin:/sbin:/bin "$@"' - "$root" "$@"
}
[ -n "${FOLDER:-}" ] || trap 'rm -rf --one-file-system "$root"' EXIT
if [ ! -e "$root/etc/debian_version" ]; then
	debootstrap --variant=minbase bookworm "$root" ${mirror:+"$mirror"} > "$root.log" 2>&1 || { tail "$root.log" >&2; exit 1; }
	rm -f "$root.log"
fi
cp /etc/resolv.conf "$root/etc/resolv.conf"
mkdir -p "$root/dev/shm" "$root/dev/pts" "$root/regloom"
git archive HEAD | tar -x -C "$root/regloom"
inside sh -c 'apt-get -q update && apt-get -q -y install --no-install-recommends make' > /dev/null
for target in demo check; do
	SECONDS=0
	inside make -C /regloom "$target" DRAW="$draw"
	echo "make $target: $SECONDS s"
done
