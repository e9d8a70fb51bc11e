"""What --dry-run says that a run takes, beside what it takes (VmHWM of the largest rank)."""
import gzip
import os
import shutil
import tempfile

import machine

# Scales of Kronecker and uniform graphs, and thousands of documents, examples, points and users.
SIZES = {"full": (20, 100, 250, 2000, 60), "quick": (18, 30, 60, 500, 15), "tiny": (13, 2, 3, 20, 2)}
MARGIN = 0.1  # a run is refused where its estimate is above what a rank may take by more


class Inputs:
    """Files that the cases read, each made once."""

    def __init__(self, build, folder, size):
        self.build, self.folder = build, folder
        scale, documents, examples, points, users = SIZES[size]
        self.specs = {
            "kronecker": (f"kronecker:scale={scale},degree=16", "graph.txt"),
            "uniform": (f"uniform:scale={scale},degree=8", "graph.txt"),
            "lda": (f"lda:documents={documents * 1000},words={documents * 500},topics=20,"
                    "length=150,alpha=0.1,beta=0.01", "docword.txt"),
            "logistic": (f"logistic:examples={examples * 1000},features={examples * 200},"
                         "nonzeros=60,informative=100,noise=0.1", "data.svm"),
            "blobs": (f"blobs:n={points * 1000},d=24,k=20,spread=1", "points.npy"),
            "ratings": (f"ratings:users={users * 1000},items=10000,rank=10,density=0.02,noise=0.1",
                        "ratings.txt")}

    def file(self, name):
        spec, file = self.specs[name]
        folder = os.path.join(self.folder, name)
        if not os.path.exists(folder):
            machine.output([self.build.binary("gas-generate"), spec, "-o", folder, "--quiet"])
        return os.path.join(folder, file)

    def packed(self, name, ending):
        plain = self.file(name)
        if not os.path.exists(plain + ending):
            if ending == ".gz":
                with open(plain, "rb") as source, gzip.open(plain + ending, "wb", 1) as target:
                    shutil.copyfileobj(source, target)
            else:
                machine.output(["zstd", "-q", plain])
        return plain + ending

    def lengths(self):
        """The uniform graph with a third column."""
        path = os.path.join(self.folder, "lengths.txt")
        if not os.path.exists(path):
            with open(self.file("uniform"), encoding="utf-8") as source, \
                    open(path, "w", encoding="utf-8") as target:
                for number, line in enumerate(source):
                    target.write(f"{line.rstrip()} {1 + number % 9}\n")
        return path

    def parts(self):
        folder = os.path.join(self.folder, "parts")
        if not os.path.exists(folder):
            machine.output([self.build.binary("gas-partition"), self.file("kronecker"), "--parts",
                            "4", "--method", "dbh", "--undirected", "-o", folder, "--quiet"])
        return folder + "/"


def cases(inputs):
    """(what, ranks, tool, arguments)"""
    graph, uniform = inputs.file("kronecker"), inputs.file("uniform")
    lda, points = inputs.file("lda"), inputs.file("blobs")
    svm, ratings = inputs.file("logistic"), inputs.file("ratings")
    few = ["--iterations", "2"]
    yield "edge list, pairs", 1, "pagerank", [graph, "--undirected", *few]
    yield "edge list", 2, "pagerank", [graph, *few]
    yield "edge list, pairs", 4, "pagerank", [graph, "--undirected", *few]
    yield "edge list, gzip", 2, "pagerank", [inputs.packed("kronecker", ".gz"), *few]
    if shutil.which("zstd"):
        yield "edge list, zstd", 1, "components", [inputs.packed("uniform", ".zst")]
    yield "edge list", 4, "components", [uniform]
    yield "edge list, lengths", 1, "paths", [inputs.lengths(), "--source", "7"]
    yield "edge list, lengths", 2, "paths", [inputs.lengths(), "--source", "7"]
    yield "edge list", 1, "kcore", [graph]
    yield "npy points", 1, "kmeans", [points, "-k", "20", *few]
    yield "npy points", 2, "kmeans", [points, "-k", "20", *few]
    yield "docword", 1, "lda", [lda, "--topics", "100", *few]
    yield "docword", 2, "lda", [lda, "--topics", "20", *few]
    yield "docword, gzip", 2, "lda", [inputs.packed("lda", ".gz"), "--topics", "20", *few]
    yield "libsvm", 1, "logreg", [svm, *few]
    yield "libsvm", 2, "logreg", [svm, *few]
    yield "ratings", 1, "als", [ratings, *few]
    yield "ratings", 4, "als", [ratings, *few]
    yield "METIS partition", 1, "partition", [uniform, "--parts", "4", "--undirected",
                                              "--metis-scheme", "kway"]
    yield "partition folder", 2, "pagerank", [graph, "--undirected", "--partition",
                                              inputs.parts(), *few]
    yield "partition folder", 4, "pagerank", [graph, "--undirected", "--partition",
                                              inputs.parts(), *few]


def run(options, build, out):
    out.title("Estimates of memory")
    rows, wrong = [], []
    with tempfile.TemporaryDirectory(prefix="gas-bench-") as folder:
        for what, ranks, tool, arguments in cases(Inputs(build, folder, options.size)):
            dry = build.tool(tool, [*arguments, "--dry-run"], ranks, None)
            told = dry["estimated_memory_bytes"]
            peak = build.tool(tool, arguments, ranks, None)["peak_memory_bytes"]
            ratio = told / peak
            rows.append([f"gas-{tool}", what, str(ranks), f"{told / 1e6:.0f} MB",
                         f"{peak / 1e6:.0f} MB", f"{ratio:.2f}"])
            out.record(section="estimates", tool=tool, input=what, ranks=ranks, estimate=told,
                       peak_bytes=peak)
            if abs(ratio - 1) > MARGIN:
                wrong.append(f"gas-{tool}, {what}, {ranks} rank{'s' if ranks > 1 else ''}")
    out.table(["tool", "input", "ranks", "estimate", "peak", "estimate ÷ peak"], rows)
    if wrong:
        out.say(f"\nOff by more than {MARGIN:.0%}: {'; '.join(wrong)}.")
