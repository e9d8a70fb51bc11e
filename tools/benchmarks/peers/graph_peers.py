"""Graph kernels beside a plain loop, igraph and scipy, all on the same file. igraph and scipy
hold the graph in memory, on one thread, and run by turns with our tools; the loop runs by turns with
the vertex program, in one process that holds the graph."""
import os
import random
import tempfile

import kernels
import machine
from peer_process import Running, add_row, agree, child, generate, has


class Job:
    """A tool, what it finds, and who else finds it: the number that its summary calls `key`, or a
    value for each vertex, in an array of its results."""

    def __init__(self, tool, arguments, graphs, key=None, array=None, most=0.0, lacks=(),
                 by_source=False, lengths=False, threads=(1, 2), loop_threads=None, loop_differs="",
                 estimate=False):
        self.tool, self.arguments, self.graphs = tool, arguments, graphs
        self.key, self.array, self.most = key, array, most  # L1 distance of arrays
        self.lacks = lacks  # peers that do not have it
        self.by_source, self.lengths, self.threads = by_source, lengths, threads
        self.loop_threads = loop_threads or threads  # beside the loop
        self.loop_differs = loop_differs  # in what that differs from what the tool does
        self.estimate = estimate  # `most` is a share of the sum of theirs

    def input(self, options, build, folder, graph):
        """(what to call it, file, further arguments) of one of its graphs."""
        title, path, count = make(options, build, folder, graph, self.lengths)
        given = list(self.arguments)
        if self.tool == "components":
            given += ["--vertices", count]
        if self.by_source:
            given += ["--source", first_id(path)]
        return title, path, given


# Sort of graph, and its scale in full, quick and tiny; of chains and random pairs, ids in full.
KRONECKER_21 = ("kronecker", (21, 15, 8))
KRONECKER_20 = ("kronecker", (20, 15, 8))
KRONECKER_18 = ("kronecker", (18, 14, 8))
SOCIAL = ("kronecker of degree 6", (16, 12, 7))  # as large as a small social network
UNIFORM = ("uniform", (20, 15, 8))
GRID, GRID_1500 = ("grid", (1000, 300, 30)), ("grid", (1500, 500, 40))  # the side
CHAIN, RANDOM = ("chain", 1000000), ("random pairs", 4000000)
JOBS = {
    "page_rank": Job("pagerank", ["--undirected", "--tolerance", "1e-10", "--iterations", "200"],
                     [KRONECKER_18, GRID_1500, SOCIAL], array="ranks", most=1e-6, lacks=["scipy"],
                     loop_differs=", 10 rounds"),
    "triangles": Job("triangles", [], [KRONECKER_18], key="triangles", lacks=["scipy"]),
    "components": Job("components", [], [CHAIN, GRID, RANDOM, KRONECKER_21, UNIFORM, GRID_1500],
                      key="components"),
    "breadth_first": Job("bfs", ["--undirected"], [KRONECKER_20, GRID], array="hops",
                         by_source=True, loop_differs=", another source"),
    "paths": Job("paths", ["--undirected"], [KRONECKER_18, KRONECKER_21, GRID, GRID_1500, CHAIN],
                 array="distances", by_source=True, lengths=True,
                 loop_differs=", another source"),
    "harmonic": Job("harmonic", ["--undirected"], [("kronecker", (12, 10, 8))], array="centrality",
                    most=0.1, lacks=["igraph", "loop"], threads=[1], estimate=True),
    "k_core": Job("kcore", [], [KRONECKER_18, SOCIAL, GRID, GRID_1500], array="cores",
                  lacks=["scipy"], loop_threads=[1]),  # the loop has one
}


def pairs(sort, size):
    """Of ids below `size`."""
    if sort == "chain":
        return ((v, v + 1) for v in range(size - 1))
    draw = random.Random(3).randrange
    return ((draw(size), draw(size)) for _ in range(size * 31 // 40))


def make(options, build, folder, graph, lengths=False):
    """(what to call it, file of pairs, ids that it may name). With lengths: whole numbers from 1 to
    255."""
    sort, size = graph
    path = os.path.join(folder, f"{sort} {size}" + (" lengths" if lengths else ""))
    if isinstance(size, int):
        count = size // {"tiny": 1000, "quick": 10, "full": 1}[options.size]
        if not os.path.exists(path):
            draw = random.Random(5).random
            more = (lambda: f" {1 + int(255 * draw())}") if lengths else (lambda: "")
            with open(path, "w", encoding="utf-8") as file:
                file.writelines(f"{a} {b}{more()}\n" for a, b in pairs(sort, count))
        return f"{sort}, {count} vertices", path, count
    scale = size[("full", "quick", "tiny").index(options.size)]
    name, *of_degree = sort.split(" of degree ")
    if not os.path.exists(path):
        degree = of_degree[0] if of_degree else 16
        spec = f"grid:side={scale}" if name == "grid" else f"{name}:scale={scale},degree={degree}"
        generate(build, path, spec + (",lengths=255" if lengths else ""))
    title = f"grid {scale} x {scale}" if name == "grid" else sort.replace(name, f"{name} {scale}")
    return title, path + "/graph.txt", scale * scale if name == "grid" else 1 << scale


def first_id(path):
    with open(path, encoding="utf-8") as file:
        return int(file.readline().split()[0])


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


def beside_loop(options, build, out, rows, name, job, title, path):
    lines = build.kernel(name, job.loop_threads, min(options.repeats, 5), options.size,
                         0 if options.size == "tiny" else None, edges=path)
    for (_, _, threads), contest in kernels.groups(lines).items():
        loop = kernels.faster_loop(contest)
        add_row(out, rows, f"{name}, {title}", "plain loop", threads, contest["ours"]["seconds"],
                loop["seconds"], "in one process" + job.loop_differs, section="graphs")


def compare(options, build, out, rows, folder, name):
    job = JOBS[name]
    results = os.path.join(folder, "results")
    for graph in job.graphs:
        title, path, arguments = job.input(options, build, folder, graph)
        if "loop" not in job.lacks:
            beside_loop(options, build, out, rows, name, job, title, path)
        if job.array:
            arguments += ["--output", results, "--force"]
        given = {"edges": path, "columns": 3 if job.lengths else 2,
                 "count": make(options, build, folder, graph, job.lengths)[2],
                 "source": first_id(path), "to": os.path.join(folder, "theirs.npy")}
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
                add_row(out, rows, f"{name}, {title}", peer, threads, seconds, theirs, said,
                        section="graphs")


def run(options, build, out):
    out.title("Graph kernels beside a plain loop, igraph and scipy")
    chosen = [name for name in JOBS if options.kernel in (None, name)]
    rows = []
    for peer in ("scipy", "igraph"):
        if chosen and not has(peer):
            out.say(f"{peer} is not installed (python3-{peer}), skipped\n")
        elif lacking := [name for name in chosen if peer in JOBS[name].lacks]:
            out.say(f"{peer} has no " + ", ".join(lacking) + "\n")
    for name in chosen:
        with tempfile.TemporaryDirectory(prefix="gas-bench-") as folder:
            compare(options, build, out, rows, folder, name)
    out.table(["job", "peer", "threads", "ours", "theirs", "ratio", ""], rows)
