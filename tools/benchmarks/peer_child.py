"""Runs one peer once, in a process of its own: peer_child.py NAME JSON; prints a JSON line."""
import gzip
import json
import sys
import time


def first_rows(job):
    """The first k points, as a start."""
    import numpy
    numpy.save(job["start"], numpy.load(job["npy"])[:job["k"]].astype(numpy.float32))
    return {}


def fashion(job):
    """Fashion-MNIST as npy, and its first rows as a start."""
    import numpy
    with gzip.open(job["idx"]) as file:
        pixels = numpy.frombuffer(file.read(), dtype=numpy.uint8, offset=16)
    numpy.save(job["npy"], pixels.reshape(-1, 784).astype(numpy.float32))
    return first_rows(job)


def kmeans(job):
    import numpy
    import warnings
    from sklearn.cluster import KMeans
    warnings.simplefilter("ignore")
    x, start = numpy.load(job["npy"]), numpy.load(job["start"])
    model = KMeans(n_clusters=len(start), init=start, n_init=1, max_iter=job["rounds"], tol=0,
                   algorithm=job["algorithm"])
    begin = time.perf_counter()
    model.fit(x)
    return {"seconds": time.perf_counter() - begin, "result": float(model.inertia_),
            "rounds": model.n_iter_}


def pagerank(job):
    import igraph
    import numpy
    pairs = numpy.loadtxt(job["edges"], dtype=numpy.int64)
    ids, ends = numpy.unique(pairs, return_inverse=True)
    graph = igraph.Graph(n=len(ids), edges=ends.reshape(-1, 2), directed=False)
    begin = time.perf_counter()
    ranks = graph.pagerank(damping=0.85)
    return {"seconds": time.perf_counter() - begin, "ranks": [float(r) for r in ranks]}


def distance(job):
    """L1 distance of ranks.npy, whose ids.txt names the vertices, from ranks by ascending id."""
    import numpy
    ids = numpy.loadtxt(job["folder"] + "/ids.txt", dtype=numpy.int64)
    ours = numpy.load(job["folder"] + "/ranks.npy")[numpy.argsort(ids)]
    return {"result": float(numpy.abs(ours - numpy.array(job["ranks"])).sum())}


def objective(job):
    """C Σ log(1 + exp(−y w·x)) + R(w) of a liblinear model, C = 1."""
    import numpy
    from sklearn.datasets import load_svmlight_file
    with open(job["model"], encoding="utf-8") as file:
        lines = file.read().split("\n")
    label = float(lines[2].split()[1])
    at = lines.index("w") + 1
    w = numpy.array([float(v) for v in lines[at:] if v.strip()])
    x, y = load_svmlight_file(job["data"], n_features=len(w))
    margin = numpy.where(y == label, 1, -1) * (x @ w)
    loss = numpy.logaddexp(0, -margin).sum()
    return {"result": float(loss + (numpy.abs(w).sum() if job["l1"] else 0.5 * (w @ w)))}


if __name__ == "__main__":
    what = {"first_rows": first_rows, "fashion": fashion, "kmeans": kmeans, "pagerank": pagerank,
            "distance": distance, "objective": objective}[sys.argv[1]]
    print(json.dumps(what(json.load(sys.stdin))))
