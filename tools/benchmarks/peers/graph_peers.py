"""igraph and scipy on graphs that they hold in memory, on one thread, by turns with ours."""
import math
import os
import random

import machine
from peer_process import Running, add_row, agree, child, generate, has


class Job:
    """A tool, what it finds, and who else finds it: the number that its summary calls `key`, or a
    value for each vertex, in an array of its results."""

    def __init__(self, tool, arguments, graphs, key=None, array=None, most=0.0, lacks=(),
                 by_source=False, lengths=False, threads=(1, 2), estimate=False):
        self.tool, self.arguments, self.graphs = tool, arguments, graphs
        self.key, self.array, self.most = key, array, most  # L1 distance of arrays
        self.lacks = lacks  # peers that do not have it
        self.by_source, self.lengths, self.threads = by_source, lengths, threads
        self.estimate = estimate  # `most` is a share of the sum of theirs

    def input(self, options, build, folder, graph):
        """(what to call it, file, further arguments) of one of its graphs."""
        title, path, count = make(options, build, folder, graph)
        if self.lengths:
            path = with_lengths(path)
        given = list(self.arguments)
        if self.tool == "components":
            given += ["--vertices", count]
        if self.by_source:
            given += ["--source", first_id(path)]
        return title, path, given


# Sort and size of graphs: of "kronecker" the scale in full, quick and tiny, else vertices in full.
KRONECKER_20 = ("kronecker", (20, 15, 8))
KRONECKER_18 = ("kronecker", (18, 14, 8))
SOCIAL = ("kronecker of degree 6", (16, 12, 7))  # as large as a small social network
GRID, CHAIN, RANDOM = ("grid", 1000000), ("chain", 1000000), ("random pairs", 4000000)
JOBS = {
    "page_rank": Job("pagerank", ["--undirected", "--tolerance", "1e-10", "--iterations", "200"],
                     [KRONECKER_18], array="ranks", most=1e-6, lacks=["scipy"], threads=[1]),
    "triangles": Job("triangles", [], [KRONECKER_18], key="triangles", lacks=["scipy"],
                     threads=[1]),
    "components": Job("components", [], [CHAIN, GRID, RANDOM], key="components"),
    "breadth_first": Job("bfs", ["--undirected"], [KRONECKER_20, GRID], array="hops",
                         by_source=True),
    "paths": Job("paths", ["--undirected"], [KRONECKER_18, GRID, CHAIN], array="distances",
                 by_source=True, lengths=True),
    "harmonic": Job("harmonic", ["--undirected"], [("kronecker", (12, 10, 8))], array="centrality",
                    most=0.1, lacks=["igraph"], threads=[1], estimate=True),
    "k_core": Job("kcore", [], [KRONECKER_18, SOCIAL, GRID], array="cores", lacks=["scipy"]),
}


def pairs(sort, size):
    """(ids, pairs) of a graph in which few vertices are near each other."""
    if sort == "chain":
        return size, ((v, v + 1) for v in range(size - 1))
    if sort == "grid":
        side = math.isqrt(size)
        return side * side, ((v, v + step) for v in range(side * side) for step in (1, side)
                             if (v % side + 1 < side if step == 1 else v + side < side * side))
    draw = random.Random(3).randrange
    return size, ((draw(size), draw(size)) for _ in range(size * 31 // 40))


def with_lengths(path):
    """A copy of a file of pairs in which they have lengths, whole numbers from 1 to 255."""
    draw = random.Random(5).random
    to = path + ".lengths"
    if not os.path.exists(to):
        with open(path, encoding="utf-8") as source, open(to, "w", encoding="utf-8") as file:
            file.writelines(f"{line.rstrip()} {1 + int(255 * draw())}\n" for line in source)
    return to


def first_id(path):
    with open(path, encoding="utf-8") as file:
        return int(file.readline().split()[0])


def make(options, build, folder, graph):
    """(what to call it, file of pairs, ids that it may name)"""
    sort, size = graph
    if sort.startswith("kronecker"):
        scale = size[("full", "quick", "tiny").index(options.size)]
        path = os.path.join(folder, f"{sort} {scale}")
        if not os.path.exists(path):
            degree = int(sort.split()[-1]) if " " in sort else 16
            generate(build, path, f"kronecker:scale={scale},degree={degree}")
        return sort.replace("kronecker", f"kronecker {scale}"), path + "/graph.txt", 1 << scale
    count, lines = pairs(sort, size // {"tiny": 1000, "quick": 10, "full": 1}[options.size])
    path = os.path.join(folder, sort)
    if not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{a} {b}\n" for a, b in lines)
    return f"{sort}, {count} vertices", path, count


def check(what, job, given, results, mine, found):
    """Throws unless the two found the same; what to say of it."""
    if job.key:
        agree(what, mine[job.key], found["result"], 1e-9)
        return f"{mine[job.key]} {job.key}"
    off = child("distance", {**given, "folder": results, "array": job.array,
                             "estimate": job.estimate})["result"]
    if not off <= job.most:
        raise machine.Failure(f"{what}: arrays are {off} apart, at most {job.most} is right")
    if job.estimate:
        return f"estimates, off by {100 * off:.1f} %"
    return f"L1 distance {off:.1e}" if job.most else f"the same {job.array}"


def compare(options, build, out, rows, folder, name):
    job = JOBS[name]
    results = os.path.join(folder, "results")
    for graph in job.graphs:
        title, path, arguments = job.input(options, build, folder, graph)
        if job.array:
            arguments += ["--output", results, "--force"]
        given = {"edges": path, "columns": 3 if job.lengths else 2,
                 "count": make(options, build, folder, graph)[2], "source": first_id(path),
                 "to": os.path.join(folder, "theirs.npy")}
        for peer in ("scipy", "igraph"):
            if peer in job.lacks or not has(peer):
                continue
            ours, theirs = {threads: [] for threads in job.threads}, []
            with Running(f"{name}_{peer}", given) as other:
                for _ in range(min(options.repeats, 5)):
                    theirs.append(other.seconds())
                    for threads, seconds in ours.items():
                        mine = build.tool(job.tool, [path, *arguments], 1, threads)
                        seconds.append(mine["seconds"]["compute"])
                found = other.result()
            said = check(f"{name}, {title}, {peer}", job, given, results, mine, found)
            for threads, seconds in ours.items():
                add_row(out, rows, f"{name}, {title}", peer, threads, seconds, theirs, said)


def compare_all(options, build, out, rows, folder):
    chosen = [name for name in JOBS if options.kernel in (None, name)]
    for peer in ("scipy", "igraph"):
        if chosen and not has(peer):
            out.say(f"Graphs: {peer} is not installed (python3-{peer}), skipped\n")
        elif lacking := [name for name in chosen if peer in JOBS[name].lacks]:
            out.say(f"Graphs: {peer} has no " + ", ".join(lacking) + "\n")
    for name in chosen:
        compare(options, build, out, rows, folder, name)
