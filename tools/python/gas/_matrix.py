"""Compressed rows as C++ has them, over all ranks."""

from __future__ import annotations

from . import _gas
from ._gas import InputError
from ._input import CompressedRows, check_entries, check_floats
from ._ranks import Ranks


def check_width(rows: CompressedRows, width: int) -> None:
    if rows.shape[1] != width:
        raise InputError(f"X: found {rows.shape[1]} features, expected {width}, as on another rank")


def matrix_of(
    session: _gas.Session, rows: CompressedRows, width: int, unchecked_on: Ranks | None = None
) -> _gas.Matrix:
    """Borrows the rows where it can. Entries that are unchecked on these ranks are read once: the
    call refuses what is wrong, and then a second look tells where."""
    try:
        return _gas.Matrix.from_rows(session, rows.offsets, rows.columns, rows.values, width)
    except InputError:
        if unchecked_on is not None:
            unchecked_on.together(lambda: (check_entries(rows), check_floats(rows, "X")))
        raise
