"""The estimators keep scikit-learn's contract, by its own checks and inside of its tools."""

import copy
import functools
import pickle
import unittest
import warnings

import numpy as np
import scipy.sparse
import sklearn.exceptions
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks

import gas

ESTIMATORS = [
    gas.KMeans(),
    gas.KMeans(init="random"),
    gas.KMeans(metric="cosine"),
    gas.KMeans(levels=2),
    gas.MiniBatchKMeans(),
    gas.MiniBatchKMeans(metric="cosine"),
    gas.MiniBatchKMeans(batch_size=7, init="random"),
    gas.LogisticRegression(),
    gas.LogisticRegression(penalty="l1", fit_intercept=False),
    gas.LogisticRegression(solver="dual"),
    gas.LogisticRegression(multi_class="multinomial"),
    gas.OnlineLogisticRegression(),
    gas.OnlineLogisticRegression(hash_bits=10, fit_intercept=False),
    gas.ALS(),
    gas.ALS(alpha=2.0),
    gas.LatentDirichletAllocation(fractions="round"),
]
# By cosine, too.
OF_ZEROS = {"check_estimators_dtypes", "check_estimator_sparse_data"}
# The only checks that may be skipped: the estimator's tags tell scikit-learn why.
SKIPPED = {
    "KMeans": {"check_sample_weights_invariance"},  # of scikit-learn's own, too
    "MiniBatchKMeans": {"check_sample_weights_invariance"},
    "LogisticRegression": {"check_class_weight_classifiers"},  # without an intercept
    "LatentDirichletAllocation": {
        "check_methods_subset_invariance",
        "check_methods_sample_order_invariance",
    }
}


def name_of(check):
    return getattr(check, "func", check).__name__


class Contract(unittest.TestCase):
    def run_checks(self, estimator):
        own = type(estimator).__name__
        skipped = SKIPPED.get(own, set())
        if estimator.get_params().get("metric") == "cosine":
            skipped = skipped | OF_ZEROS
        checks = list(estimator_checks.check_estimator(estimator, generate_only=True))
        more = [
            estimator_checks.check_dataframe_column_names_consistency,
            estimator_checks.check_n_features_in_after_fitting,
        ]
        if hasattr(estimator, "transform"):
            more += [
                estimator_checks.check_transformer_get_feature_names_out,
                estimator_checks.check_transformer_get_feature_names_out_pandas,
                estimator_checks.check_set_output_transform,
                estimator_checks.check_set_output_transform_pandas,
            ]
        if own in ("KMeans", "MiniBatchKMeans"):  # which scikit-learn generates for its own base class alone
            more += estimator_checks._yield_clustering_checks(estimator)
        checks += [(clone(estimator), functools.partial(check, own)) for check in more]
        self.assertGreater(len(checks), 35)
        for given, check in checks:
            with self.subTest(estimator=estimator, check=name_of(check)):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        check(given)
                    except unittest.SkipTest as reason:
                        name = name_of(check)
                        if name == "wrapped":  # a check that the tags say fails
                            name = str(reason).split()[1]
                        self.assertIn(name, skipped, reason)

    def test_checks_of_scikit_learn(self):
        for estimator in ESTIMATORS:
            self.run_checks(estimator)

    @unittest.skipUnless(hasattr(sklearn.utils, "Tags"), "scikit-learn asks for them from 1.6 on")
    def test_tags_as_of_scikit_learn_1_6(self):
        for estimator in ESTIMATORS:
            tags = sklearn.utils.get_tags(estimator)
            classifier = hasattr(estimator, "predict_proba")
            self.assertEqual(tags.estimator_type == "classifier", classifier)
            self.assertEqual(tags.classifier_tags is not None, classifier)
            self.assertEqual(tags.transformer_tags is not None, hasattr(estimator, "transform"))
            self.assertEqual(tags.target_tags.required, classifier)
            self.assertTrue(tags.input_tags.sparse)

    def test_documents_of_fractions_are_no_input_unless_asked_for(self):
        tags = gas.LatentDirichletAllocation()._get_tags()
        self.assertEqual(tags["X_types"], ["counts"])
        with self.assertRaisesRegex(gas.InputError, "found 0.5 in column 1 of row 0"):
            gas.LatentDirichletAllocation().fit([[1, 0.5]])


class Inside(unittest.TestCase):
    def setUp(self):
        random = np.random.default_rng(1)
        self.X = random.normal(size=(200, 6))
        self.y = np.where(self.X[:, 0] + 0.3 * random.normal(size=200) > 0, "up", "down")

    def test_pipeline_and_grid_search(self):
        pipeline = make_pipeline(
            StandardScaler(), gas.KMeans(n_clusters=12, random_state=1), gas.LogisticRegression()
        )
        search = GridSearchCV(
            pipeline, {"kmeans__n_clusters": [2, 12], "logisticregression__C": [0.01, 10.0]}, cv=3
        )
        search.fit(self.X, self.y)
        self.assertEqual(search.best_params_["kmeans__n_clusters"], 12)
        self.assertGreater(search.best_score_, 0.8)

    def test_processes_of_joblib(self):
        search = GridSearchCV(gas.LogisticRegression(), {"C": [0.1, 1.0]}, cv=2, n_jobs=2)
        self.assertGreater(search.fit(self.X, self.y).best_score_, 0.8)

    def test_every_protocol_of_pickle(self):
        online = gas.OnlineLogisticRegression().fit([[0.0], [1.0]], [0, 1])
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            again = pickle.loads(pickle.dumps(online, protocol))
            np.testing.assert_array_equal(again.coef_, online.coef_)
            with self.assertRaises(TypeError):
                pickle.dumps(gas.Graph([[0, 1]]), protocol)

    def test_exceptions_are_ours_and_theirs(self):
        for one in (gas.NotFittedError, sklearn.exceptions.NotFittedError):
            with self.assertRaises(one) as raised:
                gas.KMeans().predict([[1.0]])
            self.assertIsInstance(pickle.loads(pickle.dumps(raised.exception)), one)
        for one in (gas.ConvergenceWarning, sklearn.exceptions.ConvergenceWarning):
            with self.assertWarns(one):
                gas.LogisticRegression(max_iter=1, tol=1e-12).fit(self.X, self.y)

    def test_labels_may_be_strings_of_numpy(self):
        names = [np.str_("ab"[int(label)]) for label in self.X[:, 0] > 0]
        model = gas.LogisticRegression().fit(self.X, np.array(names, dtype=object))
        self.assertEqual(model.classes_.tolist(), ["a", "b"])

    def test_online_rows_sparse_and_dense_decide_alike(self):
        X = self.X * (np.abs(self.X) > 0.5)
        for bits in (None, 7):
            for y in (self.X[:, 0] > 0, np.arange(len(X)) % 3):
                online = gas.OnlineLogisticRegression(hash_bits=bits).fit(X, y)
                dense = online.decision_function(X)
                for form in (scipy.sparse.csr_matrix, scipy.sparse.csr_array):
                    sparse = online.decision_function(form(X))
                    np.testing.assert_allclose(sparse, dense, rtol=1e-12, atol=1e-12)

    def test_a_copy_learns_by_itself(self):
        online = gas.OnlineLogisticRegression().fit([[0.0], [1.0]], [0, 1])
        before = online.coef_.copy()
        copy.copy(online).partial_fit([[5.0]], [0])
        np.testing.assert_array_equal(online.coef_, before)

    def test_pickles_predict_alike(self):
        counts = np.random.default_rng(2).poisson(0.7, (40, 9))
        for model, X in (
            (gas.KMeans(3, random_state=1).fit(self.X), self.X),
            (gas.ALS(3, random_state=1).fit(counts), counts),
            (gas.LatentDirichletAllocation(3, random_state=1, max_iter=20).fit(counts), counts),
        ):
            again = pickle.loads(pickle.dumps(model))
            np.testing.assert_array_equal(again.transform(X), model.transform(X))
        online = gas.OnlineLogisticRegression().fit(self.X, self.y)
        again = pickle.loads(pickle.dumps(online))
        for model in (online, again):
            model.partial_fit(self.X[::-1], self.y[::-1])
        np.testing.assert_array_equal(again.coef_, online.coef_)
        np.testing.assert_array_equal(again.progressive_loss_, online.progressive_loss_)
        model = gas.LogisticRegression().fit(self.X, self.y)
        again = pickle.loads(pickle.dumps(model))
        np.testing.assert_array_equal(again.predict_proba(self.X), model.predict_proba(self.X))

    def test_parameters_set_after_fit_wait_for_the_next(self):
        for make in (gas.KMeans, gas.MiniBatchKMeans):
            model = make(3, random_state=1).fit(self.X)
            expected = model.transform(self.X)
            again = pickle.loads(pickle.dumps(model)).set_params(metric="cosine")
            np.testing.assert_array_equal(again.transform(self.X), expected)
            np.testing.assert_array_equal(again.predict(self.X), model.predict(self.X))
            self.assertEqual(again.score(self.X), model.score(self.X))
            self.assertNotEqual(again.fit(self.X).inertia_, model.inertia_)
        model = gas.MiniBatchKMeans(3, random_state=1).partial_fit(self.X)
        model.set_params(n_clusters=5, metric="cosine").partial_fit(self.X)
        expected = gas.MiniBatchKMeans(3, random_state=1).partial_fit(self.X).partial_fit(self.X)
        np.testing.assert_array_equal(model.cluster_centers_, expected.cluster_centers_)
        kinds = np.arange(200) % 3
        for before, after in (("ovr", "multinomial"), ("multinomial", "ovr")):
            model = gas.LogisticRegression(multi_class=before).fit(self.X, kinds)
            expected = model.predict_proba(self.X)
            again = pickle.loads(pickle.dumps(model)).set_params(multi_class=after)
            np.testing.assert_array_equal(again.predict_proba(self.X), expected)

    def test_parameters_show(self):
        self.assertEqual(repr(gas.KMeans(3, tol=0)), "KMeans(n_clusters=3, tol=0)")
        with self.assertRaisesRegex(ValueError, "Invalid parameter 'k' for estimator KMeans"):
            gas.KMeans().set_params(k=3)


if __name__ == "__main__":
    unittest.main()
