from __future__ import annotations

import copy
from typing import Any

import numpy as np

from . import _gas
from ._gas import InputError, UsageError
from ._input import (
    Array, CompressedRows, check_floats, classes_of, compressed, feature_names, is_sparse, labels_like,
    summed,
)
from ._linear_classifier import LinearClassifier
from ._parameters import flag, real, whole
from ._ranks import interrupts_wait


class OnlineLogisticRegression(LinearClassifier):
    """Logistic regression by one pass over the rows, each learnt once, in their order, and not kept:
    what gas-logreg --online does, with the same weights for the same rows.

    Steps are adaptive, normalised by the largest value of each column so far, and never overshoot,
    so that there is nothing to scale before. There is no penalty. Rows may come in pieces, by
    partial_fit. Of more than two classes each is held against all others.

    Parameters
    ----------
    rate : float, default=1.2
        What the steps are scaled by.
    fit_intercept : bool, default=True
        Every row has a feature of 1 besides.
    hash_bits : int or None, default=None
        From 1 to 30: columns are hashed into 2**hash_bits weights, as by gas-logreg --hash (with
        --index-base 0), so that memory does not grow with the number of columns. None: each column
        has a weight of its own.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, ascending.
    coef_ : float64 array of shape (1, n_features) or (n_classes, n_features)
        Weights; of two classes those for the larger. With hash_bits 2**hash_bits columns.
    intercept_ : float64 array of shape (1,) or (n_classes,)
    progressive_loss_ : float64 array of shape (1,) or (n_classes,)
        Mean over all rows so far of log(1 + exp(−y w·x)) by the weights before the row was learnt:
        an honest estimate of the loss on rows not seen. If the row has the largest value of a
        column so far, the weight is first multiplied by the largest before and divided by this one.
    n_samples_seen_ : int
        Rows learnt since fit, or since the first partial_fit.
    n_features_in_ : int
        Columns of the rows.
    feature_names_in_ : array of str of shape (n_features_in_,)
        Their names, where all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> import gas
    >>> model = gas.OnlineLogisticRegression()
    >>> random = np.random.default_rng(1)
    >>> for piece in range(5):
    ...     X = random.normal(size=(100, 3))
    ...     model = model.partial_fit(X, X[:, 0] > 0, classes=[False, True])
    >>> model.n_samples_seen_
    500
    >>> model.predict([[2, 0, 0], [-2, 0, 0]]).tolist()
    [True, False]
    >>> bool(model.progressive_loss_[0] < np.log(2))  # better than chance
    True
    """

    def __init__(
        self, rate: float = 1.2, *, fit_intercept: bool = True, hash_bits: int | None = None
    ):
        self.rate = rate
        self.fit_intercept = fit_intercept
        self.hash_bits = hash_bits

    def _own_tags(self) -> dict[str, Any]:
        return {"requires_y": True}

    def __copy__(self) -> OnlineLogisticRegression:
        return copy.deepcopy(self)  # the learners learn in place

    def fit(self, X: Any, y: Any) -> OnlineLogisticRegression:
        """Forgets what was learnt, and learns from the rows of X, dense or sparse, and their labels
        y; values are taken as float32."""
        self._check_parameters()
        rows = summed(compressed(X))
        labels = classes_of(y, rows.shape[0])
        with self._all_or_nothing():
            self._begin(X, rows.shape[1], np.unique(labels))
            return self._learn(rows, labels)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> OnlineLogisticRegression:
        """Goes on learning with these rows. The first call says which `classes` there are, unless y
        has them all; other parameters than at that call have no effect until fit. Ctrl-C waits
        until the rows are learnt, and counted."""
        self._check_parameters()
        first = not hasattr(self, "_learners")
        if not first:
            self._check_names(X)
        rows = summed(compressed(X))
        labels = classes_of(y, rows.shape[0])
        said = None
        if classes is not None:
            said = np.unique(classes_of(classes, np.size(classes), "classes"))
        with interrupts_wait(), self._all_or_nothing():
            if first:
                self._begin(X, rows.shape[1], np.unique(labels) if said is None else said)
            elif said is not None and not np.array_equal(said, self.classes_):
                raise UsageError(
                    f"classes: found {said.tolist()!r}, expected {self.classes_.tolist()!r}, as in "
                    "the first call"
                )
            self._check_count(rows.shape[1])
            return self._learn(rows, labels)

    # From what is learnt when they are asked for, as partial_fit may be called for every row.
    @property
    def coef_(self) -> Array:  # type: ignore[override]
        return np.array([learner.weights() for learner in self._learned()])

    @property
    def intercept_(self) -> Array:  # type: ignore[override]
        return np.array([learner.intercept for learner in self._learned()])

    def _learned(self) -> list[_gas.OnlineLearner]:
        if not hasattr(self, "_learners"):
            raise AttributeError("OnlineLogisticRegression has no weights yet: call fit or partial_fit first")
        return self._learners

    def _check_parameters(self) -> None:
        real("rate", self.rate, 0, above=True)
        flag("fit_intercept", self.fit_intercept)
        if self.hash_bits is not None and whole("hash_bits", self.hash_bits, 1) > 30:
            raise UsageError(f"hash_bits: found {self.hash_bits!r}, expected at most 30")

    def _begin(self, X: Any, width: int, classes: Array) -> None:
        if len(classes) < 2:
            raise InputError(
                f"y: found {len(classes)} class, expected at least 2"
                + (f": all labels are {classes[0]!r}" if len(classes) else "")
            )
        self.classes_ = classes
        self._bits = self.hash_bits
        columns = width if self._bits is None else 2**self._bits
        self._learners = [
            _gas.OnlineLearner(rate=float(self.rate), bias=bool(self.fit_intercept), columns=columns)
            for _ in range(1 if len(classes) == 2 else len(classes))
        ]
        self._take_features(feature_names(X), width)

    def _learn(self, rows: CompressedRows, labels: Array) -> OnlineLogisticRegression:
        labels = labels_like(labels, len(labels), self.classes_)
        strange = np.setdiff1d(labels, self.classes_)
        if strange.size:
            raise InputError(
                f"y: found the label {strange[0]!r}, expected one of {self.classes_.tolist()!r}: "
                "the first call of partial_fit may name more (classes)"
            )
        with np.errstate(over="ignore"):
            values = rows.values.astype(np.float32)
        if not np.all(np.isfinite(values)):
            check_floats(rows, "X")
        offsets = rows.offsets.astype(np.int64)
        columns = self._placed(rows.columns)
        for place, learner in enumerate(self._learners, start=len(self.classes_) == 2):
            # A slice: of a single string numpy drops the zeros at its end.
            signs = np.where(labels == self.classes_[place : place + 1], 1.0, -1.0)
            learner.learn(signs, offsets, columns, values)
        seen = self._learners[0].examples
        self.n_samples_seen_ = int(seen)
        self.progressive_loss_ = np.array([each.loss / seen for each in self._learners])
        return self

    def _placed(self, columns: Array) -> Array:
        """The weights that columns belong to."""
        if self._bits is None:
            return columns.astype(np.uint32)
        return _gas.hashed_columns(columns.astype(np.int64), self._bits)

    def _times_weights(self, given: Any) -> Array:
        if not is_sparse(given):
            placed = self._placed(np.arange(given.shape[1]))
            return np.asarray(given @ np.array([each.weights_of(placed) for each in self._learners]).T)
        count = int(given.indptr[-1])  # there may be room behind
        columns, values = given.indices[:count], given.data[:count]
        placed = self._placed(columns)
        products = [
            type(given)((values * each.weights_of(placed), columns, given.indptr), given.shape)
            for each in self._learners
        ]
        return np.column_stack([np.asarray(each.sum(axis=1)).ravel() for each in products])
