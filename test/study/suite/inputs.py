"""Inputs of the programs in programs.toml, in the formats that they read; written from the formats alone, with fixed seeds. Each is called in the folder of its run.
Usage: inputs.py CALL..."""
import array, math, os, random, struct, sys


def text(path, what):
    with open(path, "w") as f:
        f.write(what)


def lines(path, rows):
    text(path, "".join(f"{r}\n" for r in rows))


def floats(path, n):
    rng = random.Random(1)
    with open(path, "wb") as f:
        array.array("f", (rng.random() for _ in range(n))).tofile(f)


def smooth(path, width, height, low, span):
    """A field without steps, as temperatures of a chip are."""
    wave = lambda x, y: (2 + math.sin(6.3 * x / width) + math.cos(6.3 * y / height)) / 4
    lines(path, (f"{low + span * wave(x, y):.6f}" for y in range(height) for x in range(width)))


def floorplan(path, width, height):
    """The power of a chip: constant over each of 8 x 8 units, half of which do nothing."""
    rng = random.Random(2)
    unit = [0.01 * rng.random() if rng.random() < 0.5 else 0 for _ in range(64)]
    lines(path, (f"{unit[y * 8 // height * 8 + x * 8 // width]:.6f}" for y in range(height) for x in range(width)))


def graph(path, nodes, degree):
    """Rodinia's bfs: (first edge, edges) of each node, the source, (node, cost) of each edge. Each node leads to the next one, so all are reached."""
    rng = random.Random(3)
    to = [[(n + 1) % nodes] + [rng.randrange(nodes) for _ in range(rng.randrange(2 * degree))] for n in range(nodes)]
    first, rows = 0, [nodes]
    for t in to:
        rows.append(f"{first} {len(t)}")
        first += len(t)
    lines(path, [*rows, "", 0, "", first, *(f"{n} {rng.randrange(1, 10)}" for t in to for n in t)])


def keys(path, n):
    order = list(range(n))
    random.Random(4).shuffle(order)
    lines(path, [n, *order])


def mesh(path, width, height):
    """Rodinia's cfd: area, and for each of four sides the element behind it (1 and up; 0: a wing, below: far away) and its normal. A sheet of squares with a wing in its middle."""
    rows = [width * height]
    for y in range(height):
        for x in range(width):
            sides = []
            for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1)):
                u, v = x + dx, y + dy
                inside = 0 <= u < width and 0 <= v < height
                wing = inside and v == height // 2 and width // 3 <= u < width // 2 and dy != 0
                sides.append(f"{0 if wing else v * width + u + 1 if inside else -2} {dx} {dy} 0")
            rows.append(f"1.0 {' '.join(sides)}")
    lines(path, rows)


def pixel(x, y, c=0):
    return int(110 + 70 * math.sin((x + 13 * c) / 9) * math.cos(y / 11)) + (x * 7 + y * 13 + x * y % 5) % 17


def image(path, width, height, colours):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "wb") as f:
        f.write(bytes(pixel(x, y, c) for y in range(height) for x in range(width) for c in range(colours)))


def pgm(path, height, width):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    lines(path, ["P2", f"{width} {height}", 255, *(" ".join(str(pixel(x, y)) for x in range(width)) for y in range(height))])


def system(path, n):
    """Rodinia's gaussian: a system of equations whose solution is all ones."""
    rng = random.Random(5)
    a = [[rng.uniform(-1, 1) + (n if i == j else 0) for j in range(n)] for i in range(n)]
    a = [[round(v, 4) for v in row] for row in a]
    lines(path, [n, "", *("\t".join(f"{v:.4f}" for v in row) for row in a), "", "\t".join(f"{sum(row):.4f}" for row in a)])


def letters(path, n):
    """Bytes as frequent as letters of a text are."""
    rng = random.Random(6)
    with open(path, "wb") as f:
        f.write(bytes(rng.choices(b" etaoinshrdlucmfwypvbgkjqxz", [1 / (i + 2) for i in range(27)], k=n)))


def points(path, n, features):
    rng = random.Random(7)
    centre = [[rng.uniform(0, 10) for _ in range(features)] for _ in range(5)]
    lines(path, (" ".join([str(i)] + [f"{rng.gauss(c, 1):.4f}" for c in centre[i % 5]]) for i in range(n)))


def hurricanes(path, n, latitude, longitude):
    """Rodinia's nn: records of 49 characters with latitude and longitude in fixed columns; the last is at this place."""
    rng = random.Random(8)
    at = [(rng.uniform(7, 70), rng.uniform(0, 358)) for _ in range(n - 1)] + [(latitude, longitude)]
    rows = (f"{1950 + i % 55:4} {1 + i % 12:2} {1 + i % 28:2} {6 * (i % 4):2} {1 + i % 28:2} {'STORM' + chr(65 + i % 26):<9} {a:5.1f} {b:5.1f} {i % 155:4} {i % 900:4}" for i, (a, b) in enumerate(at))
    lines(path, rows)


def atoms(path, n, side):
    rng = random.Random(9)
    coordinate = lambda: rng.uniform(0, side)
    lines(path, (f"ATOM  {i + 1:5} C MOL {i + 1:5} {coordinate():.3f} {coordinate():.3f} {coordinate():.3f} {rng.uniform(-1, 1):.4f} 1.0" for i in range(n)))


def obstacles(path, width, height, depth):
    """Parboil's lbm: a character for each cell, planes apart by an empty line; a block stands in the middle."""
    block = lambda x, y, z: width // 3 <= x < width // 2 and height // 3 <= y < 2 * height // 3
    plane = lambda z: "".join("".join("#" if block(x, y, z) else "." for x in range(width)) + "\n" for y in range(height)) + "\n"
    text(path, "".join(plane(z) for z in range(depth)))


def scan(path, samples, voxels):
    """Parboil's mri-q: numbers, kx, ky, kz, x, y, z, phi's real and imaginary parts."""
    rng = random.Random(11)
    with open(path, "wb") as f:
        array.array("i", [samples, voxels]).tofile(f)
        for n in (samples,) * 3 + (voxels,) * 3 + (samples,) * 2:
            array.array("f", (rng.uniform(-0.5, 0.5) for _ in range(n))).tofile(f)


def matrix(path, rows, columns):
    rng = random.Random(12)
    text(path, f"{rows} {columns} " + " ".join(f"{rng.random():.4f}" for _ in range(rows * columns)) + " \n")


def sparse(path, n, row):
    """A symmetric matrix, its lower half, as Matrix Market has it."""
    rng = random.Random(13)
    at = sorted({(i, max(0, i - rng.randrange(60))) for i in range(n) for _ in range(row // 2)} | {(i, i) for i in range(n)}, key=lambda x: (x[1], x[0]))
    lines(path, ["%%MatrixMarket matrix coordinate real symmetric", f"{n} {n} {len(at)}", *(f"{i + 1} {j + 1} {rng.uniform(-1, 1):.6f}" for i, j in at)])


def sky(path, n):
    rng = random.Random(path)
    lines(path, (f"{rng.uniform(0, 21600):.6f} {rng.uniform(-5400, 5400):.6f}" for _ in range(n)))


if __name__ == "__main__":
    for call in sys.argv[1:]:
        eval(call)
