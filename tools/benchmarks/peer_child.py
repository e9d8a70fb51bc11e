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


def triangles(job):
    """How many triangles there are, from the number at each vertex and its degree."""
    import igraph
    import numpy
    pairs = numpy.loadtxt(job["edges"], dtype=numpy.int64)
    ids, ends = numpy.unique(pairs, return_inverse=True)
    graph = igraph.Graph(n=len(ids), edges=ends.reshape(-1, 2), directed=False).simplify()
    begin = time.perf_counter()
    shares = graph.transitivity_local_undirected(mode="zero")
    seconds = time.perf_counter() - begin
    degrees = numpy.array(graph.degree(), dtype=float)
    return {"seconds": seconds,
            "result": float((numpy.array(shares) * degrees * (degrees - 1) / 2).sum() / 3)}


def distance(job):
    """L1 distance of ranks.npy, whose ids.txt names the vertices, from ranks by ascending id."""
    import numpy
    ids = numpy.loadtxt(job["folder"] + "/ids.txt", dtype=numpy.int64)
    ours = numpy.load(job["folder"] + "/ranks.npy")[numpy.argsort(ids)]
    return {"result": float(numpy.abs(ours - numpy.array(job["ranks"])).sum())}


def components(job, make, find):
    """`find` of what `make` gives of pairs and ids: seconds of each go, and how many there are."""
    import numpy
    with open(job["edges"], encoding="utf-8") as file:
        pairs = numpy.fromfile(file, dtype=numpy.int64, sep=" ").reshape(-1, 2)
    graph = make(pairs, job["count"])
    seconds = []
    for _ in range(job["repeats"]):
        begin = time.perf_counter()
        found = find(graph)
        seconds.append(time.perf_counter() - begin)
    return {"seconds": seconds, "result": int(found)}


def components_scipy(job):
    import numpy
    import scipy.sparse
    from scipy.sparse.csgraph import connected_components
    return components(
        job, lambda pairs, n: scipy.sparse.csr_matrix(
            (numpy.ones(len(pairs), numpy.int8), (pairs[:, 0], pairs[:, 1])), shape=(n, n)),
        lambda graph: connected_components(graph, directed=False)[0])


def components_igraph(job):
    import igraph
    return components(job, lambda pairs, n: igraph.Graph(n=n, edges=pairs, directed=False),
                      lambda graph: len(graph.connected_components()))


def liblinear_model(path):
    """(label that counts as +1, weights)"""
    import numpy
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    at = lines.index("w") + 1
    return (float(lines[2].split()[1]), numpy.array([float(v) for v in lines[at:] if v.strip()]))


def gas_model(folder):
    """Likewise; columns count from 1 in the data."""
    import numpy
    with open(folder + "/manifest.json", encoding="utf-8") as file:
        model = json.load(file)["model"]
    assert not model["ids_listed"]
    w = numpy.load(folder + "/weights.npy")
    return model["larger_label"], numpy.concatenate([numpy.zeros(model["first_id"] - 1), w])


def objective(job):
    """C Σ log(1 + exp(−y w·x)) + R(w) of a model, C = 1. The data are kept as npz beside them."""
    import numpy
    import os
    import scipy.sparse
    from sklearn.datasets import load_svmlight_file
    label, w = liblinear_model(job["model"]) if "model" in job else gas_model(job["weights"])
    kept = job["data"] + ".npz"
    if os.path.exists(kept):
        x, y = scipy.sparse.load_npz(kept), numpy.load(job["data"] + ".npy")
    else:
        x, y = load_svmlight_file(job["data"])
        scipy.sparse.save_npz(kept, x, compressed=False)
        numpy.save(job["data"] + ".npy", y)
    most = max(len(w), x.shape[1])
    x.resize(x.shape[0], most)
    w = numpy.concatenate([w, numpy.zeros(most - len(w))])
    loss = numpy.logaddexp(0, numpy.where(y == label, -1, 1) * (x @ w)).sum()
    return {"result": float(loss + (numpy.abs(w).sum() if job["l1"] else 0.5 * (w @ w)))}


def docword(path):
    """(document, word, count) from 0, of a docword file, gzipped or not; documents, words."""
    import numpy
    with (gzip.open if path.endswith(".gz") else open)(path, "rt") as file:
        documents, words, _ = (int(file.readline()) for _ in range(3))
        rows = numpy.loadtxt(file, dtype=numpy.int64, ndmin=2)
    return rows - [1, 1, 0], documents, words


def gensim(job):
    """Online variational Bayes; writes θ and φ, by topic. No workers: LdaModel."""
    import numpy
    from gensim.models import LdaModel, LdaMulticore
    rows, documents, words = docword(job["docword"])
    corpus = [[] for _ in range(documents)]
    for document, word, count in rows.tolist():
        corpus[document].append((word, count))
    given = {"corpus": corpus, "id2word": {w: str(w) for w in range(words)}, "passes": 2,
             "num_topics": job["topics"], "eta": job["beta"], "eval_every": None,
             "alpha": [job["alpha"]] * job["topics"], "random_state": 1, "dtype": numpy.float64}
    begin = time.perf_counter()
    model = LdaMulticore(workers=job["workers"], **given) if job["workers"] else LdaModel(**given)
    seconds = time.perf_counter() - begin
    gamma, _ = model.inference(corpus)
    numpy.save(job["folder"] + "/document_topic.npy", gamma / gamma.sum(axis=1, keepdims=True))
    numpy.save(job["folder"] + "/topic_word.npy", model.get_topics())
    return {"seconds": seconds}


def likelihood(job):
    """Mean log Σ_k θ_dk φ_kw of the tokens, by the arrays in a folder."""
    import numpy
    rows, documents, words = docword(job["docword"])
    theta = numpy.load(job["folder"] + "/document_topic.npy").astype(numpy.float64)
    phi = numpy.load(job["folder"] + "/topic_word.npy").astype(numpy.float64)
    assert theta.shape == (documents, job["topics"]) and phi.shape == (job["topics"], words)
    assert abs(theta.sum(axis=1) - 1).max() < 1e-4 and abs(phi.sum(axis=1) - 1).max() < 1e-4
    total = 0.0
    for part in numpy.array_split(rows, 1 + len(rows) // 20000):
        chance = numpy.einsum("ik,ik->i", theta[part[:, 0]], phi.T[part[:, 1]])
        total += float(part[:, 2] @ numpy.log(chance))
    return {"result": total / int(rows[:, 2].sum())}


if __name__ == "__main__":
    what = {"first_rows": first_rows, "fashion": fashion, "kmeans": kmeans, "pagerank": pagerank,
            "triangles": triangles,
            "distance": distance, "objective": objective, "gensim": gensim,
            "likelihood": likelihood, "components_scipy": components_scipy,
            "components_igraph": components_igraph}[sys.argv[1]]
    print(json.dumps(what(json.load(sys.stdin))))
