#!/usr/bin/env python3
"""usage.py BUILD FOLDER [--quick] [--variants]: how the values in registers of the examples are used (docs/HIERARCHY.md#value-usage), beside the claims of Gebhart et al.
(TOCS 2012). Writes FOLDER/usage.md and usage.claims.csv; the claims are measured of the examples of the sweeps. --quick: four examples. The means are over examples, unweighted, as the paper's averages over programs. --variants prints
instead what becomes of it with 32-bit addresses, as the paper's GPUs had them: of the examples in OpenCL C, which clang compiles again."""
import json, os, subprocess, tempfile
from common import SWEPT, Measured, annotate, arguments, each, examples, launch, measured, narrow_addresses, source_of

QUICK = ("fwt", "reduction", "scalarprod", "srad1")
WAYS = {"as compiled": (), "without reordering": ("--no-schedule",)}
CLAIMS = {"read once": "up to 70", "more": "10", "soon": "up to 40", "reads": "1.6", "writes": "0.8", "shared": "7", "of private": "70"}
COLUMNS = ("never", "read once", "twice", "more", "1", "2", "3", "later", "soon", "shared", "of private", "reads", "writes")
HEADS = ("never", "once", "twice", "more", "1", "2", "3", "later", "once, within 3", "by shared units", "of these, private", "operands read", "written")


def usage(build, name, tmp, options=(), source=None):
    rlo, out = annotate(build, name, tmp, *options, source=source), f"{tmp}/{name}.json"
    subprocess.run([f"{build}/sm-model", "usage", rlo, "--launch", launch(name), "--quiet", "--json", out], check=True)
    return json.load(open(out))["total"]


def shares(u):
    part = lambda n, of: 100 * n / of if of else 0.0
    reads, life, n = u["by_reads"], u["once_by_lifetime"], u["values"]
    assert sum(reads.values()) == n == u["operand_writes"] and sum(life.values()) == reads["once"]
    row = [part(reads[k], n) for k in ("never", "once", "twice", "more")] + [part(life[k], reads["once"]) for k in ("1", "2", "3", "more")]
    row += [part(reads["once"] - life["more"], n), part(u["by_shared_units"], n), part(u["by_shared_units_of_private"], u["by_shared_units"])]
    return dict(zip(COLUMNS, row + [u["operand_reads"] / u["thread_instructions"], u["operand_writes"] / u["thread_instructions"]]))


def line(name, row):
    return f"| {name} | " + " | ".join((f"{row[c]:.2f}" if c in ("reads", "writes") else f"{row[c]:.1f}") if not isinstance(row.get(c, ""), str)
                                       else row.get(c, "") for c in COLUMNS) + " |\n"


def mean(rows):
    return {c: sum(r[c] for r in rows) / len(rows) for c in COLUMNS}


def head(what):
    return f"| {what} | " + " | ".join(HEADS) + " |\n|---|" + "--:|" * len(HEADS) + "\n"


def variants(build):
    of = {"64-bit addresses": [], "32-bit addresses": []}
    with tempfile.TemporaryDirectory() as tmp:
        for name in (n for n in examples(build) if source_of(n).endswith(".ptx")):
            of["64-bit addresses"].append(shares(usage(build, name, tmp)))
            of["32-bit addresses"].append(shares(usage(build, name, tmp, source=narrow_addresses(name, tmp))))
    print(head(f"mean of {len(of['64-bit addresses'])} examples") + "".join(line(way, mean(rows)) for way, rows in of.items()), end="")


def all_ways(build, names):
    of = {}
    with tempfile.TemporaryDirectory() as tmp:
        for way, options in WAYS.items():
            of[way] = dict(zip(names, each(lambda n: shares(usage(build, n, tmp, options)), names)))
    return of


def main(build, folder, quick):
    names, path = examples(build, QUICK if quick else None), f"{folder}/usage.md"
    of = measured(build, "usage quick" if quick else "usage", lambda: all_ways(build, names))
    first = next(iter(WAYS))
    swept = {way: [r for n, r in rows.items() if n in SWEPT] for way, rows in of.items()}
    read = [{**r, **{c: 100 * r[c] / (100 - r["never"]) for c in ("read once", "twice", "more", "soon", "shared")}, "never": 0.0} for r in of[first].values()]
    with open(path + ".new", "w") as f:
        f.write("# How values are used\n\n`make study-usage` and `make papers` write this. Percent of the values that threads write to 32-bit registers by how often they are read;\n"
                "of those read once by the instruction of the thread that reads them, 1 the next one; of all that are read once within three; of all\n"
                "that a shared unit reads (memory, textures, special functions), and of these that the private datapath wrote; registers that an\n"
                "instruction of a thread reads and writes.\n\n"
                + head("example"))
        for name, row in of[first].items():
            f.write(line(name, row))
        for way in WAYS:
            f.write(line(f"mean of all {len(of[way])}, {way}", mean(list(of[way].values()))))
            if swept[way]:
                f.write(line(f"mean of the {len(swept[way])} of the sweeps, {way}", mean(swept[way])))
        f.write(line("mean, of values that are read", mean(read)))
        f.write(line("claimed", CLAIMS))
    os.rename(path + ".new", path)
    said = Measured("hierarchical-rf")
    if swept[first]:
        m = mean(swept[first])
        for id_, metric, column in (("HRF-1", "values_read_once", "read once"), ("HRF-1", "values_read_more_than_twice", "more"), ("HRF-2", "values_read_once_soon", "soon"),
                                    ("HRF-18", "shared_values", "shared"), ("HRF-18", "shared_values_private", "of private")):
            said.say(id_, metric, "", "all", m[column], len(swept[first]))
    said.write(folder, "usage")


if __name__ == "__main__":
    build_, folder_, flags = arguments("quick", "variants")
    variants(build_) if "variants" in flags else main(build_, folder_, "quick" in flags)
