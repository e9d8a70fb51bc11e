"""Mini-batch k-means beside Sculley's loop, scikit-learn's, and planted clusters."""

import pathlib
import tempfile
import unittest
import warnings

import numpy as np
import scipy.sparse
import sklearn.cluster

import gas


def sculley(X, batches, centres, weights):
    """As published: a batch is assigned, then each of its points pulls its centre."""
    centres, counts, told = centres.copy(), np.zeros(len(centres)), []
    for batch in batches:
        squares = ((X[batch, None] - centres) ** 2).sum(axis=2)
        nearest = squares.argmin(axis=1)
        told.append((nearest, float((weights[batch] * squares.min(axis=1)).sum())))
        for i, c in zip(batch, nearest):
            counts[c] += weights[i]
            centres[c] += weights[i] / counts[c] * (X[i] - centres[c])
    return centres, counts, told


class MiniBatchKMeans(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")
        random = np.random.default_rng(1)
        self.centres = random.normal(size=(6, 5)) * 10
        self.X = self.centres[np.arange(3000) % 6] + random.normal(size=(3000, 5))

    def test_far_columns_and_rows_leave_others_as_they_are(self):
        random = np.random.default_rng(0)
        moments = np.c_[1.7e18 + 1e15 * random.integers(0, 2, 5000), random.normal(100, 5, 5000)]
        far = random.normal(size=(1000, 3))
        far[0, 0] = 1e15
        for X in (moments, far):
            for form in (np.asarray, scipy.sparse.csr_matrix):
                model = gas.MiniBatchKMeans(2, random_state=0).partial_fit(form(X))
                for c in range(2):  # each is the mean of the first rows that it gets
                    mean = X[model.labels_ == c].mean(axis=0)
                    np.testing.assert_allclose(model.cluster_centers_[c], mean, rtol=1e-6)

    def test_pieces_as_sculley(self):
        weights = 0.5 + np.arange(3000) % 3
        start = self.X[[0, 6, 1, 2, 3, 4]]
        for dtype in (np.float32, np.float64):
            for form in (np.asarray, scipy.sparse.csr_matrix):
                X = self.X.astype(dtype)
                batches = np.array_split(np.arange(3000), 17)
                expected, counts, told = sculley(X.astype(np.float64), batches, start, weights)
                model = gas.MiniBatchKMeans(6, init=start)
                for batch, (labels, inertia) in zip(batches, told):
                    model.partial_fit(form(X[batch]), sample_weight=weights[batch])
                    np.testing.assert_array_equal(model.labels_, labels)
                    self.assertAlmostEqual(model.inertia_ / inertia, 1, places=5)
                self.assertEqual(model.n_steps_, 17)
                self.assertEqual(model.cluster_centers_.dtype, dtype)
                np.testing.assert_allclose(model.cluster_centers_, expected, atol=1e-4)
                np.testing.assert_allclose(model.counts_, counts)

    def test_fit_finds_planted_centres(self):
        with tempfile.TemporaryDirectory() as folder:
            np.save(pathlib.Path(folder) / "x.npy", self.X.astype(np.float32))
            on_disk = np.load(pathlib.Path(folder) / "x.npy", mmap_mode="r")
            for X in (on_disk, scipy.sparse.csr_matrix(self.X), self.X.tolist()):
                model = gas.MiniBatchKMeans(6, batch_size=100, random_state=4).fit(X)
                apart = ((self.centres[:, None] - model.cluster_centers_) ** 2).sum(axis=2)
                self.assertLess(apart.min(axis=1).max(), 0.1)
                self.assertEqual(sorted(np.bincount(model.labels_)), [500] * 6)
                np.testing.assert_array_equal(model.predict(X), model.labels_)
                self.assertAlmostEqual(model.inertia_ / -model.score(X), 1, places=9)
                self.assertEqual(model.transform(X).shape, (3000, 6))
                del X

    def test_as_good_as_scikit_learn(self):
        X = np.random.default_rng(2).normal(size=(4000, 4))
        theirs, ours = [], []
        for seed in range(5):
            options = {"batch_size": 200, "max_iter": 20, "random_state": seed}
            theirs.append(sklearn.cluster.MiniBatchKMeans(20, n_init=1, **options).fit(X).inertia_)
            ours.append(gas.MiniBatchKMeans(20, **options).fit(X).inertia_)
        self.assertLess(np.median(ours), 1.02 * np.median(theirs))

    def test_rows_without_weight_do_not_count(self):
        weights = (np.arange(3000) % 3 > 0).astype(float)
        options = {"batch_size": 50, "random_state": 3, "max_iter": 2, "max_no_improvement": None}
        some = gas.MiniBatchKMeans(6, **options).fit(self.X[weights > 0])
        all_rows = gas.MiniBatchKMeans(6, **options).fit(self.X, sample_weight=weights)
        np.testing.assert_array_equal(some.cluster_centers_, all_rows.cluster_centers_)
        self.assertAlmostEqual(some.inertia_ / all_rows.inertia_, 1, places=9)
        self.assertEqual(all_rows.counts_.sum(), 2 * 2000)

    def test_rows_by_unsigned_columns(self):
        X = scipy.sparse.random(90, 4, 0.5, "csr", random_state=1)
        fit = gas.MiniBatchKMeans(3, random_state=1, batch_size=30).fit(X)
        X.indices = X.indices.astype(np.uint32)
        same = gas.MiniBatchKMeans(3, random_state=1, batch_size=30).fit(X)
        np.testing.assert_array_equal(fit.cluster_centers_, same.cluster_centers_)

    def test_centres_are_of_the_type_of_the_points(self):
        for dtype in (np.float32, np.float64):
            X = scipy.sparse.csr_matrix((7, 6), dtype=dtype)  # no entry
            for model in (gas.KMeans(1), gas.MiniBatchKMeans(1)):
                self.assertEqual(model.fit(X).cluster_centers_.dtype, dtype)
            self.assertEqual(gas.k_means_scan(X, 1, 2).cluster_centers.dtype, dtype)

    def test_by_cosine_lengths_do_not_count(self):
        X = self.X[:, :3]
        longer = X * (1 + np.arange(3000) % 7)[:, None]
        directions = X / np.linalg.norm(X, axis=1)[:, None]
        start = X[:6]
        batches = np.array_split(np.arange(3000), 17)
        centres, sums = directions[:6].copy(), np.zeros((6, 3))
        model = gas.MiniBatchKMeans(6, init=start, metric="cosine")
        for batch in batches:
            cosines = directions[batch] @ centres.T
            np.add.at(sums, cosines.argmax(axis=1), directions[batch])
            taken = np.linalg.norm(sums, axis=1) > 0
            centres[taken] = (sums / np.linalg.norm(sums, axis=1)[:, None])[taken]
            model.partial_fit(longer[batch])
            np.testing.assert_array_equal(model.labels_, cosines.argmax(axis=1))
            self.assertAlmostEqual(model.inertia_ / (1 - cosines.max(axis=1)).sum(), 1, places=5)
            np.testing.assert_allclose(model.cluster_centers_, centres, atol=1e-6)
        for form in (np.asarray, scipy.sparse.csr_matrix):
            fitted = gas.MiniBatchKMeans(6, metric="cosine", batch_size=100, random_state=4)
            fitted.fit(form(longer))
            np.testing.assert_allclose(np.linalg.norm(fitted.cluster_centers_, axis=1), 1)
            self.assertAlmostEqual(fitted.inertia_ / -fitted.score(form(X)), 1, places=6)

    def test_ends_when_nothing_improves(self):
        model = gas.MiniBatchKMeans(6, batch_size=100, random_state=4, max_iter=1000).fit(self.X)
        self.assertLess(model.n_iter_, 50)
        told = gas.MiniBatchKMeans(6, batch_size=100, random_state=4, max_iter=7,
                                   max_no_improvement=None).fit(self.X)
        self.assertEqual((told.n_iter_, told.n_steps_), (7, 7 * 30))


if __name__ == "__main__":
    unittest.main()
