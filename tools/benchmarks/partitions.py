"""What partitions change in runs: bytes and time of a round, in one machine and over a link."""
import json
import os
import re
import subprocess
import tempfile

import link
import machine
import peers
import report
import tools

RANKS = {"tiny": (2,), "quick": (4,), "full": (4, 8)}
ROUNDS = {"tiny": 2, "quick": 5, "full": 10}  # and as many before them, which are not looked at
# Per tool: what is generated where there is no corpus, what the tool and the partitioner are told,
# and the methods. LDA visits documents whole: a hash of documents stands for random there.
JOBS = {
    "LDA": ("lda", tools.JOBS["lda"][1], "docword.txt", [], ["hash", "metis", "hypergraph", "auto"]),
    "logistic regression": ("logreg", tools.JOBS["logistic"][1], "data.svm", [],
                            ["random", "metis", "hypergraph", "auto"]),
    "PageRank": ("pagerank", {"tiny": "kronecker:scale=8", "quick": "kronecker:scale=15",
                              "full": "kronecker:scale=18"},
                 "graph.txt", ["--undirected"], ["random", "metis", "grid", "auto"]),
}


def inputs(options, build, folder):
    """Per job, the file and what it is: Debian's packages if the run is a full one."""
    debian = peers.debian_corpus(folder) if options.size == "full" else None
    found = {}
    for name, (_, specs, file, _, _) in JOBS.items():
        spec = specs[options.size]
        if name == "LDA" and options.corpus:
            found[name] = options.corpus, "the given corpus"
        elif name == "LDA" and debian:
            found[name] = debian, "topics of Debian's packages"
        elif name == "logistic regression" and debian:
            found[name] = (os.path.join(os.path.dirname(debian), "train.svm"),
                           "which of Debian's packages are libraries")
        else:
            to = os.path.join(folder, name)
            machine.output([build.binary("gas-generate"), spec, "--output", to, "--quiet"])
            found[name] = os.path.join(to, file), spec
    return found


def cut(build, given, ranks, method, to):
    """The partition's summary, with `taken`, the method that auto takes."""
    command = [build.binary("gas-partition"), *given, "--parts", str(ranks), "--method", method,
               "--output", to, "--summary", "json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise machine.Failure(f"{' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    taken = re.search(r"auto chose ([a-z-]+)", done.stderr)
    return {**json.loads(done.stdout), "taken": taken[1] if taken else method}


def round_of(build, tool, given, ranks, rounds, repeats, over, log):
    """Bytes sent in one of the rounds from `rounds` to twice as many, those of them that went over
    the link, and the seconds of one by every go. Bytes are exact: the difference of two runs, of
    which every round sends the same, whatever else a run sends."""
    runs, carried, seconds = [], [], []
    launcher = over.launcher(ranks) if over else None
    for count in [rounds, *[2 * rounds] * repeats]:
        before = over.carried() if over else 0
        if os.path.exists(log):
            os.remove(log)
        runs.append(build.tool(tool, [*given, "--iterations", count, "--tolerance", "0", "--log",
                                      log], ranks, 1, launcher))
        carried.append(over.carried() - before if over else 0)
        with open(log, encoding="utf-8") as file:
            at = [json.loads(line)["seconds"] for line in file]
        if count > rounds:
            seconds.append((at[-1] - at[rounds - 1]) / rounds)
    sent = [sum(run["bytes"][what] for what in ("values", "totals", "signals")) for run in runs]
    return {"bytes": (sent[1] - sent[0]) / rounds, "seconds": seconds,
            "carried": (report.median(carried[1:]) - carried[0]) / rounds if over else None}


def run(options, build, out):
    """Bytes are those of values and totals; "over the link" what its device counted."""
    out.title("Partitions in runs")
    with tempfile.TemporaryDirectory(prefix="gas-bench-") as folder:
        try:
            if options.no_link:
                raise link.Unavailable("--no-link")
            with link.Link() as over:
                out.say(f"Over a link of {over.rate} between two network namespaces, which a socket "
                        f"fills with {over.speed() / 1e6:.0f} Mbit/s: half of the ranks in each.\n")
                measure(options, build, out, folder, over)
        except link.Unavailable as reason:
            out.say(f"Without a link between network namespaces: {reason}.\n")
            measure(options, build, out, folder, None)


def measure(options, build, out, folder, over):
    rounds, table = ROUNDS[options.size], []
    for name, (path, what) in inputs(options, build, folder).items():
        tool, _, _, more, methods = JOBS[name]
        given = [path, *more]
        topics = ["--topics", tools.CLUSTERS[options.size]] if tool == "lda" else []
        for ranks in RANKS[options.size]:
            for method in methods:
                to = os.path.join(folder, f"{tool}-{ranks}-{method}")
                quality = cut(build, given, ranks, method, to)
                row = {"section": "partitions", "kernel": name, "input": what, "method": method,
                       "taken": quality["taken"], "ranks": ranks,
                       "replication_factor": quality["replication_factor"]["all"]}
                job = (build, tool, [*given, *topics, "--partition", to, "--seed", "1"], ranks,
                       rounds, min(options.repeats, 3))
                row["shared"] = round_of(*job, None, os.path.join(folder, "log"))
                row["linked"] = round_of(*job, over, os.path.join(folder, "log")) if over else None
                out.record(**row)
                table.append(cells(row))
    columns = ["job", "ranks", "method", "copies per vertex", "bytes a round", "ms a round"]
    out.table(columns + (["over the link: bytes", "ms a round"] if over else []), table)


def cells(row):
    taken = f"auto: {row['taken']}" if row["method"] == "auto" else row["method"]
    line = [f"{row['kernel']}, {row['input']}", str(row["ranks"]), taken, row["replication_factor"],
            f"{row['shared']['bytes'] / 1e3:.0f}k",
            report.spread([1e3 * s for s in row["shared"]["seconds"]])]
    if row["linked"]:
        line += [f"{row['linked']['carried'] / 1e3:.0f}k",
                 report.spread([1e3 * s for s in row["linked"]["seconds"]])]
    return line
