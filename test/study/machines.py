#!/usr/bin/env python3
"""What the papers say of their machines, energies and formats, beside the numbers that regloom's machines, energy tables and objects have in force, read
from what a command prints, or from a short run. What is then computed with a constant of this script says so in the column "of". Writes FOLDER/machines.md and
machines.claims.csv. Usage: machines.py BUILD [FOLDER]"""
import json, re, subprocess, tempfile
from common import Measured, annotate, arguments, launch
from tables import line

PAPERS = {"corf": "corf", "hierarchical-rf": "hierarchical-rf", "regmutex": "regmutex", "g-scalar": "g-scalar", "wir": "wir"}     # paper: machine
TABLES = {"corf": "corf", "hierarchical-rf": "hrf", "g-scalar": "g-scalar", "wir": "wir"}                                         # paper: energy table
DEPTH = 6       # cycles from issue to a dependent instruction but for the unit's own: docs/TIMING.md#depth
REGISTER = 128  # bytes of a warp's register
WARPS, REGISTERS, KERNELS = 48, 63, 8    # of CORF's table, and kernels whose alignment an SM keeps
BY = {                                  # what is not as a command prints it
    ("HRF-E5", "MRF"): "by definition: other lengths are over this one", ("HRF-E5", "MRF shared"): "by definition, as the MRF's", ("HRF-E5", ""): "if the MRF's wire is 1 mm",
    ("CORF-E3", "logic_power"): "energy of an operation times ten units, which the table's number was made from", ("CORF-C2", "table_entry_bits"): "bits of the table over 48 x 63",
    ("CORF-C2", "alignment_bits"): "bits over 8 kernels", ("HRF-C1", "alu_latency"): "parameter and 6 cycles of the pipeline", ("HRF-C1", "sfu_latency"): "parameter and 6 cycles of the pipeline",
    ("WIR-E1", "reuse buffer of 59 bits"): "of the default entry, times 59 / 135"}
UNPACKERS = 8   # of CORF's SM: the model has two in each collector, and no parameter for it

HEAD = """# The papers' machines, energies and formats

Written by `make papers` (`test/study/machines.py`). *Ours* is what `sm-model run --machine NAME --dump-config`, `sm-model list energy NAME` and short runs of `saxpy` say; [SOURCES](../SOURCES.md) has
the source of each number that no paper gives.

"""


def say(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def parameters(build, machine):
    """{parameter: number} in force, and for a class of instructions its latency."""
    return {m[1]: float(m[2]) for m in re.finditer(r"^  (\w+) +([\d.]+) ", say(f"{build}/sm-model", "run", "--machine", machine, "--dump-config"), re.M)}


def costs(build, table):
    return {m[1]: float(m[2]) for m in re.finditer(r"^    (\w+) +([\d.]+) (?:pJ|mW)", say(f"{build}/sm-model", "list", "energy", table), re.M)}


def machine_rows(p):
    """{(id, metric): number} of a machine's parameters, for the rows of all papers that have them."""
    warps, file, line_bytes = p["threads_per_sm"] / 32, p["rf_registers"] * 4 / 1024, 128
    return {
        "CORF-C1": {"sms": p["sms"], "register_file": file, "banks": p["rf_banks"], "arrays": p["rf_arrays"], "entries": p["rf_registers"] / 32 / p["rf_banks"], "collector_ports": p["oc_ports"],
                    "warps": warps, "schedulers": p["schedulers"], "packers": p["packers"]},
        "HRF-C1": {"lanes": p["simt_lanes"], "register_file": file, "bank": file / p["rf_banks"] / p["rf_arrays"], "shared_memory": p["shared_bytes"] / 1024, "shared_bandwidth": p["shared_bytes_cycle"],
                   "external_bandwidth": p["memory_bytes_cycle"], "alu_latency": DEPTH + p["int_add"], "sfu_latency": DEPTH + p["sfu"], "dram_latency": p["memory_fixed"], "warps": warps},
        "RM-C1": {"sms": p["sms"], "register_file": file, "schedulers": p["schedulers"], "warps": warps},
        "GS-C1": {"sms": p["sms"], "sm_clock": p["sm_mhz"] / 1000, "noc_clock": p["icnt_mhz"] / 1000, "register_file": file, "banks": p["rf_banks"],
                  "collectors": p["collectors"] + p["collectors_sp"] + p["collectors_sfu"] + p["collectors_mem"], "schedulers": p["schedulers"], "simt_width": p["simt_lanes"], "warps": warps,
                  "ctas": p["ctas_per_sm"], "l1": p["l1_sets"] * p["l1_ways"] * line_bytes / 1024, "l2": p["partitions"] * p["l2_slices"] * p["l2_sets"] * p["l2_ways"] * line_bytes / 1024,
                  "channels": p["partitions"]},
        "WIR-C1": {"sm_clock": p["sm_mhz"] / 1000, "sms": p["sms"], "schedulers": p["schedulers"], "warp_registers": p["rf_registers"] / 32, "warps": warps, "ctas": p["ctas_per_sm"], "register_file": file,
                   "bank_groups": p["rf_banks"], "scratchpad": p["shared_bytes"] / 1024, "l1": p["l1_sets"] * p["l1_ways"] * line_bytes / 1024, "l1_ways": p["l1_ways"], "l1_mshrs": p["l1_mshrs"],
                   "l2": p["partitions"] * p["l2_slices"] * p["l2_sets"] * p["l2_ways"] * line_bytes / 1024, "l2_ways": p["l2_ways"], "reuse_buffer": p["reuse_entries"],
                   "signatures": p["vsb_entries"], "verify_cache": p["verify_entries"], "latency": p["reuse_cycles"]},
    }


def energies(p, c):
    """{paper: {(id, metric, configuration): number}}; p, c: of each paper's machine and energy table."""
    words = REGISTER / 4
    wire = c["hierarchical-rf"]["rf_wire"]          # the MRF's, 1 mm in the paper: lengths are measured by it
    return {
        "corf": {("CORF-E1", "rename_energy", ""): c["corf"]["rename_access"], ("CORF-E1", "bank_energy", ""): c["corf"]["rf_read"], ("CORF-E2", "rename_leakage", ""): c["corf"]["rename_leakage"],
                 ("CORF-E2", "bank_leakage", ""): c["corf"]["rf_leakage"], ("CORF-E3", "logic_leakage", ""): c["corf"]["pack_leakage"],
                 ("CORF-E3", "logic_power", ""): c["corf"]["pack_operation"] * (p["corf"]["packers"] + UNPACKERS) * p["corf"]["sm_mhz"] / 1000},
        "hierarchical-rf": {**{("HRF-E1", "energy", what): c["hierarchical-rf"][key] / (REGISTER / 16) for what, key in (("MRF read", "rf_read"), ("MRF write", "rf_write"), ("L0 read", "l0_read"), ("L0 write", "l0_write"))},
                            ("HRF-E5", "wire_energy", ""): wire / words,
                            **{("HRF-E5", "distance", where): c["hierarchical-rf"][key] / wire for where, key in (("MRF", "rf_wire"), ("MRF shared", "rf_wire"), ("L1", "l1_wire"), ("L0", "l0_wire"), ("L1 shared", "l1_shared_wire"))}},
        "g-scalar": {("GS-E1", "bvr_access_energy", "g-scalar"): 100 * c["g-scalar"]["bvr_read"] / c["g-scalar"]["rf_read"],
                     ("GS-E2", "decompressor_power", "g-scalar"): c["g-scalar"]["decompress"] * p["g-scalar"]["sm_mhz"] / 1000,
                     ("GS-E2", "compressor_power", "g-scalar"): c["g-scalar"]["compress"] * p["g-scalar"]["sm_mhz"] / 1000},
        "wir": {**{("WIR-E1", "energy", what): c["wir"][key] for what, key in (("rename table", "rename_table"), ("hash", "hash"), ("value signature buffer", "vsb"), ("register allocator", "allocator"),
                                                                              ("reference count", "reference"), ("verify cache", "verify_cache"))},
                ("WIR-E1", "energy", "reuse buffer of 59 bits"): c["wir"]["reuse_buffer"] * 59 / 135},       # the default entry has 135: docs/WIR.md#mechanism
    }


def levels(build, rlo, tmp):
    """{(id, configuration, scope): pJ for 128 bits} of an ORF's sizes, by a run with each."""
    out = {}
    for id_, active in (("HRF-E2", 8), ("HRF-E3", 4), ("HRF-E4", 6)):
        for n in (4, 6, 8):
            say(f"{build}/sm-model", "run", rlo, "--launch", launch("saxpy"), "--machine", "hierarchical-rf", "--rf", "rfc", "--set", f"rf_l1_entries={n}", "--set", f"active_warps={active}", "--quiet",
                "--json", f"{tmp}/run.json")
            with open(f"{tmp}/run.json") as f:
                m = {k: v["value"] for k, v in json.load(f)["metrics"].items()}
            out[id_, f"{n} entries read", f"{active} active warps"] = m["rf_l1_read_energy"] / (m["rf_l1_reads"] + m["rf_l1_evictions"]) / (REGISTER / 16)
            out[id_, f"{n} entries write", f"{active} active warps"] = m["rf_l1_write_energy"] / m["rf_l1_writes"] / (REGISTER / 16)
    return out


def metadata(build):
    """Bits of a metadata instruction of CORF, and pairs in one, of the example with most pairs in a word."""
    words = [(k["corf"]["pairs"]["words"], k["corf"]["pairs"]["registers"]) for n in ("pathfinder", "sgemm", "lud")
             for k in json.loads(say(f"{build}/ptx-annotate", f"examples/{n}/{n}.ptx", "--emit=json"))["kernels"]]
    return {"metadata_bits": max(4 * len(w[2:]) for ws, _ in words for w in ws), "pairs": max(len(pairs) / len(ws) for ws, pairs in words if ws)}


def structures(build, rlo, tmp):
    """Bits of an entry of CORF's renaming table, and of CORF++'s alignment of a kernel, from what they add to an SM (docs/STORAGE.md)."""
    out = {}
    for design, part in (("corf", "renaming table"), ("corf++", "alignment")):
        say(f"{build}/sm-model", "run", rlo, "--launch", launch("saxpy"), "--machine", "corf", "--rf", design, "--quiet", "--json", f"{tmp}/run.json")
        with open(f"{tmp}/run.json") as f:
            out[design] = json.load(f)["registers"]["storage"][part]
    return {"table_entry_bits": out["corf"] / (WARPS * REGISTERS), "alignment_bits": out["corf++"] / KERNELS}


def main():
    build, folder, _ = arguments("quick")
    p = {paper: parameters(build, machine) for paper, machine in PAPERS.items()}
    c = {paper: costs(build, table) for paper, table in TABLES.items()}
    ids = {"corf": "CORF-C1", "hierarchical-rf": "HRF-C1", "regmutex": "RM-C1", "g-scalar": "GS-C1", "wir": "WIR-C1"}
    said = {paper: Measured(paper) for paper in PAPERS}
    with tempfile.TemporaryDirectory() as tmp:
        rlo = annotate(build, "saxpy", tmp)
        upper, format_ = levels(build, rlo, tmp), {**metadata(build), **structures(build, rlo, tmp)}
    for paper, id_ in ids.items():
        for metric, value in machine_rows(p[paper])[id_].items():
            said[paper].say(id_, metric, "", "machine", value, 1, BY.get((id_, metric), ""))
    said["corf"].say("CORF-C1", "registers", "", "machine", float(re.search(r"--maxreg=N.*default: (\d+)", say(f"{build}/ptx-annotate", "--help"))[1]))
    for metric, value in format_.items():
        said["corf"].say("CORF-C2", metric, "", "format", value, 1, BY.get(("CORF-C2", metric), ""))
    for paper, rows in energies(p, c).items():
        for (id_, metric, configuration), value in rows.items():
            scope = next(k[3] for k in said[paper].claims if k[:3] == (id_, metric, configuration))
            said[paper].say(id_, metric, configuration, scope, value, 1, BY.get((id_, configuration or metric), BY.get((id_, configuration), "")))
    for (id_, configuration, scope), value in upper.items():
        said["hierarchical-rf"].say(id_, "energy", configuration, scope, value)
    text = []
    for paper, s in said.items():
        text += [f"## `--machine {PAPERS[paper]}`", "", line(["claim", "what", "where", "", "paper", "ours"]), "|---|---|---|---|--:|--:|"]
        for key, (value, *_) in s.rows.items():
            claim, _, what, where = s.claims[key]
            text.append(line([key[0], f"{what}, {key[1]}".replace("_", " ") if what else key[1], where, " ".join(x for x in key[2:] if x), f"{claim:g}", f"{value:.4g}"]))
        text.append("")
    if not folder:
        print("\n".join(text))
        return
    with open(f"{folder}/machines.md", "w") as f:
        f.write(HEAD + "\n".join(text))
    merged = said["corf"]
    for s in said.values():
        merged.rows.update(s.rows)
    merged.write(folder, "machines")


main()
