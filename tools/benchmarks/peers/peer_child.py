"""Runs one peer in a process of its own: peer_child.py NAME, whose job is a JSON line of the input;
prints a JSON line. Peers that hold a graph do their work for each further line of input, and print
its seconds."""
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
    seconds = time.perf_counter() - begin
    # Where it stops before its points rest, one more pass assigns them to the last centroids.
    closing = 1 if model.n_iter_ == job["rounds"] else 0
    return {"seconds": seconds, "result": float(model.inertia_), "passes": model.n_iter_ + closing}


def when_asked(find):
    """Finds it anew for each further line of input; what it found last."""
    found = None
    for _ in sys.stdin:
        begin = time.perf_counter()
        found = find()
        print(json.dumps(time.perf_counter() - begin), flush=True)
    return found


def pairs_of(job):
    """(ends, lengths or None) of the lines of a file."""
    import numpy
    with open(job["edges"], encoding="utf-8") as file:
        lines = numpy.fromfile(file, dtype=numpy.int64, sep=" ").reshape(-1, job["columns"])
    return lines[:, :2], lines[:, 2].astype(float) if job["columns"] == 3 else None


def in_igraph(job):
    """The graph of a file, by id, and lengths."""
    import igraph
    pairs, lengths = pairs_of(job)
    return igraph.Graph(n=job["count"], edges=pairs, directed=False), lengths


def in_scipy(job):
    """Both arcs of every pair, by id; their lengths, or 1."""
    import numpy
    import scipy.sparse
    pairs, lengths = pairs_of(job)
    both = numpy.concatenate([pairs, pairs[:, ::-1]])
    values = numpy.ones(len(both)) if lengths is None else numpy.concatenate([lengths, lengths])
    return scipy.sparse.csr_matrix((values, (both[:, 0], both[:, 1])),
                                   shape=(job["count"], job["count"]))


def kept(job, values):
    """Of every id a value, written where they will be compared."""
    import numpy
    numpy.save(job["to"], numpy.asarray(values, dtype=float))
    return {}


def components_scipy(job):
    from scipy.sparse.csgraph import connected_components
    graph = in_scipy(job)
    return {"result": int(when_asked(lambda: connected_components(graph, directed=False)[0]))}


def components_igraph(job):
    graph, _ = in_igraph(job)
    return {"result": len(when_asked(graph.connected_components))}


def breadth_first_scipy(job):
    import numpy
    from scipy.sparse.csgraph import breadth_first_order
    graph = in_scipy(job)
    order, before = when_asked(lambda: breadth_first_order(graph, job["source"]))
    hops = numpy.full(job["count"], -1)
    hops[job["source"]] = 0
    for vertex in order[1:]:
        hops[vertex] = hops[before[vertex]] + 1
    return kept(job, hops)


def breadth_first_igraph(job):
    import numpy
    graph, _ = in_igraph(job)
    hops = numpy.array(when_asked(lambda: graph.distances([job["source"]]))[0])
    return kept(job, numpy.where(numpy.isinf(hops), -1, hops))


def paths_scipy(job):
    from scipy.sparse.csgraph import dijkstra
    graph = in_scipy(job)
    return kept(job, when_asked(lambda: dijkstra(graph, indices=job["source"])))


def paths_igraph(job):
    graph, lengths = in_igraph(job)
    lengths = lengths.tolist()
    return kept(job, when_asked(lambda: graph.distances([job["source"]], weights=lengths))[0])


def harmonic_scipy(job):
    """Exact, by a search from every vertex, some at a time."""
    import numpy
    from scipy.sparse.csgraph import dijkstra
    graph, some = in_scipy(job), 256

    def search():
        sums = numpy.zeros(job["count"])
        for first in range(0, job["count"], some):
            sources = numpy.arange(first, min(first + some, job["count"]))
            hops = dijkstra(graph, unweighted=True, indices=sources)
            sums += numpy.divide(1, hops, where=hops > 0, out=numpy.zeros(hops.shape)).sum(axis=0)
        return sums
    return kept(job, when_asked(search))


def k_core_igraph(job):
    graph, _ = in_igraph(job)
    graph.simplify()
    return kept(job, when_asked(graph.coreness))


def page_rank_igraph(job):
    """Of the ids that have edges; 0 of others."""
    import igraph
    import numpy
    ids, ends = numpy.unique(pairs_of(job)[0], return_inverse=True)
    graph = igraph.Graph(n=len(ids), edges=ends.reshape(-1, 2), directed=False)
    ranks = numpy.zeros(job["count"])
    ranks[ids] = when_asked(lambda: graph.pagerank(damping=0.85))
    return kept(job, ranks)


def triangles_igraph(job):
    """How many triangles there are, from the number at each vertex and its degree."""
    import numpy
    graph, _ = in_igraph(job)
    graph.simplify()
    shares = when_asked(lambda: graph.transitivity_local_undirected(mode="zero"))
    degrees = numpy.array(graph.degree(), dtype=float)
    return {"result": float((numpy.array(shares) * degrees * (degrees - 1) / 2).sum() / 3)}


def distance(job):
    """L1 distance of an array in a folder from one by id, of an estimate as a share; ids.txt says whose are its rows, if these
    are not 0, 1, …"""
    import numpy
    import os
    ours = numpy.load(f"{job['folder']}/{job['array']}.npy").astype(float)
    theirs, listed = numpy.load(job["to"]), job["folder"] + "/ids.txt"
    if os.path.exists(listed):
        theirs = theirs[numpy.fromfile(listed, dtype=numpy.int64, sep="\n")]
    elif len(ours) != len(theirs):
        return {"result": float("inf")}
    off = numpy.abs(ours - theirs, where=ours != theirs, out=numpy.zeros(len(ours))).sum()
    return {"result": float(off / theirs.sum() if job.get("estimate") else off)}


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


def sgd(job):
    """SGDClassifier by partial_fit, `chunk` rows at a time, each predicted before it is learned: the
    least mean loss of five step sizes, constant and falling with √t, and the median seconds of one
    pass, reading the text included."""
    import numpy
    from sklearn.datasets import load_svmlight_file
    from sklearn.linear_model import SGDClassifier
    begin = time.perf_counter()
    x, y = load_svmlight_file(job["data"])
    reading = time.perf_counter() - begin
    y = numpy.where(y == y.max(), 1, -1)
    losses, seconds = [], []
    for schedule in ("constant", "invscaling"):
        for step in (0.01, 0.03, 0.1, 0.3, 1):
            model = SGDClassifier(loss="log_loss", alpha=1e-7, learning_rate=schedule, eta0=step,
                                  power_t=0.5)
            loss, begin = 0.0, time.perf_counter()
            for at in range(0, x.shape[0], job["chunk"]):
                rows, labels = x[at:at + job["chunk"]], y[at:at + job["chunk"]]
                margin = labels * model.decision_function(rows) if at else numpy.zeros(len(labels))
                loss += numpy.logaddexp(0, -margin).sum()
                model.partial_fit(rows, labels, classes=[-1, 1])
            seconds.append(reading + time.perf_counter() - begin)
            losses.append(loss / x.shape[0])
    return {"result": float(min(losses)), "seconds": float(numpy.median(seconds))}


def lasso(job):
    """Seconds of the first tolerance that comes to the target."""
    import numpy
    from sklearn.datasets import load_svmlight_file
    from sklearn.linear_model import Lasso
    x, y = load_svmlight_file(job["data"])
    for tol in (1e-2, 3e-3, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8):
        model = Lasso(alpha=job["lambda"], fit_intercept=False, tol=tol, max_iter=100000)
        begin = time.perf_counter()
        model.fit(x, y)
        seconds = time.perf_counter() - begin
        left = y - x @ model.coef_
        found = left @ left / (2 * len(y)) + job["lambda"] * numpy.abs(model.coef_).sum()
        if found <= job["target"]:
            return {"seconds": seconds, "tol": tol, "result": float(found)}
    raise SystemExit("Lasso does not come to the target")


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
    what = globals()[sys.argv[1]]
    print(json.dumps(what(json.loads(sys.stdin.readline()))))
