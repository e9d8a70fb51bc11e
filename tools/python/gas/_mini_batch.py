from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import _gas
from ._gas import InputError
from ._input import (
    Array,
    SparseRows,
    as_c,
    check_dense,
    given,
    is_sparse,
    of_one_type,
    points_of,
    to_csr,
    weights_of,
)
from ._k_means import KMeans
from ._parameters import whole
from ._ranks import Ranks

FIRST_ROUNDS = 100  # at most, of Lloyd's k-means, on the first batch


def weights_on_all(sample_weight: Any, rows: int, ranks: Ranks) -> Array | None:
    """Those of this rank's rows; all ranks that have rows give some, or none does. Collective."""
    weights = ranks.together(lambda: weights_of(sample_weight, rows))
    if ranks.alone:
        return weights
    told = "none" if weights is None else "weights"
    ranks.alike({"sample_weight": told if rows > 0 else None}, InputError)
    weighted = any(ranks.all(rows > 0 and weights is not None))
    return (np.zeros(0) if rows == 0 else weights) if weighted else None


def some_points(rows: Any, some: Any, cosine: bool) -> Array | SparseRows:
    """Checked; errors name rows by their numbers among all."""
    points = points_of(rows[some], rows_elsewhere=True)
    numbers = range(rows.shape[0])[some] if isinstance(some, slice) else some
    if not isinstance(points, SparseRows):
        check_dense(points, "X", numbers)
    if cosine:
        check_directions(points, numbers)
    return points


def check_directions(points: Array | SparseRows, numbers: Any) -> None:
    if isinstance(points, SparseRows):
        of = np.repeat(np.arange(len(points)), np.diff(points.rows.offsets))
        zero = np.bincount(of[points.values != 0], minlength=len(points)) == 0
    else:
        zero = ~points.any(axis=1)
    if zero.any():
        raise InputError(
            f"X: found only zeros in row {numbers[int(zero.argmax())]} (from 0), expected a number "
            "other than 0, as cosine distances need"
        )


class MiniBatchKMeans(KMeans):
    """Clusters points batch by batch: mini-batch k-means (Sculley 2010), as gas-kmeans --batch.

    Each batch is assigned to the centroids, and each centroid moves to the mean of all points that
    it has ever been given (metric='cosine': it takes the direction of the mean of their
    directions). Centroids begin where k-means of the first batch ends. fit() takes rows of X in
    random order and looks at one batch at a time: X may be an array on disk
    (numpy.load(file, mmap_mode="r")) that is larger than memory.

    Parameters
    ----------
    n_clusters : int, default=8
        How many centroids.
    init : {'k-means++', 'k-means||', 'random'}, array of shape (n_clusters, n_features) or callable
        Where k-means of the first batch starts. With an array there is none: centroids begin there.
        So they do where init(batch, n_clusters, random_state) says.
    metric : {'euclidean', 'cosine'}, default='euclidean'
        As of KMeans. 'cosine': points count by their direction alone; a distance is 1 − cosine.
    max_iter : int, default=100
        Most passes over X.
    batch_size : int, default=1024
        Rows of a batch; of several ranks that of each. The first has at least 3 × n_clusters.
    max_no_improvement : int or None, default=10
        fit() ends after a pass whose last batches, so many on end or more, have not lowered the
        inertia of batches, smoothed. None: all passes are made.
    random_state : int, RandomState or None
        A whole number is the seed.
    n_jobs : int or None
        Threads; None and -1: all cores.
    comm : communicator of mpi4py or None
        As of KMeans: each rank gives a share of each batch, of rows of its own.

    Attributes
    ----------
    cluster_centers_ : array of shape (n_clusters, n_features)
        In float32 where the points are, else in float64.
    counts_ : float64 array of shape (n_clusters,)
        What the points weigh that each centroid has taken.
    labels_ : int32 array of shape (n_samples,)
        The row of the nearest centroid, by a last pass over X; of partial_fit those of its rows
        before centroids moved.
    inertia_ : float
        Sum of squared distances, or of 1 − cosine, of points to their nearest centroids, times the
        weights; as labels_.
    n_iter_ : int
        Passes begun.
    n_steps_ : int
        Batches taken.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str of shape (n_features_in_,)
        Their names, where all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> import gas
    >>> points = np.array([[1, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]], dtype=np.float32)
    >>> model = gas.MiniBatchKMeans(2, batch_size=3, random_state=1).fit(points)
    >>> sorted(model.cluster_centers_.round(3).tolist())
    [[1.0, 2.0], [10.0, 2.0]]
    >>> model = gas.MiniBatchKMeans(2, random_state=1)
    >>> for piece in range(3):
    ...     model = model.partial_fit(points)
    >>> model.counts_.tolist()
    [9.0, 9.0]
    """

    # What KMeans reads.
    n_init = levels = 1
    full_rounds = 0
    tol = 1e-4  # of the rounds on the first batch

    # pylint: disable=super-init-not-called
    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        metric: str = "euclidean",
        max_iter: int = 100,
        batch_size: int = 1024,
        max_no_improvement: int | None = 10,
        random_state: Any = None,
        n_jobs: int | None = None,
        comm: Any = None,
    ):
        self.n_clusters = n_clusters
        self.init = init
        self.metric = metric
        self.max_iter = max_iter
        self.batch_size = batch_size
        self.max_no_improvement = max_no_improvement
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.comm = comm

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> MiniBatchKMeans:
        """Finds centroids of the rows of X by batches drawn without replacement in each pass. Rows
        are looked at batch by batch, and converted only then. sample_weight: what each row counts,
        0 or at least 2**-40 of the sum of a batch; of several ranks all give it, or none."""
        ranks = self._ranks()
        rows = ranks.together(lambda: self._rows(X, ranks))
        weights = weights_on_all(sample_weight, rows.shape[0], ranks)
        names = self._names_of(X, ranks)
        counting = np.arange(rows.shape[0]) if weights is None else np.flatnonzero(weights)
        total = sum(ranks.all(len(counting)))
        if total == 0 and sum(ranks.all(rows.shape[0])) > 0:
            raise InputError("sample_weight: found 0 as every weight, expected at least one above 0")
        if total < self.n_clusters:
            raise InputError(f"X: n_samples={total} should be >= n_clusters={self.n_clusters}.")
        seed = ranks.seed(self.random_state)
        with self._all_or_nothing(), ranks.interrupted_together() as look_for_interrupts:
            self._begin(names, rows.shape[1], seed)
            smoothed = best = None
            waited = 0
            for self.n_iter_ in range(1, self.max_iter + 1):
                random = np.random.default_rng([seed, self.n_iter_, ranks.rank])
                for some in self._batches(random.permutation(counting), ranks):
                    look_for_interrupts()
                    share = sum(ranks.all(len(some)))
                    inertia = self._add(rows, some, weights, ranks)["objective"] / share
                    # As if older batches counted less, by the share of all rows that came since.
                    weight = min(1.0, 2 * share / (total + 1))
                    smoothed = inertia if smoothed is None else (
                        smoothed + weight * (inertia - smoothed)
                    )
                    improved = best is None or smoothed < best
                    best = smoothed if improved else best
                    waited = 0 if improved else waited + 1
                if self.max_no_improvement is not None and waited >= self.max_no_improvement:
                    break
            return self._close(rows, weights, look_for_interrupts)

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> MiniBatchKMeans:
        """Takes the rows of X as one batch. The first has at least n_clusters; other parameters
        than at that call have no effect until fit."""
        ranks = self._ranks()
        first = not hasattr(self, "counts_")
        ranks.agree(first_batch=first)
        if first:
            rows = ranks.together(lambda: self._rows(X, ranks))
        else:
            rows = self._points_to_use(X)
            rows = to_csr(X) if is_sparse(X) else rows
        weights = weights_on_all(sample_weight, rows.shape[0], ranks)
        with self._all_or_nothing():
            if first:
                names = self._names_of(X, ranks)
                self._begin(names, rows.shape[1], ranks.seed(self.random_state))
            found = self._add(rows, slice(None), weights, ranks)
        self.n_iter_ = 1
        self.labels_ = found["labels"]
        self.inertia_ = found["objective"]
        return self

    def _check_parameters(self) -> None:
        super()._check_parameters()
        whole("batch_size", self.batch_size, 1)
        if self.max_no_improvement is not None:
            whole("max_no_improvement", self.max_no_improvement, 1)

    def _rows(self, X: Any, ranks: Ranks) -> Any:
        """What batches are taken of: an array of numbers as it lies, on disk, say, or compressed
        rows."""
        self._check_parameters()
        if is_sparse(X):
            points_of(X, rows_elsewhere=not ranks.alone)  # its errors, at once
            csr = to_csr(X)
            if csr.indices.dtype.kind == "u":  # of which scipy cannot take some rows
                parts = (csr.data, csr.indices.astype(np.int64), csr.indptr.astype(np.int64))
                csr = type(csr)(parts, shape=csr.shape)
            return csr
        if isinstance(X, np.ndarray) and X.ndim == 2 and X.shape[0] > 0 and X.shape[1] > 0:
            if X.dtype.kind in "biuf" and not isinstance(X, np.ma.MaskedArray):
                return X
        return points_of(X, rows_elsewhere=not ranks.alone)

    def _begin(self, names: Array | None, width: int, seed: int) -> None:
        self._take_features(names, width)
        self._seed = seed
        self._metric = self.metric
        self.n_steps_ = 0
        self.n_iter_ = 0
        self._centers: Array | None = None
        self._lengths: Array | None = None

    def _batches(self, order: Array, ranks: Ranks) -> Iterator[Array]:
        """Of this rank's rows, as many as the rank with most rows has; the last have fewer rows, or
        none."""
        size = self.batch_size
        first = max(size, 3 * self.n_clusters) if self.n_steps_ == 0 else size
        batches = 1 + max(0, -(-(len(order) - first) // size))
        for i in range(max(ranks.all(batches))):
            begin = 0 if i == 0 else first + (i - 1) * size
            yield np.sort(order[begin : first + i * size])

    def _add(self, rows: Any, some: Any, weights: Array | None, ranks: Ranks) -> dict[str, Any]:
        points = of_one_type(
            ranks.together(lambda: some_points(rows, some, self._metric == "cosine")), ranks
        )
        start = None
        if self._centers is None:
            start = ranks.first(
                ranks.together(lambda: self._start(rows[some], points, self._seed, ranks))
            )
        with ranks.session(self.n_jobs) as session:
            found = _gas.k_means_batch(
                session,
                given(points),
                self.n_clusters if self._centers is None else len(self._centers),
                init=self.init if isinstance(self.init, str) else "",
                cosine=self._metric == "cosine",
                weights=None if weights is None else as_c(weights[some]),
                start=start,
                centroids=self._centers,
                counts=None if self._centers is None else self.counts_,
                lengths=self._lengths,
                tolerance=self.tol,
                iterations=FIRST_ROUNDS,
                seed=self._seed,
            )
        self._wide = found["wide"] or (self._centers is not None and self._wide)
        self._centers = found["centroids"]
        self._lengths = found["lengths"]
        self.counts_: Array = found["counts"]
        centers = found["centroids"]
        self.cluster_centers_: Array = centers if self._wide else centers.astype(np.float32)
        self.n_steps_ += 1
        return found

    def _close(
        self, rows: Any, weights: Array | None, look_for_interrupts: Callable[[], None]
    ) -> MiniBatchKMeans:
        """Labels and inertia, by another pass."""
        ranks = Ranks(self.comm)
        size = max(self.batch_size, 3 * self.n_clusters)
        labels = [np.zeros(0, dtype=np.int32)]
        self.inertia_ = 0.0
        for i in range(max(ranks.all(-(-rows.shape[0] // size)))):
            look_for_interrupts()
            some = slice(i * size, (i + 1) * size)
            points: Array | SparseRows = ranks.together(
                lambda some=some: some_points(rows, some, self._metric == "cosine")
            )
            points = of_one_type(points, ranks)
            labels.append(self._call(_gas.k_means_predict, points))
            mine = None if weights is None else as_c(weights[some])
            if mine is None or sum(ranks.all(float(mine.sum()))) > 0:
                self.inertia_ -= self._call(_gas.k_means_score, points, mine)
        self.labels_ = np.concatenate(labels)
        return self
