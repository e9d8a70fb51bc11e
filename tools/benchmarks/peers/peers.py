"""Other programs on the same data, by turns with ours; results are compared before times."""
import glob
import gzip
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import blas
import machine
import report
from peer_process import add_row, agree, child, generate, has

FASHION = "/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz"


def passes(summary, job):
    """Of gas-kmeans over all points: its rounds, and one that assigns them to the last centroids,
    unless no point moved in the last round."""
    return summary["iterations"] + (0 if summary["converged"] else 1)


def compare_kmeans(options, build, out, rows, folder):
    if not has("sklearn"):
        out.say("k-means: scikit-learn is not installed (python3-sklearn), skipped")
        return
    sizes = {"tiny": [(1000, 8, 10)], "quick": [(100000, 32, 100)],
             "full": [(1000000, 32, 100), (200000, 128, 1000), (50000, 1000, 1000)]}
    jobs = []
    for n, d, k in sizes[options.size]:
        data = os.path.join(folder, f"blobs{n}")
        generate(build, data, f"blobs:n={n},d={d},k={k},spread=10")
        job = {"npy": data + "/points.npy", "start": data + "/start.npy", "k": k, "rounds": 5}
        child("first_rows", job)
        jobs.append((f"k-means N={n} D={d} K={k}, 5 rounds", job, ["lloyd", "elkan"]))
    if options.size != "tiny" and os.path.exists(FASHION):
        job = {"idx": FASHION, "npy": folder + "/fashion.npy", "start": folder + "/start.npy",
               "k": 100, "rounds": 300}
        child("fashion", job)
        jobs.append(("k-means Fashion-MNIST K=100, to its end", job, ["lloyd", "elkan"]))
    elif options.size != "tiny":
        out.say("k-means: no Fashion-MNIST (dataset-fashion-mnist), skipped")
    for what, job, algorithms in jobs:
        for algorithm in algorithms:
            ours, theirs = [], []
            for _ in range(min(options.repeats, 3)):
                mine = build.tool("kmeans", [job["npy"], "-k", job["k"], "--init", job["start"],
                                             "--iterations", job["rounds"], "--tolerance", "0"],
                                  1, 2)
                peer = child("kmeans", {**job, "algorithm": algorithm})
                agree(what, mine["objective"], peer["result"], 2e-3)
                ours.append(mine["seconds"]["compute"])
                theirs.append(peer["seconds"])
            add_row(out, rows, what, "scikit-learn " + algorithm, 2, ours, theirs,
                    f"passes {passes(mine, job)} / {peer['passes']}")


EPSILONS = (1, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7)


class Liblinear:
    """Runs of one solver on one file; those of one stopping tolerance are made once."""

    def __init__(self, data, solver, folder):
        self.data, self.solver, self.folder, self.runs = data, solver, folder, {}
        self.loading = min(self.train(1e9)[0] for _ in range(2))  # reads, and stops at once

    def train(self, epsilon):
        """(seconds of the whole run, objective)"""
        if epsilon not in self.runs:
            model = os.path.join(self.folder, "liblinear.model")
            begin = time.perf_counter()
            machine.output(["liblinear-train", "-q", "-s", str(self.solver), "-c", "1", "-e",
                            str(epsilon), self.data, model])
            spent = time.perf_counter() - begin
            if epsilon > 1:
                return spent, None
            job = {"data": self.data, "model": model, "l1": self.solver == 6}
            self.runs[epsilon] = spent, child("objective", job)["result"]
        return self.runs[epsilon]

    def to(self, objective):
        """(seconds without loading, stopping tolerance) of the first run that gets there; or None"""
        for epsilon in EPSILONS:
            spent, found = self.train(epsilon)
            if found <= objective:
                return max(spent - self.loading, 1e-4), epsilon  # less cannot be told from reading
        return None


def libsvm_of(options, build, folder):
    """The data for logistic regression as plain text, and what to call it."""
    if options.libsvm:
        plain = os.path.join(folder, "given.svm")
        opened = gzip.open if options.libsvm.endswith(".gz") else open
        try:
            with opened(options.libsvm, "rb") as source, open(plain, "wb") as file:
                shutil.copyfileobj(source, file)
        except OSError as error:
            raise machine.Failure(f"--libsvm {options.libsvm}: {error}") from None
        return plain, os.path.basename(options.libsvm)
    size = {"tiny": "examples=500,features=300", "quick": "examples=50000,features=5000",
            "full": "examples=200000,features=20000"}[options.size]
    if options.planted:
        size = "examples=1000000,features=100000"
    generate(build, folder + "/examples", f"logistic:{size},nonzeros=30")
    return folder + "/examples/data.svm", "planted " + size


def compare_logistic(options, build, out, rows, folder):
    """Seconds to two distances from the optimum, loading apart; objectives by the same numpy code.
    The peer stops by its own rule, at the loosest that gets there; ours are to the first round that
    does, and, beside it, to the certificate at which gas-logreg itself stops."""
    if not shutil.which("liblinear-train") or not has("sklearn"):
        out.say("Logistic regression: liblinear-tools or python3-sklearn is not installed, skipped")
        return
    data, what = libsvm_of(options, build, folder)
    for solver, penalty in ((0, "l2"), (7, "l2"), (6, "l1")):
        given = [data, "--penalty", penalty, "--iterations", "100000"]
        least = build.tool("logreg", [*given, "--tolerance", "1e-9"], 1, 2)["objective"]
        peer = Liblinear(data, solver, folder)
        for target in (1e-3, 1e-6):
            found = peer.to(least * (1 + target))
            if found is None:
                out.say(f"liblinear -s {solver} does not come within {target} of {least}")
                continue
            seconds, epsilon = found
            for threads in (1, 2):
                model, log = os.path.join(folder, "logreg"), os.path.join(folder, "log")
                ours, certified = [], []
                for _ in range(min(options.repeats, 3)):
                    mine = build.tool("logreg", [*given, "--tolerance", target, "--output", model,
                                                 "--force", "--log", log], 1, threads)
                    with open(log, encoding="utf-8") as lines:
                        reached = next(line["seconds"] for line in map(json.loads, lines)
                                       if line["objective"] <= least * (1 + target))
                    ours.append(reached)
                    certified.append(mine["seconds"]["compute"])
                found = child("objective", {"data": data, "weights": model, "l1": solver == 6})
                agree("gas-logreg's objective and numpy's", mine["objective"], found["result"],
                      1e-9)
                if found["result"] > least * (1 + target):
                    raise machine.Failure(f"gas-logreg: {found['result']} is not within {target}")
                add_row(out, rows, f"logistic {what}, {penalty} to {target:g}",
                        f"liblinear -s {solver}", threads, ours, [seconds] * len(ours),
                        f"-e {epsilon:g}; ours has proved it after "
                        f"{report.median(certified):.3g} s")


def compare_online(options, build, out, rows, folder):
    """One pass over text: seconds, reading included, and the mean loss of examples that are
    predicted before they are learned, which must be within 2 % of the peer's best."""
    if not has("sklearn"):
        out.say("One pass: scikit-learn is not installed (python3-sklearn), skipped")
        return
    data, what = libsvm_of(options, build, folder)
    some = os.path.join(folder, "some.svm")
    with open(data, encoding="utf-8") as whole, open(some, "w", encoding="utf-8") as part:
        part.writelines(itertools.islice(whole, {"tiny": 300, "quick": 2000}.get(options.size, 10000)))
    for file, chunk, name in ((some, 1, "first examples"), (data, 1000, "all")):
        peer = child("sgd", {"data": file, "chunk": chunk}, 1)
        mine = [build.tool("logreg", [file, "--online", "--bias"], 1, 1)
                for _ in range(options.repeats)]
        loss = mine[0]["progressive_loss"]
        if options.size != "tiny" and loss > 1.02 * peer["result"]:
            raise machine.Failure(f"gas-logreg --online: {loss} is not within 2 % of {peer['result']}")
        add_row(out, rows, f"one pass, {what}, {name}", f"SGDClassifier, {chunk} at a time", 1,
                [one["seconds"]["load"] + one["seconds"]["compute"] for one in mine],
                [peer["seconds"]] * len(mine), f"loss {loss:.4f} / {peer['result']:.4f}, best of ten")


LASSO = {"tiny": ["examples=300,features=200,nonzeros=20,informative=20,noise=1"],
         "quick": ["examples=20000,features=10000,nonzeros=50,informative=100,noise=1",
                   "examples=20000,features=4000,nonzeros=50,informative=100,noise=1,group=10,correlation=0.9"],
         "full": ["examples=20000,features=50000,nonzeros=60,informative=300,noise=1",
                  "examples=50000,features=10000,nonzeros=50,informative=300,noise=1,group=10,correlation=0.9"]}


def compare_lasso(options, build, out, rows, folder):
    """Seconds to 1e-4 above the least objective: by priority beside drawn blocks, and beside
    scikit-learn at the loosest tolerance that gets there. Both sides begin with rows in memory."""
    if not has("sklearn"):
        out.say("Lasso: scikit-learn is not installed (python3-sklearn), skipped")
        return
    for number, spec in enumerate(LASSO[options.size]):
        data = f"{folder}/regression{number}"
        generate(build, data, "regression:" + spec)
        for share in ("0.1", "0.01"):
            best = build.tool("lasso", [data + "/data.svm", "--lambda-share", share,
                                        "--tolerance", "1e-8"], 1, 1)
            given = [data + "/data.svm", "--lambda", best["lambda"], "--tolerance", "1e-6"]
            target, log = best["objective"] * (1 + 1e-4), folder + "/lasso.log"
            job = {"data": given[0], "lambda": best["lambda"], "target": target}
            seconds = {"priority": [], "random": [], "peer": []}
            for _ in range(min(options.repeats, 3)):
                for schedule in ("priority", "random"):
                    mine = build.tool("lasso", [*given, "--schedule", schedule, "--log", log], 1, 1)
                    agree("objectives", mine["objective"], best["objective"], 2e-6)
                    with open(log, encoding="utf-8") as lines:
                        seconds[schedule].append(next(
                            line["seconds"] for line in map(json.loads, lines)
                            if line["objective"] <= target))
                peer = child("lasso", job, 1)
                seconds["peer"].append(peer["seconds"])
            what = f"Lasso {spec}, {share} of the largest lambda, {best['nonzeros']} weights"
            for name, key, remark in (("--schedule random", "random", ""),
                                      ("scikit-learn Lasso", "peer", f"tol={peer['tol']:g}")):
                add_row(out, rows, what, name, 1, seconds["priority"], seconds[key], remark)


def debian_corpus(folder):
    """docword.txt of the descriptions of Debian's packages, as tools/quickstart makes it; or None."""
    if not shutil.which("apt-cache"):
        return None
    dump = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, check=False)
    if dump.returncode != 0 or len(dump.stdout) < 1 << 20:
        return None
    with open(folder + "/dump", "wb") as file:
        file.write(dump.stdout)
    texts = []
    for number, path in enumerate(sorted(glob.glob("/var/lib/apt/lists/*_Translation-en*"))):
        texts.append(f"{folder}/text{number}")
        with open(texts[-1], "wb") as file:
            subprocess.run(["/usr/lib/apt/apt-helper", "cat-file", path], stdout=file, check=True)
    machine.output([sys.executable, os.path.join(machine.ROOT, "tools", "support", "packages", "package_corpus.py"),
                    folder + "/debian", folder + "/dump", *texts])
    return folder + "/debian/docword.txt"


def compare_lda(options, build, out, rows, folder):
    """Seconds to the likelihood of the training tokens that two passes of the peer reach."""
    if not has("gensim"):
        out.say("Topics: gensim is not installed (python3-gensim), skipped")
        return
    data, what = options.corpus, "the given corpus"
    if not data and options.size == "full":
        data, what = debian_corpus(folder), "Debian's packages"
        if not data:
            out.say("Topics: apt knows no packages; planted documents instead")
    if not data:
        spec = {"tiny": "lda:documents=200,words=100,length=20",
                "quick": "lda:documents=2000,words=2000,length=50,topics=20",
                "full": "lda:documents=20000,words=10000,length=50,topics=100"}[options.size]
        generate(build, folder + "/documents", spec)
        data, what = folder + "/documents/docword.txt", spec
    topics = {"tiny": 10, "quick": 50, "full": 100}[options.size]
    job = {"docword": data, "topics": topics, "alpha": 0.1, "beta": 0.01, "folder": folder}
    for peer, workers, threads in (("gensim LdaModel", 0, 1), ("gensim LdaMulticore", 2, 2)):
        theirs = child("gensim", {**job, "workers": workers}, 1)["seconds"]
        target = child("likelihood", job)["result"]
        for rounds in (1, 2, 5, 10, 15, 20, 30, 50, 100, 200):
            mine = build.tool("lda", [data, "--topics", topics, "--alpha", job["alpha"], "--beta",
                                      job["beta"], "--iterations", rounds, "--output",
                                      folder + "/topics", "--force"], 1, threads)
            found = child("likelihood", {**job, "folder": folder + "/topics"})["result"]
            agree("gas-lda's own likelihood and numpy's", mine["objective"], found, 1e-4)
            if found >= target:
                break
        else:
            raise machine.Failure(f"gas-lda does not reach {peer}'s likelihood, {target}")
        add_row(out, rows, f"topics of {what}, K={topics}, to the likelihood of two passes", peer, threads,
                [mine["seconds"]["compute"]], [theirs],
                f"{rounds} rounds, {found:.3f} / {target:.3f}")


def compare_partition(options, build, out, rows, folder):
    """Two parts of a graph; the cut is the share of edges between parts."""
    if not shutil.which("gpmetis"):
        out.say("Partition: gpmetis is not installed (metis), skipped")
        return
    scale = {"tiny": 8, "quick": 14, "full": 17}[options.size]
    data, path = os.path.join(folder, "cut"), os.path.join(folder, "metis.graph")
    generate(build, data, f"uniform:scale={scale}")
    lists = {}
    with open(data + "/graph.txt", encoding="utf-8") as file:
        for line in file:
            a, b = map(int, line.split()[:2])
            lists.setdefault(a, []).append(b)
            lists.setdefault(b, []).append(a)
    number = {vertex: i + 1 for i, vertex in enumerate(sorted(lists))}
    pairs = sum(map(len, lists.values())) // 2
    with open(path, "w", encoding="utf-8") as file:
        file.write(f"{len(number)} {pairs}\n")
        for vertex in sorted(lists):
            file.write(" ".join(str(number[other]) for other in lists[vertex]) + "\n")
    ours, theirs = [], []
    for _ in range(min(options.repeats, 3)):
        mine = build.tool("partition", [data + "/graph.txt", "--undirected", "--parts", "2",
                                        "--metis-scheme", "recursive", "--output", folder + "/parts", "--force"], 1, None)
        text = machine.output(["gpmetis", path, "2"])
        cut = int(text.split("Edgecut:")[1].split(",")[0])
        theirs.append(float(text.split("Partitioning:")[1].split()[0]))
        ours.append(mine["seconds"]["partition"])
    share = mine["edge_cut"] / mine["edges"]
    add_row(out, rows, f"2 parts of uniform {scale}", "gpmetis", 1, ours, theirs,
            f"--metis-scheme recursive; edges cut: {share:.4f} / {cut / pairs:.4f}")


def run(options, build, out):
    out.title("Other programs")
    blas.say(out)
    rows = []
    with tempfile.TemporaryDirectory(prefix="gas-bench-") as folder:
        for name, compare in (("k_means", compare_kmeans), ("logistic", compare_logistic),
                              ("logistic", compare_online), ("lasso", compare_lasso),
                              ("lda", compare_lda), (None, compare_partition)):
            if options.kernel in (None, name):
                compare(options, build, out, rows, folder)
    out.table(["job", "peer", "threads", "ours", "theirs", "ratio", ""], rows)
