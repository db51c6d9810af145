"""What the studies share: the examples, annotating them, pictures."""
import os, subprocess


def examples(build):
    """Names of the programs in examples/, or of those that EXAMPLES in the environment names; those in LLVM IR if this build reads it."""
    names = sorted(os.environ.get("EXAMPLES", "").split()) or sorted(d for d in os.listdir("examples") if os.path.exists(f"examples/{d}/{d}.yaml"))
    llvm = os.access(f"{build}/regloom-llvm", os.X_OK)
    return [n for n in names if llvm or os.path.exists(f"examples/{n}/{n}.ptx")]


def launch(name):
    return f"examples/{name}/{name}.yaml"


def source_of(name):
    return next(f for f in (f"examples/{name}/{name}.ptx", f"examples/{name}/{name}.ll") if os.path.exists(f))


def narrow_addresses(name, tmp):
    """The example, in OpenCL C, compiled for addresses of 32 bits."""
    ptx = f"{tmp}/{name}.ptx"
    subprocess.run([os.environ.get("CLANG", "clang-19"), "-x", "cl", "-cl-std=CL1.2", "-target", "nvptx-nvidia-cuda", "-march=sm_50", "-O3", "-I.",
                    "-gline-directives-only", "-S", f"examples/{name}/{name}.cl", "-o", ptx], check=True)
    return ptx


def annotate(build, name, tmp, *options, source=None):
    """The object of one example, or of another form of it."""
    rlo = f"{tmp}/{name}.rlo"
    subprocess.run([f"{build}/ptx-annotate", source or source_of(name), "-q", *options, "-o", rlo], check=True)
    return rlo


def gnuplot(path, size, commands, blocks, plots):
    """An SVG; blocks: the lines of $d0, $d1, ... that plots draw."""
    head = f"set terminal svg size {size} font 'sans,12'\nset output '{path}'\n"
    data = "".join(f"$d{i} << EOD\n" + "".join(line + "\n" for line in b) + "EOD\n" for i, b in enumerate(blocks))
    subprocess.run(["gnuplot"], input=head + "".join(c + "\n" for c in commands) + data + "plot " + ", ".join(plots) + "\n",
                   text=True, check=True)
