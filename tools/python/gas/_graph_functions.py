from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import _gas
from ._estimator import warn_not_converged
from ._gas import InputError
from ._graph import call_on, ranks_of
from ._input import Array, as_numbers
from ._parameters import choice, flag, real, whole


class Components(NamedTuple):
    """The components of a graph.

    n_components : how many
    labels : of each vertex, the least vertex of its component
    """

    n_components: int
    labels: Array


class BreadthFirstTree(NamedTuple):
    """Where a breadth-first search has come.

    hops : of each vertex, how many edges it is from the source; −1 where it does not lead
    parents : the vertex before it on such a path; −1 where there is none
    """

    hops: Array
    parents: Array


class TriangleCounts(NamedTuple):
    """The triangles of a graph.

    n_triangles : how many
    triangles : of each vertex, how many it is a corner of
    clustering : of each vertex, the share of the pairs of its neighbours that are neighbours
    transitivity : 3 × triangles / pairs of edges that meet
    mean_clustering : the mean of `clustering`
    """

    n_triangles: int
    triangles: Array
    clustering: Array
    transitivity: float
    mean_clustering: float


class Communities(NamedTuple):
    """The communities of a graph.

    n_communities : how many
    labels : of each vertex, a vertex that names its community
    """

    n_communities: int
    labels: Array


def page_rank(
    graph: Any,
    *,
    damping: float = 0.85,
    tol: float = 1e-6,
    max_iter: int = 100,
    dangling: str = "spread",
    weighted: bool = True,
    personalization: Any = None,
    n_jobs: int | None = None,
) -> Array:
    """The PageRank of each vertex; the sum is 1, or less with dangling='ignore'.

    graph : Graph, or what makes one
    damping : the share of its rank that a vertex gives to those that it leads to
    tol : the rounds end when one changes the ranks by at most this in all; 0: never
    max_iter : most rounds
    dangling : vertices that lead nowhere 'spread' their rank over all, or over where readers begin
        anew by `personalization`; or 'ignore' it
    weighted : weights of edges count, if there are any; else all edges count alike
    personalization : where a reader begins anew: a number of at least 0 per vertex, of all vertices
        on each rank; None: all alike
    n_jobs : threads; None and -1: all cores

    >>> import gas
    >>> ranks = gas.page_rank(([0, 1, 2, 3], [1, 2, 0, 0]))
    >>> ranks.argmax(), round(float(ranks.sum()), 6)
    (0, 1.0)
    """
    ranks = ranks_of(
        graph, damping=damping, tol=tol, max_iter=max_iter, dangling=dangling, weighted=weighted
    )
    real("damping", damping, 0, most=1)
    real("tol", tol, 0)
    whole("max_iter", max_iter, 1)
    choice("dangling", dangling, ("spread", "ignore"))
    flag("weighted", weighted)
    with call_on(graph, n_jobs) as (session, known):
        homes = ranks.together(lambda: homes_of(personalization, known.vertices))
        ranks.agree(personalization=None if personalization is None else homes)
        found, rounds, converged = _gas.page_rank(
            session,
            known,
            damping=float(damping),
            spread=dangling == "spread",
            tolerance=float(tol),
            unweighted=not weighted,
            teleport=homes,
            iterations=max_iter,
        )
    if not converged and tol > 0:
        warn_not_converged(
            f"Not converged: ranks changed by more than tol={tol:g} in the last of {rounds} rounds. "
            "Increase max_iter or tol."
        )
    return found


def homes_of(personalization: Any, vertices: int) -> Array:
    if personalization is None:
        return np.empty(0)
    homes = as_numbers(personalization, "personalization").astype(np.float64)
    if homes.shape != (vertices,):
        raise InputError(
            f"personalization: found shape {homes.shape}, expected ({vertices},), one per vertex"
        )
    if not (np.all((homes >= 0) & np.isfinite(homes)) and np.any(homes)):
        raise InputError(
            "personalization: found negative numbers, NaN, infinity or a sum of 0, expected finite "
            "numbers of at least 0 with a sum above 0"
        )
    homes = np.ldexp(homes, -np.frexp(homes.max())[1])  # exact, and the sum is finite
    shares: Array = homes / homes.sum()
    return shares


def harmonic_centrality(
    graph: Any, *, registers: int = 256, random_state: Any = None, n_jobs: int | None = None
) -> Array:
    """The harmonic centrality of each vertex: the sum of 1/d over the other vertices that lead to it
    by d edges at least. Estimates by HyperBall (Boldi, Vigna 2013), for all vertices at once; divide
    by the number of vertices less 1 for numbers up to 1. Weights are not read.

    graph : Graph, or what makes one
    registers : bytes of each vertex's counter, a power of two from 16 to 65536: the relative
        standard error is 1.06 / sqrt(registers)
    random_state : of the counters
    n_jobs : threads; None and -1: all cores

    >>> import gas
    >>> near = gas.harmonic_centrality(([0, 1, 2], [1, 2, 3]), registers=4096, random_state=1)
    >>> near.round(1).tolist()
    [0.0, 1.0, 1.5, 1.8]
    """
    ranks = ranks_of(graph, registers=registers)
    whole("registers", registers, 16, 65536)
    seed = ranks.seed(random_state)
    with call_on(graph, n_jobs) as (session, known):
        return _gas.harmonic_centrality(session, known, registers=int(registers), seed=seed)


def components(graph: Any, *, n_jobs: int | None = None) -> Components:
    """The weakly connected components: how many, and the least vertex of that of each vertex.

    graph : Graph, or what makes one
    n_jobs : threads; None and -1: all cores

    >>> import gas
    >>> gas.components(gas.Graph(([0, 4], [1, 3]), n_vertices=5)).labels.tolist()
    [0, 0, 2, 3, 3]
    """
    with call_on(graph, n_jobs) as (session, known):
        count, labels = _gas.components(session, known)
    return Components(count, labels.astype(np.int64))


def shortest_paths(graph: Any, source: int, *, n_jobs: int | None = None) -> Array:
    """The distance of each vertex from `source`, by the weights of edges (of at least 0) or 1 each;
    infinite where it does not lead.

    graph : Graph, or what makes one
    source : the vertex that paths begin at
    n_jobs : threads; None and -1: all cores

    >>> import gas
    >>> graph = gas.Graph(([0, 0, 1], [1, 2, 2]), weights=[1.0, 5.0, 1.5])
    >>> gas.shortest_paths(graph, 0).tolist()
    [0.0, 1.0, 2.5]
    """
    ranks_of(graph, source=source)
    whole("source", source, 0)
    with call_on(graph, n_jobs) as (session, known):
        return _gas.shortest_paths(session, known, int(source))


def breadth_first_search(graph: Any, source: int, *, n_jobs: int | None = None) -> BreadthFirstTree:
    """How many edges each vertex is from `source`, and the vertex before it on such a path; of
    several the least.

    graph : Graph, or what makes one
    source : the vertex that paths begin at
    n_jobs : threads; None and -1: all cores

    >>> import gas
    >>> tree = gas.breadth_first_search(([0, 0, 1, 2], [1, 2, 3, 3]), 0)
    >>> tree.hops.tolist(), tree.parents.tolist()
    ([0, 1, 1, 2], [-1, 0, 0, 1])
    """
    ranks_of(graph, source=source)
    whole("source", source, 0)
    with call_on(graph, n_jobs) as (session, known):
        return BreadthFirstTree(*_gas.breadth_first_search(session, known, int(source)))


def k_core(graph: Any, *, n_jobs: int | None = None) -> Array:
    """The core number of each vertex: the largest k such that it lies in a part of the graph whose
    vertices all have at least k neighbours there. Edges count both ways, each pair once.

    graph : Graph, or what makes one
    n_jobs : threads; None and -1: all cores

    >>> import gas
    >>> gas.k_core(([0, 1, 2, 2], [1, 2, 0, 3])).tolist()
    [2, 2, 2, 1]
    """
    with call_on(graph, n_jobs) as (session, known):
        return _gas.k_core(session, known).view(np.int32)


def triangles(graph: Any, *, n_jobs: int | None = None) -> TriangleCounts:
    """The triangles of a graph and of each vertex, exactly. Edges count both ways, each pair once.
    The count is one step, so Ctrl-C ends it only when it is done.

    graph : Graph, or what makes one
    n_jobs : threads; None and -1: all cores

    >>> import gas
    >>> gas.triangles(([0, 1, 2, 2], [1, 2, 0, 3])).triangles.tolist()
    [1, 1, 1, 0]
    """
    with call_on(graph, n_jobs) as (session, known):
        found = TriangleCounts(*_gas.triangles(session, known))
    return found._replace(triangles=found.triangles.view(np.int64))


def label_propagation(
    graph: Any, *, max_iter: int = 100, random_state: Any = None, n_jobs: int | None = None
) -> Communities:
    """Communities: each vertex takes the label that most of its neighbours have, until none changes
    or for max_iter rounds. Edges count both ways, each pair once.

    graph : Graph, or what makes one
    max_iter : most rounds
    random_state : a seed, by which vertices choose among labels that are equally frequent
    n_jobs : threads; None and -1: all cores

    >>> import gas
    >>> edges = [[0, 1], [1, 2], [0, 2], [3, 4], [4, 5], [3, 5]]
    >>> gas.label_propagation(edges, random_state=1).n_communities
    2
    """
    ranks = ranks_of(graph, max_iter=max_iter)
    whole("max_iter", max_iter, 1)
    seed = ranks.seed(random_state)
    with call_on(graph, n_jobs) as (session, known):
        count, labels, rounds, converged = _gas.label_propagation(
            session, known, iterations=max_iter, seed=seed
        )
    if not converged:
        warn_not_converged(f"Not converged: labels still changed in the last of {rounds} rounds. Increase max_iter.")
    return Communities(count, labels.astype(np.int64))
