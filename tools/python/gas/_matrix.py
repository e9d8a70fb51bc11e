"""Compressed rows as C++ has them, over all ranks."""

from __future__ import annotations

from . import _gas
from ._gas import InputError
from ._input import CompressedRows, check_entries


def check_width(rows: CompressedRows, width: int) -> None:
    if rows.shape[1] != width:
        raise InputError(f"X: found {rows.shape[1]} features, expected {width}, as on another rank")


def matrix_of(session: _gas.Session, rows: CompressedRows, width: int) -> _gas.Matrix:
    """Borrows the rows where it can. Entries may be unchecked."""
    try:
        return _gas.Matrix.from_rows(session, rows.offsets, rows.columns, rows.values, width)
    except InputError:
        check_entries(rows)  # names the place, if it is in rows of this rank
        raise
