#!/bin/bash
# The microbenchmarks of examples/micro: the table, and whether it holds on every machine and with other parameters.
. "$(dirname "$0")/../lib.sh"
made() { # the committed files are what their script writes
	examples/micro/make.py "$tmp" && for f in "$tmp"/*; do cmp "$f" "examples/micro/${f##*/}" || return 1; done
}
t "microbenchmarks are as make.py writes them" made
agree() { t "microbenchmarks: ${*:-gtx480}" test/script/micro.py "$B" -q "$@"; }
agree
# These formulas are of collectors. Half a register file does not hold the CTA of 1024 threads that measures the L2; its other numbers are regmutex's.
for m in $("$B/sm-model" list machines | sed -n 's/^  \([a-z0-9-]*\)  .*/\1/p'); do [ -e "runtime-model/machine/$m.def" ] && [ "$m" != regmutex-half ] && "$B/sm-model" list machines "$m" | grep -q '^  core  *0 ' && agree --machine "$m"; done
agree --rf issue=lrr
agree --set rf_banks=4 --set oc_ports=1
agree --set shared_latency=40 --set l1_latency=50 --set const_latency=9 --set fp_mad_latency=2
agree --set mem_latency=3 --set int_add_latency=9 --set fp_div_interval=9 --set sfu_interval=3 --set units_sfu=2
agree --set l2_latency=200 --set icnt_mhz=1400 --set icnt_latency=11 --set l2_sectors=0
agree --set l2_mhz=350 --set flit_bytes=16 --set dram_mhz=1200 --set dram_rp=20 --set dram_latency=0
changed() { # a formula that is wrong is seen
	sed 's/int_mad_latency + 6/int_mad_latency + 7/' examples/micro/micro.json > "$tmp/micro.json"
	cp examples/micro/*.ptx examples/micro/*.yaml "$tmp" && ! MICRO=$tmp test/script/micro.py "$B" -q > "$tmp/out" &&
	grep -q 'latency of mad.lo.s32.* NO$' "$tmp/out" && grep -qx '      int_mad_latency + 7' "$tmp/out"
}
t "microbenchmarks: a wrong formula does not agree" changed
finish
