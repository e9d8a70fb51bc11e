from __future__ import annotations

from typing import Any

import numpy as np

from . import _gas
from ._estimator import warn_not_converged
from ._gas import InputError, UsageError
from ._input import Array, CompressedRows, classes_of, numbered, unchecked, warn_of_rounding
from ._linear_classifier import LinearClassifier
from ._matrix import check_width, matrix_of
from ._parameters import choice, flag, real, whole
from ._ranks import Ranks


class LogisticRegression(LinearClassifier):
    """Logistic regression, to a certified gap: the weights that minimise
    C Σ log(1 + exp(−y w·x)) + ½‖w‖² (l2) or + ‖w‖₁ (l1).

    Of more than two classes each is held against all others, as scikit-learn does with its solver
    liblinear; or all are told apart at once, by softmax: C Σ (log Σ exp(w_k·x) − w_y·x) + ½‖W‖².
    The intercept is a weight of a column of ones, penalised like the others, as with liblinear.

    Parameters
    ----------
    penalty : {'l2', 'l1'}, default='l2'
        What keeps weights small.
    tol : float, default=1e-4
        The rounds end when the objective is at most this share above the least, by certificate.
    C : float or list of float, default=1.0
        Cost of the loss against the penalty. Of several, for two classes, the one whose weights,
        each learnt from those of the cost before, have the least log-loss on rows held out; then
        all rows are learnt from.
    heldout : float, default=0.2
        Share of the rows that are held out to choose among costs, by random_state.
    fit_intercept : bool, default=True
        Adds the column of ones.
    class_weight : dict, 'balanced' or None
        What the loss of a class's examples is multiplied by: {label: weight}, 1 for those not
        named; 'balanced': n_samples / (n_classes * examples of the class). Where each class is held
        against the others, these count 1, as with liblinear.
    multi_class : {'ovr', 'multinomial'}, default='ovr'
        More than two classes: each against the rest, or softmax, which takes penalty l2 and solver
        newton. Of two classes 'multinomial' has a row of weights for each, too.
    solver : {'newton', 'local-newton', 'dual'}, default='newton'
        Newton's method, for l2 by conjugate gradients; the same in few, longer rounds, for ranks
        that are slow to wait for; or coordinate ascent in each thread's examples, for l2. Within
        the tolerance weights depend on the number of threads (dual) or ranks (the last two).
    max_iter : int, default=10000
        Most rounds.
    random_state : int, RandomState or None
        Of the dual solver's order. A whole number is the seed, as that of gas-logreg --seed.
    n_jobs : int or None
        Threads; None and -1: all cores.
    comm : communicator of mpi4py or None
        The ranks that share the examples: each calls fit with rows of its own.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, ascending.
    coef_ : float64 array of shape (1, n_features) or (n_classes, n_features)
        Weights; of two classes those for the larger, unless softmax.
    intercept_ : float64 array of shape (1,) or (n_classes,)
    objective_ : float64 array of shape (1,) or (n_classes,)
        What was minimised; one number of softmax.
    gap_ : float64 array of shape (1,) or (n_classes,)
        At most by what share of it the objective is above the least.
    n_iter_ : int array of shape (1,) or (n_classes,)
        Rounds.
    C_ : float
        The cost that was taken.
    path_ : dict of arrays, or None
        Of several costs, ascending: 'C', and of the rows held out 'log_loss', 'accuracy' and
        'roc_area'; 'nonzeros' among the weights.
    n_features_in_ : int
        Columns seen in fit.
    feature_names_in_ : array of str of shape (n_features_in_,)
        Their names, where all are strings.

    Examples
    --------
    >>> import numpy as np
    >>> import gas
    >>> X = np.array([[0.0, 1.0], [1.0, 2.0], [3.0, 0.0], [4.0, 1.0]])
    >>> model = gas.LogisticRegression().fit(X, ["low", "low", "high", "high"])
    >>> model.predict([[0, 2], [5, 0]]).tolist()
    ['low', 'high']
    >>> model.score(X, ["low", "low", "high", "high"])
    1.0
    >>> bool(model.gap_[0] <= 1e-4)
    True
    """

    def __init__(
        self,
        penalty: str = "l2",
        *,
        tol: float = 1e-4,
        C: Any = 1.0,
        heldout: float = 0.2,
        fit_intercept: bool = True,
        class_weight: Any = None,
        multi_class: str = "ovr",
        solver: str = "newton",
        max_iter: int = 10000,
        random_state: Any = None,
        n_jobs: int | None = None,
        comm: Any = None,
    ):
        self.penalty = penalty
        self.tol = tol
        self.C = C
        self.heldout = heldout
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.multi_class = multi_class
        self.solver = solver
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.comm = comm

    def _own_tags(self) -> dict[str, Any]:
        tags: dict[str, Any] = {"requires_y": True}
        if not self.fit_intercept:
            tags["_xfail_checks"] = {
                "check_class_weight_classifiers": "without an intercept the classes' places decide, "
                "as with liblinear"
            }
        return tags

    def fit(self, X: Any, y: Any) -> LogisticRegression:
        """Learns from the rows of X, dense or sparse, and their labels y. CSR of float32 and
        int32 is copied only to add the column of ones; values are taken as float32."""
        ranks = self._ranks()
        rows, labels = ranks.together(lambda: self._examples(X, y, ranks))
        classes, numbers = numbered(labels, "y", ranks)
        width = max(shape[1] for shape in ranks.all(rows.shape))
        ranks.together(lambda: self._check_over_ranks(classes, rows, width))
        names = self._names_of(X, ranks)
        counts = sum(ranks.all(np.bincount(numbers, minlength=len(classes))))
        weights_of_classes = self._weights_of(classes, counts)
        seed = ranks.seed(self.random_state)
        softmax = self.multi_class == "multinomial"
        costs = costs_of(self.C)
        options: dict[str, Any] = {
            "l1": self.penalty == "l1",
            "solver": self.solver,
            "bias": bool(self.fit_intercept),
            "tolerance": float(self.tol),
            "iterations": self.max_iter,
            "seed": seed,
        }
        with ranks.session(self.n_jobs) as session:
            examples = matrix_of(session, rows, width, unchecked_on=ranks)
            ranks.together(lambda: warn_of_rounding(rows))
            if softmax or len(classes) > 2:
                model = _gas.multiclass_regression(
                    session,
                    examples,
                    numbers.astype(np.float64),
                    softmax=softmax,
                    cost=costs[0],
                    class_weights=weights_of_classes,
                    **options,
                )
            else:
                larger = numbers.astype(np.float64)
                options["class_weights"] = (weights_of_classes[0], weights_of_classes[1])
                if len(costs) > 1:
                    model = _gas.logistic_path(
                        session,
                        examples,
                        larger,
                        costs=costs,
                        held_out=float(self.heldout),
                        **options,
                    )
                else:
                    model = _gas.logistic_regression(
                        session, examples, larger, cost=costs[0], **options
                    )
        models = len(classes) if softmax or len(classes) > 2 else 1
        weights = np.asarray(model["weights"]).reshape(models, -1)
        self._by_softmax = softmax
        self.classes_ = classes
        self.coef_ = np.ascontiguousarray(weights[:, :width])
        self.intercept_ = weights[:, width] if self.fit_intercept else np.zeros(models)
        self.objective_ = np.atleast_1d(model["objective"])
        self.gap_ = np.maximum(np.atleast_1d(model["gap"]), 0)  # rounding
        self.n_iter_ = np.atleast_1d(model["rounds"]).astype(np.int32)
        self.C_ = float(model.get("cost", costs[0]))
        self.path_ = path_of(model["tried"]) if "tried" in model else None
        self._take_features(names, width)
        if not model["converged"]:
            warn_not_converged(
                f"Not converged: the gap is {self.gap_.max():.3g} after max_iter={self.max_iter} rounds, "
                f"above tol={self.tol:g}. Increase max_iter or tol."
            )
        return self

    def roc_area(self, X: Any, y: Any) -> float:
        """The area under the ROC curve: how likely a row of X of the larger of two classes, by y, is
        decided higher than one of the other, equal ones counting half; NaN if all have one class.
        Several ranks (`comm`) each give rows of their own; the area is that of all."""
        ranks = Ranks(self.comm)

        def checked() -> tuple[Array, Array]:
            decided = self._decide(X, rows_elsewhere=not ranks.alone)
            labels = classes_of(y, len(decided))
            if len(self.classes_) > 2:
                raise UsageError(f"roc_area: found {len(self.classes_)} classes, expected two")
            known = self.classes_.tolist()
            strange = [label for label in np.unique(labels).tolist() if label not in known]
            if strange:
                raise InputError(
                    f"y: found the label {strange[0]!r}, expected {self.classes_[0]!r} or "
                    f"{self.classes_[1]!r}"
                )
            if not np.all(np.isfinite(decided)):
                raise InputError(
                    "X: found numbers so large that the decision values overflow, expected smaller "
                    "ones: scale X"
                )
            return np.ascontiguousarray(decided, dtype=np.float64), labels == self.classes_[1]

        decided, larger = ranks.together(checked)
        with ranks.session(self.n_jobs) as session:
            return _gas.roc_area(session, decided, larger)

    def _examples(self, X: Any, y: Any, ranks: Ranks) -> tuple[CompressedRows, Array]:
        choice("penalty", self.penalty, ("l2", "l1"))
        choice("solver", self.solver, ("newton", "local-newton", "dual"))
        choice("multi_class", self.multi_class, ("ovr", "multinomial"))
        if isinstance(self.class_weight, str):
            choice("class_weight", self.class_weight, ("balanced",))
        elif isinstance(self.class_weight, dict):
            for label, weight in self.class_weight.items():
                real(f"class_weight[{label!r}]", weight, 0, above=True)
        elif self.class_weight is not None:
            raise UsageError(
                f"class_weight: found {self.class_weight!r}, expected None, 'balanced' or a dict"
            )
        real("tol", self.tol, 0)
        costs = costs_of(self.C)
        if not 0 < real("heldout", self.heldout, 0) < 1:
            raise UsageError(f"heldout: found {self.heldout!r}, expected a number between 0 and 1")
        if len(costs) > 1 and self.multi_class == "multinomial":
            raise UsageError("C: found several costs, expected one with multi_class='multinomial'")
        whole("max_iter", self.max_iter, 1)
        flag("fit_intercept", self.fit_intercept)
        if self.solver == "dual" and self.penalty == "l1":
            raise UsageError("solver='dual' needs penalty='l2': for penalty='l1', choose solver='newton'")
        if self.multi_class == "multinomial" and (self.penalty, self.solver) != ("l2", "newton"):
            raise UsageError("multi_class='multinomial' is for penalty='l2' and solver='newton'")
        rows = unchecked(X, rows_elsewhere=not ranks.alone)
        return rows, classes_of(y, rows.shape[0])

    def _weights_of(self, classes: Array, counts: Array) -> list[float]:
        weights = dict.fromkeys(classes.tolist(), 1.0)
        if isinstance(self.class_weight, str):
            balanced = counts.sum() / (len(classes) * counts)
            weights = dict(zip(weights, balanced.tolist()))
        elif self.class_weight is not None:
            unknown = [label for label in self.class_weight if label not in weights]
            # If all classes are named, more may be: these rows may be a fold that lacks some.
            if unknown and not weights.keys() <= self.class_weight.keys():
                raise UsageError(
                    f"class_weight: found the class {unknown[0]!r}, expected classes of y: "
                    f"{list(weights)!r}"
                )
            for label in weights.keys() & self.class_weight.keys():
                weights[label] = float(self.class_weight[label])
        with np.errstate(over="ignore"):
            total = max(costs_of(self.C)) * np.dot(counts, list(weights.values()))
        if not np.isfinite(total):
            raise UsageError(
                f"C: found {self.C!r} with class_weight={self.class_weight!r}, expected numbers whose "
                "products have a sum over all rows that a 64-bit float holds"
            )
        return list(weights.values())

    def _check_over_ranks(self, classes: Array, rows: CompressedRows, width: int) -> None:
        check_width(rows, width)
        if len(classes) < 2:
            raise InputError(
                f"y: found {len(classes)} class, expected at least 2"
                + (f": all labels are {classes[0]!r}" if len(classes) else "")
            )
        if len(classes) > 2 and len(costs_of(self.C)) > 1:
            raise UsageError(f"C: found several costs, expected a single one, as there are {len(classes)} classes")


def costs_of(C: Any) -> list[float]:
    """One cost, or several that differ."""
    if not isinstance(C, (list, tuple, np.ndarray)):
        return [real("C", C, 0, above=True)]
    costs = [real("C", cost, 0, above=True) for cost in np.asarray(C).ravel().tolist()]
    if not costs or len(set(costs)) < len(costs):
        raise UsageError(f"C: found {C!r}, expected a number above 0, or several that differ")
    return costs


def path_of(tried: list[Any]) -> dict[str, Array]:
    names = ("C", "log_loss", "accuracy", "roc_area", "nonzeros")
    return {name: np.array([each[i] for each in tried]) for i, name in enumerate(names)}
