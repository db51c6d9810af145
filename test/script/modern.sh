#!/bin/bash
# make study-modern with two examples: each technique has a figure on each pair of code and machine, or is refused there with a sentence of the program.
. "$(dirname "$0")/../lib.sh"
command -v gnuplot > /dev/null || { skip "the study of a core of today" "no gnuplot"; finish; exit; }
pages=$tmp/modern
runs() { test/study/modern.py "$B" "$pages" --quick && [ -s "$pages/modern.svg" ] && [ -s "$pages/modern.csv" ]; }
t "the study of a core of today runs" runs
columns() { # of machine code they are there if ptxas is; what has no figure is refused with a reason
	python3 - "$pages/modern.md" <<-'PY'
		import re, sys
		text = open(sys.argv[1]).read()
		rows = [[c.strip() for c in l.strip("|").split("|")] for l in text[text.index("## The techniques"):text.index("## What the code")].splitlines() if l.startswith("| ")]
		for row in rows[1:]:
		    for column, value in zip(rows[0][2:6], row[2:6]):
		        left = f"{column}" in text[:text.index("![")] and "Left out" in text
		        assert value or left, row
		        assert value != "refused" or re.search(rf"^- {re.escape(row[0])} on {re.escape(column)}: \*.+\*$", text, re.M), row
		assert rows[1][2] and "refused" not in rows[1][2]
	PY
}
t "every figure is there, or refused with a reason" columns
command -v ptxas > /dev/null || [ -x /usr/local/cuda/bin/ptxas ] || skip "machine code of the study" "no ptxas"
finish
