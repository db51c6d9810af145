#!/bin/bash
# What streams get of L1, L2 and DRAM of GPUs of sub-cores, beside what was published.
. "$(dirname "$0")/../lib.sh"
for m in rtx3080 a100 h200; do t "rates of L1, L2 and DRAM: $m" test/script/rates.py "$B" $m; done
finish
