"""Whole tools: ranks beside threads, memory, loading, growth."""
import array
import math
import os
import tempfile

import graph_peers
import machine
import report

# Per tool and size: its arguments. Rounds are so many that loading does not matter to the figures.
JOBS = {
    "page_rank": ("pagerank", {"tiny": "kronecker:scale=8", "quick": "kronecker:scale=17",
                               "full": "kronecker:scale=20"},
                  ["--undirected", "--iterations", "30", "--tolerance", "0"]),
    "logistic": ("logreg",
                 {"tiny": "logistic:examples=500,features=300,nonzeros=10",
                  "quick": "logistic:examples=100000,features=10000,nonzeros=30",
                  "full": "logistic:examples=1000000,features=100000,nonzeros=30"},
                 ["--iterations", "20", "--tolerance", "0"]),
    "k_means": ("kmeans", {"tiny": "blobs:n=2000,d=8,k=10", "quick": "blobs:n=100000,d=32,k=100",
                           "full": "blobs:n=1000000,d=32,k=100"},
                ["--iterations", "5", "--tolerance", "0", "--init", "random"]),
    "lda": ("lda", {"tiny": "lda:documents=200,words=100,length=20",
                    "quick": "lda:documents=10000,words=5000,length=100,topics=20",
                    "full": "lda:documents=100000,words=20000,length=100,topics=100"},
            ["--iterations", "10"]),
}
CLUSTERS = {"tiny": "10", "quick": "100", "full": "100"}


SAME = 1e-6  # relative, results that differ by the order of sums and float exchange alone


def arguments(name, options, spec=None):
    tool, specs, more = JOBS[name]
    more = list(more)
    if name == "k_means":
        more += ["-k", CLUSTERS[options.size]]
    if name == "lda":
        more += ["--topics", CLUSTERS[options.size]]
    return tool, ["--generate", spec or specs[options.size], *more]


def chosen(options):
    return [name for name in JOBS if options.kernel in (None, name)]


def read_values(folder, array_name):
    """vertex → value, as a tool wrote them; without ids.txt vertices are called 0, 1, …"""
    with open(os.path.join(folder, array_name + ".npy"), "rb") as file:
        file.seek(8)
        header = file.read(int.from_bytes(file.read(2), "little")).decode()
        values = array.array("d" if "<f8" in header else "i", file.read())
    listed = os.path.join(folder, "ids.txt")
    if not os.path.exists(listed):
        return dict(enumerate(values))
    with open(listed, encoding="utf-8") as file:
        return dict(zip(map(int, file.read().split()), values))


def distance(folders, array_name):
    """L1, of the values in two folders."""
    first, second = (read_values(folder, array_name) for folder in folders)
    if len(first) != len(second):
        return math.inf
    return sum(abs(x - second.get(v, math.inf)) for v, x in first.items() if x != second.get(v))


def rank_jobs(options, build, folder):
    """(kernel, input, tool, arguments, array that it writes or None, key of its summary or None) of
    what is run on ranks; without the last two objectives are compared."""
    for name in chosen(options):
        tool, given = arguments(name, options)
        yield name, given[1], tool, given, "ranks" if name == "page_rank" else None, None
    for name, job in graph_peers.JOBS.items():
        if options.kernel not in (None, name):
            continue
        for graph in job.graphs:
            title, path, given = job.input(options, build, folder, graph)
            yield name, title, job.tool, [path, *given], job.array, job.key


def ranks(options, build, out):
    """2 ranks of a thread each beside 1 rank of 2 threads, by turns; the same results first."""
    out.title("Two ranks beside two threads")
    rows = []
    ways = ((2, 1), (1, 2))
    with tempfile.TemporaryDirectory(prefix="gas-bench-") as folder:
        folders = [os.path.join(folder, str(count)) for count, _ in ways]
        for name, case, tool, given, array_name, key in rank_jobs(options, build, folder):
            seconds, goes = {way: [] for way in ways}, []
            for _ in range(min(options.repeats, 3)):
                goes = []
                for way, to in zip(ways, folders):
                    write = ["--output", to, "--force"] if array_name else []
                    goes.append(build.tool(tool, [*given, *write], *way))
                    seconds[way].append(goes[-1]["seconds"]["compute"])
            if array_name:
                off = distance(folders, array_name)
            else:
                one, other = (go[key or "objective"] for go in goes)
                off = abs(one / other - 1)
            if not off <= SAME:
                raise machine.Failure(f"{name}: 2 ranks and 1 rank differ by {off}, at most {SAME} "
                                      "is right")
            ratio = report.ratios(seconds[2, 1], seconds[1, 2])
            for count, threads in ways:
                out.record(section="ranks", kernel=name, case=case, ranks=count, threads=threads,
                           check=off, seconds=seconds[count, threads], ratio=report.median(ratio))
            rows.append([name, case, report.spread(seconds[2, 1]) + " s",
                         report.spread(seconds[1, 2]) + " s", report.spread(ratio), f"{off:.1e}"])
    out.table(["kernel", "input", "2 ranks × 1 thread", "1 rank × 2 threads", "ratio",
               "results differ by"], rows)


# Of each tool: the file that gas-generate writes, and what is counted in it.
FILES = {"page_rank": ("graph.txt", "arc"), "logistic": ("data.svm", "nonzero"),
         "k_means": ("points.npy", "coordinate"), "lda": ("docword.txt", "token")}


def units(name, options, summary):
    """How many of the input's units there are."""
    if name == "k_means":
        dimensions = int(JOBS[name][1][options.size].split("d=")[1].split(",")[0])
        return summary["vertices"]["data"] * dimensions
    return summary["edges"]


def memory_jobs(options, build, folder):
    """(kernel, input, tool, arguments, what is counted)"""
    for name in chosen(options):
        tool, given = arguments(name, options)
        machine.output([build.binary("gas-generate"), given[1], "--output", folder, "--quiet",
                        "--force"])
        file, unit = FILES[name]
        yield name, given[1], tool, [os.path.join(folder, file), *given[2:]], unit
    if options.kernel in (None, "page_rank"):
        title, path, _ = graph_peers.make(options, build, folder, graph_peers.KRONECKER_21)
        yield ("page_rank", title, "pagerank", [path, "--undirected", "--iterations", "10"], "arc")
    if options.kernel in (None, "paths"):
        title, path, given = graph_peers.JOBS["paths"].input(options, build, folder,
                                                             graph_peers.KRONECKER_21)
        yield "paths", title + " with lengths", "paths", [path, *given], "arc"


def memory(options, build, out):
    """The most that a process held, and what it held during rounds."""
    out.title("Memory")
    rows = []
    with tempfile.TemporaryDirectory(prefix="gas-bench-") as folder:
        for name, case, tool, given, unit in memory_jobs(options, build, folder):
            found = build.watched_tool(tool, [*given, "--partition", "range"], 2)
            peak, held = found["peak_memory_bytes"], found["resident_bytes"]
            count = units(name, options, found)
            rows.append([name, case, f"{count} {unit}s", f"{peak / 1e6:.0f} MB", peak / count,
                         f"{held / 1e6:.0f} MB", held / count])
            out.record(section="memory", kernel=name, case=case, threads=2, peak_bytes=peak,
                       resident_bytes=held, units=count, unit=unit)
    out.table(["kernel", "input", "size", "peak", "bytes per unit", "in rounds", "bytes per unit"],
              rows)
    empty = build.watched_tool("pagerank", ["--generate", "uniform:scale=3"], 2)
    out.say(f"\nOf all these a process that holds nearly nothing has "
            f"{empty['peak_memory_bytes'] / 1e6:.0f} MB.")


def loading(options, build, out):
    """Text of each format, from the page cache."""
    out.title("Loading")
    rows = []
    one_round = ["--iterations", "1", "--partition", "range"]
    formats = [("edges", "page_rank", "graph.txt", one_round),
               ("libsvm", "logistic", "data.svm", one_round),
               ("docword", "lda", "docword.txt", [*one_round, "--topics", "2"])]
    with tempfile.TemporaryDirectory(prefix="gas-bench-") as folder:
        for kind, name, file, more in formats:
            tool, specs, _ = JOBS[name]
            data = os.path.join(folder, kind)
            machine.output([build.binary("gas-generate"), specs[options.size], "--output", data, "--quiet"])
            path = os.path.join(data, file)
            size = os.path.getsize(path)
            for threads in (1, 2):
                found = [build.tool(tool, [path, *more], 1, threads)["seconds"]["load"]
                         for _ in range(min(options.repeats, 3))]
                rows.append([kind, f"{size / 1e6:.0f} MB", str(threads),
                             report.spread([size / 1e6 / s for s in found]) + " MB/s"])
                out.record(section="loading", format=kind, bytes=size, threads=threads,
                           seconds=found)
    out.table(["format", "size", "threads", "speed"], rows)


def exponent(sizes, values):
    """The slope of log(value) by log(size), by least squares."""
    x = [math.log(s) for s in sizes]
    y = [math.log(v) for v in values]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    return (sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y))
            / sum((a - mean_x) ** 2 for a in x))


# Inputs ten times as large from one to the next, and how many of them by size of the run.
GROWING = {"page_rank": lambda step: f"uniform:scale={(7, 10, 13, 17, 20)[step]}",
           "logistic": lambda step: f"logistic:examples={100 * 10 ** step},"
                                    f"features={max(300, 10 * 10 ** step)},nonzeros=30",
           "k_means": lambda step: f"blobs:n={100 * 10 ** step},d=32,k=100",
           "lda": lambda step: f"lda:documents={10 * 10 ** step},words={max(50, 2 * 10 ** step)},"
                               "length=100,topics=100"}
STEPS = {"tiny": [0, 1], "quick": [1, 2, 3], "full": [2, 3, 4]}


def growth(options, build, out):
    """A round's time and the memory by size, over two decades; exponent 1: in proportion."""
    out.title("Growth")
    empty = build.tool("pagerank", ["--generate", "uniform:scale=3"], 1, 2)["peak_memory_bytes"]
    table, exponents = [], []
    for name in chosen(options):
        counts, seconds, peaks = [], [], []
        for step in STEPS[options.size]:
            tool, given = arguments(name, options, GROWING[name](step))
            goes = [build.tool(tool, [*given, "--partition", "range"], 1, 2)
                    for _ in range(min(options.repeats, 3))]
            count = 32 * goes[0]["vertices"]["data"] if name == "k_means" else goes[0]["edges"]
            each = [g["seconds"]["compute"] / g["iterations"] for g in goes]
            counts.append(count)
            seconds.append(report.median(each))
            peaks.append(max(1, report.median([g["peak_memory_bytes"] for g in goes]) - empty))
            table.append([name, given[1], f"{count} {FILES[name][1]}s",
                          report.spread(each, 1e9 / count), peaks[-1] / count])
            out.record(section="growth", kernel=name, case=given[1], units=count, threads=2,
                       seconds=each, peak_bytes=peaks[-1])
        exponents.append([name, exponent(counts, seconds), exponent(counts, peaks)])
        out.record(section="exponents", kernel=name, threads=2, time=exponents[-1][1],
                   memory=exponents[-1][2])
    out.table(["kernel", "input", "size", "ns per unit and round", "peak bytes per unit"], table)
    out.say(f"\nThe peak is less the {empty / 1e6:.0f} MB that a process has without an input.\n")
    out.table(["kernel", "exponent of a round's time", "of memory"], exponents)
