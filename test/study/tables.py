"""What the studies' tables share: rows of Markdown, means, and tables of examples that stand for a paper's benchmarks."""
import math, statistics
from common import outliers, read_claims


def percent(n, of):
    return 100 * n / of if of else 0.0


def number(v, digits=1):
    return "" if v is None else f"{v:.{digits}f}"


def mean(values):
    """Of those that are there; None if none is. That there are no values at all is a mistake."""
    values = list(values)
    assert values, "a mean of nothing"
    values = [v for v in values if v is not None]
    return sum(values) / len(values) if values else None


def median(values):
    values = [v for v in values if v is not None]
    return statistics.median(values) if values else None


def geometric(values):
    """Of those that are there; None: one is not above 0."""
    values = [v for v in values if v is not None]
    return math.exp(sum(map(math.log, values)) / len(values)) if values and min(values) > 0 else None


def far(of, digits=1):
    """Outliers of {name: value}, as text: which, and the mean without them, if that is another by a hundredth."""
    of = {k: v for k, v in of.items() if v is not None}
    names = outliers(of)
    if not names:
        return ""
    rest = mean([v for k, v in of.items() if k not in names])
    return f"without {', '.join(names)} {number(rest, digits)}" if abs(rest - mean(of.values())) > abs(rest) / 100 else ""


class Mean(float):
    """An arithmetic mean that knows what it is of: {name: value}."""

    def __new__(cls, of):
        self = super().__new__(cls, statistics.mean(of.values()))
        self.of = of
        return self


def line(cells):
    return "| " + " | ".join(cells) + " |"


def table(head, rows):
    """The first column holds words, the others numbers."""
    return [line(head), "|---" + "|--:" * (len(head) - 1) + "|"] + [line(r) for r in rows] + [""]


class Benchmarks:
    """A paper's benchmarks, {example that stands for one: its name in the paper} in the paper's order, and what the paper claims. brief: tables have means alone."""

    def __init__(self, paper, short):
        self.short, self.claims, self.brief = short, read_claims(paper), False

    def of(self, xs):
        return [x for n in self.short for x in xs if x.name == n]

    def claim(self, id_, metric, configuration, scope="average", sign=""):
        return f"{sign}{self.claims[id_, metric, configuration, scope][0]:g}"

    def table(self, xs, columns, claims, digits=1, every=True):
        """columns: {heading: value of an example}; claims: what the paper says of the averages, an id first; every: all examples have values, if there are others."""
        mine = self.of(xs)
        row = lambda what, values: line([what] + [number(v, digits) for v in values])
        out = [line(["example", *columns]), "|---" + "|--:" * len(columns) + "|"]
        out += [row(f"{self.short[x.name]} {x.name}", [f(x) for f in columns.values()]) for x in mine if not self.brief]
        out.append(line([f"**mean of these {len(mine)}**"] + [f"**{number(mean([f(x) for x in mine]), digits)}**" for f in columns.values()]))
        out += [row(f"median of {who}", [median([f(x) for x in some]) for f in columns.values()]) for who, some in [("these", mine)] + ([(f"all {len(xs)}", xs)] if every and len(xs) > len(mine) else [])]
        out.append(row("geometric mean, of what is above 0 in all", [geometric([f(x) for x in mine]) for f in columns.values()]))
        if every and len(xs) > len(mine):
            out.append(row(f"all {len(xs)}", [mean([f(x) for x in xs]) for f in columns.values()]))
        out.append(line(["outliers"] + [far({self.short[x.name]: f(x) for x in mine}, digits) for f in columns.values()]))
        out.append(line([f"claim {claims[0]}", *claims[1:]]))
        return out + [""]
