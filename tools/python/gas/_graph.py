from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from . import _gas
from ._gas import InputError
from ._input import Array, as_array, as_c, as_numbers, is_sparse, offsets_of
from ._parameters import flag, is_whole, whole
from ._ranks import Ranks

MOST_VERTICES = 2**32 - 2
IDS = tuple(np.dtype(name) for name in ("int32", "int64", "uint32", "uint64"))


class Edges(NamedTuple):
    """Ends of edges: by compressed rows if there are offsets, else the sources themselves."""

    sources: Array
    targets: Array
    values: Array  # one of each edge, or none
    by_rows: bool
    vertices: int  # 0: up to the largest that an edge has
    above: int = 0  # rows of the ranks before


class Graph:
    """A graph in memory, laid out once for several calls. Functions take what makes one, too.

    Parameters
    ----------
    edges : tuple of two arrays, array of shape (n_edges, 2), or square sparse matrix
        Edges from the first to the second; of a matrix from each row to the columns in which it has
        entries, those of 0, too. Edges that are given twice count twice. A pair of arrays of 32- or
        64-bit integers, CSR and COO are read where they lie.
    weights : array of shape (n_edges,) or None
        A number of each edge; of a matrix its values are. Of several ranks, edges of one that gives
        none weigh 1 if others give some.
    n_vertices : int or None
        Vertices are 0 … n_vertices − 1; None: up to the largest that an edge has.
    directed : bool, default=True
        False: an edge leads both ways, one from a vertex to itself once.
    n_jobs : int or None
        Threads that lay it out; None and -1: all cores.
    comm : communicator of mpi4py or None
        None: this process alone. Else all its ranks make the graph and call what is called on it,
        with the same options. Each gives edges of its own, of any number: together they are the
        graph. Rows of sparse matrices follow those of the ranks before. Results of vertices are
        those of local_vertices.

    Attributes
    ----------
    n_vertices : int
    local_vertices : range
        The vertices that results are of: of one process all, else this rank's block.
    directed : bool

    Examples
    --------
    >>> import gas
    >>> graph = gas.Graph(([0, 1], [1, 2]), n_vertices=4, directed=False)
    >>> graph.n_vertices
    4
    >>> gas.breadth_first_search(graph, 2).hops.tolist()
    [2, 1, 0, -1]
    """

    def __init__(
        self,
        edges: Any,
        weights: Any = None,
        *,
        n_vertices: int | None = None,
        directed: bool = True,
        n_jobs: int | None = None,
        comm: Any = None,
    ):
        self.ranks = Ranks(comm)
        self.ranks.agree(n_vertices=n_vertices, directed=directed)
        self.directed = flag("directed", directed)
        given = edges_of(edges, weights, n_vertices, self.ranks)
        make = _gas.Graph.from_rows if given.by_rows else _gas.Graph.from_edges
        with self.ranks.session(n_jobs) as session:
            self._graph = make(
                session,
                given.sources,
                given.targets,
                given.values,
                vertices=given.vertices,
                undirected=not directed,
            )
            self.local_vertices = range(*session.block(self._graph.vertices))

    @property
    def n_vertices(self) -> int:
        return self._graph.vertices

    def __repr__(self) -> str:
        return f"Graph(n_vertices={self.n_vertices}, directed={self.directed})"


@contextmanager
def call_on(graph: Any, n_jobs: int | None) -> Iterator[tuple[_gas.Session, _gas.Graph]]:
    """What a call on a Graph, or on what makes one, needs: its ranks do the call together."""
    known = graph if isinstance(graph, Graph) else Graph(graph, n_jobs=n_jobs)
    with known.ranks.session(n_jobs) as session:
        yield session, known._graph


def ranks_of(graph: Any, **options: Any) -> Ranks:
    """Those of a Graph, which all were given these options, or this process alone."""
    ranks = graph.ranks if isinstance(graph, Graph) else Ranks()
    ranks.agree(**options)
    return ranks


def edges_of(edges: Any, weights: Any, n_vertices: int | None, ranks: Ranks) -> Edges:
    """This rank's share; what is wrong with that of one is raised on all."""
    everyones = ranks.all(ranks.together(lambda: rows_of(edges)))
    if len({rows is None for rows in everyones}) > 1:
        raise InputError(
            "found a sparse matrix on some ranks and edges on others, expected the same on all ranks"
        )
    of_matrices = [rows for rows in everyones if rows is not None]
    above = sum(of_matrices[: ranks.rank])
    rows = sum(of_matrices) if of_matrices else None
    return ranks.together(lambda: share_of(edges, weights, n_vertices, above, rows))


def rows_of(edges: Any) -> int | None:
    """Of a sparse matrix; None of edges."""
    if not is_sparse(edges):
        return None
    if len(edges.shape) != 2:
        raise InputError(f"found a matrix of shape {edges.shape}, expected a square one")
    return int(edges.shape[0])


def share_of(
    edges: Any, weights: Any, n_vertices: int | None, above: int, rows: int | None
) -> Edges:
    if rows is not None:
        if weights is not None:
            raise InputError(
                "weights: found an array together with a sparse matrix, expected None, as the "
                "matrix's values are the weights"
            )
        found = of_matrix(edges, above, rows)
    else:
        sources, targets = ends_of(edges)
        found = Edges(sources, targets, values_of(weights, len(sources)), False, 0)
    if n_vertices is None:
        return found
    whole("n_vertices", n_vertices, 0, MOST_VERTICES)
    if found.vertices and found.vertices != n_vertices:
        raise InputError(
            f"n_vertices: found {n_vertices}, expected {found.vertices}, as the matrix has"
        )
    if n_vertices == 0 and len(found.targets):
        raise InputError(f"found {len(found.targets)} edges, expected none, as there are 0 vertices")
    return found._replace(vertices=int(n_vertices))


def of_matrix(matrix: Any, above: int, vertices: int) -> Edges:
    """Rows from `above` on, of a matrix of so many rows in all."""
    if matrix.shape[1] != vertices:
        raise InputError(
            f"found a matrix of shape {(vertices, matrix.shape[1])}, expected a square one"
        )
    if matrix.format != "csr":
        entries = matrix.tocoo()  # in the order of its data
        row = np.asarray(entries.row)
        sources, targets = of_one_type(
            row.astype(np.int64) + above if above else row, np.asarray(entries.col)
        )
        return Edges(sources, targets, values_of(entries.data, len(sources)), False, vertices)
    offsets = offsets_of(matrix, "edges")
    count = int(offsets[-1])
    offsets, targets = of_one_type(offsets, np.asarray(matrix.indices)[:count], signed=True)
    return Edges(offsets, targets, values_of(matrix.data[:count], count), True, vertices, above)


def ends_of(edges: Any) -> tuple[Array, Array]:
    if isinstance(edges, tuple) and len(edges) == 2:
        if all(isinstance(end, tuple) and len(end) == 2 for end in edges):
            raise InputError(
                "edges: found a tuple of two pairs, which may be two edges or sources and targets; "
                "expected a list of edges, or a tuple of two lists or arrays: sources and targets"
            )
        sources, targets = (ids_of(end) for end in edges)
        if len(sources) != len(targets):
            raise InputError(
                f"found {len(sources)} sources and {len(targets)} targets, expected equal numbers"
            )
        return of_one_type(sources, targets)
    if isinstance(edges, list) and any(hasattr(each, "dtype") and each.ndim > 0 for each in edges):
        raise InputError(
            "edges: found a list of arrays, expected an array of shape (n_edges, 2), or a tuple of "
            "two arrays: the sources and the targets"
        )
    pairs = as_ids(edges)
    if pairs.size == 0 and pairs.ndim in (1, 2):
        pairs = pairs.reshape(0, 2)
    if pairs.ndim != 2 or pairs.shape[1] != 2:
        raise InputError(
            f"found edges of shape {pairs.shape}, expected (n_edges, 2), a tuple of two arrays "
            "or a square sparse matrix"
        )
    return of_one_type(ids_of(pairs[:, 0]), ids_of(pairs[:, 1]))


def as_ids(values: Any) -> Array:
    """As as_numbers; whole numbers that are objects, as nullable ones of pandas, as integers."""
    ids = as_array(values, "edges")
    plain = ids.ravel().tolist() if ids.dtype.kind == "O" else []
    if not plain or not all(is_whole(each) for each in plain):
        return as_numbers(values, "edges")
    if min(plain) < -(2**63) or max(plain) >= 2**63:
        large = max(plain, key=abs)
        raise InputError(f"found the id {large}, expected ids below {MOST_VERTICES}")
    return ids.astype(np.int64)


def ids_of(values: Any) -> Array:
    ids = as_ids(values)
    if ids.ndim != 1:
        raise InputError(f"found ids of shape {ids.shape}, expected a one-dimensional array")
    if ids.dtype.kind == "f" and ids.size == 0:
        return ids.astype(np.int64)
    if ids.dtype.kind not in "iu":
        missing = ids.dtype.kind == "f" and np.isnan(ids).any()
        what = "a missing id (NaN)" if missing else f"ids of type {ids.dtype}"
        raise InputError(f"found {what}, expected integers")
    return ids


def of_one_type(first: Array, second: Array, *, signed: bool = False) -> tuple[Array, Array]:
    """Both, of a type that the calls take: as they are if they can be."""
    known = IDS[:2] if signed else IDS
    dtype: np.dtype[Any] = np.dtype(np.int64)
    if first.dtype == second.dtype and first.dtype in known:
        dtype = first.dtype
    if np.uint64 in (first.dtype, second.dtype) and dtype == np.int64:
        for ids in (first, second):
            if ids.size and int(ids.max()) > MOST_VERTICES:
                raise InputError(f"found the id {ids.max()}, expected ids below {MOST_VERTICES}")
    return as_c(first, dtype=dtype), as_c(second, dtype=dtype)


def values_of(weights: Any, count: int) -> Array:
    if weights is None:
        return np.empty(0, dtype=np.float32)
    values = as_numbers(weights, "weights")
    if values.shape != (count,):
        raise InputError(f"weights: found shape {values.shape}, expected ({count},), one per edge")
    dtype = np.float32 if values.dtype == np.float32 else np.float64
    return as_c(values, dtype=dtype)
