"""The orders in which tools can visit vertices, by turns: the one that a tool takes by itself
against those that a user may ask for."""
import tempfile

import graph_peers
import report
from graph_peers import CHAIN, GRID, KRONECKER_18, KRONECKER_20, RANDOM, UNIFORM

ITSELF = "by itself"
SWEEP, BUCKETS = ["--order", "sweep"], ["--order", "priority"]
ASYNC = ["--staleness", "async"]
WAYS = {"sweep": SWEEP, "priority": BUCKETS, "async, sweep": ASYNC + SWEEP,
        "async, priority": ASYNC + BUCKETS}
GRAPHS = {"paths": [KRONECKER_18, UNIFORM, GRID, CHAIN], "breadth_first": [KRONECKER_20, GRID],
          "k_core": [KRONECKER_18, GRID], "components": [KRONECKER_18, GRID, RANDOM],
          "page_rank": [KRONECKER_18, GRID]}
# gas-components has no order; gas-pagerank by priority has its own end, async has one order.
LACKS = {"components": ("priority", "async, priority"), "page_rank": ("async, sweep",)}


def measure(options, build, job, path, arguments, ways):
    """way → seconds of `compute`, of goes by turns."""
    found = {way: [] for way in ways}
    for _ in range(min(options.repeats, 3)):
        for way, asked in ways.items():
            summary = build.tool(job.tool, [path, *arguments, *asked], 1, 2)
            found[way].append(summary["seconds"]["compute"])
    return found


def run(options, build, out):
    out.title("The order that a tool takes by itself, and others")
    rows = []
    for name in GRAPHS:
        if options.kernel not in (None, name):
            continue
        job = graph_peers.JOBS[name]
        ways = {ITSELF: [], **{w: asked for w, asked in WAYS.items() if w not in LACKS.get(name, ())}}
        for graph in GRAPHS[name]:
            with tempfile.TemporaryDirectory(prefix="gas-bench-") as folder:
                title, path, arguments = job.input(options, build, folder, graph)
                found = measure(options, build, job, path, arguments, ways)
            own = found[ITSELF]
            row = [f"{name}, {title}", report.spread(own) + " s"]
            for way in WAYS:
                row.append(report.spread(report.ratios(found[way], own)) if way in found else "")
            for way, seconds in found.items():
                out.record(section="orders", kernel=name, case=title, way=way, threads=2,
                           seconds=seconds, ratio=report.median(report.ratios(seconds, own)))
            rows.append(row)
    out.table(["job", ITSELF, *WAYS], rows)
