"""What classifiers by weights of columns have in common once they are fitted."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._estimator import Estimator
from ._gas import InputError
from ._input import Array, check_dense, compressed, dense, is_sparse, labels_like, to_csr, weights_of


class LinearClassifier(Estimator):
    """coef_ has a row of weights for the larger of two classes, or one for each class."""

    _estimator_type = "classifier"

    classes_: Array
    coef_: Array
    intercept_: Array

    _by_softmax = False

    def _times_weights(self, given: Any) -> Array:
        """Rows times weights, without the intercept."""
        return np.asarray(given @ self.coef_.T)

    def decision_function(self, X: Any) -> Array:
        """w·x of each row of X: one number for the larger of two classes, else one for each. Softmax
        of two classes: that of the larger less that of the other."""
        return self._decide(X, rows_elsewhere=getattr(self, "comm", None) is not None)

    def _decide(self, X: Any, *, rows_elsewhere: bool = False) -> Array:
        self._check_fitted()
        self._check_names(X)
        if is_sparse(X):
            compressed(X, rows_elsewhere=rows_elsewhere)
            given = to_csr(X)
        else:
            given = dense(X, rows_elsewhere=rows_elsewhere)
            check_dense(given, "X")
        self._check_count(given.shape[1])
        decided = self._times_weights(given) + self.intercept_
        if len(self.classes_) > 2:
            return decided
        return decided[:, -1] - (decided[:, 0] if decided.shape[1] > 1 else 0)

    def predict(self, X: Any) -> Array:
        """The likeliest label of each row of X."""
        decided = self.decision_function(X)
        which = decided > 0 if decided.ndim == 1 else decided.argmax(axis=1)
        labels: Array = self.classes_[which.astype(np.intp)]
        return labels

    def predict_proba(self, X: Any) -> Array:
        """The probability of each class, of each row of X."""
        decided = self.decision_function(X)
        likely = np.exp(-np.logaddexp(0, -decided))
        if likely.ndim == 1:
            return np.stack([np.exp(-np.logaddexp(0, decided)), likely], axis=1)
        if self._by_softmax:
            likely = np.exp(decided - decided.max(axis=1, keepdims=True))
        total = likely.sum(axis=1, keepdims=True)
        return np.where(total > 0, likely / np.where(total > 0, total, 1), 1 / likely.shape[1])

    def predict_log_proba(self, X: Any) -> Array:
        """The logarithm of predict_proba."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The share of the rows of X, or of their weight, whose likeliest label is that in y. With
        `comm`: of this rank's rows alone."""
        predicted = self.predict(X)
        right = predicted == labels_like(y, len(predicted), self.classes_)
        weights = weights_of(sample_weight, len(right))
        if weights is not None and not weights.any():
            raise InputError("sample_weight: found 0 as every weight, expected at least one above 0")
        return float(np.average(right, weights=weights))
