#!/bin/bash
# The proof that acquire, release and barriers cannot get warps stuck (test/model/regmutex.pml), for some small SMs: spin visits every
# state of each. A model without one of the rules must be found to get stuck. TABLE=1 prints how many there are.
. "$(dirname "$0")/../lib.sh"
model=$PWD/test/model/regmutex.pml
optimised=-O0     # the compiler takes longer over it than most models run
explore() { # cycle|stuck -DNAME=VALUE...: what spin found is in $tmp/found
	local what=$1 dir; shift
	dir=$(mktemp -d -p "$tmp") && (
		cd "$dir" && spin -a "$@" "$model" > spin.log 2>&1 || { cat spin.log; exit 1; }
		if [ "$what" = cycle ]; then gcc -w $optimised -DNP -DNFAIR=3 -o pan pan.c && ./pan -m1000000 -l -f
		else gcc -w $optimised -DSAFETY -o pan pan.c && ./pan -m1000000; fi
	) > "$tmp/found" 2>&1
	grep -q 'errors: [0-9]' "$tmp/found" && ! grep -q 'max search depth too small' "$tmp/found" || { cat "$tmp/found"; return 1; }
}
holds() { # every state visited, no error
	explore "$@" && grep -q 'errors: 0$' "$tmp/found" && ! grep -q '^Warning: Search not completed' "$tmp/found" || { cat "$tmp/found"; return 1; }
	[ -z "${TABLE:-}" ] || sed -n 's/^ *\([0-9]*\) states, stored.*/\1/p' "$tmp/found" > "$tmp/states"
}
fails() { # TEXT cycle|stuck ...: that error is found
	local why=$1; shift
	explore "$@" && grep -qF "$why" "$tmp/found" || { cat "$tmp/found"; return 1; }
}
prove() { # GROUPS WARPS CTAS SECTIONS|paired ACTIONS [OPTION...]
	local pool="-DSECTIONS=$4" text="$4 section$([ "$4" = 1 ] || echo s)" what=stuck
	[ "$4" = paired ] && pool=-DPAIRED text="paired"
	[[ " ${*:6} " == *" -DRETRY "* ]] && what=cycle text="$text, tries as steps"
	t "never stuck: $2 warps a CTA, $1 of $3 CTAs at once, $text, $5 actions a warp" \
		holds $what "-DGROUPS=$1" "-DWARPS=$2" "-DCTAS=$3" "$pool" "-DACTIONS=$5" "${@:6}"
	[ -z "${TABLE:-}" ] || echo "| $2 | $1 | $3 | $text | $5 | $(cat "$tmp/states") |" >> "$tmp/table"
}
prove 1 2 1 1 6
prove 1 3 1 1 5
prove 1 3 1 2 5
prove 1 4 1 1 4
prove 1 4 1 2 3
prove 1 3 2 1 4
prove 1 3 2 2 4
prove 2 1 3 1 5
optimised=-O1 prove 2 2 2 1 4
optimised=-O1 prove 2 2 2 2 3
optimised=-O1 prove 2 2 3 1 3
prove 1 4 1 paired 4
prove 1 3 2 paired 4
prove 2 1 3 paired 4
prove 2 2 2 paired 3
optimised=-O1 prove 2 3 2 paired 1
prove 1 3 2 1 3 -DRETRY
prove 2 2 2 1 2 -DRETRY
prove 2 2 2 paired 2 -DRETRY
t "found stuck: waiting while holding" fails "invalid end state" stuck -DWARPS=2 -DGROUPS=1 -DCTAS=1 -DSECTIONS=1 -DACTIONS=2 -DRULES=0
t "found stuck: waiting while holding, for another CTA" fails "invalid end state" stuck -DWARPS=1 -DGROUPS=2 -DCTAS=2 -DSECTIONS=1 -DACTIONS=2 -DRULES=0
t "found stuck: waiting while holding, pairs" fails "invalid end state" stuck -DWARPS=2 -DGROUPS=1 -DCTAS=1 -DPAIRED -DACTIONS=2 -DRULES=0
t "found stuck: waiting while holding, a pair of two CTAs" fails "invalid end state" stuck -DWARPS=1 -DGROUPS=2 -DCTAS=2 -DPAIRED -DACTIONS=2 -DRULES=0
t "found stuck: no section" fails "invalid end state" stuck -DWARPS=2 -DGROUPS=1 -DCTAS=1 -DSECTIONS=0 -DACTIONS=1
t "found stuck: a section that a warp took with it" fails "invalid end state" stuck -DWARPS=2 -DGROUPS=1 -DCTAS=1 -DSECTIONS=1 -DACTIONS=1 -DKEEP
t "found stuck: tries without end" fails "non-progress cycle" cycle -DWARPS=2 -DGROUPS=1 -DCTAS=1 -DSECTIONS=1 -DACTIONS=2 -DRULES=0 -DRETRY
[ -z "${TABLE:-}" ] || { printf '| warps of a CTA | CTAs at once | in all | pool | actions of a warp | states |\n|--:|--:|--:|---|--:|--:|\n'; cat "$tmp/table"; }
finish
