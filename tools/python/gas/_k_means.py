from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from . import _gas
from ._estimator import Transformer, warn_not_converged
from ._gas import InputError, UsageError
from ._input import Array, SparseRows, as_c, as_numbers, given, of_one_type, points_of, weights_of
from ._parameters import choice, real, told, whole
from ._ranks import Ranks

MOST_CLUSTERS = 2**31 - 1
INITS = ("k-means++", "k-means||", "random")


class KMeans(Transformer):
    """Clusters points by Lloyd's k-means: the least sum of squared distances to k centroids.

    The result is the same for any number of threads, and of ranks, bit for bit.

    Parameters
    ----------
    n_clusters : int, default=8
        How many centroids.
    init : {'k-means++', 'k-means||', 'random'}, array of shape (n_clusters, n_features) or callable
        Where centroids start: at points drawn by greedy k-means++; by k-means||, which is faster
        for many clusters; at points that are all equally likely; there, or where
        init(X, n_clusters, random_state) says (of several ranks the first's).
    n_init : 'auto' or int, default='auto'
        How many starts to try; the one with the least inertia is kept. 'auto': 10 for 'random' and
        callables, else 1. The first is drawn with the seed random_state.
    max_iter : int, default=300
        Most rounds of one start.
    tol : float, default=1e-4
        The rounds end when one lowers the inertia by at most this share of it; 0: when no point
        moves.
    metric : {'euclidean', 'cosine'}, default='euclidean'
        'cosine': points count by their direction alone, and centroids have length 1 (spherical
        k-means). Distances are then 1 − cosine.
    levels : {1, 2}, default=1
        2, for thousands of clusters: √n_clusters are found first, and each is split into its share.
        Of dense points; with one start, that is drawn (n_init 'auto' is 1).
    full_rounds : int, default=0
        Rounds of all centroids in the end, at most, with levels=2.
    random_state : int, RandomState or None
        A whole number is the seed, as that of gas-kmeans --seed.
    n_jobs : int or None
        Threads; None and -1: all cores.
    comm : communicator of mpi4py or None
        The ranks that share the points: each calls fit, predict, … with rows of its own, and gets
        the results of these rows. Centroids, inertia and score are of all.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, n_features)
        In float32 where the points are, else in float64.
    labels_ : int32 array of shape (n_samples,)
        The row of the nearest centroid.
    inertia_ : float
        Sum of squared distances of points to their nearest centroids, or of 1 − cosine, times the
        weights.
    n_iter_ : int
        Rounds of the start that is kept.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str of shape (n_features_in_,)
        Their names, where all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> import gas
    >>> points = np.array([[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]], dtype=np.float32)
    >>> model = gas.KMeans(n_clusters=2, random_state=1).fit(points)
    >>> sorted(model.cluster_centers_.tolist())
    [[1.0, 2.0], [10.0, 2.0]]
    >>> model.inertia_
    16.0
    >>> bool(model.predict([[0, 0]])[0] == model.labels_[0])
    True
    """

    _estimator_type = "clusterer"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        n_init: Any = "auto",
        max_iter: int = 300,
        tol: float = 1e-4,
        metric: str = "euclidean",
        levels: int = 1,
        full_rounds: int = 0,
        random_state: Any = None,
        n_jobs: int | None = None,
        comm: Any = None,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.metric = metric
        self.levels = levels
        self.full_rounds = full_rounds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.comm = comm

    def _own_tags(self) -> dict[str, Any]:
        failing = {
            "check_sample_weights_invariance": "starts are drawn by row: rows without weight count "
            "there"
        }
        if self.metric == "cosine":
            reason = "rows of zeros have no direction"
            failing |= {"check_estimators_dtypes": reason, "check_estimator_sparse_data": reason}
        return {"_xfail_checks": failing}

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> KMeans:
        """Finds centroids of the rows of X. float32 and float64 in C order are not copied, nor are
        compressed rows of these (CSR, as of scipy.sparse), whose zeros are never stored.
        sample_weight: what each row counts, 0 or at least 2**-40 of the sum; of several ranks all
        give it, or none."""
        ranks = self._ranks()
        points = of_one_type(ranks.together(lambda: self._points_to_fit(X, ranks)), ranks)
        names = self._names_of(X, ranks)
        weights = ranks.together(lambda: weights_of(sample_weight, len(points)))
        seed = ranks.seed(self.random_state)
        best: dict[str, Any] | None = None
        drawn = isinstance(self.init, str)  # then one call draws all starts
        for attempt in range(1 if drawn else self._attempts()):
            start = ranks.first(ranks.together(lambda: self._start(X, points, seed + attempt, ranks)))
            with ranks.session(self.n_jobs) as session:
                found = _gas.k_means(
                    session,
                    given(points),
                    self.n_clusters,
                    init=self.init if drawn else "",
                    cosine=self.metric == "cosine",
                    weights=weights,
                    restarts=self._attempts() if drawn else 1,
                    start=start,
                    tolerance=float(self.tol),
                    iterations=self.max_iter,
                    seed=(seed + attempt) % 2**64,
                    levels=self.levels,
                    full_rounds=self.full_rounds,
                )
            if best is None or found["objective"] < best["objective"]:
                best = found
        assert best is not None
        self._metric = self.metric
        self.cluster_centers_: Array = best["centroids"]
        if not best["wide"]:
            self.cluster_centers_ = self.cluster_centers_.astype(np.float32)
        self.labels_: Array = best["labels"]
        self.inertia_ = best["objective"]
        self.n_iter_ = best["rounds"]
        self._take_features(names, points.shape[1])
        if best["empty"]:
            warn_not_converged(f"{best['empty']} of {self.n_clusters} centroids have no points")
        return self

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Array:
        """fit(X, sample_weight=sample_weight).labels_"""
        return self.fit(X, sample_weight=sample_weight).labels_

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """fit(X, sample_weight=sample_weight).transform(X)"""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def predict(self, X: Any) -> Array:
        """The row of the nearest centroid, of each row of X."""
        labels: Array = self._call(_gas.k_means_predict, self._points_to_use(X))
        return labels

    def transform(self, X: Any) -> Any:
        """The distances of each row of X to all centroids; by metric='cosine' 1 − cosine."""
        points = self._points_to_use(X)
        distances: Array = self._call(_gas.k_means_transform, points)
        return self._given_out(X, distances.astype(points.dtype, copy=False))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Minus what the inertia of the rows of X is with these centroids."""
        points = self._points_to_use(X)
        weights = Ranks(self.comm).together(lambda: weights_of(sample_weight, len(points)))
        return float(self._call(_gas.k_means_score, points, weights))

    @property
    def _width(self) -> int:
        return len(self.cluster_centers_)

    def _attempts(self) -> int:
        if self.n_init != "auto":
            return int(self.n_init)
        drawn = isinstance(self.init, str) and self.init == "random"
        return 10 if self.levels == 1 and (drawn or callable(self.init)) else 1

    def _check_parameters(self) -> None:
        whole("n_clusters", self.n_clusters, 1, MOST_CLUSTERS)
        whole("max_iter", self.max_iter, 1)
        real("tol", self.tol, 0)
        choice("metric", self.metric, ("euclidean", "cosine"))
        whole("levels", self.levels, 1, 2)
        whole("full_rounds", self.full_rounds, 0)
        if not (isinstance(self.n_init, str) and self.n_init == "auto"):
            whole("n_init", self.n_init, 1)
        if isinstance(self.init, str):
            choice("init", self.init, INITS)

    def _points_to_fit(self, X: Any, ranks: Ranks) -> Array | SparseRows:
        self._check_parameters()
        points = points_of(X, rows_elsewhere=not ranks.alone)
        if ranks.alone and len(points) < self.n_clusters:
            raise InputError(
                f"X: n_samples={len(points)} should be >= n_clusters={self.n_clusters}."
            )
        if self.levels == 2 and isinstance(points, SparseRows):
            raise UsageError("levels=2: found a sparse matrix, expected a dense array")
        if self.levels == 2 and (self._attempts() > 1 or not isinstance(self.init, str)):
            raise UsageError(
                f"levels=2: found n_init={self.n_init!r} and init={told(self.init)}, expected one "
                "start, that is drawn"
            )
        return points

    def _start(
        self, X: Any, points: Array | SparseRows, seed: int, ranks: Ranks
    ) -> Array | None:
        if isinstance(self.init, str) or not ranks.leads:
            return None
        start = self.init
        if callable(start):
            X = X if isinstance(points, SparseRows) else points
            start = start(X, self.n_clusters, np.random.RandomState(seed % 2**32))
        start = as_numbers(start, "init").astype(np.float64)
        if start.shape != (self.n_clusters, points.shape[1]):
            raise UsageError(
                f"init: found an array of shape {start.shape}, expected one of shape "
                f"{(self.n_clusters, points.shape[1])}"
            )
        return as_c(start)

    def _points_to_use(self, X: Any) -> Array | SparseRows:
        ranks = Ranks(self.comm)

        def check() -> Array | SparseRows:
            self._check_fitted()
            self._check_names(X)
            points = points_of(X, rows_elsewhere=not ranks.alone)
            self._check_count(points.shape[1])
            return points

        return of_one_type(ranks.together(check), ranks)

    def _call(self, call: Callable[..., Any], points: Array | SparseRows, *more: Any) -> Any:
        centroids = as_c(self.cluster_centers_, dtype=np.float64)
        with Ranks(self.comm).session(self.n_jobs) as session:
            return call(session, given(points), centroids, self._metric == "cosine", *more)
