"""Figures of this package and of one peer: {"peer", "sizes"} on standard input; on standard output a
line of JSON, a list of [figure, ours, theirs, most relative difference]."""
import json
import sys

import numpy as np
import scipy.sparse

import gas


def blobs(random, rows):
    middles = random.normal(size=(6, 8)) * 4
    return (middles[random.integers(6, size=rows)] + random.normal(size=(rows, 8))).astype("f4")


def examples(random, rows, classes):
    X = scipy.sparse.random(rows, 40, 0.3, "csr", random_state=1, dtype=np.float32)
    noisy = X @ random.normal(size=(40, classes)) + 0.3 * random.normal(size=(rows, classes))
    return X, noisy.argmax(axis=1)


def corpus(random, documents):
    topics = random.dirichlet(np.full(120, 0.1), 5)
    mixtures = random.dirichlet(np.full(5, 0.2), documents) @ topics
    return np.array([random.multinomial(60, row) for row in mixtures])


def of_clusters(rows):
    from sklearn import cluster, metrics

    random = np.random.default_rng(1)
    X = blobs(random, rows)
    start, weights = X[:6], random.integers(1, 5, size=rows).astype(float)
    options = {"init": start, "n_init": 1, "max_iter": 300, "tol": 0}
    for name, given in (("", None), (", weighted", weights)):
        ours = gas.KMeans(6, **options).fit(X, sample_weight=given)
        theirs = cluster.KMeans(6, **options).fit(X.astype("f8"), sample_weight=given)
        yield f"inertia of k-means{name}", ours.inertia_, theirs.inertia_, 1e-4
    def inertia(centres):
        return ((X[:, None] - centres[None]) ** 2).sum(axis=2).min(axis=1).sum()

    few = {"init": start, "batch_size": 100, "max_iter": 20}
    ours = gas.MiniBatchKMeans(6, random_state=1, **few).fit(X)
    theirs = cluster.MiniBatchKMeans(6, n_init=1, random_state=1, **few).fit(X)
    yield ("inertia of mini-batch k-means", inertia(ours.cluster_centers_),
           inertia(theirs.cluster_centers_), 0.05)
    labels = gas.KMeans(6, **options).fit(X).labels_
    for metric in ("euclidean", "cosine"):
        yield (f"silhouette, {metric}", gas.silhouette_score(X, labels, metric=metric),
               metrics.silhouette_score(X.astype("f8"), labels, metric=metric), 1e-4)
    sparse = scipy.sparse.csr_matrix(np.where(abs(X) > 1, X, 0))
    yield ("inertia of sparse points", gas.KMeans(6, **options).fit(sparse).inertia_,
           cluster.KMeans(6, **options).fit(sparse.astype("f8")).inertia_, 1e-4)


def loss_of(model, X, y, C, weights=1.0):
    """Penalised as with liblinear, of two classes."""
    w = np.append(model.coef_[0], model.intercept_)
    margins = np.where(y == model.classes_[1], 1, -1) * (X @ w[:-1] + w[-1])
    return C * (weights * np.logaddexp(0, -margins)).sum() + 0.5 * w @ w


def of_classifiers(rows):
    from sklearn import linear_model, metrics
    from sklearn.utils.class_weight import compute_sample_weight

    random = np.random.default_rng(2)
    X, y = examples(random, rows, 2)
    train, test = slice(0, rows * 3 // 4), slice(rows * 3 // 4, rows)
    for name, weight in (("", None), (", balanced classes", "balanced")):
        each = compute_sample_weight(weight, y[train])
        ours = gas.LogisticRegression(tol=1e-9, max_iter=1000, class_weight=weight)
        theirs = linear_model.LogisticRegression(solver="liblinear", tol=1e-9, max_iter=10000,
                                                 class_weight=weight)
        ours.fit(X[train], y[train])
        theirs.fit(X[train].astype("f8"), y[train])
        yield (f"objective of logistic regression{name}", loss_of(ours, X[train], y[train], 1, each),
               loss_of(theirs, X[train], y[train], 1, each), 1e-6)
        yield (f"area under the ROC curve{name}", ours.roc_area(X[test], y[test]),
               metrics.roc_auc_score(y[test], ours.decision_function(X[test])), 1e-9)
        yield (f"log loss{name}", metrics.log_loss(y[test], ours.predict_proba(X[test])),
               metrics.log_loss(y[test], theirs.predict_proba(X[test])), 1e-5)
    X, y = examples(random, rows, 4)
    for name, multi in (("softmax", "multinomial"), ("one against the rest", "ovr")):
        ours = gas.LogisticRegression(multi_class=multi, fit_intercept=False, tol=1e-9, max_iter=1000)
        theirs = linear_model.LogisticRegression(multi_class=multi, fit_intercept=False, tol=1e-9,
                                                 max_iter=10000)
        ours.fit(X[train], y[train])
        theirs.fit(X[train].astype("f8"), y[train])
        yield (f"log loss of four classes, {name}",
               metrics.log_loss(y[test], ours.predict_proba(X[test])),
               metrics.log_loss(y[test], theirs.predict_proba(X[test])), 1e-4)
        yield (f"accuracy of four classes, {name}", ours.score(X[test], y[test]),
               theirs.score(X[test], y[test]), 0.01)


def of_topics(documents):
    from gensim.corpora import Dictionary
    from gensim.models.coherencemodel import CoherenceModel

    counts = corpus(np.random.default_rng(3), documents)
    model = gas.LatentDirichletAllocation(5, max_iter=60, measures=True, random_state=1).fit(counts)
    words = [f"w{w:03}" for w in range(counts.shape[1])]
    texts = [[words[w] for w in np.flatnonzero(row)] for row in counts]
    dictionary = Dictionary(texts)
    topics = [[words[w] for w in np.argsort(-row, kind="stable")[:10]] for row in model.components_]
    bags = [dictionary.doc2bow(text) for text in texts]
    peer = CoherenceModel(topics=topics, corpus=bags, dictionary=dictionary, coherence="u_mass")
    yield "coherence, umass", model.measures_["umass"], peer.get_coherence(), 1e-6
    peer = CoherenceModel(topics=topics, texts=texts, dictionary=dictionary, coherence="c_npmi",
                          window_size=counts.shape[1], processes=1)
    yield "coherence, npmi", model.measures_["npmi"], peer.get_coherence(), 1e-6


def of_graphs(vertices):
    import networkx

    random = np.random.default_rng(4)
    edges = np.unique(random.integers(vertices, size=(4 * vertices, 2)), axis=0)
    edges = edges[edges[:, 0] != edges[:, 1]]
    weights = random.integers(1, 9, size=len(edges)).astype(float)
    start = np.where(np.arange(vertices) % 7 == 0, 1.0, 0.0)
    theirs = networkx.DiGraph()
    theirs.add_nodes_from(range(vertices))
    theirs.add_weighted_edges_from(zip(*edges.T.tolist(), weights.tolist()))
    ours = gas.Graph(edges, weights=weights, n_vertices=vertices)
    exact = {"tol": 1e-14, "max_iter": 1000}
    for name, mine, more in (
            ("", {"weighted": False}, {"weight": None}),
            (", weighted", {}, {}),
            (", personalised", {"weighted": False, "personalization": start},
             {"weight": None, "personalization": dict(enumerate(start))})):
        found = gas.page_rank(ours, **exact, **mine)
        known = networkx.pagerank(theirs, tol=1e-15, max_iter=1000, dangling=None, **more)
        known = np.array([known[v] for v in range(vertices)])
        highest = known.argmax()
        yield f"highest PageRank{name}", found[highest], known[highest], 1e-6
        yield f"squares of PageRanks{name}", found @ found, known @ known, 1e-6
    known = networkx.harmonic_centrality(theirs)
    found = gas.harmonic_centrality(ours, registers=16384, random_state=1)
    yield "sum of harmonic centralities", found.sum(), sum(known.values()), 0.02
    hops = networkx.single_source_shortest_path_length(theirs, 0)
    found = gas.breadth_first_search(ours, source=0).hops
    yield "sum of hops", found[found >= 0].sum(), sum(hops.values()), 0
    lengths = networkx.single_source_dijkstra_path_length(theirs, 0)
    found = gas.shortest_paths(ours, source=0)
    yield "sum of path lengths", found[np.isfinite(found)].sum(), sum(lengths.values()), 1e-6
    both = theirs.to_undirected()
    yield ("components", gas.components(ours).n_components,
           networkx.number_connected_components(both), 0)
    yield "sum of cores", gas.k_core(ours).sum(), sum(networkx.core_number(both).values()), 0
    counted = gas.triangles(ours)
    yield "triangles", counted.n_triangles, sum(networkx.triangles(both).values()) // 3, 0
    yield "transitivity", counted.transitivity, networkx.transitivity(both), 1e-9
    yield ("mean clustering", counted.mean_clustering, networkx.average_clustering(both), 1e-9)
    size = 40  # of each group; they are so far apart that both find them
    planted = networkx.planted_partition_graph(max(vertices // size, 2), size, 0.6, 0.0005, seed=5)
    found = gas.label_propagation(gas.Graph(np.array(planted.edges), n_vertices=len(planted)))
    labels = found.labels
    known = [*networkx.community.label_propagation_communities(planted)]
    found = [np.flatnonzero(labels == label).tolist() for label in np.unique(labels)]
    yield "communities by labels", len(found), len(known), 0
    yield ("modularity of communities by labels", networkx.community.modularity(planted, found),
           networkx.community.modularity(planted, known), 0.01)


def main():
    job = json.loads(sys.stdin.readline())
    rows, documents, vertices = job["sizes"]
    peers = {"scikit-learn": lambda: [*of_clusters(rows), *of_classifiers(rows)],
             "gensim": lambda: [*of_topics(documents)],
             "networkx": lambda: [*of_graphs(vertices)]}
    print(json.dumps([[what, float(ours), float(theirs), most]
                      for what, ours, theirs, most in peers[job["peer"]]()]))


if __name__ == "__main__":
    main()
