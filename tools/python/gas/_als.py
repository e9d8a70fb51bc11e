from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from . import _gas
from ._estimator import Transformer, warn_not_converged
from ._gas import InputError
from ._input import Array, CompressedRows, check_dense, compressed, dense, summed
from ._matrix import check_width, matrix_of
from ._parameters import flag, real, whole
from ._ranks import Ranks


def mean_of(rows: CompressedRows, ranks: Ranks) -> float:
    """The mean of the ratings of all ranks; 0 if there are none."""
    sums = ranks.all((float(np.sum(rows.values, dtype=np.float64)), len(rows.values)))
    count = sum(number for _, number in sums)
    return float(np.float32(sum(one for one, _ in sums) / count)) if count else 0.0


def less(rows: CompressedRows, mean: float) -> CompressedRows:
    return rows._replace(values=rows.values - mean) if mean else rows


class ALS(Transformer):
    """Factorises a matrix of ratings, of users by items, by alternating least squares: rows u, v at
    a minimum of Σ (r − u·v)² + λ (Σ |u|² + Σ |v|²) over the ratings r.

    With alpha the ratings are implicit feedback, such as counts of use (Hu, Koren, Volinsky 2008):
    the sum is over all pairs of a user and an item, Σ c (p − u·v)², where p = 1 and c = 1 + alpha·r
    for those with a rating r above 0, and p = 0 and c = 1 for all others.

    In a dense array zeros are no ratings; in a sparse matrix all entries that it has are, those of
    0, too. Ratings given twice are added, as scipy.sparse has it.

    Users that are asked about later are folded in by the parameters as they are then.

    Parameters
    ----------
    n_components : int, default=10
        Numbers per user and per item.
    regularization : float, default=0.1
        λ, above 0.
    weighted : bool, default=False
        Each row counts in the sums of λ as often as it has ratings.
    alpha : float or None, default=None
        None: ratings are what users say. A number of at least 0: they are implicit feedback of at
        least 0, and a rating r weighs 1 + alpha·r.
    subtract_mean : bool, default=False
        The mean rating is subtracted before, and added to what is predicted. So users and items
        with few ratings are drawn to it, and not to 0. Not with alpha.
    max_iter : int, default=100
        Most rounds.
    tol : float, default=1e-4
        The rounds end when one lowers the objective by at most this share of it; 0: never.
    random_state : int, RandomState or None
        A whole number is the seed, as that of gas-als --seed.
    n_jobs : int or None
        Threads; None and -1: all cores.
    comm : communicator of mpi4py or None
        The ranks that share the ratings: each calls fit with users of its own.

    Attributes
    ----------
    components_ : float32 array of shape (n_components, n_items)
        Of items.
    users_ : float32 array of shape (n_users, n_components)
        Of the users of fit.
    objective_ : float
        What was minimised.
    rmse_ : float
        Root mean square error of the ratings; NaN if there are none, and with alpha.
    mean_ : float
        What was subtracted from the ratings: their mean, or 0.
    n_iter_ : int
        Rounds.
    n_features_in_ : int
        Items seen in fit.
    feature_names_in_ : array of str of shape (n_features_in_,)
        Their names, where all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> import gas
    >>> ratings = np.array([[5.0, 4.0, 0.0, 1.0], [4.0, 0.0, 1.0, 1.0], [1.0, 1.0, 5.0, 4.0]])
    >>> model = gas.ALS(n_components=2, random_state=1).fit(ratings)
    >>> bool(abs(model.inverse_transform(model.users_)[0, 0] - 5) < 0.3)
    True
    >>> model.recommend([[5.0, 0.0, 0.0, 1.0]], n=1)[0].tolist()
    [[1]]
    """

    def __init__(
        self,
        n_components: int = 10,
        *,
        regularization: float = 0.1,
        weighted: bool = False,
        alpha: float | None = None,
        subtract_mean: bool = False,
        max_iter: int = 100,
        tol: float = 1e-4,
        random_state: Any = None,
        n_jobs: int | None = None,
        comm: Any = None,
    ):
        self.n_components = n_components
        self.regularization = regularization
        self.weighted = weighted
        self.alpha = alpha
        self.subtract_mean = subtract_mean
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.comm = comm

    def fit(self, X: Any, y: Any = None) -> ALS:
        """Finds rows of the users and items of X, dense or sparse; values are taken as float32."""
        ranks = self._ranks()
        rows = ranks.together(lambda: self._ratings_to_fit(X, ranks))
        width = max(shape[1] for shape in ranks.all(rows.shape))
        ranks.together(lambda: check_width(rows, width))
        names = self._names_of(X, ranks)
        mean = mean_of(rows, ranks) if self.subtract_mean else 0.0
        seed = ranks.seed(self.random_state)
        with ranks.session(self.n_jobs) as session:
            found = _gas.als(
                session,
                matrix_of(session, less(rows, mean), width),
                rank=self.n_components,
                regularization=float(self.regularization),
                weighted=bool(self.weighted),
                alpha=self._feedback,
                tolerance=float(self.tol),
                iterations=self.max_iter,
                seed=seed,
            )
        self.components_ = found["items"].T
        self.users_ = found["users"]
        self.objective_ = found["objective"]
        self.rmse_ = float("nan") if found["rmse"] is None else found["rmse"]
        self.mean_ = mean
        self.n_iter_ = found["rounds"]
        self._take_features(names, width)
        if not found["converged"] and self.tol > 0:
            warn_not_converged(
                f"Not converged: the objective fell by more than tol={self.tol:g} in the last of "
                f"max_iter={self.max_iter} rounds. Increase max_iter or tol."
            )
        return self

    def transform(self, X: Any) -> Any:
        """The best rows for users who gave these ratings, with the items as they are."""
        return self._given_out(X, self._fold_in(X)[0])

    def inverse_transform(self, X: Any) -> Array:
        """The ratings that users with the rows X give to all items."""
        self._check_fitted()
        users = dense(X)
        check_dense(users, "X")
        if users.shape[1] != self._width:
            raise InputError(
                f"X: found {users.shape[1]} columns, expected {self._width}, as transform gives"
            )
        ratings: Array = users @ self.components_ + np.float32(self.mean_)
        return ratings

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the root mean square error of the ratings in X of users folded in by them.

        With alpha: minus the expected percentile rank of the items that they took, weighed by
        rating, among all items by predicted rating: 0 if these come first, −0.5 by chance.

        NaN where X has no rating."""
        users, rows = self._fold_in(X)
        if self.alpha is not None:
            return self._rank_score(users, rows)
        of = np.repeat(np.arange(rows.shape[0]), np.diff(rows.offsets))
        items = self.components_.T
        predicted = np.einsum("ij,ij->i", users[of], items[rows.columns], dtype=np.float64)
        error = predicted + self.mean_ - rows.values
        sums = Ranks(self.comm).all((float(error @ error), len(error)))
        count = sum(number for _, number in sums)
        return -float(np.sqrt(sum(square for square, _ in sums) / count)) if count else np.nan

    def recommend(self, X: Any, n: int = 10) -> tuple[Array, Array]:
        """The n items that each row of X, the ratings of a user, has not rated and rates highest,
        best first: their numbers, of shape (n_users, n), and the ratings. Users with fewer than n
        items left get −1 and NaN at the end."""
        users, rows = self._fold_in(X)
        whole("n", n, 1)
        n = min(n, self.n_features_in_)
        best = np.full((len(users), n), -1, dtype=np.int64)
        ratings = np.full((len(users), n), np.nan, dtype=np.float32)
        for first, some in self._predictions(users):
            offsets = rows.offsets[first : first + len(some) + 1]
            rated = rows.columns[offsets[0] : offsets[-1]]
            some[np.repeat(np.arange(len(some)), np.diff(offsets)), rated] = -np.inf
            top, values = highest(some, n)
            take_first_of_equals(some, top, values)
            order = np.lexsort((top, -values), axis=1)
            top = np.take_along_axis(top, order, axis=1)
            values = np.take_along_axis(values, order, axis=1)
            left = values > -np.inf
            best[first : first + len(some)][left] = top[left]
            ratings[first : first + len(some)][left] = values[left]
        return best, ratings

    def _predictions(self, users: Array) -> Iterator[tuple[int, Array]]:
        """Blocks of users: the first, and the predicted ratings of all items."""
        block = max(1, 2**24 // self.n_features_in_)
        for first in range(0, len(users), block):
            yield first, users[first : first + block] @ self.components_ + np.float32(self.mean_)

    def _rank_score(self, users: Array, rows: CompressedRows) -> float:
        ranked = weight = 0.0
        for first, some in self._predictions(users):
            place = np.empty(some.shape, dtype=np.int64)  # 0: predicted highest
            order = np.argsort(-some, axis=1, kind="stable")
            np.put_along_axis(place, order, np.arange(some.shape[1])[None, :], axis=1)
            offsets = rows.offsets[first : first + len(some) + 1]
            of = np.repeat(np.arange(len(some)), np.diff(offsets))
            taken = slice(offsets[0], offsets[-1])
            ratings = rows.values[taken].astype(np.float64)
            ranked += float(ratings @ place[of, rows.columns[taken]])
            weight += float(ratings.sum())
        sums = Ranks(self.comm).all((ranked, weight))
        last = max(self.n_features_in_ - 1, 1) * sum(one for _, one in sums)
        return -sum(one for one, _ in sums) / last if last else np.nan

    @property
    def _feedback(self) -> float | None:
        return None if self.alpha is None else float(self.alpha)

    @property
    def _width(self) -> int:
        return len(self.components_)

    def _own_tags(self) -> dict[str, Any]:
        return {"preserves_dtype": [np.float32], "requires_positive_X": self.alpha is not None}

    def _ratings_to_fit(self, X: Any, ranks: Ranks) -> CompressedRows:
        whole("n_components", self.n_components, 1, 65535)
        real("regularization", self.regularization, 0, above=True)
        flag("weighted", self.weighted)
        if self.alpha is not None:
            real("alpha", self.alpha, 0)
        flag("subtract_mean", self.subtract_mean)
        if self.alpha is not None and self.subtract_mean:
            raise InputError(
                "subtract_mean: found True with alpha, expected False, as implicit feedback has no "
                "mean rating"
            )
        whole("max_iter", self.max_iter, 1)
        real("tol", self.tol, 0)
        return summed(compressed(X, rows_elsewhere=not ranks.alone))

    def _fold_in(self, X: Any) -> tuple[Array, CompressedRows]:
        ranks = self._ranks()

        def check() -> CompressedRows:
            self._check_fitted()
            self._check_names(X)
            rows = summed(compressed(X, rows_elsewhere=not ranks.alone))
            self._check_count(rows.shape[1])
            return rows

        rows = ranks.together(check)
        items, rated = self.components_.T, rows
        if ranks.alone and self.alpha is None and 2 * len(rows.columns) < len(items):
            # Without implicit feedback items that nobody rated here have no part in it.
            used, columns = np.unique(rows.columns, return_inverse=True)
            columns = columns.astype(rows.columns.dtype)
            rated = rows._replace(columns=columns, shape=(rows.shape[0], len(used)))
            items = items[used]
        with ranks.session(self.n_jobs) as session:
            users = _gas.als_fold_in(
                session,
                matrix_of(session, less(rated, self.mean_), rated.shape[1]),
                np.ascontiguousarray(items, dtype=np.float32),
                regularization=float(self.regularization),
                weighted=bool(self.weighted),
                alpha=self._feedback,
            )
        return users, rows


def take_first_of_equals(numbers: Array, top: Array, values: Array) -> None:
    """Of a row's columns with the least of its n highest numbers, the first ones become part of
    `top`, where that has some of several."""
    least = values.min(axis=1, keepdims=True)
    equal = numbers == least
    taken = (values == least).sum(axis=1)
    for row in np.flatnonzero((equal.sum(axis=1) > taken) & (least[:, 0] > -np.inf)):
        top[row, values[row] == least[row]] = np.flatnonzero(equal[row])[: taken[row]]


def highest(numbers: Array, n: int) -> tuple[Array, Array]:
    """The columns of the n highest of each row, in any order, and these. Of many columns only those
    of the n groups with the highest numbers are looked at one by one. Where a row has fewer than n
    above −∞, some columns may be none of its own."""
    rows, columns = numbers.shape
    size = 256
    groups = -(-columns // size)
    if groups <= 2 * n:
        top = np.argpartition(numbers, columns - n, axis=1)[:, columns - n :]
        return top, np.take_along_axis(numbers, top, axis=1)
    grouped = np.full((rows, groups * size), -np.inf, dtype=numbers.dtype)
    grouped[:, :columns] = numbers
    grouped = grouped.reshape(rows, groups, size)
    best = np.argpartition(grouped.max(axis=2), groups - n, axis=1)[:, groups - n :]
    some = np.take_along_axis(grouped, best[:, :, None], axis=1).reshape(rows, n * size)
    top = np.argpartition(some, n * size - n, axis=1)[:, n * size - n :]
    of = np.take_along_axis(best, top // size, axis=1) * size + top % size
    return of, np.take_along_axis(some, top, axis=1)
