"""The calls as C++ has them. Arrays must be in C order and of the very type named."""

from typing import Any

from numpy.typing import NDArray

__version__: str

class InputError(ValueError): ...
class UsageError(ValueError): ...
class RunError(RuntimeError): ...

class Session:
    def __init__(self, communicator: int | None, threads: int) -> None: ...
    def close(self) -> None: ...
    @property
    def rank(self) -> int: ...
    @property
    def ranks(self) -> int: ...
    @property
    def threads(self) -> int: ...
    # of so many vertices those of this rank: the first and the end
    def block(self, count: int) -> tuple[int, int]: ...

class Matrix:
    # int32 or int64 offsets and columns; float32, float64 or int64 values
    @staticmethod
    def from_rows(
        session: Session,
        offsets: NDArray[Any],
        columns: NDArray[Any],
        values: NDArray[Any],
        column_count: int,
    ) -> Matrix: ...
    @property
    def shape(self) -> tuple[int, int]: ...

class Graph:
    # int32, int64, uint32 or uint64 ends; float32 or float64 values, or none; vertices 0: as many
    # as edges tell
    @staticmethod
    def from_edges(
        session: Session,
        sources: NDArray[Any],
        targets: NDArray[Any],
        values: NDArray[Any],
        *,
        vertices: int,
        undirected: bool,
    ) -> Graph: ...
    # int32 or int64 offsets and targets
    @staticmethod
    def from_rows(
        session: Session,
        offsets: NDArray[Any],
        targets: NDArray[Any],
        values: NDArray[Any],
        *,
        vertices: int,
        undirected: bool,
    ) -> Graph: ...
    @property
    def vertices(self) -> int: ...

# int64 offsets, int32 columns, float32 or float64 values; they are read where they lie
class SparsePoints:
    def __init__(
        self,
        offsets: NDArray[Any],
        columns: NDArray[Any],
        values: NDArray[Any],
        column_count: int,
    ) -> None: ...

# float32 or float64 points or SparsePoints, float64 centroids
def k_means(
    session: Session,
    points: NDArray[Any] | SparsePoints,
    k: int,
    *,
    init: str,
    cosine: bool,
    weights: NDArray[Any] | None,
    restarts: int,
    start: NDArray[Any] | None,
    tolerance: float,
    iterations: int,
    seed: int,
    levels: int,
    full_rounds: int,
) -> dict[str, Any]: ...
def k_means_batch(
    session: Session,
    points: NDArray[Any] | SparsePoints,
    k: int,
    *,
    init: str,
    cosine: bool,
    weights: NDArray[Any] | None,
    start: NDArray[Any] | None,
    centroids: NDArray[Any] | None,
    counts: NDArray[Any] | None,
    lengths: NDArray[Any] | None,
    tolerance: float,
    iterations: int,
    seed: int,
) -> dict[str, Any]: ...
def k_means_scan(
    session: Session,
    points: NDArray[Any] | SparsePoints,
    first: int,
    last: int,
    sample: int,
    *,
    init: str,
    cosine: bool,
    weights: NDArray[Any] | None,
    restarts: int,
    tolerance: float,
    iterations: int,
    seed: int,
) -> dict[str, Any]: ...
def k_means_predict(
    session: Session, points: NDArray[Any] | SparsePoints, centroids: NDArray[Any], cosine: bool
) -> NDArray[Any]: ...
def k_means_transform(
    session: Session, points: NDArray[Any] | SparsePoints, centroids: NDArray[Any], cosine: bool
) -> NDArray[Any]: ...
def k_means_score(
    session: Session,
    points: NDArray[Any] | SparsePoints,
    centroids: NDArray[Any],
    cosine: bool,
    weights: NDArray[Any] | None,
) -> float: ...

# int32 labels; None where the sample has fewer than two of them
def silhouette(
    session: Session,
    points: NDArray[Any] | SparsePoints,
    labels: NDArray[Any],
    k: int,
    sample: int,
    *,
    cosine: bool,
    weights: NDArray[Any] | None,
    seed: int,
) -> float | None: ...

# float64 labels
def logistic_regression(
    session: Session,
    examples: Matrix,
    labels: NDArray[Any],
    *,
    cost: float,
    class_weights: tuple[float, float],
    l1: bool,
    solver: str,
    bias: bool,
    tolerance: float,
    iterations: int,
    seed: int,
) -> dict[str, Any]: ...
def logistic_path(
    session: Session,
    examples: Matrix,
    labels: NDArray[Any],
    *,
    costs: list[float],
    held_out: float,
    class_weights: tuple[float, float],
    l1: bool,
    solver: str,
    bias: bool,
    tolerance: float,
    iterations: int,
    seed: int,
) -> dict[str, Any]: ...

# float64 scores, bool larger
def roc_area(session: Session, scores: NDArray[Any], larger: NDArray[Any]) -> float: ...

# learns one example after the other; float64 signs, int64 offsets, uint32 columns, float32 values
class OnlineLearner:
    def __init__(self, rate: float, bias: bool, columns: int) -> None: ...
    def learn(
        self,
        signs: NDArray[Any],
        offsets: NDArray[Any],
        columns: NDArray[Any],
        values: NDArray[Any],
    ) -> None: ...
    # by column
    def weights(self) -> NDArray[Any]: ...
    # of these columns
    def weights_of(self, columns: NDArray[Any]) -> NDArray[Any]: ...
    # 0 if there is none
    @property
    def intercept(self) -> float: ...
    @property
    def examples(self) -> int: ...
    # the sum, of examples before they were learnt
    @property
    def loss(self) -> float: ...

# int64 columns; uint32
def hashed_columns(columns: NDArray[Any], bits: int) -> NDArray[Any]: ...

# float64 labels; weights are flat, a row per class
def multiclass_regression(
    session: Session,
    examples: Matrix,
    labels: NDArray[Any],
    *,
    softmax: bool,
    cost: float,
    class_weights: list[float],
    l1: bool,
    solver: str,
    bias: bool,
    tolerance: float,
    iterations: int,
    seed: int,
) -> dict[str, Any]: ...

# float32 words, a row of topics for each
def lda(
    session: Session,
    documents: Matrix,
    *,
    topics: int,
    alpha: list[float],
    beta: float,
    sampler: str,
    tolerance: float,
    iterations: int,
    seed: int,
    optimize_every: int,
    optimize_burn_in: int,
    split_merge: int,
    turns: int,
    top_words: int,
    checkpoint: bytes,
    checkpoint_every: int,
    resume: bool,
) -> dict[str, Any]: ...
def lda_transform(
    session: Session,
    documents: Matrix,
    words: NDArray[Any],
    *,
    alpha: list[float],
    iterations: int,
    seed: int,
) -> NDArray[Any]: ...
def lda_heldout(
    session: Session, documents: Matrix, words: NDArray[Any], *, alpha: list[float], seed: int
) -> float: ...

# float32 items, a row for each
def als(
    session: Session,
    ratings: Matrix,
    *,
    rank: int,
    regularization: float,
    weighted: bool,
    alpha: float | None,
    tolerance: float,
    iterations: int,
    seed: int,
) -> dict[str, Any]: ...
def als_fold_in(
    session: Session,
    ratings: Matrix,
    items: NDArray[Any],
    *,
    regularization: float,
    weighted: bool,
    alpha: float | None,
) -> NDArray[Any]: ...

# float64 teleport, or none
def page_rank(
    session: Session,
    graph: Graph,
    *,
    damping: float,
    spread: bool,
    tolerance: float,
    unweighted: bool,
    teleport: NDArray[Any],
    iterations: int,
) -> tuple[NDArray[Any], int, bool]: ...
def harmonic_centrality(
    session: Session, graph: Graph, *, registers: int, seed: int
) -> NDArray[Any]: ...
def shortest_paths(session: Session, graph: Graph, source: int) -> NDArray[Any]: ...
def breadth_first_search(
    session: Session, graph: Graph, source: int
) -> tuple[NDArray[Any], NDArray[Any]]: ...
def components(session: Session, graph: Graph) -> tuple[int, NDArray[Any]]: ...
def k_core(session: Session, graph: Graph) -> NDArray[Any]: ...
def triangles(
    session: Session, graph: Graph
) -> tuple[int, NDArray[Any], NDArray[Any], float, float]: ...
def label_propagation(
    session: Session, graph: Graph, *, iterations: int, seed: int
) -> tuple[int, NDArray[Any], int, bool]: ...

# int64 ends
def partition(
    session: Session,
    sources: NDArray[Any],
    targets: NDArray[Any],
    *,
    vertices: int,
    undirected: bool,
    parts: int,
    method: str,
    imbalance_percent: float,
    seed: int,
) -> dict[str, Any]: ...
def partition_methods() -> list[tuple[str, str]]: ...
