"""Algorithms of GAS on arrays in memory: estimators as scikit-learn has them, and graph functions.

>>> import numpy as np
>>> import gas
>>> points = np.array([[0.0, 0.0], [0.0, 1.0], [9.0, 9.0], [9.0, 8.0]])
>>> model = gas.KMeans(n_clusters=2, random_state=1).fit(points)
>>> float(model.inertia_)
1.0
>>> gas.components(([0, 2], [1, 3])).n_components
2
"""

from ._als import ALS
from ._estimator import ConvergenceWarning, NotFittedError
from ._gas import InputError, RunError, UsageError, __version__
from ._graph import Graph
from ._graph_functions import (
    BreadthFirstTree,
    Communities,
    Components,
    TriangleCounts,
    breadth_first_search,
    components,
    harmonic_centrality,
    k_core,
    label_propagation,
    page_rank,
    shortest_paths,
    triangles,
)
from ._k_means import KMeans
from ._k_means_scan import KMeansScan, k_means_scan, silhouette_score
from ._lda import LatentDirichletAllocation, TopicChoice, choose_topics
from ._logistic_regression import LogisticRegression
from ._mini_batch import MiniBatchKMeans
from ._online import OnlineLogisticRegression
from ._partition import Partition, partition, partition_methods

__all__ = [
    "ALS",
    "BreadthFirstTree",
    "Communities",
    "Components",
    "ConvergenceWarning",
    "Graph",
    "InputError",
    "KMeans",
    "KMeansScan",
    "LatentDirichletAllocation",
    "LogisticRegression",
    "MiniBatchKMeans",
    "NotFittedError",
    "OnlineLogisticRegression",
    "Partition",
    "RunError",
    "TopicChoice",
    "TriangleCounts",
    "UsageError",
    "breadth_first_search",
    "choose_topics",
    "components",
    "harmonic_centrality",
    "k_core",
    "k_means_scan",
    "label_propagation",
    "page_rank",
    "partition",
    "partition_methods",
    "shortest_paths",
    "silhouette_score",
    "triangles",
]
