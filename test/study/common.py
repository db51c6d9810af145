"""What the studies share: the examples, annotating them, claims, pictures."""
import csv, math, os, re, subprocess


def examples(build):
    """Names of the programs in examples/, or of those that EXAMPLES in the environment names; those in LLVM IR if this build reads it."""
    names = sorted(os.environ.get("EXAMPLES", "").split()) or sorted(d for d in os.listdir("examples") if os.path.exists(f"examples/{d}/{d}.yaml"))
    llvm = os.access(f"{build}/regloom-llvm", os.X_OK)
    return [n for n in names if llvm or os.path.exists(f"examples/{n}/{n}.ptx")]


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
