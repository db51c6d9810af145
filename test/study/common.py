"""What the studies share: the examples, annotating them, what was measured, claims, pictures."""
import concurrent.futures, copy, csv, json, math, os, pickle, re, statistics, subprocess, sys

# Short examples, for what takes many configurations.
SWEPT = ("bfs binomial bitonic btree collatz conv dct8x8 dgemm fwt gaussian histogram hotspot jacobi kmeans lud mandel mriq nbody nw options pathfinder reduction "
         "sad saxpy scalarprod scan sgemm sha256 sobel").split()


# Runs under random delays of what claims of cycles are of (docs/SAMPLING.md#noise): with three the interval of a mean would be twice as wide.
PERTURB = 4
STUDENT = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)      # 0.975 quantile of t, by degrees of freedom from 1 on


def half_width(values):
    """Of the 95 % interval of the mean of draws."""
    return STUDENT[len(values) - 2] * statistics.stdev(values) / math.sqrt(len(values))


def arguments(*flags):
    """BUILD, FOLDER or None if there is none (what is found is printed), and the flags that were given."""
    args = [a for a in sys.argv[1:] if not a.startswith("--")]
    given = {a[2:] for a in sys.argv[1:] if a.startswith("--")}
    if not 1 <= len(args) <= 2 or given - set(flags):
        sys.exit(f"usage: {sys.argv[0]} BUILD [FOLDER]" + "".join(f" [--{f}]" for f in flags))
    if args[1:]:
        os.makedirs(args[1], exist_ok=True)
    return args[0], args[1] if args[1:] else None, given


def examples(build, some=None):
    """Names of the programs in examples/, or of those that EXAMPLES in the environment names; those in LLVM IR if this build reads it. some: those of these alone; none left is an error."""
    names = sorted(os.environ.get("EXAMPLES", "").split()) or sorted(d for d in os.listdir("examples") if os.path.exists(f"examples/{d}/{d}.yaml"))
    llvm = os.access(f"{build}/regloom-llvm", os.X_OK)
    names = [n for n in names if (llvm or os.path.exists(f"examples/{n}/{n}.ptx")) and (some is None or n in some)]
    if not names:
        sys.exit(f"{sys.argv[0]}: no example is left to study" + ("" if some is None else f", of {' '.join(sorted(some))}"))
    return names


def launch(name):
    return f"examples/{name}/{name}.yaml"


def kernels_of(name):
    """{kernel: (CTAs, threads of one)} of an example's launches; of several launches of a kernel the largest."""
    with open(launch(name)) as f:
        text = f.read()
    out = {}
    for part in re.split(r"\bkernel:\s*", text[text.index("\nlaunches:"):])[1:]:
        size = lambda key: math.prod(int(n) for n in re.search(rf"\b{key}:\s*\[([0-9, ]+)\]", part).group(1).split(","))
        kernel, now = re.match(r"\w+", part).group(), (size("grid"), size("block"))
        out[kernel] = max(out.get(kernel, now), now, key=lambda x: x[0] * x[1])
    return out


def read_claims(paper):
    """{(id, metric, configuration, scope): (value, bound, what, where)}"""
    with open("docs/claims.csv", newline="") as f:
        return {(r["id"], r["metric"], r["configuration"], r["scope"]): (float(r["value"]), r["bound"], r["what"], r["where"])
                for r in csv.DictReader(f) if r["paper"] == paper}


def outliers(of):
    """Names of {name: value} beyond Tukey's outer fences, three times the distance of the quartiles from them, the farthest first; three at most."""
    if len(of) < 5:
        return []
    low, centre, high = statistics.quantiles(of.values(), n=4, method="inclusive")
    far = [k for k, v in of.items() if not low - 3 * (high - low) <= v <= high + 3 * (high - low)]
    return sorted(far, key=lambda k: -abs(of[k] - centre))[:3]


# Energies as three readings: what is published alone, as the model has it, and of events alone (docs/ENERGY_SOURCES.md#two-factors).
READINGS = ("unfitted", "fitted", "dynamic")
CROSSBAR, COLLECTOR = 109.4 - 60.8, 2.8         # pJ of an operand of 1024 bits that is read: GPUWattch's crossbar without the wire that the model has, and its entry of a collector


def fitted_factors():
    """COLLECT and STEADY as the model has them."""
    with open("runtime-model/core/energy.c") as f:
        return tuple(float(n) for n in re.search(r"COLLECT = ([0-9.]+), STEADY = ([0-9.]+);", f.read()).groups())


def energy_read(c, of, reading):
    """pJ of the counters c: of "sm_energy" or "gpu_energy". Collectors are as the model has them, or by entry and width: what an operand takes in a collector, and by the arrays that
    deliver it in the crossbar."""
    steady = c["sm_steady_energy"] + (c["uncore_steady_energy"] if of == "gpu_energy" else 0)
    if reading == "fitted":
        return c[of]
    sourced = CROSSBAR * (c["rf_read_arrays"] / 8 + c.get("bvr_reads", 0) / 32) + COLLECTOR * c["rf_operand_reads"]
    return c[of] - c["collect_energy"] + sourced + steady * (1 / fitted_factors()[1] - 1 if reading == "unfitted" else -1)


def by_reading(xs, value, warps):
    """Of value(x, reading): its mean by each reading, and, as the model has it, of the half of the examples with the fewest warps on an SM and of the other half."""
    average = lambda some, reading: statistics.mean([value(x, reading) for x in some])
    order = sorted(xs, key=warps)
    half = len(order) // 2
    return {**{r: average(xs, r) for r in READINGS}, **({"few warps": average(order[:half], "fitted"), "many warps": average(order[half:], "fitted")} if half > 1 else {})}


class Measured:
    """What a study says of the rows of docs/claims.csv, for FOLDER/STUDY.claims.csv: the number, of how many programs, and in which sense; how far noise reaches; of what
    is a mean over programs also the other means, and of what hangs on fitted energies the number without them."""
    COLUMNS = ("noise", "median", "geometric", "outliers", "without", *READINGS, "few warps", "many warps")

    def __init__(self, paper):
        self.claims, self.rows = read_claims(paper), {}

    def say(self, id_, metric, configuration, scope, value, n=1, what="", of=None, seeds=None, more=None):
        """None: not measured this time. What is said twice of a claim must be the same. of: {program: what value is the mean of}; seeds: the number under each seed, whose mean is said
        then; more: others of COLUMNS."""
        key = id_, metric, configuration, scope
        assert key in self.claims, key
        if value is None:
            return
        more = dict(more or {})
        if seeds:
            value, more["noise"] = statistics.mean(seeds), half_width(seeds)
        if of:
            more |= self.means(key, of)
        assert self.rows.setdefault(key, (value, n, what, more))[0] == value, key

    def means(self, key, of):
        """Median, geometric mean, outliers and the mean without them, of percentages as the ratios that they change."""
        of, what = {k: v for k, v in of.items() if v is not None}, self.claims[key][2]
        sign = -1 if re.match("less|fewer", what) or key[1].endswith(("saving", "reduction", "loss")) else 1
        change = re.match("less|fewer|more|faster", what) or key[1].endswith(("saving", "reduction", "loss", "gain"))
        ratios = [1 + sign * v / 100 if change else v for v in of.values()]
        g = math.exp(sum(map(math.log, ratios)) / len(ratios)) if min(ratios, default=0) > 0 else None
        far = outliers(of)
        rest = [v for k, v in of.items() if k not in far]
        return {"median": statistics.median(of.values()), "geometric": sign * 100 * (g - 1) if g and change else g, "outliers": " ".join(far),
                "without": statistics.mean(rest) if far else None}

    def write(self, folder, study):
        with open(f"{folder}/{study}.claims.csv", "w", newline="") as f:
            w = csv.writer(f, lineterminator="\n")
            w.writerow(["id", "metric", "configuration", "scope", "ours", "programs", "of", *self.COLUMNS])
            for key, (value, n, what, more) in self.rows.items():
                w.writerow([*key, f"{value:.6g}", n, what] + [f"{v:.6g}" if isinstance(v, float) else v or "" for v in (more.get(k) for k in self.COLUMNS)])


def source_of(name):
    return next(f for f in (f"examples/{name}/{name}.ptx", f"examples/{name}/{name}.ll") if os.path.exists(f))


def narrow_addresses(name, tmp):
    """The example, in OpenCL C, compiled for addresses of 32 bits."""
    ptx = f"{tmp}/{name}.ptx"
    subprocess.run([os.environ.get("CLANG", "clang-19"), "-x", "cl", "-cl-std=CL1.2", "-target", "nvptx-nvidia-cuda", "-march=sm_50", "-O3", "-I.",
                    "-gline-directives-only", "-S", f"examples/{name}/{name}.cl", "-o", ptx], check=True)
    return ptx


def annotate(build, name, tmp, *options, source=None, quiet=False):
    """The object of one example, or of another form of it. quiet: that it cannot be made is not said."""
    rlo = f"{tmp}/{name}.rlo"
    subprocess.run([f"{build}/ptx-annotate", source or source_of(name), "-q", *options, "-o", rlo], check=True, stderr=subprocess.DEVNULL if quiet else None)
    return rlo


def call(command, name):
    """Why it failed, or None."""
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    return f"{name}: {(done.stderr.splitlines() or ['failed'])[0]}" if done.returncode else None


def timed(build, rlo, name, machine, designs, counters, out):
    """{design: {counter: value}} of an example's object; designs: {design: configuration}. Executed once; out: a file to write to."""
    more = [a for label, text in designs.items() for a in ("--config", f"{text},name={label}")]
    failed = call([f"{build}/sm-model", "compare", rlo, "--launch", launch(name), "--machine", machine, *more, "--quiet", "--json", out], name)
    if failed:
        sys.exit(failed)
    with open(out) as f:
        return {c["name"]: {m: float(c["metrics"][m]["value"]) for m in counters} for c in json.load(f)["configurations"]}


def perturbed(build, rlo, name, machine, designs, out, kernels=False):
    """{design: {"cycles", "ipc": [under each seed]}}, of whole examples, or of each kernel: {design: {kernel: ...}}. A design that cannot run is not there."""
    more = [a for label, text in designs.items() for a in ("--config", f"{text},name={label}")]
    if os.path.exists(out):
        os.remove(out)
    failed = call([f"{build}/sm-model", "compare", rlo, "--launch", launch(name), "--machine", machine, *more, "--perturb", str(PERTURB), "--quiet", "--json", out], name)
    if failed and not os.path.exists(out):
        sys.exit(failed)
    read = lambda c: {m: c["perturbed"].get(m, {}).get("values") or [float(c["metrics"][m]["value"])] * PERTURB for m in ("cycles", "ipc")}
    with open(out) as f:
        return {c["name"]: {k: read(v) for k, v in c["kernels"].items()} if kernels else read(c) for c in json.load(f)["configurations"] if not c["failed"]}


def under_seeds(xs):
    """The examples as they are under each seed: copies, with the cycles and IPC of its run in place of x.c[design] where x.noise[design] has them."""
    def at(x, s):
        y = copy.copy(x)
        y.c = {d: {**c, **{m: v[s] for m, v in x.noise.get(d, {}).items()}} for d, c in x.c.items()}
        return y
    return [[at(x, s) for x in xs] for s in range(PERTURB)]


def each(study, names):
    """What study() returns for each name, in their order; as many at once as there are cores."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(study, names))


def measured(build, name, measure):
    """What measure() returns, kept in BUILD/study; with AGAIN in the environment what was kept there last: pages can be written anew without measuring."""
    path = f"{build}/study/{name}.pickle"
    if os.environ.get("AGAIN"):
        with open(path, "rb") as f:
            return pickle.load(f)
    result = measure()
    os.makedirs(f"{build}/study", exist_ok=True)
    with open(f"{path}.new", "wb") as f:
        pickle.dump(result, f)
    os.replace(f"{path}.new", path)
    return result


def write_csv(path, xs, counters, designs=None):
    """What timed() gave of each example: x.c[design][counter]; of all designs, or of these."""
    with open(path, "w", newline="") as f:
        w = csv.writer(f, lineterminator="\n")
        w.writerow(["example", "configuration", *counters])
        for x in xs:
            for label, c in x.c.items():
                if designs is None or label in designs:
                    w.writerow([x.name, label] + [f"{c[m]:.10g}" for m in counters])


def gnuplot(path, size, commands, blocks, plots):
    """An SVG; blocks: the lines of $d0, $d1, ... that plots draw."""
    head = f"set terminal svg size {size} font 'sans,12'\nset output '{path}'\n"
    data = "".join(f"$d{i} << EOD\n" + "".join(line + "\n" for line in b) + "EOD\n" for i, b in enumerate(blocks))
    subprocess.run(["gnuplot"], input=head + "".join(c + "\n" for c in commands) + data + "plot " + ", ".join(plots) + "\n",
                   text=True, check=True)


def gnuplot_all(path, size, shape, commands, pictures):
    """An SVG with rows x columns pictures, each (commands, blocks, plots) as gnuplot() has them."""
    text = f"set terminal svg size {size} font 'sans,11'\nset output '{path}'\n" + "".join(c + "\n" for c in commands)
    text += f"set multiplot layout {shape[0]},{shape[1]}\n"
    for own, blocks, plots in pictures:
        text += "".join(c + "\n" for c in own)
        text += "".join(f"$d{i} << EOD\n" + "".join(line + "\n" for line in b) + "EOD\n" for i, b in enumerate(blocks))
        text += "plot " + ", ".join(plots) + "\n"
    subprocess.run(["gnuplot"], input=text, text=True, check=True)


def bars(title, ylabel, names, series, colours, stacked=False):
    """One picture of gnuplot_all(); series: {label: [value of each name]}; the mean is added."""
    blocks, plots, width = [], [], 0.8 if stacked else 0.8 / len(series)
    names = names + ["mean"]
    below = [0] * len(names)
    for i, (label, values) in enumerate(series.items()):
        values = values + [sum(values) / len(values)]
        tops = [b + v for b, v in zip(below, values)]
        at = 0 if stacked else (i - (len(series) - 1) / 2) * width
        blocks.append([f"{n + at:.3f} {tops[n]:.4f}" for n in range(len(names))])
        plots.append(f"$d{i} using 1:2 with boxes fs solid 1 lc rgb '{colours[label]}' title '{label}'")
        below = tops if stacked else below
    tics = ", ".join(f"'{t}' {n}" for n, t in enumerate(names))
    return ([f"set title '{title}'", f"set ylabel '{ylabel}'", f"set boxwidth {width:.3f}", f"set xtics ({tics}) rotate by -40 scale 0", f"set xrange [-0.6:{len(names) - 0.4}]",
             "set yrange [0:*]", "set key outside top right horizontal"], blocks, plots[::-1] if stacked else plots)
