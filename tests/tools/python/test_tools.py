"""A fit and a tool on the same data with the same options: the same numbers to the last bit."""

import contextlib
import json
import os
import re
import subprocess
import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np
import scipy.io
import scipy.sparse

import gas

BIN = Path(os.environ["GAS_BIN"])


class Same(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        warnings.simplefilter("ignore")

    def run_tool(self, tool, *arguments):
        """Its summary; its files are in self.folder / "out"."""
        command = [BIN / tool, *map(str, arguments), "-o", self.folder / "out", "--force"]
        command += ["--quiet", "--summary", "json"]
        ran = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return json.loads(ran.stdout)

    def written(self, name):
        return np.load(self.folder / "out" / name)

    def test_k_means(self):
        points = np.random.default_rng(1).normal(size=(3000, 7))
        for dtype in (np.float32, np.float64):
            np.save(self.folder / "points.npy", points.astype(dtype))
            for init in ("k-means++", "k-means||", "random"):
                told = self.run_tool(
                    "gas-kmeans", self.folder / "points.npy", "-k", 9, "--init", init, "--seed", 5,
                    "--iterations", 12,
                )
                model = gas.KMeans(9, init=init, n_init=1, random_state=5, max_iter=12)
                model.fit(points.astype(dtype))
                self.assertEqual(model.inertia_, told["objective"])
                self.assertEqual(model.n_iter_, told["iterations"])
                np.testing.assert_array_equal(model.labels_, self.written("assignments.npy"))
                np.testing.assert_array_equal(model.cluster_centers_, self.written("centroids.npy"))

    def test_online_logistic_regression(self):
        """Also rows in pieces, and columns beyond those that are not hashed."""
        random = np.random.RandomState(3)
        X = scipy.sparse.random(500, 3000, 0.02, "csr", random_state=random, dtype=np.float32)
        y = np.where(X @ random.normal(size=3000) > 0, 7, 3)
        with open(self.folder / "stream.svm", "w") as file:
            for i in range(500):
                row = X[i].sorted_indices()
                pairs = " ".join(f"{j}:{x!r}" for j, x in zip(row.indices, row.data.tolist()))
                file.write(f"{y[i]} {pairs}\n")
        for bias in (False, True):
            for bits in (None, 8):
                options = ["--online", "--index-base", 0, "--rate", 0.9]
                options += ["--bias"] * bias + (["--hash", bits] if bits else [])
                told = self.run_tool("gas-logreg", self.folder / "stream.svm", *options)
                model = gas.OnlineLogisticRegression(0.9, fit_intercept=bias, hash_bits=bits)
                for begin in range(0, 500, 130):
                    piece = slice(begin, begin + 130)
                    model.partial_fit(X[piece], y[piece], classes=[3, 7])
                weights = self.written("weights.npy")
                columns = len(weights) - bias
                np.testing.assert_array_equal(model.coef_[0][:columns], weights[:columns])
                self.assertFalse(np.any(model.coef_[0][columns:]))
                if bias:
                    self.assertEqual(model.intercept_[0], weights[-1])
                self.assertEqual(model.progressive_loss_[0], told["progressive_loss"])
                np.testing.assert_allclose(
                    model.decision_function(X.toarray()), model.decision_function(X), rtol=1e-5,
                    atol=1e-5,
                )
                whole = gas.OnlineLogisticRegression(0.9, fit_intercept=bias, hash_bits=bits)
                np.testing.assert_array_equal(whole.fit(X, y).coef_, model.coef_)
                self.run_tool(
                    "gas-logreg", self.folder / "stream.svm", *options, "--test",
                    self.folder / "stream.svm",
                )
                np.testing.assert_allclose(
                    model.predict_proba(X)[:, 1], self.written("predictions.npy"), atol=1e-6
                )

    def test_logistic_regression(self):
        random = np.random.RandomState(2)
        X = scipy.sparse.random(400, 30, 0.2, "csr", random_state=random, dtype=np.float32)
        y = np.where(X @ random.normal(size=30) > 0, 1, -1)
        with open(self.folder / "train.svm", "w") as file:
            for i, label in enumerate(y):
                row = X[i]
                entries = (f"{j + 1}:{v!r}" for j, v in zip(row.indices, row.data.tolist()))
                file.write(f"{label} {' '.join(entries)}\n")
        for penalty in ("l1", "l2"):
            for bias in (False, True):
                told = self.run_tool(
                    "gas-logreg", self.folder / "train.svm", "--penalty", penalty, "-C", 0.7,
                    "--tolerance", 1e-6, *["--bias"] * bias,
                )
                model = gas.LogisticRegression(penalty, C=0.7, tol=1e-6, fit_intercept=bias)
                model.fit(X, y)
                self.assertEqual(model.objective_[0], told["objective"])
                self.assertEqual(model.gap_[0], told["gap"])
                self.assertEqual(model.n_iter_[0], told["iterations"])
                weights = np.append(model.coef_[0], model.intercept_[0] if bias else [])
                np.testing.assert_array_equal(weights, self.written("weights.npy"))

        told = self.run_tool(
            "gas-logreg", self.folder / "train.svm", "--costs", "3,0.1,1", "--heldout", 0.25, "--seed", 4,
        )
        model = gas.LogisticRegression(
            C=[0.1, 1, 3], heldout=0.25, random_state=4, fit_intercept=False
        ).fit(X, y)
        self.assertEqual((model.C_, model.objective_[0]), (told["cost"], told["objective"]))
        taken = model.path_["C"] == model.C_
        self.assertEqual(model.path_["log_loss"][taken][0], told["heldout_logloss"])
        self.assertEqual(model.path_["roc_area"][taken][0], told["heldout_auc"])
        np.testing.assert_array_equal(model.coef_[0], self.written("weights.npy"))

    def test_several_classes(self):
        random = np.random.RandomState(3)
        X = random.normal(size=(200, 6)).astype(np.float32)
        y = np.argmax(X @ random.normal(size=(6, 4)), axis=1) * 3 - 2
        with open(self.folder / "train.svm", "w") as file:
            for label, row in zip(y, X):
                file.write(f"{label} {' '.join(f'{j + 1}:{v!r}' for j, v in enumerate(row.tolist()))}\n")
        for way, name in (("softmax", "multinomial"), ("rest", "ovr")):
            told = self.run_tool(
                "gas-logreg", self.folder / "train.svm", "--multiclass", way, "-C", 0.7, "--bias",
                "--tolerance", 1e-6, "--test", self.folder / "train.svm",
            )
            model = gas.LogisticRegression(C=0.7, tol=1e-6, multi_class=name).fit(X, y)
            self.assertAlmostEqual(model.objective_.sum(), told["objective"])
            self.assertEqual(model.n_iter_.sum(), told["iterations"])
            weights = np.hstack([model.coef_, model.intercept_[:, None]])
            np.testing.assert_array_equal(weights, self.written("weights.npy"))
            np.testing.assert_array_equal(model.classes_, self.written("classes.npy"))
            chances = self.written("predictions.npy")
            np.testing.assert_allclose(model.predict_proba(X), chances, atol=1e-6)
            np.testing.assert_array_equal(model.predict(X), self.written("labels.npy"))
            self.assertAlmostEqual(model.score(X, y), told["test_accuracy"])
            self.assertAlmostEqual(model.score(X, y), told["accuracy"])

    def test_topics(self):
        counts = scipy.sparse.csr_matrix(np.random.default_rng(3).poisson(0.3, (200, 40)))
        scipy.io.mmwrite(self.folder / "counts.mtx", counts)
        held = scipy.sparse.csr_matrix(np.random.default_rng(4).poisson(0.3, (50, 40)))
        scipy.io.mmwrite(self.folder / "held.mtx", held)
        told = self.run_tool(
            "gas-lda", self.folder / "counts.mtx", "--topics", 6, "--alpha", 0.2, "--beta", 0.05,
            "--seed", 3, "--iterations", 30, "--heldout", self.folder / "held.mtx",
        )
        model = gas.LatentDirichletAllocation(
            6, doc_topic_prior=0.2, topic_word_prior=0.05, random_state=3, max_iter=30
        ).fit(counts)
        self.assertEqual(model.log_likelihood_, told["objective"])
        self.assertEqual(model.score(held), told["heldout"])
        np.testing.assert_array_equal(model.components_, self.written("topic_word.npy"))
        np.testing.assert_array_equal(model.document_topic_, self.written("document_topic.npy"))
        np.testing.assert_array_equal(model.topic_counts_, self.written("topic_counts.npy"))
        np.testing.assert_array_equal(model.document_counts_, self.written("document_counts.npy"))
        self.assertEqual(model.topic_counts_.dtype, np.int32)
        self.assertEqual(model.document_counts_.dtype, np.int32)

    def test_topics_compared_and_priors_fitted(self):
        counts = scipy.sparse.csr_matrix(np.random.default_rng(3).poisson(0.3, (200, 40)))
        scipy.io.mmwrite(self.folder / "counts.mtx", counts)
        options = ["--seed", 3, "--iterations", 30, "--optimize-every", 10, "--alpha", 0.2]
        options += ["--optimize-burn-in", 10, "--split-merge", 6, "--turns", 2]
        told = self.run_tool("gas-lda", self.folder / "counts.mtx", "--topics", "3,6", *options)
        choice = gas.choose_topics(
            counts, [3, 6], doc_topic_prior=0.2, topic_word_prior=0.01, random_state=3, max_iter=30,
            optimize_every=10, optimize_burn_in=10, split_merge=6, turns=2,
        )
        np.testing.assert_array_equal(choice.table["n_components"], [3, 6])
        for row, model in zip(told["models"], choice.models):
            self.assertEqual(row["objective"], model.log_likelihood_)
            for name, value in model.measures_.items():
                self.assertAlmostEqual(row[name], value, places=9)
            folder = self.folder / "out" / f"topics-{row['topics']}"
            np.testing.assert_array_equal(model.components_, np.load(folder / "topic_word.npy"))
            np.testing.assert_array_equal(model.doc_topic_prior_, np.load(folder / "alpha.npy"))
            self.assertGreater(model.gained_, 0)
        told = self.run_tool("gas-lda", self.folder / "counts.mtx", "--topics", 6, *options)
        self.assertEqual(told["moves"], choice.models[1].moves_)

    def test_the_five_arrays_of_pyldavis(self):
        """The two lines of docs/formats.md, run where gas-lda wrote."""
        spec = "lda:documents=60,words=30,topics=3,length=20,alpha=0.1,beta=0.05"
        subprocess.run([BIN / "gas-generate", spec, "-o", self.folder / "data"], check=True)
        self.run_tool("gas-lda", self.folder / "data/docword.txt", "--topics", 3)
        (self.folder / "out").rename(self.folder / "topics")
        (self.folder / "data/vocab.txt").rename(self.folder / "vocab.txt")
        text = (Path(os.environ["GAS_SOURCE"]) / "docs/formats.md").read_text()
        lines = re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)[0]
        self.assertEqual(lines.count("\n"), 2)
        names = {"np": np}
        with contextlib.chdir(self.folder):
            exec(lines, names)  # pylint: disable=exec-used
        five = names["five"]
        entries = np.loadtxt(self.folder / "data/docword.txt", skiprows=3, dtype=int)
        counts = scipy.sparse.coo_matrix((entries[:, 2], (entries[:, 0] - 1, entries[:, 1] - 1)), (60, 30))
        self.assertEqual(five["topic_term_dists"].shape, (3, 30))
        self.assertEqual(five["doc_topic_dists"].shape, (60, 3))
        for rows in (five["topic_term_dists"], five["doc_topic_dists"]):
            np.testing.assert_allclose(rows.sum(axis=1), 1, rtol=1e-5)
        np.testing.assert_array_equal(five["doc_lengths"], counts.sum(axis=1).A1)
        np.testing.assert_array_equal(five["term_frequency"], counts.sum(axis=0).A1)
        self.assertEqual(len(five["vocab"]), 30)

    def test_als(self):
        ratings = scipy.sparse.random(90, 40, 0.2, "csr", random_state=4, dtype=np.float32)
        scipy.io.mmwrite(self.folder / "ratings.mtx", ratings, precision=9)
        told = self.run_tool(
            "gas-als", self.folder / "ratings.mtx", "--rank", 5, "--lambda", 0.3, "--seed", 2,
            "--iterations", 15,
        )
        model = gas.ALS(5, regularization=0.3, random_state=2, max_iter=15).fit(ratings)
        self.assertEqual(model.objective_, told["objective"])
        self.assertEqual(model.rmse_, told["rmse"])
        np.testing.assert_array_equal(model.users_, self.written("users.npy"))
        np.testing.assert_array_equal(model.components_.T, self.written("items.npy"))

    def test_implicit_als(self):
        counts = scipy.sparse.random(90, 40, 0.2, "csr", random_state=4)
        counts.data = np.ceil(9 * counts.data).astype(np.float32)
        scipy.io.mmwrite(self.folder / "counts.mtx", counts)
        told = self.run_tool(
            "gas-als", self.folder / "counts.mtx", "--rank", 5, "--implicit", 1.5, "--seed", 2, "--iterations", 15,
        )
        model = gas.ALS(5, alpha=1.5, random_state=2, max_iter=15).fit(counts)
        self.assertEqual(model.objective_, told["objective"])
        self.assertIsNone(told["rmse"])
        np.testing.assert_array_equal(model.users_, self.written("users.npy"))
        np.testing.assert_array_equal(model.components_.T, self.written("items.npy"))

    def test_graphs(self):
        edges = np.random.default_rng(5).integers(300, size=(900, 2))
        edges[0] = 0, 299  # so that ids and rows are the same
        edges[1:301, 0] = np.arange(300)
        np.savetxt(self.folder / "edges.txt", edges, "%d")
        file = self.folder / "edges.txt"
        self.run_tool("gas-pagerank", file)
        np.testing.assert_array_equal(gas.page_rank(edges), self.written("ranks.npy"))
        self.run_tool("gas-components", file)
        np.testing.assert_array_equal(gas.components(edges).labels, self.written("components.npy"))
        self.run_tool("gas-bfs", file, "--source", 7)
        tree = gas.breadth_first_search(edges, 7)
        np.testing.assert_array_equal(tree.hops, self.written("hops.npy"))
        np.testing.assert_array_equal(tree.parents, self.written("parents.npy"))
        self.run_tool("gas-paths", file, "--source", 7)
        np.testing.assert_array_equal(gas.shortest_paths(edges, 7), self.written("distances.npy"))
        self.run_tool("gas-kcore", file)
        np.testing.assert_array_equal(gas.k_core(edges), self.written("cores.npy"))
        self.run_tool("gas-harmonic", file, "--registers", 64, "--seed", 3)
        found = gas.harmonic_centrality(edges, registers=64, random_state=3)
        np.testing.assert_array_equal(found, self.written("centrality.npy"))
        self.run_tool("gas-triangles", file)
        counts = gas.triangles(edges)
        np.testing.assert_array_equal(counts.triangles, self.written("triangles.npy"))
        np.testing.assert_array_equal(counts.clustering, self.written("clustering.npy"))
        self.run_tool("gas-labels", file, "--seed", 3)
        found = gas.label_propagation(edges, random_state=3)
        np.testing.assert_array_equal(found.labels, self.written("labels.npy"))

    def test_partition(self):
        edges = np.random.default_rng(6).integers(100, size=(500, 2))
        edges[:100, 0] = np.arange(100)
        np.savetxt(self.folder / "edges.txt", edges, "%d")
        for method, directed, imbalance in (
            ("metis", True, 5), ("metis", False, 5), ("metis", False, 40), ("hdrf", True, 5),
            ("greedy", False, 5),
        ):
            told = self.run_tool(
                "gas-partition", self.folder / "edges.txt", "--parts", 4, "--method", method,
                "--metis-part", self.folder / "vertices", "--edge-part", self.folder / "edges",
                "--imbalance", imbalance, *["--undirected"] * (not directed),
            )
            found = gas.partition(
                edges, 4, method=method, directed=directed, imbalance=imbalance
            )
            np.testing.assert_array_equal(found.vertices, np.loadtxt(self.folder / "vertices"))
            np.testing.assert_array_equal(found.edges, np.loadtxt(self.folder / "edges"))
            self.assertEqual(found.edge_cut, told["edge_cut"])
            self.assertEqual(found.replication_factor, told["replication_factor"]["all"])


if __name__ == "__main__":
    unittest.main()
