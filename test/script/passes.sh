#!/bin/bash
# Passes over shared memory, lines and sectors of the L1 on cores of today, beside the published rules.
. "$(dirname "$0")/../lib.sh"
for m in rtx3080 h100; do t "passes, lines and sectors: $m" test/script/passes.py "$B" $m; done
finish
