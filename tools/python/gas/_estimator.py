"""What the estimators have in common: parameters, names of features, tags.

scikit-learn is not imported. Where it is loaded, exceptions are its own, too.
"""

from __future__ import annotations

import copy
import functools
import inspect
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ._gas import InputError
from ._input import Array, feature_names
from ._parameters import choice
from ._ranks import Ranks


class NotFittedError(ValueError, AttributeError):
    """An estimator was used before fit. Where scikit-learn is loaded, its own of this name, too."""


class ConvergenceWarning(UserWarning):
    """The rounds ended before the tolerance. Where scikit-learn is loaded, its own, too."""


def of_sklearn(own: type) -> Any:
    """`own`, which is also scikit-learn's exception of this name where that is loaded."""
    theirs = getattr(sys.modules.get("sklearn.exceptions"), own.__name__, None)
    return own if theirs is None else _both(own, theirs)


@functools.cache
def _both(own: type, theirs: type) -> type:
    def again(self: Any) -> Any:
        return _made, (own, self.args)

    return type(own.__name__, (own, theirs), {"__module__": own.__module__, "__reduce__": again})


def _made(own: type, arguments: tuple[Any, ...]) -> Any:
    return of_sklearn(own)(*arguments)


def warn_not_converged(text: str) -> None:
    warnings.warn(text, of_sklearn(ConvergenceWarning), stacklevel=3)


class Estimator:
    """Parameters are what __init__ takes; it keeps them as they are, and fit() checks them."""

    n_features_in_: int

    @classmethod
    def _names(cls) -> list[str]:
        return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name. `deep` has no effect: none is an estimator."""
        return {name: getattr(self, name) for name in self._names()}

    def set_params(self, **params: Any) -> Any:
        """Sets parameters by name, and returns the estimator."""
        known = self._names()
        for name in params:
            if name not in known:
                raise ValueError(
                    f"Invalid parameter {name!r} for estimator {self}. Valid parameters are: "
                    f"{known!r}."
                )
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def _ranks(self) -> Ranks:
        """Those of `comm`, which all have the same parameters."""
        ranks = Ranks(self.comm)  # type: ignore[attr-defined]
        own = ("comm", "n_jobs", "random_state")
        ranks.agree(**{name: value for name, value in self.get_params().items() if name not in own})
        return ranks

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """What is fitted stays as it was if what is done meanwhile fails."""
        before = dict(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        given = (
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if repr(value) != repr(defaults[name].default)
        )
        return f"{type(self).__name__}({', '.join(given)})"

    def __getstate__(self) -> dict[str, Any]:
        """All but the communicator, which means nothing in another process."""
        state = dict(self.__dict__)
        if state.get("comm") is not None:
            state["comm"] = None
        return state

    def __copy__(self) -> Any:
        made = type(self).__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        """Both have the same communicator."""
        made = memo[id(self)] = type(self).__new__(type(self))
        for name, value in self.__dict__.items():
            made.__dict__[name] = value if name == "comm" else copy.deepcopy(value, memo)
        return made

    def _own_tags(self) -> dict[str, Any]:
        """What scikit-learn is told beside its defaults."""
        return {}

    def _get_tags(self) -> dict[str, Any]:
        from sklearn.utils._tags import _DEFAULT_TAGS  # type: ignore[import]

        return {**_DEFAULT_TAGS, **self._own_tags()}

    def __sklearn_tags__(self) -> Any:
        """The same as scikit-learn asks for it from 1.6 on."""
        from sklearn import utils  # type: ignore[import]

        more, kind = self._own_tags(), getattr(self, "_estimator_type", None)
        preserved = [np.dtype(kept).name for kept in more.get("preserves_dtype", [np.float64])]
        transforms = hasattr(self, "transform")
        return utils.Tags(
            estimator_type=kind or ("transformer" if transforms else None),
            target_tags=utils.TargetTags(required=more.get("requires_y", False)),
            transformer_tags=utils.TransformerTags(preserved) if transforms else None,
            classifier_tags=utils.ClassifierTags() if kind == "classifier" else None,
            regressor_tags=None,
            input_tags=utils.InputTags(
                sparse=True, positive_only=more.get("requires_positive_X", False)
            ),
        )

    def _names_of(self, X: Any, ranks: Ranks) -> Array | None:
        """The names of columns: the same on all ranks that give some. Collective."""
        names = ranks.together(lambda: feature_names(X))
        known: tuple[int, list[str]] | None = None
        for rank, theirs in enumerate(ranks.all(None if names is None else names.tolist())):
            if theirs is None:
                continue
            first, expected = known = known or (rank, theirs)
            for i, (one, other) in enumerate(zip(expected, theirs)):
                if one != other:
                    raise InputError(
                        f"X: column {i} is {one!r} on rank {first} and {other!r} on rank {rank}, "
                        "expected the same names in the same order on all ranks"
                    )
        return None if known is None else np.asarray(known[1], dtype=object)

    def _take_features(self, names: Array | None, count: int) -> None:
        """Of what is fitted: how many columns, and their names."""
        self.n_features_in_ = count
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _check_names(self, X: Any) -> None:
        """Of data for an estimator that is fitted; before anything else of them is checked."""
        own = type(self).__name__
        names, fitted = feature_names(X), getattr(self, "feature_names_in_", None)
        if names is not None and fitted is None:
            warnings.warn(
                f"X has feature names, but {own} was fitted without feature names", stacklevel=4
            )
        if names is None and fitted is not None:
            warnings.warn(
                f"X does not have valid feature names, but {own} was fitted with feature names",
                stacklevel=4,
            )
        if names is not None and fitted is not None and list(names) != list(fitted):
            raise_of_names(list(names), list(fitted))

    def _check_count(self, count: int) -> None:
        own = type(self).__name__
        if count != self.n_features_in_:
            raise InputError(
                f"X has {count} features, but {own} is expecting {self.n_features_in_} features as "
                "input"
            )

    def _check_fitted(self) -> None:
        if not hasattr(self, "n_features_in_"):
            own = type(self).__name__
            raise of_sklearn(NotFittedError)(
                f"This {own} instance is not fitted yet. Call 'fit' with appropriate arguments "
                "before using this estimator."
            )


def raise_of_names(names: list[str], fitted: list[str]) -> None:
    def listed(title: str, some: list[str]) -> str:
        lines = [f"- {name}" for name in some[:5]] + ["- ..."] * (len(some) > 5)
        return "\n".join([title, *lines]) + "\n" if some else ""

    unseen = sorted(set(names) - set(fitted))
    missing = sorted(set(fitted) - set(names))
    text = "The feature names should match those that were passed during fit.\n"
    text += listed("Feature names unseen at fit time:", unseen)
    text += listed("Feature names seen at fit time, yet now missing:", missing)
    if not unseen and not missing:
        text += "Feature names must be in the same order as they were in fit.\n"
    raise InputError(text)


class Transformer(Estimator):
    """One whose transform() gives columns of its own, of which `_width` says how many."""

    def fit(self, X: Any, y: Any = None) -> Any:
        raise NotImplementedError

    def transform(self, X: Any) -> Any:
        raise NotImplementedError

    @property
    def _width(self) -> int:
        raise NotImplementedError

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """fit(X), then transform(X)."""
        fitted: Transformer = self.fit(X, y)
        return fitted.transform(X)

    def set_output(self, *, transform: str | None = None) -> Any:
        """What transform() gives: 'default', an array; 'pandas', a table with the names of
        get_feature_names_out(). None leaves it as it is."""
        if transform is not None:
            choice("transform", transform, ("default", "pandas"))
            self._sklearn_output_config = {"transform": transform}
        return self

    def _given_out(self, X: Any, columns: Array) -> Any:
        sklearn = sys.modules.get("sklearn")
        wanted = getattr(self, "_sklearn_output_config", {}).get("transform")
        if wanted is None and sklearn is not None:
            wanted = sklearn.get_config().get("transform_output")
        if wanted != "pandas":
            return columns
        import pandas  # type: ignore[import]

        index = X.index if isinstance(X, pandas.DataFrame) else None
        return pandas.DataFrame(columns, index=index, columns=self.get_feature_names_out())

    def get_feature_names_out(self, input_features: Any = None) -> Array:
        """The names of the columns that transform() gives: the estimator's name and a number."""
        self._check_fitted()
        if input_features is not None:
            fitted = getattr(self, "feature_names_in_", None)
            if fitted is not None and list(input_features) != list(fitted):
                raise InputError("input_features is not equal to feature_names_in_")
            if len(input_features) != self.n_features_in_:
                raise InputError(
                    "input_features should have length equal to number of features "
                    f"({self.n_features_in_}), got {len(input_features)}"
                )
        prefix = type(self).__name__.lower()
        return np.asarray([f"{prefix}{i}" for i in range(self._width)], dtype=object)
