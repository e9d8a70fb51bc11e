"""Graph functions against numpy, scipy and loops over all vertices."""

import unittest

import numpy as np
import scipy.sparse
from scipy.sparse import csgraph

import gas

MANY = 40


def random_graph(seed, vertices=MANY, density=0.05):
    """A square CSR matrix of positive weights, without loops."""
    random = np.random.RandomState(seed)
    A = scipy.sparse.random(vertices, vertices, density, "csr", random_state=random)
    A.data[A.tocoo().row == A.tocoo().col] = 0
    A.eliminate_zeros()
    return A


def neighbours_of(A):
    """Of each vertex, both ways, each once."""
    both = ((A + A.T) != 0).toarray()
    np.fill_diagonal(both, False)
    return [set(np.flatnonzero(row)) for row in both]


class Functions(unittest.TestCase):
    def test_page_rank(self):
        for seed in range(5):
            A = random_graph(seed).toarray()
            for weighted in (True, False):
                W = A if weighted else (A != 0).astype(float)
                out = W.sum(axis=1)
                P = np.where(out[:, None] > 0, W / np.where(out > 0, out, 1)[:, None], 1 / MANY)
                system = np.eye(MANY) - 0.9 * P.T
                expected = np.linalg.solve(system, np.full(MANY, 0.1 / MANY))
                found = gas.page_rank(
                    scipy.sparse.csr_matrix(A), damping=0.9, tol=1e-12, max_iter=1000,
                    weighted=weighted,
                )
                np.testing.assert_allclose(found, expected, atol=1e-8)

    def test_page_rank_of_weights_beyond_floats(self):
        edges = [[0, 1], [0, 2], [1, 0], [2, 0]]
        for scale in (1e-46, 1e-42, 1e39, 1e200):
            graph = gas.Graph(edges, weights=[3 * scale, scale, 1, 1])
            for tol in (1e-6, 1e-12):
                ranks = gas.page_rank(graph, tol=tol, max_iter=1000)
                np.testing.assert_allclose(ranks, [0.48649, 0.36014, 0.15338], atol=2e-5)

    def test_page_rank_from_chosen_vertices(self):
        A = random_graph(9, density=0.2)
        homes = np.zeros(MANY)
        homes[[3, 7]] = 2
        W = A.toarray()
        P = W / W.sum(axis=1, keepdims=True)
        expected = np.linalg.solve(np.eye(MANY) - 0.85 * P.T, 0.15 * homes / homes.sum())
        found = gas.page_rank(A, personalization=homes, tol=1e-12, max_iter=1000)
        np.testing.assert_allclose(found, expected, atol=1e-7)

        for scale in (2.0**1023, 2.0**-1000):
            same = gas.page_rank(A, personalization=scale * (homes / 2), tol=1e-12, max_iter=1000)
            np.testing.assert_array_equal(same, found)

    def test_harmonic_centrality(self):
        for seed in range(5):
            A = random_graph(seed)
            for directed in (True, False):
                graph = gas.Graph(A, directed=directed)
                hops = csgraph.dijkstra(A, directed=directed, unweighted=True)
                np.fill_diagonal(hops, np.inf)
                expected = (1 / hops).sum(axis=0)
                found = gas.harmonic_centrality(graph, registers=65536, random_state=seed)
                np.testing.assert_allclose(found, expected, rtol=0.005)

    def test_components(self):
        for seed in range(5):
            A = random_graph(seed, density=0.02)
            count, labels = csgraph.connected_components(A, directed=False)
            found = gas.components(A)
            self.assertEqual(found.n_components, count)
            least = [np.flatnonzero(labels == label)[0] for label in labels]
            np.testing.assert_array_equal(found.labels, least)

    def test_shortest_paths_and_breadth_first(self):
        for seed in range(5):
            A = random_graph(seed)
            for directed in (True, False):
                graph = gas.Graph(A, directed=directed)
                expected = csgraph.dijkstra(A, directed=directed, indices=2)
                np.testing.assert_allclose(gas.shortest_paths(graph, 2), expected, rtol=1e-12)
                hops = csgraph.dijkstra(A, directed=directed, indices=2, unweighted=True)
                found = gas.breadth_first_search(graph, 2)
                np.testing.assert_array_equal(found.hops, np.where(np.isinf(hops), -1, hops))
                into = (A if directed else A + A.T).tocsc()
                for vertex in range(MANY):
                    if vertex == 2 or found.hops[vertex] < 0:
                        self.assertEqual(found.parents[vertex], -1)
                        continue
                    before = into[:, vertex].indices
                    nearer = before[found.hops[before] == found.hops[vertex] - 1]
                    self.assertEqual(found.parents[vertex], nearer.min())

    def test_k_core(self):
        for seed in range(5):
            near = neighbours_of(random_graph(seed, density=0.15))
            cores = np.zeros(MANY, dtype=int)
            for k in range(1, MANY):
                left = set(range(MANY))
                while True:
                    weak = {v for v in left if len(near[v] & left) < k}
                    if not weak:
                        break
                    left -= weak
                for v in left:
                    cores[v] = k
            np.testing.assert_array_equal(gas.k_core(random_graph(seed, density=0.15)), cores)

    def test_triangles(self):
        for seed in range(5):
            A = random_graph(seed, density=0.15)
            S = ((A + A.T) != 0).toarray().astype(int)
            of = np.diag(S @ S @ S) // 2
            pairs = S.sum(axis=1) * (S.sum(axis=1) - 1) // 2
            found = gas.triangles(A)
            np.testing.assert_array_equal(found.triangles, of)
            self.assertEqual(found.n_triangles, of.sum() // 3)
            clustering = np.where(pairs > 0, of / np.maximum(pairs, 1), 0)
            np.testing.assert_allclose(found.clustering, clustering)
            self.assertAlmostEqual(found.transitivity, of.sum() / pairs.sum())
            self.assertAlmostEqual(found.mean_clustering, clustering.mean())

    def test_label_propagation_ends_where_nobody_is_outvoted(self):
        A = random_graph(3, density=0.2)
        found = gas.label_propagation(A, random_state=1)
        self.assertEqual(found.n_communities, len(set(found.labels)))
        for vertex, near in enumerate(neighbours_of(A)):
            votes = np.bincount(found.labels[list(near)], minlength=MANY)
            self.assertTrue(not near or votes[found.labels[vertex]] == votes.max())

    def test_partition(self):
        A = random_graph(4, density=0.1).tocoo()
        for method in gas.partition_methods():
            if method == "auto":
                continue
            with self.subTest(method=method):
                found = gas.partition(A, 3, method=method)
                self.assertEqual(found.method, method)
                self.assertEqual((len(found.vertices), len(found.edges)), (MANY, A.nnz))
                self.assertLess(max(found.vertices.max(), found.edges.max()), 3)
                ends = found.vertices[A.row] != found.vertices[A.col]
                self.assertEqual(found.edge_cut, ends.sum())
                sizes = np.bincount(found.edges, minlength=3)
                self.assertAlmostEqual(found.edge_balance, sizes.max() / sizes.mean())
        both = gas.partition((A.row, A.col), 3, n_vertices=MANY, directed=False)
        # An edge follows its target.
        np.testing.assert_array_equal(both.edges, both.vertices[A.col])


class Forms(unittest.TestCase):
    def test_parts_are_in_the_order_of_the_edges_given(self):
        matrix = scipy.sparse.random(60, 60, 0.1, "csc", random_state=0)
        for form in ("csc", "coo", "csr", "lil"):
            given = matrix.asformat(form)
            order = given.tocoo()
            of_edges = gas.partition((order.row, order.col), 4, n_vertices=60, method="hdrf").edges
            of_matrix = gas.partition(given, 4, method="hdrf").edges
            np.testing.assert_array_equal(of_matrix, of_edges, form)

    def test_a_tuple_of_two_pairs_is_refused(self):
        with self.assertRaisesRegex(gas.InputError, "found a tuple of two pairs"):
            gas.components(((0, 1), (2, 3)))
        self.assertEqual(gas.components([(0, 1), (2, 3)]).labels.tolist(), [0, 0, 2, 2])
        self.assertEqual(gas.components(([0, 1], [2, 3])).labels.tolist(), [0, 1, 0, 1])
        self.assertEqual(gas.components(((0, 1), (1, 2), (3, 4))).labels.tolist(), [0, 0, 0, 3, 3])

    def test_the_same_graph_in_all_forms(self):
        A = random_graph(1)
        coo = A.tocoo()
        edges = (coo.row, coo.col)
        forms = [A, coo, A.tocsc(), A.tolil(), gas.Graph(A), scipy.sparse.csr_array(A)]
        for dtype in (np.int16, np.int32, np.int64, np.uint32, np.uint64, ">i4", ">i8"):
            ends = tuple(end.astype(dtype) for end in edges)
            forms.append(gas.Graph(ends, coo.data, n_vertices=MANY))
        pairs = np.stack(edges, axis=1)
        forms.append(gas.Graph(pairs, coo.data.astype(np.float32), n_vertices=MANY))
        forms.append(gas.Graph(np.asfortranarray(pairs), coo.data, n_vertices=MANY))
        forms.append(gas.Graph(pairs.tolist(), coo.data.tolist(), n_vertices=MANY))
        forms.append(gas.Graph((edges[0], edges[1].astype(np.int64)), coo.data, n_vertices=MANY))
        for index in (np.int32, np.int64):
            wide = scipy.sparse.csr_matrix(A)
            wide.indices, wide.indptr = A.indices.astype(index), A.indptr.astype(index)
            forms.append(wide)
        expected = csgraph.dijkstra(A, indices=0)
        for form in forms:
            with self.subTest(form=form):
                np.testing.assert_allclose(gas.shortest_paths(form, 0), expected, rtol=1e-6)

    def test_graphs_without_edges_and_vertices(self):
        for graph in ([], (np.empty(0, int), np.empty(0, int)), np.empty((0, 2), int)):
            self.assertEqual(gas.Graph(graph).n_vertices, 0)
            self.assertEqual(gas.components(graph).n_components, 0)
            self.assertEqual(len(gas.page_rank(graph)), 0)
            self.assertEqual(len(gas.k_core(graph)), 0)
            self.assertEqual(gas.triangles(graph).n_triangles, 0)
            self.assertEqual(gas.label_propagation(graph).n_communities, 0)
        lonely = gas.Graph([], n_vertices=3)
        self.assertEqual(gas.components(lonely).n_components, 3)
        np.testing.assert_allclose(gas.page_rank(lonely), 1 / 3)
        self.assertEqual(gas.breadth_first_search(lonely, 1).hops.tolist(), [-1, 0, -1])
        self.assertEqual(len(gas.partition([], 2, n_vertices=3).vertices), 3)
        self.assertEqual(len(gas.partition([], 2).vertices), 0)

    def test_unsorted_and_repeated_indices(self):
        A = scipy.sparse.csr_matrix(([2.0, 9.0, 3.0], [2, 1, 2], [0, 3, 3, 3]), shape=(3, 3))
        self.assertEqual(gas.shortest_paths(A, 0).tolist(), [0, 9, 2])  # two edges to 2

    def test_graphs_are_laid_out_once_and_threads_agree(self):
        graph = gas.Graph(random_graph(5, density=0.2))
        ranks = gas.page_rank(graph, n_jobs=1)
        np.testing.assert_array_equal(gas.page_rank(graph, n_jobs=2), ranks)
        np.testing.assert_array_equal(gas.page_rank(graph), ranks)


if __name__ == "__main__":
    unittest.main()
