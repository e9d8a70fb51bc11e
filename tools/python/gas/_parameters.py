"""Checks of parameters. They name the parameter, what was found and what is expected."""

from __future__ import annotations

import math
import numbers
import os
import zlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from ._gas import UsageError


def is_whole(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def whole(name: str, value: Any, least: int, most: int = 2**63 - 1) -> int:
    if not is_whole(value) or not least <= value <= most:
        raise UsageError(f"{name}: found {value!r}, expected a whole number from {least} to {most}")
    return int(value)


def real(
    name: str, value: Any, least: float, *, above: bool = False, most: float | None = None
) -> float:
    """A finite number of at least `least`, or above it, and of at most `most`."""
    good = isinstance(value, numbers.Real) and not isinstance(value, bool)
    good = good and math.isfinite(value) and (value > least if above else value >= least)
    if not good or (most is not None and value > most):
        bound = "above" if above else "of at least"
        end = "" if most is None else f" and at most {most:g}"
        raise UsageError(f"{name}: found {value!r}, expected a number {bound} {least:g}{end}")
    return float(value)


def choice(name: str, value: Any, known: Iterable[str]) -> str:
    known = tuple(known)
    if not isinstance(value, str) or value not in known:
        raise UsageError(f"{name}: found {value!r}, expected " + " or ".join(map(repr, known)))
    return value


def flag(name: str, value: Any) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise UsageError(f"{name}: found {value!r}, expected True or False")
    return bool(value)


def path(name: str, value: Any) -> None:
    """A path that is not empty, or None."""
    if value is not None and not (isinstance(value, (str, os.PathLike)) and os.fspath(value)):
        raise UsageError(f"{name}: found {value!r}, expected a path or None")


def told(value: Any) -> str:
    """What ranks compare of an option: of functions and other objects the type alone."""
    if isinstance(value, np.ndarray):
        checksum = 0 if value.dtype.hasobject else zlib.crc32(np.ascontiguousarray(value))
        return f"an array of {value.dtype}, shape {value.shape} and checksum {checksum:x}"
    if isinstance(value, np.generic):
        return repr(value.item())
    if isinstance(value, os.PathLike):
        return repr(os.fspath(value))
    if isinstance(value, dict):
        return repr(dict(sorted(value.items(), key=repr)))
    if isinstance(value, (str, numbers.Number, list, tuple, type(None))):
        return repr(value)
    return f"an object of type {type(value).__name__}"


def seed_of(random_state: Any) -> int:
    """A seed of the algorithms: a whole number is one; others are drawn from what is given."""
    if random_state is None:
        return int(np.random.randint(2**31 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if not is_whole(random_state) or not 0 <= random_state < 2**64:
        raise UsageError(
            f"random_state: found {random_state!r}, expected None, a whole number from 0 to "
            "2**64 - 1, or a random state of numpy"
        )
    return int(random_state)
