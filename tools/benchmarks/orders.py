"""The orders in which tools can visit vertices, by turns: the one that a tool takes by itself
beside those that a user may ask for, to the same result."""
import os
import tempfile

import graph_peers
import machine
import report
import tools
from graph_peers import CHAIN, GRID, KRONECKER_18, KRONECKER_20, UNIFORM

ITSELF = "by itself"
ASYNC = ["--staleness", "async", "--order"]
WAYS = {"sweep": ["--order", "sweep"], "async, sweep": [*ASYNC, "sweep"],
        "async, priority": [*ASYNC, "priority"]}
# A kernel's graphs, and the ways that it has beside its own.
KERNELS = {"paths": ([KRONECKER_18, UNIFORM, GRID, CHAIN], WAYS),
           "breadth_first": ([KRONECKER_20, GRID], ["sweep", "async, sweep"]),
           "k_core": ([KRONECKER_18, GRID], ["sweep"]),
           "page_rank": ([KRONECKER_18, GRID], ["async, sweep", "async, priority"])}


def measure(options, build, job, given, ways, folder):
    """way → seconds of `compute`, of goes by turns, once all have found the same."""
    found = {way: [] for way in ways}
    for _ in range(min(options.repeats, 3)):
        for way, asked in ways.items():
            summary = build.tool(job.tool, [*given, *asked, "--output", os.path.join(folder, way),
                                            "--force"], 1, 2)
            if not summary["converged"]:
                raise machine.Failure(f"gas-{job.tool} {' '.join(asked)} did not converge")
            found[way].append(summary["seconds"]["compute"])
    for way in ways:
        off = tools.distance([os.path.join(folder, way), os.path.join(folder, ITSELF)], job.array)
        if not off <= job.most:
            raise machine.Failure(f"gas-{job.tool} {' '.join(ways[way])}: arrays are {off} apart")
    return found


def run(options, build, out):
    out.title("The order that a tool takes by itself, and others")
    rows = []
    for name, (graphs, beside) in KERNELS.items():
        if options.kernel not in (None, name):
            continue
        job = graph_peers.JOBS[name]
        ways = {ITSELF: [], **{way: WAYS[way] for way in beside}}
        for graph in graphs:
            with tempfile.TemporaryDirectory(prefix="gas-bench-") as folder:
                title, path, arguments = job.input(options, build, folder, graph)
                found = measure(options, build, job, [path, *arguments], ways, folder)
            own = found[ITSELF]
            row = [f"{name}, {title}", report.spread(own) + " s"]
            for way in WAYS:
                row.append(report.spread(report.ratios(found[way], own)) if way in found else "")
            for way, seconds in found.items():
                out.record(section="orders", kernel=name, case=title, way=way, threads=2,
                           seconds=seconds, ratio=report.median(report.ratios(seconds, own)))
            rows.append(row)
    out.table(["job", ITSELF, *WAYS], rows)
