#!/bin/bash
# Machine code: what a compiler always keeps, of every cubin in test/sass/cubin (test/sass/evidence.c). A cubin with one place made wrong must
# fail the check that looks there. CORPUS=FOLDER: of the cubins there instead, all that make sass-corpus makes: exceptions that nothing there needs are errors too.
# QUICK=1: reads are forgotten of one cubin, not of all.
. "$(dirname "$0")/../lib.sh"
E=$B/test/evidence
summary() { awk -v c="$1" '$1 == c && / violations, / { for (i = 2; i < NF; i++) if ($(i + 1) == "violations,") print $i }' "$2"; } # CHECK FILE
for check in bytes registers targets alignment barriers stalls unwritten entry peak dead entered; do checks+=("$check"); done
if [ -n "${CORPUS:-}" ]; then
	"$E" --allow test/sass/explained.txt --allow test/sass/corpus.txt --stale "$CORPUS"/*.cubin > "$tmp/all"
	tail -13 "$tmp/all" | sed 's/^/      /'
else
	"$E" --allow test/sass/explained.txt --stale test/sass/cubin/*.cubin > "$tmp/all"
fi
holds() { grep "^$1 .*0x" "$tmp/all"; [ "$(summary "$1" "$tmp/all")" = 0 ]; } # CHECK
for check in "${checks[@]}"; do t "all cubins: $check" holds "$check"; done
t "everything explained is still there" bash -c "! grep '^allowed, and no longer there' '$tmp/all'"
broken() { # CHECK CUBIN
	local n
	"$E" --allow test/sass/explained.txt --break "$1" "$2" > "$tmp/broken" && { echo "exit code 0"; return 1; }
	n=$(summary "$1" "$tmp/broken")
	[ "${n:-0}" -gt 0 ] || { cat "$tmp/broken"; return 1; }
}
for cubin in test/sass/cubin/lavamd.sm_{75,90a,120a}.cubin; do
	for check in "${checks[@]}"; do [ "$check" = entered ] || t "made wrong: $check of ${cubin##*/}" broken "$check" "$cubin"; done
done
for cubin in test/sass/cubin/pointers.sm_{75,120a}.cubin; do t "made wrong: entered of ${cubin##*/}" broken entered "$cubin"; done
forgotten() { # a read that the decoder would miss, of most operands, leaves a result behind that nobody reads
	local f
	"$E" --forget --allow test/sass/explained.txt test/sass/cubin/*.cubin > "$tmp/forget"
	for f in "ATOM +[acu]" "DMMA +b" "FFMA2 +[ac]" "HFMA2 +[abc]" "HGMMA +a" "HMMA +[abce]" "IADD3 +pp" "IMAD +c" "IMMA +[abce]" "LDG +a" "LEA +b" "PRMT +c" "QMMA +[ab]" "RED +[au]" "SEL +pp" "SHFL +b" "STG +b" "TEX +[ab]" "UTCHMMA +[bce]" "UTMALDG +b" "VIMNMX3 +[abc]"; do
		grep -E "^forget $f .* in [1-9]" "$tmp/forget" > "$tmp/noticed" || { echo "$f is not noticed"; return 1; }
	done
	awk '/^reads forgotten/ { print; exit !($3 >= 331 && $5 - $3 <= 29) }' "$tmp/forget"
}
one_forgotten() { "$E" --forget --allow test/sass/explained.txt test/sass/cubin/lavamd.sm_90a.cubin > "$tmp/forget"; awk '/^reads forgotten/ { print; n = $3 } END { exit !(n > 10) }' "$tmp/forget"; }
if [ -z "${QUICK:-}" ]; then t "reads that are forgotten are noticed" forgotten
else t "reads that are forgotten are noticed, of one cubin" one_forgotten; fi
cut_off() { # BYTES: half a file is refused, not believed
	head -c "$1" test/sass/cubin/lavamd.sm_90a.cubin > "$tmp/cut.cubin" && exits 1 "$A" "$tmp/cut.cubin" -q -o "$tmp/x" && [ ! -e "$tmp/x" ] && says cut.cubin
}
for n in 40 64 1000 20000; do t "the first $n bytes of a cubin are refused" cut_off "$n"; done
finish
