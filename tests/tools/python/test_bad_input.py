"""Whatever is given, the result is right or an exception that says what was found."""

import os
import unittest
import warnings

import numpy as np
import pandas
import scipy.sparse

import gas

GOOD = np.random.default_rng(1).poisson(2, (30, 4)).astype(np.float64)
LABELS = np.arange(30) % 2
MAKERS = {
    "KMeans": lambda: gas.KMeans(2, random_state=1, max_iter=3),
    "MiniBatchKMeans": lambda: gas.MiniBatchKMeans(2, random_state=1, batch_size=30, max_iter=1),
    "LogisticRegression": lambda: gas.LogisticRegression(max_iter=50),
    "ALS": lambda: gas.ALS(2, random_state=1, max_iter=3),
    "LatentDirichletAllocation": lambda: gas.LatentDirichletAllocation(
        2, random_state=1, max_iter=3
    ),
}


def with_value(value, dtype=np.float64):
    X = GOOD.astype(dtype)
    X[7, 2] = value
    return X


def broken(**parts):
    """A CSR matrix whose arrays were changed behind scipy's back."""
    X = scipy.sparse.csr_matrix(GOOD)
    for name, array in parts.items():
        setattr(X, name, array)
    return X


class Data(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("ignore")

    def refused(self, X, pattern, error=ValueError, but=()):
        for name, make in MAKERS.items():
            if name in but:
                continue
            with self.subTest(estimator=name, pattern=pattern):
                with self.assertRaisesRegex(error, pattern):
                    make().fit(X, LABELS)
                fitted = make().fit(GOOD, LABELS)
                use = fitted.predict if hasattr(fitted, "predict") else fitted.transform
                with self.assertRaisesRegex(error, pattern):
                    use(X)

    def taken(self, X, but=()):
        """What is found is what is found in GOOD, which X is another form of."""
        for name, make in MAKERS.items():
            if name in but:
                continue
            with self.subTest(estimator=name, X=type(X)):
                fitted = make().fit(X, LABELS)
                reference = make().fit(GOOD, LABELS)
                for attribute in ("cluster_centers_", "coef_", "components_"):
                    if hasattr(reference, attribute):
                        found, expected = (getattr(m, attribute) for m in (fitted, reference))
                        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
                use = fitted.predict if hasattr(fitted, "predict") else fitted.transform
                self.assertEqual(len(use(X)), 30)

    def test_shapes(self):
        self.refused(GOOD[0], "Expected 2D array, got 1D array.*Reshape your data")
        self.refused(3.0, "Expected 2D array, got 0D")
        self.refused(GOOD.reshape(3, 10, 4), "Expected 2D array, got 3D")
        self.refused(np.empty((0, 4)), r"0 sample\(s\)")
        self.refused(np.empty((30, 0)), r"0 feature\(s\)")
        self.refused([], "Expected 2D array")
        self.refused([[1, 2], [3]], "inhomogeneous|sequence")

    def test_types(self):
        self.refused(GOOD + 1j, "Complex data not supported")
        self.refused(np.full((30, 4), "a"), "could not convert string to float")
        self.refused(np.full((30, 4), None), "float|found NaN|NaN or", (TypeError, ValueError))
        self.refused(GOOD.astype("M8[s]"), "found values of type datetime64")
        self.refused(None, "Expected 2D array|float", (TypeError, ValueError))
        self.refused(np.zeros(30, dtype=[("a", "f8")]), "found values of type|Expected")
        self.refused(np.ma.masked_greater(GOOD, 2), "masked")
        self.refused({"a": 1}, "X: found an object of type dict, expected numbers")
        self.refused(with_value({}, object), "X: float.*, expected numbers", TypeError)
        self.refused(with_value(pandas.NA, object), "X: found NaN")
        self.refused(pandas.DataFrame(GOOD).astype("Int64").replace(2, pandas.NA), "X: found NaN")

    def test_numbers(self):
        for dtype in (np.float32, np.float64):
            self.refused(with_value(np.nan, dtype), "found NaN in column 2 of row 7|NaN or inf")
            self.refused(with_value(np.inf, dtype), "found inf in column 2 of row 7|NaN or inf")
        self.refused(scipy.sparse.csr_matrix(with_value(np.nan)), "found NaN in column 2 of row 7")
        with self.assertRaisesRegex(gas.InputError, "32-bit float"):
            gas.ALS(2).fit(with_value(1e200))
        with self.assertRaisesRegex(gas.InputError, "Negative values in data.*column 2 of row 7"):
            gas.LatentDirichletAllocation(2).fit(with_value(-1))
        with self.assertRaisesRegex(gas.InputError, "whole and at most 16777215"):
            gas.LatentDirichletAllocation(2).fit(with_value(2.0**25))

    def test_broken_sparse_matrices(self):
        good = scipy.sparse.csr_matrix(GOOD)
        for parts, pattern in (
            ({"indices": np.full_like(good.indices, 4)}, "found column 4, expected"),
            ({"indices": np.full_like(good.indices, -1)}, "found column -1, expected"),
            ({"indptr": good.indptr[::-1].copy()}, "does not ascend"),
            ({"indptr": good.indptr[:-1]}, "does not ascend"),
            ({"indptr": good.indptr[:0]}, "does not ascend"),
            ({"indptr": good.indptr + 1}, "does not ascend|beyond"),
            ({"indptr": good.indptr * 1000}, "beyond"),
            ({"data": good.data[:5]}, "beyond"),
            ({"indices": good.indices[:5]}, "beyond"),
        ):
            self.refused(broken(**parts), pattern)

    def test_all_sound_kinds_are_taken(self):
        for X in (
            GOOD.astype(np.float32), GOOD.astype(">f8"), GOOD.astype(">f4"),
            np.asfortranarray(GOOD), np.repeat(GOOD, 2, axis=0)[::2], GOOD.astype(np.float16), GOOD.astype(np.int8),
            GOOD.astype(np.uint64), GOOD.astype(object), GOOD.tolist(), np.matrix(GOOD),
            np.ma.array(GOOD), GOOD[:, ::-1][:, ::-1], GOOD.astype(np.longdouble),
            GOOD.astype(str),
        ):
            self.taken(X)
        frozen = GOOD.copy()
        frozen.setflags(write=False)
        self.taken(frozen)
        sparse = scipy.sparse.csr_matrix(GOOD)
        indices, indptr = (a.astype(np.int64) for a in (sparse.indices, sparse.indptr))
        wide = broken(indices=indices, indptr=indptr)
        unsorted = scipy.sparse.csr_matrix(GOOD[:, ::-1])
        unsorted.indices = 3 - unsorted.indices
        halves = scipy.sparse.csr_matrix(
            (np.repeat(sparse.data / 2, 2), np.repeat(sparse.indices, 2), sparse.indptr * 2),
            shape=GOOD.shape,
        )
        loose = broken(indices=np.append(sparse.indices, 99), data=np.append(sparse.data, np.nan))
        for X in (
            sparse, sparse.tocsc(), sparse.tocoo(), sparse.tolil(), sparse.todok(), wide, unsorted,
            loose, sparse.astype(np.int8), sparse.astype(np.uint64), sparse.astype(np.int32),
            broken(data=sparse.data.astype(">f8")), scipy.sparse.csr_array(GOOD),
        ):
            self.taken(X)
        self.taken(halves, but=("LatentDirichletAllocation",))

    def test_repeated_entries_add_up(self):
        sparse = scipy.sparse.csr_matrix(GOOD)
        twice = scipy.sparse.csr_matrix(
            (np.repeat(sparse.data, 2), np.repeat(sparse.indices, 2), sparse.indptr * 2),
            shape=GOOD.shape,
        )
        for name in ("LogisticRegression", "ALS", "LatentDirichletAllocation"):
            one = MAKERS[name]().set_params(random_state=1).fit(twice, LABELS)
            other = MAKERS[name]().set_params(random_state=1).fit(2 * sparse, LABELS)
            attribute = "coef_" if name == "LogisticRegression" else "components_"
            found, expected = (getattr(model, attribute) for model in (one, other))
            np.testing.assert_allclose(found, expected, rtol=1e-4)
            self.assertAlmostEqual(one.score(twice, LABELS), one.score(2 * sparse, LABELS), places=5)
        one, other = (gas.OnlineLogisticRegression().fit(X, LABELS) for X in (twice, 2 * sparse))
        for model, X in ((one, twice), (other, 2 * sparse)):
            model.partial_fit(X, LABELS)
        np.testing.assert_array_equal(one.coef_, other.coef_)
        # Sums are not of the type of the entries: 2 * 100 is beyond int8.
        narrow = scipy.sparse.csr_matrix(
            (np.array([100, 100, 1], dtype=np.int8), [0, 0, 1], [0, 2, 3]), shape=(2, 2)
        )
        centers = gas.KMeans(2, random_state=1).fit(narrow).cluster_centers_
        self.assertEqual(sorted(centers.tolist()), [[0, 1], [200, 0]])
        ones, zeros = np.ones(300, dtype=np.uint8), np.zeros(300, dtype=int)
        for dtype in (np.uint8, bool):
            often = scipy.sparse.coo_matrix((ones.astype(dtype), (zeros, zeros)), shape=(2, 2))
            for maker in (gas.KMeans, gas.MiniBatchKMeans):
                centers = maker(2, random_state=1).fit(often).cluster_centers_
                self.assertEqual(sorted(centers.tolist()), [[0, 0], [300, 0]])
            decided = gas.LogisticRegression().fit(GOOD[:, :2], LABELS).decision_function
            np.testing.assert_allclose(decided(often), decided([[300, 0], [0, 0]]))

    def test_entries_are_put_in_order_only_where_they_are_not(self):
        from gas._input import compressed, summed

        sound = scipy.sparse.csr_matrix(GOOD)
        for X in (sound, scipy.sparse.csr_matrix((30, 4)), GOOD, sound[:, :1]):
            rows = compressed(X)
            self.assertIs(summed(rows), rows)
        rows = summed(compressed(broken(indices=3 - sound.indices)))
        found = scipy.sparse.csr_matrix((rows.values, rows.columns, rows.offsets), rows.shape)
        self.assertTrue(found.has_canonical_format)
        np.testing.assert_array_equal(found.toarray(), GOOD[:, ::-1])

    def test_extreme_but_sound(self):
        zeros = np.zeros((30, 4))
        for name, make in MAKERS.items():
            with self.subTest(estimator=name):
                make().fit(zeros, LABELS)
                make().fit(GOOD[:, :1], LABELS)
                make().fit(GOOD[:2], LABELS[:2])
        gas.LogisticRegression().fit(GOOD > 2, LABELS)
        gas.LogisticRegression().fit(scipy.sparse.csr_matrix(GOOD > 2), LABELS)
        gas.KMeans(2, random_state=1).fit(with_value(1e100))
        with self.assertRaisesRegex(gas.InputError, "squared distances have a finite sum"):
            gas.KMeans(2, random_state=1).fit(with_value(1e300))
        gas.KMeans(2, random_state=1).fit(with_value(1e38, np.float32))
        empty = scipy.sparse.csr_matrix((30, 4))
        for name in ("LogisticRegression", "ALS", "LatentDirichletAllocation"):
            MAKERS[name]().fit(empty, LABELS)

    def test_labels(self):
        for y, pattern in (
            (None, "requires y to be passed"),
            (LABELS[:5], "found 5 labels, expected one for each"),
            (np.zeros(30), "found 1 class"), (np.full(30, np.nan), "NaN or infinite"),
            (np.linspace(0, 1, 30), "Unknown label type"), (np.zeros((30, 2)), "shape"),
            (["a", 1] * 15, "." ), ([None] * 30, "Unknown label type"), (3, "shape"),
            ([1j] * 30, "Unknown label type"), ([], "found 0 labels"),
        ):
            with self.subTest(y=y):
                if isinstance(y, list) and y[:2] == ["a", 1]:
                    gas.LogisticRegression().fit(GOOD, y)  # as strings, as numpy has it
                    continue
                with self.assertRaisesRegex(gas.InputError, pattern):
                    gas.LogisticRegression().fit(GOOD, y)
        with self.assertRaisesRegex(gas.InputError, "objects of type int, str"):
            gas.LogisticRegression().fit(GOOD, np.array(["a", 1] * 15, dtype=object))
        with self.assertRaisesRegex(gas.InputError, "y: found masked labels"):
            gas.LogisticRegression().fit(GOOD, np.ma.masked_equal(LABELS, 1))
        for y in (LABELS.astype(bool), LABELS.astype(">i8"), LABELS.astype(float), LABELS.tolist(),
                  np.array(["no", "yes"])[LABELS], np.array(["no", "yes"], dtype=object)[LABELS]):
            model = gas.LogisticRegression().fit(GOOD, y)
            self.assertEqual(len(model.classes_), 2)
            self.assertEqual(model.predict(GOOD).dtype, np.asarray(y).dtype.newbyteorder("="))
        for y, dtype in (  # objects, as those of nullable types of pandas
            (LABELS.astype(object), np.int64), (pandas.Series(LABELS, dtype="Int64"), np.int64),
            (pandas.Series(LABELS == 1, dtype="boolean"), bool),
            (LABELS.astype(object) + 2**63, np.uint64), (LABELS.astype(object) * 2**70, object),
        ):
            for make in (gas.LogisticRegression, gas.OnlineLogisticRegression):
                model = make().fit(GOOD, y)
                self.assertEqual(model.predict(GOOD).dtype, dtype)
                self.assertGreater(model.score(GOOD, y), 0.5)

    def test_labels_of_another_kind_than_those_learnt(self):
        for make in (gas.LogisticRegression, gas.OnlineLogisticRegression):
            for learnt, asked in ((LABELS, LABELS.astype(str)), (LABELS.astype(str), LABELS),
                                  (LABELS.astype("S"), LABELS.astype(str))):
                model = make().fit(GOOD, learnt)
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    with self.assertRaisesRegex(gas.InputError, "y: found the label .*, expected one of"):
                        model.score(GOOD, asked)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with self.assertRaisesRegex(gas.InputError, "y: found the label '0', expected one of"):
                gas.OnlineLogisticRegression().partial_fit(GOOD, LABELS.astype(str), classes=[0, 1])

    def test_what_fails_leaves_what_is_fitted(self):
        named = pandas.DataFrame(GOOD, columns=["a", 1, 2, 3])
        for make in (*MAKERS.values(), gas.OnlineLogisticRegression):
            model = make().fit(GOOD, LABELS)
            before = dict(vars(model))
            with self.assertRaisesRegex(TypeError, "Feature names"):
                model.fit(named, LABELS)
            self.assertEqual(vars(model).keys(), before.keys())
            self.assertTrue(all(value is before[name] for name, value in vars(model).items()))

    def test_online_learning_that_fails_can_begin_again(self):
        for X, y, classes, pattern in (
            (GOOD, LABELS + 5, [0, 1], "found the label 5, expected one of"),
            (with_value(1e39), LABELS + 5, [5, 6], "32-bit float holds"),
        ):
            model = gas.OnlineLogisticRegression()
            with self.assertRaisesRegex(gas.InputError, pattern):
                model.partial_fit(X, y, classes=classes)
            with self.assertRaisesRegex(ValueError, "not fitted"):
                model.predict(GOOD)
            model.partial_fit(GOOD, LABELS + 5, classes=[5, 6])
            expected = model.coef_
            with self.assertRaises(gas.InputError):
                model.fit(with_value(1e39), LABELS)
            np.testing.assert_array_equal(model.coef_, expected)
            self.assertEqual(model.classes_.tolist(), [5, 6])

    def test_places_are_those_of_what_was_given(self):
        X = np.ones((200, 3)) * np.arange(200)[:, None]
        X[150, 2] = np.nan
        with self.assertRaisesRegex(gas.InputError, "found NaN in column 2 of row 150"):
            gas.MiniBatchKMeans(3, batch_size=32, random_state=0).fit(X)
        X = np.r_[np.random.default_rng(2).normal(size=(200, 3)), np.zeros((1, 3))]
        for given in (X, scipy.sparse.csr_matrix(X)):
            with self.assertRaisesRegex(gas.InputError, "only zeros in row 200"):
                gas.MiniBatchKMeans(3, batch_size=32, metric="cosine", random_state=0).fit(given)
        model = gas.LogisticRegression().fit(GOOD, LABELS)
        with self.assertRaisesRegex(gas.InputError, "found NaN in column 2 of row 7"):
            model.predict(with_value(np.nan))
        with self.assertRaisesRegex(gas.InputError, r"found 1e\+39 in column 2 of row 7"):
            gas.LogisticRegression().fit(with_value(1e39), LABELS)
        wide = scipy.sparse.csr_matrix(([1.0, 2.0], ([0, 1], [2**33, 5])), shape=(2, 2**33 + 1))
        for make in (gas.LogisticRegression, gas.ALS, gas.LatentDirichletAllocation):
            with self.assertRaisesRegex(gas.InputError, "X: found 8589934593 columns"):
                make().fit(wide, [0, 1])

    def test_weights(self):
        model = gas.LogisticRegression().fit(GOOD, LABELS)
        for weights, pattern in (([1, 2], "one number for each"), (np.zeros(30), "0 as every weight"),
                                 (np.full(30, 1e308), "sum")):
            with self.assertRaisesRegex(gas.InputError, "sample_weight: .*" + pattern):
                model.score(GOOD, LABELS, sample_weight=weights)
        with self.assertRaisesRegex(gas.UsageError, "class_weight"):
            gas.LogisticRegression(class_weight={0: 1e308, 1: 1e308}).fit(GOOD, LABELS)
        for classes in ({0: 1, 2: 1}, {2: 1}):  # a name that is none, where not all are named
            with self.assertRaisesRegex(gas.UsageError, "class_weight: found the class 2"):
                gas.LogisticRegression(class_weight=classes).fit(GOOD, LABELS)
        with self.assertRaisesRegex(gas.UsageError, "heldout: found 'x'"):
            gas.LogisticRegression(heldout="x").fit(GOOD, LABELS)
        for class_weight in (None, "balanced"):
            with self.assertRaisesRegex(gas.UsageError, "C: found 1e[+]308"):
                gas.LogisticRegression(C=1e308, class_weight=class_weight).fit(GOOD, LABELS)
        with self.assertRaisesRegex(gas.InputError, "heldout leaves out all examples"):
            gas.LogisticRegression(C=[1, 2], heldout=0.999, random_state=0).fit(GOOD, LABELS)
        with self.assertRaisesRegex(gas.UsageError, "levels=2: found n_init=3"):
            gas.KMeans(2, levels=2, n_init=3).fit(GOOD)
        for prior in (1e39, 1e-46):
            for name in ("doc_topic_prior", "topic_word_prior"):
                with self.assertRaisesRegex(gas.UsageError, "1e-30 to 1e28"):
                    gas.LatentDirichletAllocation(2, **{name: prior}).fit(np.ones((3, 3)))

    def test_ragged_arrays_and_numbers_beyond_floats(self):
        ragged = [[1, 2], [3]]
        for call, name in (
            (lambda: gas.KMeans(1).fit(ragged), "X"),
            (lambda: gas.Graph(ragged), "edges"),
            (lambda: gas.LogisticRegression().fit(GOOD, ragged), "y"),
            (lambda: gas.KMeans(1).fit([[10**400, 1], [2, 3]]), "X"),
            (lambda: gas.silhouette_score(GOOD, None), "labels"),
        ):
            with self.assertRaisesRegex(gas.InputError, f"^{name}: "):
                call()

    def test_inverse_transform_of_wrong_rows(self):
        model = gas.ALS(2, random_state=1, max_iter=3).fit(GOOD)
        for rows, pattern in (
            ([[1, 2, 3]], "found 3 columns, expected 2"),
            ([1, 2], "1D array"),
            ([[1, np.nan]], "NaN"),
            ([["a", "b"]], "expected numbers"),
        ):
            with self.assertRaisesRegex(gas.InputError, pattern):
                model.inverse_transform(rows)
        with self.assertRaisesRegex(TypeError, "sparse"):
            model.inverse_transform(scipy.sparse.csr_matrix((1, 2)))

    def test_held_out_documents_before_anything_is_fitted(self):
        for held_out, pattern in (
            (GOOD[:, :2], "has 2 features"),
            (GOOD - 1, "Negative"),
            (GOOD / 2, "found 1.5 in column 2 of row 0"),
        ):
            # With so many rounds a fit would not end.
            with self.assertRaisesRegex(gas.InputError, "heldout: .*" + pattern):
                gas.choose_topics(GOOD, [2, 3], heldout=held_out, max_iter=10**9, turns=10**6)

    def test_labels_of_clusters_and_of_classes(self):
        with self.assertRaisesRegex(gas.InputError, "labels: found a label that is NaN"):
            gas.silhouette_score(GOOD, np.where(LABELS == 0, np.nan, 1.0))
        for classes in ([0, 1, np.nan], [0, None]):
            with self.assertRaisesRegex(gas.InputError, "classes: "):
                gas.OnlineLogisticRegression().partial_fit(GOOD, LABELS, classes=classes)

    @unittest.skipIf(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") > 100e9, "has room")
    def test_an_id_that_makes_more_vertices_than_memory_holds(self):
        with self.assertRaisesRegex(gas.InputError, "found ids of 4294967294 vertices, which take"):
            gas.components((np.array([0, 2**32 - 3]), np.array([1, 2])))

    def test_ids_that_are_objects(self):
        for dtype in ("Int64", object):
            table = pandas.DataFrame({"a": [0, 1, 5], "b": [1, 2, 6]}, dtype=dtype)
            self.assertEqual(gas.components(table).labels.tolist(), [0, 0, 0, 3, 4, 5, 5])
        table = pandas.DataFrame({"a": [0, None], "b": [1, 2]}, dtype="Int64")
        with self.assertRaisesRegex(gas.InputError, "missing id"):
            gas.components(table)
        with self.assertRaisesRegex(gas.InputError, str(2**70)):
            gas.components(([0], [2**70]))

    def test_mini_batches_that_fail_leave_what_is_fitted(self):
        model = gas.MiniBatchKMeans(2, random_state=1, batch_size=7)
        for call in (model.fit, model.partial_fit):
            with self.assertRaises(gas.InputError):
                call(with_value(np.nan))
            with self.assertRaisesRegex(ValueError, "not fitted"):
                model.predict(GOOD)
        expected = model.fit(GOOD).cluster_centers_
        with self.assertRaises(gas.InputError):
            model.fit(with_value(np.nan))
        self.assertIs(model.cluster_centers_, expected)
        self.assertEqual(len(model.predict(GOOD)), 30)

    def test_features_must_be_those_of_fit(self):
        for make in MAKERS.values():
            fitted = make().fit(GOOD, LABELS)
            use = fitted.predict if hasattr(fitted, "predict") else fitted.transform
            with self.assertRaisesRegex(gas.InputError, "has 3 features, but .* is expecting 4"):
                use(GOOD[:, :3])
            with self.assertRaisesRegex(ValueError, "not fitted"):
                fresh = make()
                (fresh.predict if hasattr(fresh, "predict") else fresh.transform)(GOOD)


class Parameters(unittest.TestCase):
    def test_values_out_of_range(self):
        bad = {
            "KMeans": {
                "n_clusters": [0, -1, 2.5, "3", None, True, 31, 2**40],
                "init": ["kmeans", GOOD[:3], GOOD[:2, :3], np.full((2, 4), np.nan), 7, None],
                "n_init": [0, "many", 1.5, None],
                "max_iter": [0, -1, 1.5, None],
                "tol": [-1, np.nan, np.inf, "0", None],
                "levels": [0, 3, "2", None], "full_rounds": [-1, 1, None],
                "random_state": [-1, 1.5, "1", 2**64],
                "n_jobs": [0, 1.5, "2", 10**6],
                "comm": [1, "world", object()],
            },
            "MiniBatchKMeans": {
                "n_clusters": [0, 2.5, 31], "init": ["kmeans", GOOD[:3], 7], "max_iter": [0, None],
                "batch_size": [0, 1.5, None], "max_no_improvement": [0, "1", 2.5],
                "random_state": [-1, "1"], "n_jobs": [0], "comm": [1],
            },
            "LogisticRegression": {
                "penalty": ["l3", None, 1], "C": [0, -1, np.nan, "1", None, [], [1, 1], [1, 0], ["1"]],
                "tol": [-1, np.nan], "solver": ["lbfgs", None], "max_iter": [0, None],
                "fit_intercept": ["yes", None, 1], "random_state": [-1],
                "multi_class": ["auto", None],
            },
            "ALS": {
                "n_components": [0, -1, 1.5, None, 10**9], "regularization": [0, -1, np.nan, None],
                "weighted": ["yes", None], "alpha": [-1, np.nan, "1"], "tol": [-1], "max_iter": [0],
            },
            "LatentDirichletAllocation": {
                "n_components": [0, 65536, None], "doc_topic_prior": [0, -1, np.inf, "a"],
                "topic_word_prior": [0, np.nan], "sampler": ["fast", None], "tol": [-1],
                "fractions": ["drop", True], "max_iter": [0],
            },
        }
        for name, parameters in bad.items():
            for parameter, values in parameters.items():
                for value in values:
                    with self.subTest(estimator=name, parameter=parameter, value=value):
                        model = MAKERS[name]().set_params(**{parameter: value})
                        with self.assertRaises((gas.UsageError, gas.InputError)):
                            model.fit(GOOD, LABELS)
        with self.assertRaisesRegex(gas.UsageError, "solver='dual' needs penalty='l2'"):
            gas.LogisticRegression("l1", solver="dual").fit(GOOD, LABELS)
        for heldout in (0, 1, -1, "half"):
            with self.assertRaisesRegex(gas.UsageError, "heldout: found"):
                gas.LogisticRegression(C=[1, 2], heldout=heldout).fit(GOOD, LABELS)
        with self.assertRaisesRegex(gas.UsageError, "C: found several costs, expected one with"):
            gas.LogisticRegression(C=[1, 2], multi_class="multinomial").fit(GOOD, LABELS)
        with self.assertRaisesRegex(gas.UsageError, "expected a single one, as there are 3 classes"):
            gas.LogisticRegression(C=[1, 2]).fit(GOOD, np.arange(len(GOOD)) % 3)
        with self.assertRaisesRegex(gas.UsageError, "multi_class='multinomial' is for penalty='l2'"):
            gas.LogisticRegression("l1", multi_class="multinomial").fit(GOOD, LABELS)

    def test_numbers_of_topics(self):
        for numbers in ([2.7], ["a"], [0], [True], 65536, []):
            with self.assertRaisesRegex(gas.UsageError, "n_components: "):
                gas.choose_topics(GOOD, numbers, max_iter=2)
        with self.assertRaisesRegex(gas.UsageError, "heldout: found 0.2, expected documents"):
            gas.choose_topics(GOOD, [2], heldout=0.2, max_iter=2)

    def test_numbers_that_floats_blur(self):
        far = GOOD + 1e8 * (np.arange(GOOD.shape[1]) == 1)
        for X in (far, scipy.sparse.csr_matrix(far)):
            with self.assertWarnsRegex(UserWarning, "X: the values of column 1, .*subtract an offset"):
                gas.LogisticRegression().fit(X, LABELS)
        for X in (GOOD, GOOD * 1e8, far.astype(np.float32), np.round(GOOD) + 1000):
            with warnings.catch_warnings():
                warnings.filterwarnings("error", "X: the values")
                gas.LogisticRegression(max_iter=50).fit(X, LABELS)

    def test_weights_of_nothing(self):
        for make in (gas.KMeans, gas.MiniBatchKMeans):
            with self.assertRaisesRegex(gas.InputError, "0 as every weight"):
                make(2).fit(GOOD, sample_weight=np.zeros(len(GOOD)))

    def test_numbers_of_numpy_are_numbers(self):
        gas.KMeans(np.int32(2), max_iter=np.int64(3), tol=np.float32(0)).fit(GOOD)
        gas.LogisticRegression(C=np.float32(1), fit_intercept=np.bool_(True)).fit(GOOD, LABELS)

    def test_random_states(self):
        for state in (None, 0, np.int64(3), np.random.RandomState(1), np.random.default_rng(1)):
            gas.KMeans(2, random_state=state).fit(GOOD)
        one, other = (gas.KMeans(3, random_state=np.random.RandomState(4)).fit(GOOD) for _ in "ab")
        np.testing.assert_array_equal(one.labels_, other.labels_)


class Graphs(unittest.TestCase):
    def refused(self, edges, pattern, **options):
        with self.subTest(edges=edges, **options):
            with self.assertRaisesRegex(ValueError, pattern):
                gas.Graph(edges, **options)

    def test_edges(self):
        self.refused(([0, 1], [1]), "found 2 sources and 1 targets")
        self.refused(([0, -1], [1, 1]), "^edge 1: found -1, expected an id")
        self.refused(gas.Graph([[0, 1]]), "found an object of type Graph")
        self.refused(([0, 2**40], [1, 1]), "found 1099511627776, expected an id")
        self.refused((np.array([2**63], np.uint64), np.array([1], np.uint64)), "expected an id")
        self.refused((np.array([2**63], np.uint64), np.array([1], np.int64)), "expected ids below")
        self.refused(([0.5], [1.0]), "found ids of type float64")
        self.refused((["a"], ["b"]), "could not convert")
        self.refused(([[0]], [[1]]), "found ids of shape")
        self.refused(np.zeros((3, 3), int), "found edges of shape")
        self.refused(np.zeros(4, int), "found edges of shape")
        self.refused(([True], [False]), "found ids of type bool")
        self.refused([np.array([0, 1]), np.array([2, 3])], "found a list of arrays")
        self.refused([pandas.Series([0, 1]), pandas.Series([2, 3])], "found a list of arrays")
        self.refused([[0, 1]], "vertex 1, expected ids below 1", n_vertices=1)
        self.refused([[0, 1]], "expected none, as there are 0 vertices", n_vertices=0)
        self.refused([[0, 1]], "n_vertices", n_vertices=-1)
        self.refused([[0, 1]], "n_vertices", n_vertices=2**32)
        self.refused([[0, 1]], "weights: found shape", weights=[1.0, 2.0])
        self.refused([[0, 1]], "found nan|found NaN", weights=[np.nan])
        self.refused([[0, 1]], "directed", directed="no")
        self.refused(scipy.sparse.csr_matrix((2, 3)), "expected a square one")
        eye = scipy.sparse.eye(2, format="csr")
        self.refused(eye, "together with a sparse matrix", weights=[1.0, 1.0])
        self.refused(eye, "n_vertices: found 3", n_vertices=3)
        for parts in (
            {"indices": np.array([0, 5])}, {"indices": np.array([0, -5])},
            {"indptr": np.array([0, 2, 1])}, {"indptr": np.array([0, 9, 2])},
            {"indptr": np.array([0, 1])}, {"indptr": np.array([], int)},
            {"indptr": np.array([1, 1, 2])},
            {"indptr": np.array([0, 1, 9])}, {"data": np.array([1.0])},
        ):
            A = scipy.sparse.eye(2, format="csr")
            for name, array in parts.items():
                setattr(A, name, array)
            self.refused(A, ".")
            with self.assertRaises(gas.InputError):
                gas.partition(A, 2)

    def test_functions(self):
        graph = gas.Graph([[0, 1], [1, 2]], weights=[-1.0, 2.0])
        for call, pattern in (
            (lambda: gas.shortest_paths(graph, 0), "length|negative|least 0"),
            (lambda: gas.page_rank(graph), "negative|least 0"),
            (lambda: gas.shortest_paths(graph, 3), "found vertex 3 to start from"),
            (lambda: gas.breadth_first_search(graph, 3), "found vertex 3 to start from"),
            (lambda: gas.breadth_first_search(graph, -1), "source: found -1"),
            (lambda: gas.breadth_first_search(graph, 0.5), "source: found 0.5"),
            (lambda: gas.page_rank(graph, damping=2), "damping|0 to 1"),
            (lambda: gas.page_rank(graph, damping=np.nan), "damping"),
            (lambda: gas.page_rank(graph, tol=-1), "tol"),
            (lambda: gas.page_rank(graph, max_iter=0), "max_iter"),
            (lambda: gas.harmonic_centrality(graph, registers=8), "registers"),
            (lambda: gas.harmonic_centrality(graph, registers=100), "power of two"),
            (lambda: gas.page_rank(graph, dangling="drop"), "dangling"),
            (lambda: gas.page_rank(graph, personalization=[1, 2]), "personalization"),
            (lambda: gas.page_rank(graph, personalization=[0, 0, 0]), "sum above 0"),
            (lambda: gas.page_rank(graph, personalization=[1, -1, 1]), "at least 0"),
            (lambda: gas.page_rank(graph, personalization=[np.nan, 1, 1]), "at least 0"),
            (lambda: gas.page_rank(graph, personalization=[np.inf, 1, 1]), "found .*infinity"),
            (lambda: gas.page_rank(graph, personalization={0: 1}), "found an object of type dict"),
            (lambda: gas.partition(gas.Graph([[0, 1]]), 2), "found an object of type Graph"),
            (lambda: gas.label_propagation(graph, max_iter=0), "max_iter"),
            (lambda: gas.components(graph, n_jobs=0), "n_jobs"),
            (lambda: gas.partition([[0, 1]], 0), "n_parts"),
            (lambda: gas.partition(np.array([[0, 2**64 - 1]], np.uint64), 2), "found the id"),
            (lambda: gas.partition([[0, 1]], 2, method="metos"), "metis"),
            (lambda: gas.partition([[0, 1]], 2, imbalance=-1), "imbalance"),
            (lambda: gas.partition([[0, 9]], 2, n_vertices=3), "."),
            (lambda: gas.partition([[0, -9]], 2), "."),
        ):
            with self.subTest(pattern=pattern):
                with self.assertRaisesRegex(ValueError, pattern):
                    call()


class Module(unittest.TestCase):
    """The C++ module itself refuses arrays that it cannot read where they lie."""

    def test_other_arrays_are_type_errors(self):
        from gas import _gas

        session = _gas.Session(None, 1)
        centroids = np.zeros((2, 4))
        for points in (GOOD.T[:2], GOOD.astype(int), GOOD.astype(">f8"), [[1.0]], None, "x"):
            with self.assertRaises(TypeError):
                _gas.k_means_predict(session, points, centroids, False)
        for points in (GOOD[0], GOOD[:, 0].copy(), np.zeros(()), np.zeros((3, 3, 4))):
            with self.assertRaises((ValueError, RuntimeError)):
                _gas.k_means_predict(session, points, centroids, False)
        session.close()
        with self.assertRaisesRegex(gas.UsageError, "closed"):
            _gas.k_means_predict(session, GOOD, centroids, False)

    def test_errors_are_those_of_the_package(self):
        self.assertTrue(issubclass(gas.InputError, ValueError))
        self.assertTrue(issubclass(gas.UsageError, ValueError))
        self.assertTrue(issubclass(gas.RunError, RuntimeError))
        self.assertEqual(gas.InputError.__module__, "gas")


if __name__ == "__main__":
    unittest.main()
