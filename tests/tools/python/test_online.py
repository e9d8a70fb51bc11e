"""OnlineLogisticRegression of inputs and settings at the edge."""

import threading
import unittest

import numpy as np
import scipy.sparse

import gas


class Online(unittest.TestCase):
    def test_room_behind_the_entries_of_a_sparse_matrix(self):
        X = scipy.sparse.random(30, 4, 0.5, "csr", random_state=1)
        model = gas.OnlineLogisticRegression().fit(X, np.arange(30) % 2)
        expected = model.decision_function(X)
        for spare in (2**31 - 1, -1):
            X.indices = np.append(X.indices, np.int32(spare))
            X.data = np.append(X.data, 1.0)
            np.testing.assert_array_equal(model.decision_function(X), expected)

    def test_labels_that_differ_by_a_zero_at_their_end(self):
        X = np.random.default_rng(5).normal(size=(60, 3))
        larger = X[:, 0] > 0
        y = np.array(["a", "a\0"], object)[larger.astype(int)]
        model = gas.OnlineLogisticRegression().fit(X, y)
        same = gas.OnlineLogisticRegression().fit(X, larger)
        np.testing.assert_array_equal(model.coef_, same.coef_)

    def test_any_rate_gives_numbers(self):
        X = np.random.default_rng(0).normal(size=(40, 2)) + np.repeat([0, 10], 20)[:, None]
        for rate in (1e-300, 1e100, 1e200, 1.7e308):
            model = gas.OnlineLogisticRegression(rate=rate).fit(X, np.repeat([0, 1], 20))
            self.assertTrue(np.isfinite(model.coef_).all() and np.isfinite(model.progressive_loss_[0]))

    def test_rows_of_another_thread_are_refused_meanwhile(self):
        X = np.random.default_rng(0).normal(size=(20000, 50))
        y = X[:, 0] > 0
        model = gas.OnlineLogisticRegression().partial_fit(X, y)
        learnt, refused = [1], []

        def learn():
            for _ in range(10):
                try:
                    model.partial_fit(X, y)
                    learnt.append(1)
                except gas.RunError as error:
                    refused.append(str(error))

        threads = [threading.Thread(target=learn) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(learnt) + len(refused), 31)
        self.assertEqual(model.n_samples_seen_, 20000 * len(learnt))
        self.assertLessEqual(set(refused), {"another thread is learning by this estimator"})


if __name__ == "__main__":
    unittest.main()
