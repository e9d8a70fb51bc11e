from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _gas
from ._gas import InputError
from ._graph import MOST_VERTICES, edges_of
from ._input import Array, as_c
from ._parameters import flag, real, whole
from ._ranks import Ranks


class Partition(NamedTuple):
    """Parts of a graph, and what they cost.

    vertices : the part of each vertex; of several ranks, of each rank's block of vertices
    edges : the part of each edge that this rank gave, in the order in which it gave them; of a
        sparse matrix that of its data
    method : which cut; of 'auto' the one that it took
    replication_factor : copies of vertices per vertex; one in each part with an edge of it
    edge_cut : edges between vertices of different parts
    edge_balance : edges: the largest part / the mean
    vertex_balance : vertices, likewise
    """

    vertices: Array
    edges: Array
    method: str
    replication_factor: float
    edge_cut: int
    edge_balance: float
    vertex_balance: float


def partition(
    edges: Any,
    n_parts: int,
    *,
    method: str = "metis",
    imbalance: float = 5,
    directed: bool = True,
    n_vertices: int | None = None,
    random_state: Any = 1,
    n_jobs: int | None = None,
    comm: Any = None,
) -> Partition:
    """Cuts a graph into parts.

    edges : what makes a Graph
    n_parts : how many
    method : a name that partition_methods() lists
    imbalance : percent that the largest part may be above the mean: in vertices by an edge-cut,
        else in edges; hashes and metis-vertex-cut do not aim at it
    directed : False: an edge leads both ways, and the part of an edge is that of its first way
    n_vertices : vertices are 0 … n_vertices − 1; None: up to the largest that an edge has
    random_state : a seed, as that of gas-partition --seed
    n_jobs : threads; None and -1: all cores
    comm : communicator of mpi4py, of which each rank gives edges of its own, as to Graph; or None

    Ctrl-C raises KeyboardInterrupt when the graph has been cut, on all ranks.

    >>> import gas
    >>> two = gas.partition([[0, 1], [1, 2], [2, 0], [3, 4], [4, 5], [5, 3]], 2, directed=False)
    >>> two.edge_cut, two.replication_factor
    (0, 1.0)
    """
    ranks = Ranks(comm)
    ranks.agree(
        n_parts=n_parts, method=method, imbalance=imbalance, directed=directed,
        n_vertices=n_vertices,
    )
    whole("n_parts", n_parts, 1, 2**20)
    real("imbalance", imbalance, 0)
    flag("directed", directed)
    given = edges_of(edges, None, n_vertices, ranks)
    sources = given.sources
    if given.by_rows:
        sources = given.above + np.repeat(np.arange(len(sources) - 1), np.diff(sources))
    largest = max((int(ends.max()) for ends in (sources, given.targets) if ends.size), default=-1)
    largest = max(ranks.all(largest))
    if largest > MOST_VERTICES:
        raise InputError(f"found the id {largest}, expected ids below {MOST_VERTICES}")
    seed = ranks.seed(random_state)
    with ranks.interrupted_together(), ranks.session(n_jobs) as session:
        found = _gas.partition(
            session,
            as_c(sources, dtype=np.int64),
            as_c(given.targets, dtype=np.int64),
            vertices=given.vertices or largest + 1,
            undirected=not directed,
            parts=n_parts,
            method=str(method),
            imbalance_percent=float(imbalance),
            seed=seed,
        )
    for parts in ("vertices", "edges"):
        found[parts] = found[parts].view(np.int32)
    return Partition(**found)


def partition_methods() -> dict[str, str]:
    """The methods by name, and when to use which.

    >>> import gas
    >>> "metis" in gas.partition_methods()
    True
    """
    return dict(_gas.partition_methods())
