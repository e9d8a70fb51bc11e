"""How many clusters? Silhouettes, and k-means of many numbers of clusters."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _gas
from ._gas import InputError
from ._input import Array, SparseRows, classes_of, given, numbered, of_one_type, points_of, weights_of
from ._k_means import INITS, MOST_CLUSTERS, KMeans
from ._parameters import choice, whole
from ._ranks import Ranks


class KMeansScan(NamedTuple):
    """What k_means_scan found, by number of clusters.

    n_clusters : the numbers that were tried, ascending
    inertia : of each
    silhouette : of each; NaN for one cluster
    elbow : the number where the inertia stops falling fast: it lies farthest below the line from
        the first inertia to the last
    best : the number with the greatest silhouette
    cluster_centers : those of the best
    labels : of the rows of X, by the best
    """

    n_clusters: Array
    inertia: Array
    silhouette: Array
    elbow: int
    best: int
    cluster_centers: Array
    labels: Array


def silhouette_score(
    X: Any,
    labels: Any,
    *,
    sample_weight: Any = None,
    metric: str = "euclidean",
    sample_size: int | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    comm: Any = None,
) -> float:
    """The mean silhouette of the rows of X and their clusters (Rousseeuw 1987), as that of
    scikit-learn; within a sample of `sample_size` rows, if there are more. With `sample_weight` all
    means, within clusters, too, are by weight.

    Takes time in proportion to the square of the sample. Several ranks (`comm`) each give rows and
    labels of their own; the silhouette is that of all.

    X : rows of numbers, dense or sparse
    labels : the cluster of each row: integers, or what numpy.unique takes
    sample_weight : a weight of at least 0 per row; None: all alike
    metric : 'euclidean' or 'cosine'
    sample_size : rows to draw, if there are more; None: all
    random_state : of the sample
    n_jobs : threads; None and -1: all cores
    comm : communicator of mpi4py, or None

    >>> import gas
    >>> round(gas.silhouette_score([[0.0], [1.0], [9.0], [10.0]], [0, 0, 1, 1]), 6)
    0.888545
    """
    ranks = Ranks(comm)
    ranks.agree(metric=metric, sample_size=sample_size)

    def checked() -> tuple[Array | SparseRows, Array, Array | None]:
        choice("metric", metric, ("euclidean", "cosine"))
        if sample_size is not None:
            whole("sample_size", sample_size, 2)
        points = points_of(X, rows_elsewhere=not ranks.alone)
        names = classes_of(labels, len(points), "labels")
        return points, names, weights_of(sample_weight, len(points))

    points, names, weights = ranks.together(checked)
    points = of_one_type(points, ranks)
    known, numbers = numbered(names, "labels", ranks)
    seed = ranks.seed(random_state)
    with ranks.session(n_jobs) as session:
        found = _gas.silhouette(
            session,
            given(points),
            numbers.astype(np.int32),
            len(known),
            2**62 if sample_size is None else sample_size,
            cosine=metric == "cosine",
            weights=weights,
            seed=seed,
        )
    if found is None:
        raise InputError("labels: found 1 cluster in the sample, expected at least 2")
    return found


def k_means_scan(
    X: Any,
    first: int = 2,
    last: int = 20,
    *,
    sample_weight: Any = None,
    silhouette_sample: int = 2000,
    init: str = "k-means++",
    n_init: int = 4,
    max_iter: int = 300,
    tol: float = 1e-4,
    metric: str = "euclidean",
    random_state: Any = None,
    n_jobs: int | None = None,
    comm: Any = None,
) -> KMeansScan:
    """Tries all numbers of clusters from `first` to `last`, as gas-kmeans --scan does.

    Each number gets the best of `n_init` starts, and its silhouette on `silhouette_sample` rows, by
    weight.

    X : rows of numbers, dense or sparse
    first, last : the least and the largest number of clusters
    sample_weight : a weight of at least 0 per row; None: all alike
    silhouette_sample : rows to measure silhouettes on, if there are more
    init : 'k-means++', 'k-means||' or 'random', as of KMeans
    n_init : starts of each number, of which the one with the least inertia counts
    max_iter : most rounds of a start
    tol : rounds end when one lowers the inertia by at most this share of it; 0: when no point moves
    metric : 'euclidean' or 'cosine'
    random_state : of starts and sample
    n_jobs : threads; None and -1: all cores
    comm : communicator of mpi4py, or None

    >>> import numpy as np
    >>> import gas
    >>> corners = np.array([[0, 0], [0, 9], [9, 0], [9, 9]])
    >>> points = np.concatenate([corners, corners + 0.5, corners - 0.25])
    >>> gas.k_means_scan(points, 2, 6, random_state=1).best
    4
    """
    ranks = Ranks(comm)
    ranks.agree(
        first=first, last=last, silhouette_sample=silhouette_sample, init=init, n_init=n_init,
        max_iter=max_iter, tol=tol, metric=metric,
    )
    model = KMeans(last, init=init, n_init=n_init, max_iter=max_iter, tol=tol, metric=metric)

    def checked() -> tuple[Array | SparseRows, Array | None]:
        whole("first", first, 1)
        whole("last", last, first, MOST_CLUSTERS)
        whole("silhouette_sample", silhouette_sample, 2)
        whole("n_init", n_init, 1)
        choice("init", init, INITS)
        points = model._points_to_fit(X, ranks)  # pylint: disable=protected-access
        return points, weights_of(sample_weight, len(points))

    points, weights = ranks.together(checked)
    points = of_one_type(points, ranks)
    seed = ranks.seed(random_state)
    with ranks.session(n_jobs) as session:
        found = _gas.k_means_scan(
            session,
            given(points),
            first,
            last,
            silhouette_sample,
            init=init,
            cosine=metric == "cosine",
            weights=weights,
            restarts=n_init,
            tolerance=float(tol),
            iterations=max_iter,
            seed=seed,
        )
    tried = found["tried"]
    best = found["best"]
    centroids: Array = best["centroids"]
    return KMeansScan(
        n_clusters=np.array([each[0] for each in tried]),
        inertia=np.array([each[1] for each in tried]),
        silhouette=np.array([np.nan if each[2] is None else each[2] for each in tried]),
        elbow=found["elbow"],
        best=len(centroids),
        cluster_centers=centroids if best["wide"] else centroids.astype(np.float32),
        labels=best["labels"],
    )
