"""Under mpirun: ranks that give rows of their own get what one process gets of all rows.

Every rank runs the same tests in the same order; one that fails on a rank ends them all."""

import os
import signal
import sys
import threading
import time
import unittest
import unittest.mock
import warnings

import numpy as np
from mpi4py import MPI
from scipy import sparse

import gas

comm = MPI.COMM_WORLD


def share(X):
    """This rank's: uneven, and of three ranks or more the second has none."""
    first = [np.shape(X)[0] * rank // comm.size for rank in range(comm.size + 1)]
    if comm.size > 2:
        first[2] = first[1]
    return X[first[comm.rank] : first[comm.rank + 1]]


class Ranks(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        random = np.random.default_rng(1)
        self.X = random.normal(size=(503, 6))
        self.counts = random.poisson(0.6, (211, 30))

    def test_k_means(self):
        for dtype in (np.float32, np.float64):
            X = self.X.astype(dtype)
            for init in ("k-means++", "random", lambda X, k, random: X[:k]):
                ours = gas.KMeans(5, init=init, n_init=2, random_state=3, comm=comm).fit(share(X))
                alone = gas.KMeans(5, init=init, n_init=2, random_state=3).fit(X)
                self.assertEqual(ours.inertia_, alone.inertia_)
                np.testing.assert_array_equal(ours.cluster_centers_, alone.cluster_centers_)
                np.testing.assert_array_equal(ours.labels_, share(alone.labels_))
                np.testing.assert_array_equal(ours.predict(share(X)), share(alone.predict(X)))
                np.testing.assert_array_equal(ours.transform(share(X)), share(alone.transform(X)))
                self.assertEqual(ours.score(share(X)), alone.score(X))

    def test_ctrl_c_on_one_rank_ends_mini_batches_on_all(self):
        def press():
            time.sleep(0.3)
            os.kill(os.getpid(), signal.SIGINT)

        presser = threading.Thread(target=press)
        if comm.rank == comm.size - 1:
            presser.start()
        model = gas.MiniBatchKMeans(
            5, max_iter=10**7, max_no_improvement=None, random_state=3, comm=comm
        )
        with self.assertRaises(KeyboardInterrupt):
            model.fit(share(self.X))
        if comm.rank == comm.size - 1:
            presser.join()
        self.assertIs(signal.getsignal(signal.SIGINT), signal.default_int_handler)

    def test_mini_batches(self):
        X = self.X.astype(np.float32)
        ours = gas.MiniBatchKMeans(5, random_state=3, comm=comm)
        alone = gas.MiniBatchKMeans(5, random_state=3)
        for first in range(0, 503, 100):  # the same batches, in shares
            ours.partial_fit(share(X[first : first + 100]))
            alone.partial_fit(X[first : first + 100])
            np.testing.assert_array_equal(ours.cluster_centers_, alone.cluster_centers_)
            np.testing.assert_array_equal(ours.labels_, share(alone.labels_))
            self.assertEqual(ours.inertia_, alone.inertia_)
        np.testing.assert_array_equal(ours.counts_, alone.counts_)
        # Each rank draws batches of its own rows: another order, and about as good centroids.
        weights = 1.0 + np.arange(503) % 2
        ours = gas.MiniBatchKMeans(5, batch_size=20, random_state=3, comm=comm)
        ours.fit(share(X), sample_weight=share(weights))
        self.assertEqual(len(ours.labels_), len(share(X)))
        self.assertEqual(ours.inertia_, -ours.score(share(X), sample_weight=share(weights)))
        best = gas.KMeans(5, n_init=5, random_state=3).fit(X, sample_weight=weights).inertia_
        self.assertLess(ours.inertia_, 1.15 * best)

    def test_seeds_that_ranks_draw_are_the_first_ranks(self):
        model = gas.KMeans(5, random_state=np.random.RandomState(comm.rank), comm=comm)
        model.fit(share(self.X))
        alone = gas.KMeans(5, random_state=np.random.RandomState(0)).fit(self.X)
        np.testing.assert_array_equal(model.cluster_centers_, alone.cluster_centers_)

    def test_types_of_ranks_become_one(self):
        import scipy.sparse

        X = self.X.astype(np.float32)
        doubles = X.astype(np.float64)
        for form in (np.asarray, scipy.sparse.csr_matrix):
            alone = gas.KMeans(5, random_state=3).fit(form(doubles))
            mine = form(share(X if comm.rank else doubles))
            ours = gas.KMeans(5, random_state=3, comm=comm).fit(mine)
            batch = gas.MiniBatchKMeans(5, random_state=3, comm=comm).partial_fit(mine)
            self.assertEqual(ours.cluster_centers_.dtype, np.float64)
            np.testing.assert_allclose(ours.cluster_centers_, alone.cluster_centers_, rtol=1e-12)
            self.assertEqual(batch.cluster_centers_.dtype, np.float64)
        # Rows of no rank decide nothing.
        mine = np.zeros((0, 6)) if comm.rank else X
        ours = gas.KMeans(5, random_state=3, comm=comm).fit(mine)
        self.assertEqual(ours.cluster_centers_.dtype, np.float32)

    def test_ranks_that_differ_are_told(self):
        import scipy.sparse

        if comm.size == 1:
            return
        X, y = share(self.X), share(np.arange(503) % 2)
        for model in (
            gas.KMeans(4 if comm.rank else 5, comm=comm),
            gas.KMeans(4, tol=0.0 if comm.rank else 1e-4, comm=comm),
            gas.MiniBatchKMeans(4, batch_size=10 if comm.rank else 20, comm=comm),
            gas.LogisticRegression(penalty="l1" if comm.rank else "l2", comm=comm),
            gas.LogisticRegression(C=comm.rank + 1, comm=comm),
            gas.LogisticRegression(class_weight={0: comm.rank + 1}, comm=comm),
            gas.ALS(3 if comm.rank else 4, comm=comm),
            gas.LatentDirichletAllocation(3 if comm.rank else 4, comm=comm),
        ):
            with self.assertRaisesRegex(gas.UsageError, "on rank 0 and .* on rank 1, expected the"):
                model.fit(np.abs(X), y)
        with self.assertRaisesRegex(gas.UsageError, "X: found a dense array on rank 0 and a sparse"):
            gas.KMeans(4, comm=comm).fit(scipy.sparse.csr_matrix(X) if comm.rank else X)

    def test_options_that_differ_are_told(self):
        """Also where those of one rank are wrong, too."""
        if comm.size == 1:
            return
        X, y = np.abs(self.X[:50]), np.arange(50) % 2
        counts, edges = np.rint(X), [[i, (i + 1) % 60] for i in range(60)]
        graph = gas.Graph(edges, n_vertices=60, comm=comm)
        topics = gas.LatentDirichletAllocation(2, max_iter=2, comm=comm).fit(counts)
        ratings = gas.ALS(2, max_iter=2, comm=comm).fit(counts)
        batches = gas.MiniBatchKMeans(3, comm=comm).partial_fit(X)
        fitted = gas.MiniBatchKMeans(3, comm=comm).partial_fit(X)
        first = comm.rank == 0
        for name, call in {
            "damping": lambda: gas.page_rank(graph, damping=0.5 if first else 2),
            "tol": lambda: gas.page_rank(graph, tol=1e-3 if first else 1e-4),
            "max_iter": lambda: gas.page_rank(graph, max_iter=5 if first else 0),
            "dangling": lambda: gas.page_rank(graph, dangling="spread" if first else "ignore"),
            "weighted": lambda: gas.page_rank(graph, weighted=first),
            "personalization": lambda: gas.page_rank(graph, personalization=np.arange(60) + first),
            "registers": lambda: gas.harmonic_centrality(graph, registers=16 if first else 32),
            "source": lambda: gas.shortest_paths(graph, 0 if first else -1),
            "source ": lambda: gas.breadth_first_search(graph, 0 if first else 9),
            "max_iter ": lambda: gas.label_propagation(graph, max_iter=1 if first else 9),
            "n_vertices": lambda: gas.Graph(edges, n_vertices=60 if first else None, comm=comm),
            "directed": lambda: gas.Graph(edges, directed=first, comm=comm),
            "n_parts": lambda: gas.partition(edges, 2 if first else 3, comm=comm),
            "method": lambda: gas.partition(
                edges, 2, method="metis" if first else "hdrf", comm=comm
            ),
            "metric": lambda: gas.silhouette_score(
                X, y, metric="cosine" if first else "euclidean", comm=comm
            ),
            "sample_size": lambda: gas.silhouette_score(
                X, y, sample_size=20 if first else None, comm=comm
            ),
            "last": lambda: gas.k_means_scan(X, 2, 3 if first else 1, comm=comm),
            "n_init": lambda: gas.k_means_scan(X, 2, 3, n_init=2 if first else "2", comm=comm),
            "n_clusters": lambda: gas.MiniBatchKMeans(3 + first, comm=comm).partial_fit(X),
            "batch_size": lambda: batches.set_params(batch_size=9 + first).partial_fit(X),
            "first_batch": lambda: (
                gas.MiniBatchKMeans(3, comm=comm) if first else fitted
            ).partial_fit(X),
            "C": lambda: gas.LogisticRegression(C=[1, 2 + first], comm=comm).fit(X, y),
            "C ": lambda: gas.LogisticRegression(C=np.array([1, 2 + first]), comm=comm).fit(X, y),
            "max_iter  ": lambda: topics.set_params(max_iter=2 + first).transform(counts),
            "alpha": lambda: ratings.set_params(alpha=1.0 if first else None).score(counts),
            "n_components": lambda: gas.choose_topics(
                counts, [2, 3] if first else [2], max_iter=2, comm=comm
            ),
            "heldout": lambda: gas.choose_topics(
                counts, [2], heldout=counts if first else None, max_iter=2, comm=comm
            ),
        }.items():
            with self.subTest(name=name):
                told = f"^{name.strip()}: found .* on rank 0 and .* on rank 1, expected the same on"
                with self.assertRaisesRegex(gas.UsageError, told):
                    call()

    def test_seeds_and_threads_that_are_wrong_on_one_rank(self):
        last = comm.rank == comm.size - 1
        graph = gas.Graph([[0, 1], [1, 2]], comm=comm)
        for wrong in ({"random_state": -1}, {"n_jobs": 0}):
            options = wrong if last else {}
            for call in (
                lambda options=options: gas.harmonic_centrality(graph, **options),
                lambda options=options: gas.KMeans(2, comm=comm, **options).fit(self.X),
                lambda options=options: gas.partition([[0, 1]], 2, comm=comm, **options),
            ):
                with self.assertRaisesRegex(gas.UsageError, next(iter(wrong))):
                    call()

    def test_labels_of_other_types_are_told(self):
        if comm.size == 1:
            return
        y = np.arange(503) % 2
        mine = y if comm.rank == 0 else y.astype(str)
        differ = ": found numbers on rank 0 and strings on rank 1, expected the same on all ranks"
        with self.assertRaisesRegex(gas.InputError, "y" + differ):
            gas.LogisticRegression(comm=comm).fit(self.X, mine)
        with self.assertRaisesRegex(gas.InputError, "labels" + differ):
            gas.silhouette_score(self.X, mine, comm=comm)
        # Rows of no rank decide nothing.
        some = [] if comm.rank == 0 else y.astype(str)
        model = gas.LogisticRegression(comm=comm).fit(self.X[: len(some)], some)
        self.assertEqual(model.classes_.tolist(), ["0", "1"])

    def test_topics(self):
        options = {"random_state": 2, "max_iter": 15}
        ours = gas.LatentDirichletAllocation(4, comm=comm, **options).fit(share(self.counts))
        alone = gas.LatentDirichletAllocation(4, **options).fit(self.counts)
        np.testing.assert_array_equal(ours.components_, alone.components_)
        np.testing.assert_array_equal(ours.document_topic_, share(alone.document_topic_))
        np.testing.assert_array_equal(ours.topic_counts_, alone.topic_counts_)
        np.testing.assert_array_equal(ours.document_counts_, share(alone.document_counts_))
        np.testing.assert_array_equal(
            ours.transform(share(self.counts)), share(alone.transform(self.counts))
        )
        self.assertAlmostEqual(ours.score(share(self.counts)), alone.score(self.counts))

    def test_logistic_regression(self):
        y = np.array(["a", "b", "c"])[(self.X[:, 0] > 0) + (self.X[:, 1] > 0.5).astype(int)]
        y = np.sort(y)  # so that no rank has all classes
        ours = gas.LogisticRegression(tol=1e-8, comm=comm).fit(share(self.X), share(y))
        alone = gas.LogisticRegression(tol=1e-8).fit(self.X, y)
        np.testing.assert_array_equal(ours.classes_, alone.classes_)
        np.testing.assert_allclose(ours.objective_, alone.objective_, rtol=1e-10)
        np.testing.assert_allclose(ours.coef_, alone.coef_, atol=1e-4)
        options = {"tol": 1e-8, "multi_class": "multinomial"}
        ours = gas.LogisticRegression(comm=comm, **options).fit(share(self.X), share(y))
        alone = gas.LogisticRegression(**options).fit(self.X, y)
        np.testing.assert_allclose(ours.coef_, alone.coef_, atol=1e-4)
        options = {"tol": 1e-8, "C": [0.01, 1, 100], "random_state": 3}
        y = y == "a"
        ours = gas.LogisticRegression(comm=comm, **options).fit(share(self.X), share(y))
        alone = gas.LogisticRegression(**options).fit(self.X, y)
        self.assertEqual(ours.C_, alone.C_)
        np.testing.assert_allclose(ours.path_["log_loss"], alone.path_["log_loss"], atol=1e-4)
        self.assertAlmostEqual(
            ours.roc_area(share(self.X), share(y)), alone.roc_area(self.X, y), places=4
        )
        mine = self.X[:0] if comm.rank == comm.size - 1 else self.X
        for say in (ours.predict, ours.predict_proba, ours.decision_function):
            self.assertEqual(len(say(mine)), len(mine))

    def test_als(self):
        options = {"random_state": 2, "max_iter": 15}
        ours = gas.ALS(4, comm=comm, **options).fit(share(self.counts))
        alone = gas.ALS(4, **options).fit(self.counts)
        self.assertAlmostEqual(ours.objective_ / alone.objective_, 1, places=6)
        np.testing.assert_allclose(ours.users_, share(alone.users_), atol=1e-3)
        self.assertAlmostEqual(ours.score(share(self.counts)), alone.score(self.counts), places=4)

    def graphs(self):
        """A graph as edges, CSR and COO: of the ranks' shares, and of all."""
        random = np.random.default_rng(4)
        edges = random.integers(0, 90, (400, 2))
        weights = random.integers(1, 9, 400).astype(float)
        matrix = sparse.csr_array((weights, edges.T), shape=(100, 100))
        yield (
            gas.Graph(share(edges), share(weights), n_vertices=100, comm=comm),
            gas.Graph(edges, weights, n_vertices=100),
        )
        for form in ("csr", "coo"):
            rows = share(matrix).asformat(form)
            yield gas.Graph(rows, comm=comm), gas.Graph(matrix.asformat(form))

    def test_graphs(self):
        for ours, alone in self.graphs():
            self.assertEqual(ours.n_vertices, 100)
            mine = slice(ours.local_vertices.start, ours.local_vertices.stop)
            self.assertEqual(comm.allreduce(len(ours.local_vertices)), 100)
            np.testing.assert_allclose(
                gas.page_rank(ours, tol=1e-12), gas.page_rank(alone, tol=1e-12)[mine], atol=1e-9
            )
            for function in (gas.components, gas.breadth_first_search, gas.triangles):
                source = (3,) if function is gas.breadth_first_search else ()
                for found, expected in zip(function(ours, *source), function(alone, *source)):
                    of_vertices = isinstance(expected, np.ndarray)
                    np.testing.assert_allclose(found, expected[mine] if of_vertices else expected)
            for function in (gas.k_core, lambda graph: gas.shortest_paths(graph, 3)):
                np.testing.assert_array_equal(function(ours), function(alone)[mine])
            np.testing.assert_array_equal(
                gas.harmonic_centrality(ours, random_state=np.random.RandomState(comm.rank)),
                gas.harmonic_centrality(alone, random_state=np.random.RandomState(0))[mine],
            )

    def test_ctrl_c_on_one_rank_while_a_graph_is_cut_is_raised_on_all(self):
        cut = gas._gas.partition  # pylint: disable=protected-access

        def press_and_cut(*given, **named):
            if comm.rank == comm.size - 1:
                signal.raise_signal(signal.SIGINT)
            return cut(*given, **named)

        with unittest.mock.patch.object(gas._gas, "partition", press_and_cut):
            with self.assertRaises(KeyboardInterrupt):
                gas.partition([[0, 1], [1, 2]], 2, comm=comm)

    def test_partitions(self):
        edges = np.array([[i, (i + 1) % 60] for i in range(60)])
        ours = gas.partition(share(edges), 3, directed=False, comm=comm)
        self.assertEqual(len(ours.edges), len(share(edges)))
        whole = np.concatenate(comm.allgather(ours.vertices))
        np.testing.assert_array_equal(np.unique(whole), [0, 1, 2])
        cut = np.count_nonzero(whole[edges[:, 0]] != whole[edges[:, 1]])
        self.assertEqual(ours.edge_cut, cut)
        rows = sparse.csr_array((np.ones(60), edges.T), shape=(60, 60))
        for forms in (("csr", "csr"), ("csr", "coo")):
            mine = share(rows).asformat(forms[comm.rank % 2])
            again = gas.partition(mine, 3, directed=False, comm=comm)
            np.testing.assert_array_equal(again.vertices, ours.vertices)

    def test_graphs_that_are_wrong_on_one_rank(self):
        last = comm.rank == comm.size - 1
        for bad in ([[0.5, 1]], [[-1, 2]], "text", [[0, 100]], sparse.csr_array((3, 4))):
            with self.assertRaises(gas.InputError):
                gas.Graph(bad if last else [[0, 1]], n_vertices=100, comm=comm)

    def test_what_is_wrong_on_one_rank_is_told_on_all(self):
        last = comm.rank == comm.size - 1
        bad = self.X.copy()
        bad[0, 0] = np.nan
        for given in ("text", self.X[0], self.X + 1j, bad, self.X[:, :0]):
            for model in (gas.KMeans(3, comm=comm), gas.ALS(3, comm=comm)):
                with self.assertRaises(gas.InputError):
                    model.fit(given if last else self.X)
        if comm.size > 1:
            for model in (gas.KMeans(3, comm=comm), gas.ALS(3, comm=comm)):
                with self.assertRaisesRegex(gas.InputError, "as on another rank"):
                    model.fit(self.X[:, :4] if last else self.X)
        with self.assertRaises(gas.InputError):
            gas.KMeans(600 * comm.size, comm=comm).fit(self.X)
        with self.assertRaises(gas.UsageError):
            gas.KMeans(3, max_iter=0 if last else 5, comm=comm).fit(self.X)
        with self.assertRaises(gas.UsageError):
            gas.KMeans(3, comm=MPI.COMM_NULL).fit(self.X)

    def test_errors_that_cannot_be_pickled_are_raised_on_all(self):
        class Local(Exception):
            pass

        def start(X, n_clusters, random_state):
            raise Local("no start")

        with self.assertRaisesRegex(gas.RunError, "Local: no start"):
            gas.KMeans(3, init=start, comm=comm).fit(self.X)

    def test_what_is_fitted_on_some_ranks_alone_is_told_on_all(self):
        last = comm.rank == comm.size - 1
        for make in (gas.KMeans, gas.ALS, gas.LatentDirichletAllocation):
            model = make(2) if last else make(2).fit(np.rint(np.abs(self.X[:9])))
            with self.assertRaisesRegex(ValueError, "not fitted"):
                model.set_params(comm=comm).transform(np.rint(np.abs(self.X[:9])))

    def test_a_wrong_entry_is_told_with_its_place_on_all(self):
        last = comm.rank == comm.size - 1
        X = sparse.random(40, 9, density=0.5, format="csr", random_state=3, dtype=np.float32)
        y = np.arange(40) % 2
        wrong = X.copy()
        wrong.data[3] = np.nan
        outside = X.copy()
        outside.indices[3] = 9
        for given, text in ((wrong, "found NaN in column"), (outside, "found column 9, expected")):
            with self.assertRaises(gas.InputError) as raised:
                gas.LogisticRegression(comm=comm).fit(given if last else X, y)
            self.assertIn(text, str(raised.exception))
            self.assertEqual(comm.allgather(str(raised.exception)), [str(raised.exception)] * comm.size)

    def test_columns_have_one_order_on_all(self):
        import pandas

        last = comm.rank == comm.size - 1
        table = pandas.DataFrame(np.abs(share(self.X)), columns=list("abcdef"))
        swapped = table[list("bacdef")] if last else table
        y = share(np.arange(503) % 2)
        for make in (gas.KMeans, gas.MiniBatchKMeans, gas.ALS, gas.LogisticRegression,
                     gas.LatentDirichletAllocation):
            model = make(comm=comm)
            if comm.size > 1:
                with self.assertRaisesRegex(gas.InputError, "column 0 is 'a' on rank 0 and 'b' on"):
                    model.fit(np.rint(swapped), y)
                self.assertFalse(hasattr(model, "n_features_in_"))
            model.fit(np.rint(table).to_numpy() if last and comm.size > 1 else np.rint(table), y)
            self.assertEqual(list(model.feature_names_in_), list("abcdef"))

    def test_labels_of_signed_and_unsigned_integers(self):
        large = 2**60
        y = np.array([5, large, large + 1] * 33)
        y = y.astype(np.uint64) if comm.rank == comm.size - 1 else y
        model = gas.LogisticRegression(comm=comm).fit(self.X[:99], y)
        self.assertEqual([int(label) for label in model.classes_], [5, large, large + 1])

    def test_mini_batches_with_weights_where_a_rank_has_no_rows(self):
        if comm.size == 1:
            return
        last = comm.rank == comm.size - 1
        X = self.X[:0] if last else self.X
        for weights in (None if last else np.ones(len(X)), np.ones(0) if last else None):
            model = gas.MiniBatchKMeans(3, random_state=0, comm=comm).fit(X, sample_weight=weights)
            self.assertGreater(model.inertia_, 0)
        with self.assertRaisesRegex(gas.InputError, "sample_weight: found"):
            gas.MiniBatchKMeans(3, comm=comm).fit(
                self.X, sample_weight=None if last else np.ones(len(self.X))
            )

    def test_errors_of_choose_topics_are_raised_on_all(self):
        last = comm.rank == comm.size - 1
        for error, options in (
            (gas.UsageError, {"heldout": 5 if last else self.counts}),
            (TypeError, {"foo": 1} if last else {}),
        ):
            with self.assertRaises(error):
                gas.choose_topics(self.counts, [2], max_iter=2, comm=comm, **options)

    def test_equal_class_weights_are_equal_in_any_order(self):
        weights = {0: 1.0, 1: 2.0} if comm.rank == 0 else {1: 2.0, 0: 1.0}
        gas.LogisticRegression(comm=comm, class_weight=weights).fit(self.X, np.arange(503) % 2)

    def test_an_intercommunicator_is_refused(self):
        if comm.size == 1:
            return
        half = comm.Split(comm.rank % 2)
        between = half.Create_intercomm(0, comm, 1 - comm.rank % 2, 7)
        with self.assertRaisesRegex(gas.UsageError, "intercommunicator"):
            gas.KMeans(2, comm=between).fit(self.X)
        between.Free()
        half.Free()

    def test_part_of_the_ranks(self):
        half = comm.Split(comm.rank % 2)
        model = gas.KMeans(4, random_state=1, comm=half).fit(self.X[half.rank :: half.size])
        alone = gas.KMeans(4, random_state=1).fit(
            np.concatenate([self.X[rank :: half.size] for rank in range(half.size)])
        )
        self.assertEqual(model.inertia_, alone.inertia_)
        half.Free()

    def test_pickles_have_no_communicator(self):
        import pickle

        model = gas.KMeans(3, random_state=1, comm=comm).fit(self.X)
        again = pickle.loads(pickle.dumps(model))
        self.assertIsNone(again.comm)
        np.testing.assert_array_equal(again.predict(self.X), model.predict(self.X))


if __name__ == "__main__":
    if not unittest.main(exit=False, verbosity=0).result.wasSuccessful():
        sys.stderr.flush()
        comm.Abort(1)
