"""What estimators find, against numpy, scipy and scikit-learn."""

import tempfile
import unittest
import warnings
from pathlib import Path

import numpy as np
import scipy.sparse
import sklearn.cluster
import sklearn.linear_model
import sklearn.metrics
from scipy.special import gammaln
from sklearn.datasets import load_iris

import gas


def sparse_examples(seed, rows, columns, density=0.3):
    random = np.random.RandomState(seed)
    X = scipy.sparse.random(rows, columns, density, "csr", random_state=random)
    weights = random.normal(size=columns)
    y = (X @ weights + 0.2 * random.normal(size=rows) > 0).astype(int)
    return X, y


class KMeans(unittest.TestCase):
    def setUp(self):
        self.X = np.random.default_rng(1).normal(size=(500, 4))

    def test_tables_come_out_of_lists(self):
        model = gas.KMeans(2, random_state=0).set_output(transform="pandas")
        table = model.fit_transform([[0.0], [1.0], [9.0]])
        self.assertEqual(table.columns.tolist(), ["kmeans0", "kmeans1"])
        self.assertEqual(table.index.tolist(), [0, 1, 2])

    def test_same_as_scikit_learn_from_the_same_start(self):
        start = self.X[:7]
        theirs = sklearn.cluster.KMeans(7, init=start, n_init=1, max_iter=1000, tol=0).fit(self.X)
        ours = gas.KMeans(7, init=start, max_iter=1000, tol=0).fit(self.X)
        np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, atol=1e-6)
        np.testing.assert_array_equal(ours.labels_, theirs.labels_)
        self.assertAlmostEqual(ours.inertia_, theirs.inertia_, places=6)
        np.testing.assert_allclose(ours.transform(self.X), theirs.transform(self.X), atol=1e-6)
        self.assertAlmostEqual(ours.score(self.X[:50]), theirs.score(self.X[:50]), places=6)
        np.testing.assert_array_equal(ours.predict(self.X[::-1]), theirs.labels_[::-1])

    def test_sparse_rows_as_with_scikit_learn(self):
        random = np.random.default_rng(4)
        dense = random.poisson(3 * (random.random((300, 80)) < 0.1)) * 0.37
        weights = 1.0 + np.arange(300) % 3
        start = dense[:6]
        for dtype in (np.float64, np.float32):
            X = scipy.sparse.csr_matrix(dense.astype(dtype))
            theirs = sklearn.cluster.KMeans(6, init=start, n_init=1, max_iter=1000, tol=0)
            theirs.fit(X, sample_weight=weights)
            ours = gas.KMeans(6, init=start, max_iter=1000, tol=0).fit(X, sample_weight=weights)
            self.assertEqual(ours.cluster_centers_.dtype, dtype)
            np.testing.assert_allclose(ours.cluster_centers_, theirs.cluster_centers_, atol=1e-5)
            np.testing.assert_array_equal(ours.labels_, theirs.labels_)
            self.assertAlmostEqual(ours.inertia_ / theirs.inertia_, 1, places=5)
            np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-5)
            self.assertAlmostEqual(ours.score(X[:50]) / theirs.score(X[:50]), 1, places=5)
            np.testing.assert_array_equal(ours.predict(X[::-1]), theirs.labels_[::-1])
        planted = np.arange(80) // 20 == np.arange(300)[:, None] % 4
        dense = random.gamma(2.0, size=dense.shape) * (random.random(dense.shape) < 0.05 + 0.4 * planted)
        X = scipy.sparse.csr_matrix(dense)
        labels = gas.KMeans(4, random_state=1).fit(X).labels_
        self.assertAlmostEqual(
            gas.silhouette_score(X, labels), sklearn.metrics.silhouette_score(X, labels), places=6
        )
        seen = []
        gas.KMeans(3, init=lambda X, k, state: seen.append(X) or dense[:k], n_init=1).fit(X)
        self.assertIs(seen[0], X)
        scan, whole = (gas.k_means_scan(x, 2, 4, random_state=1, tol=0) for x in (X, dense))
        np.testing.assert_allclose(scan.inertia, whole.inertia, rtol=1e-6)
        np.testing.assert_allclose(scan.silhouette, whole.silhouette, atol=1e-6)

    def test_the_best_of_several_starts_is_kept(self):
        def inertia(starts):
            return gas.KMeans(9, n_init=starts, random_state=5, tol=0).fit(self.X).inertia_

        # The first starts of more are the same: another one can only lower the least.
        best = [inertia(starts) for starts in range(1, 9)]
        self.assertEqual(best, sorted(best, reverse=True))
        self.assertLess(best[-1], best[0])
        self.assertEqual(best[0], gas.KMeans(9, random_state=5, tol=0).fit(self.X).inertia_)

    def test_weights_as_with_scikit_learn(self):
        random = np.random.default_rng(2)
        weights = random.exponential(size=500) * (random.random(500) < 0.7)
        start = self.X[:7]
        for scale in (1, 1e-9):
            for dtype in (np.float64, np.float32):
                X = self.X.astype(dtype)
                theirs = sklearn.cluster.KMeans(7, init=start, n_init=1, max_iter=1000, tol=0)
                theirs.fit(X, sample_weight=scale * weights)
                ours = gas.KMeans(7, init=start, max_iter=1000, tol=0)
                ours.fit(X, sample_weight=scale * weights)
                np.testing.assert_allclose(
                    ours.cluster_centers_, theirs.cluster_centers_, atol=1e-5
                )
                np.testing.assert_array_equal(ours.labels_, theirs.labels_)
                self.assertAlmostEqual(ours.inertia_ / theirs.inertia_, 1, places=5)
                mine, their = (
                    model.score(X[:50], sample_weight=weights[:50]) for model in (ours, theirs)
                )
                self.assertAlmostEqual(mine, their, places=3)
        with self.assertRaisesRegex(gas.InputError, r"expected one number for each of 500 rows"):
            gas.KMeans(2).fit(self.X, sample_weight=weights[:-1])
        with self.assertRaisesRegex(gas.InputError, "found -1 of row 3"):
            gas.KMeans(2).fit(self.X, sample_weight=np.where(np.arange(500) == 3, -1, 1))

    def test_cosine_is_k_means_of_directions(self):
        X = self.X + 0.5
        lengths = np.linalg.norm(X, axis=1, keepdims=True)
        ours = gas.KMeans(6, metric="cosine", init=X[:6], max_iter=1000, tol=0).fit(X)
        U, C = X / lengths, X[:6] / lengths[:6]
        for _ in range(1000):  # by the definition
            labels = (U @ C.T).argmax(axis=1)
            C = np.stack([U[labels == c].sum(axis=0) for c in range(6)])
            C /= np.linalg.norm(C, axis=1, keepdims=True)
        np.testing.assert_allclose(ours.cluster_centers_, C, atol=1e-5)
        np.testing.assert_array_equal(ours.labels_, labels)
        self.assertAlmostEqual(ours.inertia_, (1 - (U @ C.T).max(axis=1)).sum(), places=4)
        np.testing.assert_allclose(ours.transform(X), 1 - U @ C.T, atol=1e-5)
        np.testing.assert_array_equal(ours.predict(7 * X), ours.labels_)

    def test_silhouette_as_with_scikit_learn(self):
        labels = gas.KMeans(5, random_state=1).fit(self.X).labels_
        for metric in ("euclidean", "cosine"):
            ours = gas.silhouette_score(self.X, labels, metric=metric)
            theirs = sklearn.metrics.silhouette_score(self.X, labels, metric=metric)
            self.assertAlmostEqual(ours, theirs, places=10)
            some = gas.silhouette_score(
                self.X, labels, metric=metric, sample_size=200, random_state=1
            )
            self.assertLess(abs(some - theirs), 0.05)
        names = np.array(list("abcde"))[labels]
        self.assertEqual(gas.silhouette_score(self.X, names), gas.silhouette_score(self.X, labels))
        with self.assertRaisesRegex(gas.InputError, "found 1 cluster in the sample"):
            gas.silhouette_score(self.X, np.zeros(500))

    def test_silhouette_by_weight(self):
        X, weights = self.X[:100], np.arange(100) % 4 * 0.5
        labels = gas.KMeans(3, random_state=1).fit(X).labels_
        distances = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
        sums = np.stack([distances @ (weights * (labels == c)) for c in range(3)], axis=1)
        totals = np.stack([np.full(100, weights[labels == c].sum()) for c in range(3)], axis=1)
        own = labels[:, None] == np.arange(3)
        means = sums / (totals - own * weights[:, None])
        a, b = means[own], np.where(own, np.inf, means).min(axis=1)
        expected = np.average((b - a) / np.maximum(a, b), weights=weights)
        found = gas.silhouette_score(X, labels, sample_weight=weights)
        self.assertAlmostEqual(found, expected, places=10)
        with self.assertRaisesRegex(gas.InputError, r"found -0.5 of row 1 \(from 0\), expected a finite"):
            gas.silhouette_score(X, labels, sample_weight=-weights)

    def test_scan_is_k_means_of_every_number(self):
        centres = 20 * np.random.default_rng(3).normal(size=(5, 4))
        X = self.X + centres[np.arange(500) % 5]
        scan = gas.k_means_scan(X, 2, 8, silhouette_sample=10**6, random_state=4)
        self.assertEqual(scan.best, 5)
        np.testing.assert_array_equal(scan.n_clusters, np.arange(2, 9))
        for k, inertia, silhouette in zip(scan.n_clusters, scan.inertia, scan.silhouette):
            alone = gas.KMeans(k, n_init=4, random_state=4).fit(X)
            self.assertEqual(inertia, alone.inertia_)
            expected = sklearn.metrics.silhouette_score(X, alone.labels_)
            self.assertAlmostEqual(silhouette, expected, places=10)
            if k == scan.best:
                np.testing.assert_array_equal(scan.labels, alone.labels_)
                np.testing.assert_array_equal(scan.cluster_centers, alone.cluster_centers_)

    def test_precision_is_that_of_the_points(self):
        for dtype in (np.float32, np.float64):
            model = gas.KMeans(3, random_state=1).fit(self.X.astype(dtype))
            self.assertEqual(model.cluster_centers_.dtype, dtype)
            self.assertEqual(model.transform(self.X.astype(dtype)).dtype, dtype)

    def test_start_by_a_function(self):
        model = gas.KMeans(2, init=lambda X, k, random: X[:k], max_iter=1, n_init=1).fit(self.X)
        theirs = gas.KMeans(2, init=self.X[:2], max_iter=1).fit(self.X)
        np.testing.assert_array_equal(model.cluster_centers_, theirs.cluster_centers_)

    def test_centroids_without_points_are_told(self):
        with self.assertWarnsRegex(gas._estimator.of_sklearn(gas.ConvergenceWarning), "no points"):
            gas.KMeans(3, random_state=1).fit([[1.0], [1.0], [1.0]])

    def test_full_rows_far_from_the_origin_are_as_dense_ones(self):
        random = np.random.default_rng(0)
        at = np.repeat([[0, 0], [9, 9], [9, -9]], 50, axis=0)
        dense, labels = random.normal(size=(150, 2)) + at + 1e9, np.repeat([0, 1, 2], 50)
        rows = scipy.sparse.csr_matrix(dense)
        model = gas.KMeans(3, random_state=0).fit(rows)
        self.assertAlmostEqual(
            model.inertia_, gas.KMeans(3, random_state=0).fit(dense).inertia_, places=3
        )
        np.testing.assert_array_equal(model.predict(rows), model.transform(rows).argmin(axis=1))
        self.assertAlmostEqual(
            gas.silhouette_score(rows, labels), gas.silhouette_score(dense, labels), places=6
        )


class LogisticRegression(unittest.TestCase):
    def least(self, X, y, bias, C=1.0, penalty="l2"):
        """scikit-learn's, by liblinear: the same objective."""
        model = sklearn.linear_model.LogisticRegression(
            penalty=penalty, solver="liblinear", C=C, tol=1e-7, max_iter=100000, fit_intercept=bias
        )
        return model.fit(X, y)

    def test_same_as_liblinear(self):
        X, y = sparse_examples(1, 300, 20)
        for bias in (False, True):
            for penalty in ("l2", "l1"):
                for given in (X, X.toarray(), X.tocsc(), X.astype(np.float32)):
                    with self.subTest(bias=bias, penalty=penalty, given=type(given)):
                        ours = gas.LogisticRegression(penalty, tol=1e-8, fit_intercept=bias)
                        ours.fit(given, y)
                        theirs = self.least(X, y, bias, penalty=penalty)
                        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-3)
                        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-3)

    def test_class_weights_as_with_liblinear(self):
        X, y = sparse_examples(5, 300, 20)
        y = ((X.sum(axis=1).A1 + 0.1 * y) > 0.8).astype(int)
        iris, kinds = load_iris(return_X_y=True)
        some = np.r_[0:20, 50:90, 100:150]
        for data, labels, weights in (
            (X, y, {0: 0.5, 1: 7}),
            (X, y, {1: 3.0}),
            (X, y, "balanced"),
            (iris[some], kinds[some], "balanced"),
            (iris[some], kinds[some], {0: 2, 2: 5}),
        ):
            for penalty, solver in (
                ("l2", "newton"), ("l2", "local-newton"), ("l1", "newton"), ("l2", "dual")
            ):
                with self.subTest(weights=weights, penalty=penalty, solver=solver):
                    theirs = sklearn.linear_model.LogisticRegression(
                        penalty=penalty, solver="liblinear", tol=1e-7, max_iter=100000,
                        class_weight=weights,
                    ).fit(data, labels)
                    ours = gas.LogisticRegression(
                        penalty, solver=solver, tol=1e-8, class_weight=weights, random_state=1
                    ).fit(data, labels)
                    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=3e-3)
                    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=3e-3)
        with self.assertRaisesRegex(gas.UsageError, "found the class 4, expected classes of y"):
            gas.LogisticRegression(class_weight={4: 1}).fit(X, y)
        with self.assertRaisesRegex(gas.UsageError, r"class_weight\[1\]: found 0"):
            gas.LogisticRegression(class_weight={1: 0}).fit(X, y)
        with self.assertRaisesRegex(gas.UsageError, "class_weight: found 'even'"):
            gas.LogisticRegression(class_weight="even").fit(X, y)

    def test_probabilities(self):
        X, y = sparse_examples(2, 200, 10)
        ours, theirs = gas.LogisticRegression(tol=1e-9).fit(X, y), self.least(X, y, True)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-3)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
        self.assertEqual(ours.score(X, y), theirs.score(X, y))

    def test_several_classes_one_against_the_rest(self):
        X, y = load_iris(return_X_y=True)
        names = np.array(["setosa", "versicolor", "virginica"])[y]
        ours = gas.LogisticRegression(tol=1e-8).fit(X, names)
        theirs = self.least(X, names, True)
        np.testing.assert_array_equal(ours.classes_, theirs.classes_)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-3)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-3)
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))

    def test_softmax_as_with_newton_cg(self):
        X, y = load_iris(return_X_y=True)
        X = X.astype(np.float32).astype(np.float64)  # as weights are learnt from it
        some = np.r_[0:20, 50:90, 100:150]
        names = np.array(["setosa", "versicolor", "virginica"])
        ones = np.hstack([X, np.ones((len(X), 1))])  # the intercept is penalised
        for bias in (False, True):
            for rows, weights in ((np.arange(150), None), (some, "balanced"), (some, {"setosa": 3})):
                with self.subTest(bias=bias, weights=weights):
                    theirs = sklearn.linear_model.LogisticRegression(
                        multi_class="multinomial", solver="newton-cg", C=2, tol=1e-6,
                        max_iter=1000, fit_intercept=False, class_weight=weights,
                    ).fit((ones if bias else X)[rows], names[y[rows]])
                    ours = gas.LogisticRegression(
                        multi_class="multinomial", C=2, tol=1e-10, fit_intercept=bias,
                        class_weight=weights,
                    ).fit(X[rows], names[y[rows]])
                    found = np.hstack([ours.coef_, ours.intercept_[:, None]][: 1 + bias])
                    np.testing.assert_allclose(found, theirs.coef_, atol=1e-3)
                    np.testing.assert_allclose(
                        ours.predict_proba(X), theirs.predict_proba(ones if bias else X), atol=1e-4
                    )
                    np.testing.assert_array_equal(
                        ours.predict(X), theirs.predict(ones if bias else X)
                    )
                    self.assertEqual((ours.objective_.shape, ours.gap_.shape), ((1,), (1,)))
                    self.assertLessEqual(ours.gap_[0], 1e-10)

    def test_area_under_the_curve_as_with_scikit_learn(self):
        X, y = sparse_examples(7, 300, 10)
        model = gas.LogisticRegression(tol=1e-6).fit(X, y)
        rough = X.copy()
        rough.data = np.round(rough.data)  # so that many decisions are equal
        for rows in (X, rough):
            expected = sklearn.metrics.roc_auc_score(y, model.decision_function(rows))
            self.assertAlmostEqual(model.roc_area(rows, y), expected, places=12)
        self.assertTrue(np.isnan(model.roc_area(X[:3], np.full(3, y[0]))))
        with self.assertRaisesRegex(gas.InputError, "y: found the label 'x'"):
            model.roc_area(X[:2], ["x", "x"])
        with self.assertRaisesRegex(gas.UsageError, "found 3 classes, expected two"):
            gas.LogisticRegression().fit(np.eye(3), [0, 1, 2]).roc_area(np.eye(3), [0, 1, 2])

    def test_of_several_costs_the_best_held_out(self):
        X, y = sparse_examples(8, 400, 12)
        names = np.where(y == y.max(), "yes", "no")
        for penalty in ("l2", "l1"):
            model = gas.LogisticRegression(
                penalty, C=[10.0, 0.01, 1.0], heldout=0.3, tol=1e-8, random_state=5
            ).fit(X, names)
            path = model.path_
            np.testing.assert_array_equal(path["C"], [0.01, 1, 10])
            self.assertEqual(model.C_, path["C"][path["log_loss"].argmin()])
            self.assertTrue(np.all((path["roc_area"] > 0.4) & (path["roc_area"] <= 1)))
            alone = gas.LogisticRegression(penalty, C=model.C_, tol=1e-8).fit(X, names)
            np.testing.assert_allclose(model.coef_, alone.coef_, atol=1e-3)
            self.assertAlmostEqual(model.objective_[0], alone.objective_[0], places=5)
            self.assertIsNone(alone.path_)
            self.assertEqual(alone.C_, model.C_)

    def test_softmax_of_two_classes_has_a_row_for_each(self):
        X, y = sparse_examples(6, 200, 10)
        model = gas.LogisticRegression(multi_class="multinomial", tol=1e-9).fit(X, y)
        self.assertEqual(model.coef_.shape, (2, 10))
        np.testing.assert_allclose(model.coef_[0], -model.coef_[1], atol=1e-3)
        half = gas.LogisticRegression(C=2, tol=1e-9).fit(X, y)  # w = 2 w_1, ½‖w‖² = 2 ½‖W‖²
        np.testing.assert_allclose(model.decision_function(X), half.decision_function(X), atol=1e-3)
        np.testing.assert_allclose(model.predict_proba(X), half.predict_proba(X), atol=1e-3)

    def test_gap_is_within_the_tolerance_and_true(self):
        X, y = sparse_examples(3, 300, 20)
        for solver in ("newton", "local-newton", "dual"):
            model = gas.LogisticRegression(tol=1e-3, solver=solver, fit_intercept=False)
            model.fit(X, y)
            self.assertLessEqual(model.gap_[0], 1e-3)
            margins = np.where(y == 1, 1, -1) * (X.astype(np.float32) @ model.coef_[0])
            objective = np.logaddexp(0, -margins).sum() + 0.5 * model.coef_[0] @ model.coef_[0]
            self.assertAlmostEqual(model.objective_[0], objective, places=4)

    def test_far_scores_have_sound_probabilities(self):
        model = gas.LogisticRegression().fit([[-1.0], [1.0]], [0, 1])
        np.testing.assert_array_equal(model.predict_proba([[1e30], [-1e30]]), [[0, 1], [1, 0]])
        three = gas.LogisticRegression().fit(np.eye(3), [0, 1, 2])
        rows = three.predict_proba([[-1e30, -1e30, -1e30], [1e30, 0, 0]])
        np.testing.assert_allclose(rows.sum(axis=1), 1)

    def test_too_few_rounds_are_told(self):
        X, y = sparse_examples(4, 300, 20)
        with self.assertWarnsRegex(Warning, "after max_iter=2 rounds"):
            gas.LogisticRegression(max_iter=2, tol=1e-9).fit(X, y)

    def test_class_weights_may_name_classes_that_these_rows_lack(self):
        X = np.random.default_rng(5).normal(size=(60, 3))
        model = gas.LogisticRegression(class_weight={0: 1, 1: 2, 2: 3}).fit(X, np.arange(60) % 2)
        same = gas.LogisticRegression(class_weight={0: 1, 1: 2}).fit(X, np.arange(60) % 2)
        np.testing.assert_array_equal(model.coef_, same.coef_)

    def test_dual_ascent_stands_any_c(self):
        X = np.r_[np.random.default_rng(0).normal(size=(20, 2)), np.full((20, 2), 10.0)]
        for C in (1e155, 1e250, 1e305):
            model = gas.LogisticRegression(solver="dual", C=C, max_iter=70)
            with self.assertWarnsRegex(UserWarning, r"the gap is (1|0\.\d+) after"):
                model.fit(X, np.repeat([0, 1], 20))
            self.assertTrue(np.isfinite(model.coef_).all())

    def test_the_warning_of_rounding_names_who_calls(self):
        X = np.random.default_rng(0).normal(size=(60, 3))
        with self.assertWarnsRegex(UserWarning, "when rounded to 32-bit floats") as warned:
            gas.LogisticRegression().fit(X + 1e8, X[:, 0] > 0)
        self.assertEqual(warned.filename, __file__)
        with self.assertWarnsRegex(UserWarning, "values of column 1 become 0 when rounded") as warned:
            gas.LogisticRegression().fit(X * [1, 1e-50, 1], X[:, 0] > 0)
        self.assertEqual(warned.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            gas.LogisticRegression().fit(np.r_[X, [[1e-50, 1, 1]]], np.r_[X[:, 0] > 0, True])


class ALS(unittest.TestCase):
    def setUp(self):
        random = np.random.RandomState(1)
        self.ratings = scipy.sparse.random(60, 25, 0.4, "csr", random_state=random)
        self.model = gas.ALS(3, regularization=0.2, tol=0, max_iter=30, random_state=2)
        self.model.fit(self.ratings)

    def test_users_are_the_best_for_the_items(self):
        folded = self.model.transform(self.ratings)
        V = self.model.components_.T.astype(np.float64)
        for user in range(60):
            row = self.ratings[user]
            some = V[row.indices]
            best = np.linalg.solve(some.T @ some + 0.2 * np.eye(3), some.T @ row.data)
            np.testing.assert_allclose(folded[user], best, atol=1e-4)

    def test_a_user_of_few_items_is_folded_as_among_others(self):
        # 400 items, of which a user rated few: the others have no part in it.
        random = np.random.RandomState(3)
        ratings = scipy.sparse.random(50, 400, 0.05, "csr", random_state=random)
        for weighted in (False, True):
            model = gas.ALS(3, weighted=weighted, tol=0, max_iter=5, random_state=2).fit(ratings)
            all_users = model.transform(ratings)
            for user in (0, 7, 49):
                np.testing.assert_allclose(
                    model.transform(ratings[user]), all_users[user : user + 1], atol=1e-6
                )

    def test_objective_and_error_are_those_of_its_rows(self):
        U, V = self.model.users_.astype(np.float64), self.model.components_.T.astype(np.float64)
        entries = self.ratings.tocoo()
        error = entries.data - (U[entries.row] * V[entries.col]).sum(axis=1)
        objective = error @ error + 0.2 * ((U**2).sum() + (V**2).sum())
        self.assertAlmostEqual(self.model.objective_ / objective, 1, places=5)
        self.assertAlmostEqual(self.model.rmse_, np.sqrt(np.mean(error**2)), places=5)

    def test_score_is_the_error_of_folded_users(self):
        entries = self.ratings.tocoo()
        predicted = self.model.transform(self.ratings) @ self.model.components_
        error = entries.data - predicted[entries.row, entries.col]
        expected = -np.sqrt(np.mean(error**2))
        self.assertAlmostEqual(self.model.score(self.ratings), expected, places=5)

    def test_subtracted_mean(self):
        ratings = self.ratings.copy()
        ratings.data += 3
        settings = dict(regularization=0.2, tol=0, max_iter=30, random_state=2)
        model = gas.ALS(3, subtract_mean=True, **settings).fit(ratings)
        mean = ratings.data.mean()
        self.assertAlmostEqual(model.mean_, mean, places=5)
        self.assertEqual(self.model.mean_, 0)
        less = ratings.copy()
        less.data -= mean
        same = gas.ALS(3, **settings).fit(less)
        np.testing.assert_allclose(model.components_, same.components_, atol=1e-3)
        predicted = model.inverse_transform(model.users_)
        np.testing.assert_allclose(predicted, same.inverse_transform(same.users_) + mean, atol=1e-3)
        self.assertAlmostEqual(model.score(ratings), same.score(less), places=4)
        self.assertAlmostEqual(model.rmse_, same.rmse_, places=4)
        nobody = scipy.sparse.csr_matrix((1, 25))
        np.testing.assert_allclose(model.recommend(nobody, n=2)[1], mean, atol=1e-5)
        with self.assertRaisesRegex(gas.InputError, "subtract_mean: found True with alpha"):
            gas.ALS(3, subtract_mean=True, alpha=1).fit(ratings)

    def test_implicit_feedback(self):
        counts = scipy.sparse.random(60, 25, 0.2, "csr", random_state=np.random.RandomState(4))
        counts.data = np.ceil(5 * counts.data)
        model = gas.ALS(3, alpha=2, regularization=0.2, tol=0, max_iter=30, random_state=2).fit(counts)
        V = model.components_.T.astype(np.float64)
        dense = counts.toarray()
        weights, taken = 1 + 2 * dense, dense > 0
        best = [np.linalg.solve((V.T * c) @ V + 0.2 * np.eye(3), (V.T * c) @ p) for c, p in zip(weights, taken)]
        folded = model.transform(counts)
        np.testing.assert_allclose(folded, best, atol=1e-4)
        U = model.users_.astype(np.float64)
        objective = (weights * (taken - U @ V.T) ** 2).sum() + 0.2 * ((U**2).sum() + (V**2).sum())
        self.assertAlmostEqual(model.objective_ / objective, 1, places=5)
        self.assertTrue(np.isnan(model.rmse_))

        predicted = folded @ model.components_
        rank = [(predicted[u] > predicted[u, i]).sum() / 24 for u, i in zip(*counts.nonzero())]
        self.assertAlmostEqual(model.score(counts), -np.average(rank, weights=counts.data), places=6)
        self.assertGreater(model.score(counts), -0.3)
        for user, items in enumerate(model.recommend(counts, n=3)[0]):
            self.assertFalse(taken[user, items].any())
        counts.data[3] = -1
        with self.assertRaisesRegex(gas.InputError, "found a rating of -1, expected ratings of at least 0"):
            gas.ALS(3, alpha=2).fit(counts)

    def test_recommended_are_the_highest_that_are_not_rated(self):
        items, ratings = self.model.recommend(self.ratings, n=5)
        predicted = self.model.transform(self.ratings) @ self.model.components_
        predicted[self.ratings.toarray() != 0] = -np.inf
        for user in range(60):
            best = np.argsort(-predicted[user], kind="stable")[:5]
            np.testing.assert_array_equal(items[user], best)
            np.testing.assert_array_equal(ratings[user], predicted[user][best])

    def test_recommended_of_many_items(self):
        random = np.random.RandomState(3)
        ratings = scipy.sparse.random(50, 5001, 0.01, "csr", random_state=random)
        model = gas.ALS(3, random_state=1, max_iter=3, tol=0).fit(ratings)
        items, found = model.recommend(ratings, n=4)
        predicted = model.transform(ratings) @ model.components_
        predicted[ratings.toarray() != 0] = -np.inf
        np.testing.assert_array_equal(found, -np.sort(-predicted, axis=1)[:, :4])
        np.testing.assert_array_equal(found, np.take_along_axis(predicted, items, axis=1))
        few = np.ones((2, 5001))
        few[0, 5000] = few[1, [3, 4000]] = 0
        items, found = model.recommend(few, n=4)
        self.assertEqual(np.sort(items).tolist(), [[-1, -1, -1, 5000], [-1, -1, 3, 4000]])
        self.assertEqual(np.isnan(found).sum(axis=1).tolist(), [3, 2])

    def test_of_equal_items_the_first_are_recommended(self):
        for width in (25, 5000):
            model = gas.ALS(2, random_state=1, max_iter=3)
            model = model.fit(scipy.sparse.random(30, width, 0.1, "csr", random_state=1))
            for n in (1, 3, 9):  # who rated nothing rates all alike
                items, _ = model.recommend(np.zeros((2, width)), n=n)
                self.assertEqual(items.tolist(), 2 * [list(range(n))])

    def test_users_who_rated_all_get_nothing(self):
        items, ratings = self.model.recommend(np.ones((1, 25)), n=2)
        self.assertEqual(items.tolist(), [[-1, -1]])
        self.assertTrue(np.isnan(ratings).all())
        items, _ = self.model.recommend(np.append(np.ones(24), 0).reshape(1, -1), n=99)
        self.assertEqual(items.tolist(), [[24] + [-1] * 24])

    def test_zeros_of_a_sparse_matrix_are_ratings(self):
        given = scipy.sparse.csr_matrix(([1.0, 0.0], [0, 1], [0, 2]), shape=(1, 2))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = gas.ALS(1, random_state=1).fit(given)
        self.assertAlmostEqual(float(model.users_[0] @ model.components_[:, 1]), 0, places=3)


class Topics(unittest.TestCase):
    def setUp(self):
        random = np.random.default_rng(3)
        self.topics = np.kron(np.eye(4), np.ones(5)) / 5  # of 20 words, 5 each
        mixed = random.dirichlet(np.full(4, 0.1), 300)
        self.documents = np.array([random.multinomial(60, row) for row in mixed @ self.topics])

    def fitted(self, **options):
        options = {"random_state": 1, "max_iter": 100, "doc_topic_prior": 0.1, **options}
        return gas.LatentDirichletAllocation(4, topic_word_prior=0.01, **options)

    def test_planted_topics_are_found(self):
        for given in (self.documents, scipy.sparse.csr_matrix(self.documents)):
            model = self.fitted().fit(given)
            np.testing.assert_allclose(model.components_.sum(axis=1), 1, rtol=1e-5)
            np.testing.assert_allclose(model.document_topic_.sum(axis=1), 1, rtol=1e-5)
            overlap = np.minimum(model.components_[:, None], self.topics[None]).sum(axis=2)
            self.assertGreater(overlap.max(axis=0).min(), 0.9)

    def test_likelihood_is_that_of_its_distributions(self):
        model = self.fitted().fit(self.documents)
        predicted = np.log(model.document_topic_.astype(np.float64) @ model.components_)
        mean = (self.documents * predicted).sum() / self.documents.sum()
        self.assertAlmostEqual(model.log_likelihood_, mean, places=5)

    def test_counts_are_those_of_the_documents(self):
        model = self.fitted().fit(self.documents)
        np.testing.assert_array_equal(model.topic_counts_.sum(axis=0), self.documents.sum(axis=0))
        np.testing.assert_array_equal(model.document_counts_.sum(axis=1), self.documents.sum(axis=1))
        n_k = model.topic_counts_.sum(axis=1)
        np.testing.assert_array_equal(model.document_counts_.sum(axis=0), n_k)
        phi = (model.topic_counts_ + 0.01) / (n_k[:, None] + 20 * 0.01)
        np.testing.assert_allclose(model.components_, phi, rtol=1e-5)
        theta = (model.document_counts_ + 0.1) / (60 + 4 * 0.1)
        np.testing.assert_allclose(model.document_topic_, theta, rtol=1e-6)

    def test_measures_are_those_of_their_definitions(self):
        model = self.fitted(measures=True).fit(self.documents)
        n_dk, n_kw = model.document_counts_, model.topic_counts_
        of_documents = gammaln(0.4) - gammaln(n_dk.sum(axis=1) + 0.4)
        of_topics = gammaln(0.2) - gammaln(n_kw.sum(axis=1) + 0.2)
        joint = of_documents.sum() + (gammaln(n_dk + 0.1) - gammaln(0.1)).sum()
        joint += of_topics.sum() + (gammaln(n_kw + 0.01) - gammaln(0.01)).sum()
        self.assertAlmostEqual(model.measures_["joint"], joint / self.documents.sum(), places=8)
        has = (self.documents > 0).astype(float)
        both = has.T @ has / len(has)
        npmi, umass, mimno = [], [], []
        for row in model.components_:
            words = np.argsort(-row, kind="stable")[:10]
            pairs = [(words[i], words[j]) for i in range(len(words)) for j in range(i)]
            together = np.array([both[pair] for pair in pairs])
            v, u = np.array([(both[i, i], both[j, j]) for i, j in pairs]).T
            some = np.maximum(together, 1e-300)
            npmi.append(np.where(together > 0, np.log(some / (u * v)) / -np.log(some), -1).mean())
            umass.append(np.log((together + 1e-12) / u).mean())
            mimno.append(np.log((together + 1 / len(has)) / u).sum())
        for name, values in (("npmi", npmi), ("umass", umass), ("mimno", mimno)):
            self.assertAlmostEqual(model.measures_[name], np.mean(values), places=8)
        phi = model.components_.astype(float)
        unit = phi / np.linalg.norm(phi, axis=1)[:, None]
        cosines = (unit @ unit.T)[np.triu_indices(4, 1)]
        self.assertAlmostEqual(model.measures_["cao_juan"], cosines.mean(), places=8)
        p = np.linalg.svd(phi, compute_uv=False)
        q = np.sort(self.documents.sum(axis=1) @ model.document_topic_)[::-1]
        p, q = p / p.sum(), q / q.sum()
        arun = (p * np.log(p / q)).sum() + (q * np.log(q / p)).sum()
        self.assertAlmostEqual(model.measures_["arun"], arun, places=6)
        self.assertIsNone(self.fitted().fit(self.documents).measures_)

    def test_priors_that_were_planted_are_found(self):
        random = np.random.default_rng(6)
        alpha = np.array([0.4, 0.2, 0.1])
        phi = random.dirichlet(np.full(100, 0.1), 3)
        documents = [random.multinomial(80, row) for row in random.dirichlet(alpha, 1000) @ phi]
        options = {"topic_word_prior": 0.01, "doc_topic_prior": 0.1, "random_state": 1}
        fixed = gas.LatentDirichletAllocation(3, max_iter=100, measures=True, **options)
        fixed.fit(documents)
        np.testing.assert_array_equal(fixed.doc_topic_prior_, [0.1] * 3)
        model = gas.LatentDirichletAllocation(
            3, max_iter=100, measures=True, optimize_every=10, **options
        ).fit(documents)
        np.testing.assert_allclose(np.sort(model.doc_topic_prior_)[::-1], alpha, rtol=0.15)
        self.assertAlmostEqual(model.topic_word_prior_, 0.1, delta=0.02)
        self.assertGreater(model.gained_, 0)
        self.assertGreater(model.measures_["joint"], fixed.measures_["joint"])
        given = gas.LatentDirichletAllocation(3, doc_topic_prior=[1, 0.2, 3]).fit(documents[:50])
        n = given.document_counts_ + [1, 0.2, 3]
        np.testing.assert_allclose(given.document_topic_, n / n.sum(axis=1)[:, None], rtol=1e-6)
        for wrong in ([1, 2], [1, 2, 0]):
            with self.assertRaises(gas.UsageError):
                gas.LatentDirichletAllocation(3, doc_topic_prior=wrong).fit(documents[:50])
        with self.assertRaises(gas.UsageError):
            gas.choose_topics(documents[:50], [2, 2])

    def test_fit_goes_on_from_a_checkpoint(self):
        whole = self.fitted(max_iter=30, random_state=4).fit(self.documents)
        with tempfile.TemporaryDirectory() as folder:
            saved = {"checkpoint": Path(folder) / "saved", "checkpoint_every": 5, "random_state": 4}
            part = self.fitted(max_iter=15, **saved).fit(self.documents)
            self.assertFalse(np.array_equal(part.components_, whole.components_))
            rest = self.fitted(max_iter=30, resume=True, n_jobs=2, **saved).fit(self.documents)
            self.assertEqual(rest.n_iter_, 30)
            np.testing.assert_array_equal(rest.components_, whole.components_)
            np.testing.assert_array_equal(rest.document_counts_, whole.document_counts_)
            with self.assertRaisesRegex(gas.InputError, "alpha"):
                self.fitted(resume=True, doc_topic_prior=0.7, **saved).fit(self.documents)
            with self.assertRaises(gas.InputError):
                self.fitted(resume=True, **saved).fit(self.documents[1:])
            with self.assertRaisesRegex(gas.RunError, r"resume it \(resume=True\)"):
                self.fitted(**saved).fit(self.documents)
            with self.assertRaisesRegex(gas.UsageError, "checkpoint: found a folder"):
                gas.choose_topics(self.documents, [2, 3], **saved)
        for wrong in ({"resume": True}, {"checkpoint": 3}, {"checkpoint": ""}):
            with self.assertRaises(gas.UsageError):
                self.fitted(**wrong).fit(self.documents)

    def test_score_chooses_the_number_of_topics(self):
        held = self.documents[200:]
        right = self.fitted().fit(self.documents[:200]).score(held)
        one = gas.LatentDirichletAllocation(1, max_iter=20).fit(self.documents[:200])
        self.assertGreater(right, one.score(held) + 0.3)
        self.assertAlmostEqual(one.perplexity(held), np.exp(-one.score(held)))

    def test_transform_gives_topics_of_other_documents(self):
        model = self.fitted().fit(self.documents)
        found = model.transform(np.kron(np.eye(4, dtype=int), np.full(5, 9)))
        self.assertEqual(sorted(found.argmax(axis=1)), [0, 1, 2, 3])
        self.assertGreater(found.max(axis=1).min(), 0.9)

    def test_kinds_of_counts(self):
        same = [
            self.fitted(max_iter=5).fit(self.documents.astype(dtype)).components_
            for dtype in (np.int8, np.uint16, np.int32, np.int64, np.float32, np.float64)
        ]
        for components in same[1:]:
            np.testing.assert_array_equal(components, same[0])

    def test_entries_given_twice_add_up_before_they_are_rounded(self):
        halves = scipy.sparse.csr_matrix(
            (np.full(6, 0.5), np.array([0, 0, 1, 1, 2, 2]), np.array([0, 6])), shape=(1, 3)
        )
        for fractions in ("refuse", "round"):
            model = gas.LatentDirichletAllocation(
                1, fractions=fractions, max_iter=2, random_state=1
            ).fit(halves)
            np.testing.assert_array_equal(model.topic_counts_.sum(axis=0), [1, 1, 1])


if __name__ == "__main__":
    unittest.main()
