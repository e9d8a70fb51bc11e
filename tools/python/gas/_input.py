"""Data that estimators are given: checked, and passed on where it lies if it is of a type that the
algorithms take; else converted."""

from __future__ import annotations

import sys
import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ._gas import InputError, SparsePoints
from ._ranks import Ranks

Array = NDArray[Any]

MOST_COLUMNS = 2**32 - 2


class CompressedRows(NamedTuple):
    """Entries values[offsets[i]:offsets[i + 1]] of row i, in these columns."""

    offsets: Array
    columns: Array
    values: Array
    shape: tuple[int, ...]


def is_sparse(X: Any) -> bool:
    return hasattr(X, "tocsr") and hasattr(X, "format")


def to_csr(X: Any) -> Any:
    """A sparse matrix as compressed rows, itself if it is so. scipy adds what COO gives twice in the
    type of the entries, which may be too narrow for the sum."""
    if X.format == "coo" and X.dtype.kind in "biu" and X.dtype.itemsize < 8:
        X = type(X)((X.data.astype(np.int64), (X.row, X.col)), shape=X.shape)
    return X.tocsr()


def as_c(array: Any, dtype: Any = None) -> Array:
    """As C++ reads it: contiguous and aligned. A view if it is so already."""
    return np.require(array, dtype=dtype, requirements=("C", "A", "E"))


def feature_names(X: Any) -> Array | None:
    """Of a table with named columns."""
    if not hasattr(X, "columns"):
        return None
    names = np.asarray(X.columns, dtype=object)
    types = {type(name) for name in names}
    if str in types and len(types) > 1:
        raise TypeError(
            "Feature names are only supported if all input features have string names: convert "
            "them, for instance by X.columns = X.columns.astype(str)"
        )
    return names if types == {str} else None


def check_shape(shape: tuple[int, ...], name: str, rows_elsewhere: bool) -> None:
    """At least one row, but where other ranks may have some, and one column."""
    if shape[1] == 0:
        raise InputError(
            f"{name}: found 0 feature(s) (shape={shape}) while a minimum of 1 is required."
        )
    if shape[1] > MOST_COLUMNS:
        raise InputError(f"{name}: found {shape[1]} columns, expected at most {MOST_COLUMNS}")
    if shape[0] == 0 and not rows_elsewhere:
        raise InputError(
            f"{name}: found 0 sample(s) (shape={shape}) while a minimum of 1 is required."
        )


def as_array(values: Any, name: str) -> Array:
    """np.asarray(values); rows of several lengths are an InputError that says of what."""
    try:
        return np.asarray(values)
    except ValueError as error:
        raise InputError(f"{name}: {error}") from None


def as_numbers(values: Any, name: str) -> Array:
    """An array of numbers of the machine's own byte order."""
    if isinstance(values, np.ma.MaskedArray) and np.any(values.mask):
        raise InputError(f"{name}: found masked values, expected numbers")
    array = as_array(values, name)
    if array.dtype.kind == "c":
        raise InputError(f"{name}: Complex data not supported, found numbers of {array.dtype}")
    if array.dtype.kind in "OUS":
        pandas = sys.modules.get("pandas")
        if array.dtype.kind == "O" and pandas is not None:
            array = np.where(pandas.isna(array), np.nan, array)  # pandas.NA is no float
        try:
            return array.astype(np.float64)
        except (ValueError, OverflowError) as error:
            raise InputError(f"{name}: {error}, expected numbers") from None
        except TypeError as error:
            if array.ndim == 0:
                found = f"an object of type {type(values).__name__}"
                raise InputError(f"{name}: found {found}, expected numbers") from None
            raise TypeError(f"{name}: {error}, expected numbers") from None
    if array.dtype.kind not in "biuf":
        raise InputError(f"{name}: found values of type {array.dtype}, expected numbers")
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def as_floats(array: Array) -> Array:
    """In C order, as float32 if they are, else as float64."""
    dtype = np.float32 if array.dtype == np.float32 else np.float64
    return as_c(array, dtype=dtype)


def dense(X: Any, name: str = "X", *, rows_elsewhere: bool = False) -> Array:
    """Rows of numbers, as float32 or float64 in C order. They need not be finite."""
    if is_sparse(X):
        raise TypeError(
            f"{name}: found a sparse matrix, expected a dense array: X.toarray() makes one"
        )
    feature_names(X)  # its errors, before anything is fitted
    array = as_numbers(X, name)
    if array.ndim != 2:
        raise InputError(
            f"{name}: Expected 2D array, got {array.ndim}D array instead. Reshape your data: by "
            "array.reshape(-1, 1) if it has a single feature, by array.reshape(1, -1) if it is a "
            "single sample."
        )
    check_shape(array.shape, name, rows_elsewhere)
    return as_floats(array)


def entry(rows: CompressedRows, at: int) -> str:
    row = int(np.searchsorted(rows.offsets, at, side="right")) - 1
    return f"column {rows.columns[at]} of row {row} (from 0)"


def shown(value: Any) -> str:
    return "NaN" if np.isnan(value) else str(value)


def check_finite(rows: CompressedRows, name: str) -> None:
    if rows.values.dtype.kind != "f":
        return
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.sum(rows.values)):  # as it is not if one of them is not
            return
    bad = np.flatnonzero(~np.isfinite(rows.values))
    if bad.size:
        raise InputError(
            f"{name}: found {shown(rows.values[bad[0]])} in {entry(rows, bad[0])}, "
            "expected a finite number"
        )


def check_dense(array: Array, name: str, numbers: Any = None) -> None:
    """As check_finite, of a dense array; `numbers`: of its rows, if not from 0 on."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(np.sum(array)):
            return
    bad = np.argwhere(~np.isfinite(array))
    if bad.size:
        row, column = bad[0]
        number = row if numbers is None else numbers[row]
        raise InputError(
            f"{name}: found {shown(array[row, column])} in column {column} of row {number} (from 0), "
            "expected a finite number"
        )


def check_floats(rows: CompressedRows, name: str) -> None:
    """Does a 32-bit float hold each finite value?"""
    with np.errstate(over="ignore"):
        bad = np.flatnonzero(np.isinf(rows.values.astype(np.float32)) & np.isfinite(rows.values))
    if bad.size:
        raise InputError(
            f"{name}: found {rows.values[bad[0]]:g} in {entry(rows, bad[0])}, expected a number "
            "that a 32-bit float holds, at most 3.4e38 in size"
        )


def check_columns(rows: CompressedRows, name: str) -> None:
    columns = rows.columns
    unsigned = columns.view(f"u{columns.itemsize}")  # those below 0 are very large ones
    if columns.size and not unsigned.max() < rows.shape[1]:
        raise InputError(
            f"{name}: found column {columns.min() if columns.min() < 0 else columns.max()}, "
            f"expected columns from 0 to {rows.shape[1] - 1}"
        )


def check_entries(rows: CompressedRows, name: str = "X") -> None:
    """Reads all entries."""
    check_columns(rows, name)
    check_finite(rows, name)


def offsets_of(csr: Any, name: str) -> Array:
    """The indptr, checked."""
    offsets = np.asarray(csr.indptr)
    whole = offsets.shape == (csr.shape[0] + 1,) and offsets[0] == 0
    if not whole or np.any(offsets[1:] < offsets[:-1]):
        raise InputError(f"{name}: found an indptr that does not ascend from 0 by row")
    if offsets[-1] > len(csr.indices) or offsets[-1] > len(csr.data):
        raise InputError(f"{name}: found an indptr that ends beyond its indices or data")
    return offsets


def from_sparse(X: Any, name: str, rows_elsewhere: bool) -> CompressedRows:
    """Unchecked entries."""
    csr = to_csr(X)
    check_shape(csr.shape, name, rows_elsewhere)
    offsets, columns = offsets_of(csr, name), np.asarray(csr.indices)
    count = int(offsets[-1])
    columns = columns[:count]
    narrow = offsets.dtype == columns.dtype == np.int32
    index = np.int32 if narrow else np.int64
    return CompressedRows(
        as_c(offsets, dtype=index),
        as_c(columns, dtype=index),
        sparse_values(as_numbers(csr.data[:count], name)),
        csr.shape,
    )


def sparse_values(values: Array) -> Array:
    """As float32, float64 or int64: itself, or what holds all of its numbers."""
    kept = (np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int64))
    narrow_integers = values.dtype.kind in "iu" and values.dtype.itemsize < 8
    dtype = np.int64 if narrow_integers else np.float64
    return as_c(values, dtype=values.dtype if values.dtype in kept else dtype)


def from_dense(array: Array) -> CompressedRows:
    """Without the zeros."""
    present = np.not_equal(array, 0)  # `!=` would hide that there is no memory
    rows, width = shape = array.shape
    narrow = array.size < 2**31 and width < 2**31
    index = np.int32 if narrow else np.int64
    offsets = np.zeros(rows + 1, dtype=index)
    np.cumsum(np.count_nonzero(present, axis=1), out=offsets[1:])
    if offsets[-1] == array.size:
        columns = np.tile(np.arange(width, dtype=index), rows)
        return CompressedRows(offsets, columns, array.reshape(-1), shape)
    columns = np.broadcast_to(np.arange(width, dtype=index), array.shape)[present]
    return CompressedRows(offsets, columns, array[present], shape)


def unchecked(X: Any, name: str = "X", *, rows_elsewhere: bool = False) -> CompressedRows:
    """A sparse matrix, or a dense array without its zeros. Columns may be out of range, values not
    finite: for a call that reads all entries anyway, and check_entries if that refuses them."""
    if is_sparse(X):
        return from_sparse(X, name, rows_elsewhere)
    return from_dense(dense(X, name, rows_elsewhere=rows_elsewhere))


def compressed(X: Any, name: str = "X", *, rows_elsewhere: bool = False) -> CompressedRows:
    """A sparse matrix, or a dense array without its zeros; finite."""
    rows = unchecked(X, name, rows_elsewhere=rows_elsewhere)
    check_entries(rows, name)
    return rows


def summed(rows: CompressedRows) -> CompressedRows:
    """With ascending columns in each row, and entries that are given twice added: the rows
    themselves if they are so."""
    offsets, columns = rows.offsets, rows.columns
    ascends = columns[1:] > columns[:-1]
    begins = offsets[(offsets > 0) & (offsets < len(columns))]
    ascends[begins - 1] = True
    if ascends.all():
        return rows
    from scipy.sparse import csr_matrix  # type: ignore[import]

    csr = csr_matrix((rows.values, columns, offsets), shape=rows.shape, copy=True)
    csr.sum_duplicates()
    return CompressedRows(csr.indptr, csr.indices, csr.data, rows.shape)


class SparseRows:
    """Rows of numbers, zeros left out; as float32, or as float64."""

    def __init__(self, X: Any, name: str, rows_elsewhere: bool):
        rows = summed(from_sparse(X, name, rows_elsewhere))
        check_entries(rows, name)
        self.rows = rows._replace(
            offsets=rows.offsets.astype(np.int64),
            columns=rows.columns.astype(np.int32, copy=False),
            values=as_floats(rows.values),
        )
        self.shape = rows.shape

    @property
    def values(self) -> Array:
        return self.rows.values

    @property
    def dtype(self) -> Any:
        return self.values.dtype

    @property
    def given(self) -> SparsePoints:
        return SparsePoints(self.rows.offsets, self.rows.columns, self.values, self.shape[1])

    def astype(self, dtype: Any, copy: bool = True) -> SparseRows:
        """As of an array."""
        if not copy and self.dtype == dtype:
            return self
        other = object.__new__(SparseRows)
        other.rows = self.rows._replace(values=self.values.astype(dtype))
        other.shape = self.shape
        return other

    def __len__(self) -> int:
        return self.shape[0]


def points_of(X: Any, name: str = "X", *, rows_elsewhere: bool = False) -> Array | SparseRows:
    """Rows of numbers, as they are: dense, which need not be finite, or sparse."""
    if is_sparse(X):
        return SparseRows(X, name, rows_elsewhere)
    return dense(X, name, rows_elsewhere=rows_elsewhere)


def of_one_type(points: Array | SparseRows, ranks: Ranks) -> Array | SparseRows:
    """As float64 if rows of any rank are; sparse on all ranks, or on none. Collective."""
    if ranks.alone:
        return points
    ranks.alike({"X": "a sparse matrix" if isinstance(points, SparseRows) else "a dense array"})
    all_types = ranks.all((len(points), points.dtype == np.float64))
    wide = any(rows > 0 and double for rows, double in all_types)
    return points.astype(np.float64 if wide else np.float32, copy=False)


def given(points: Array | SparseRows) -> Any:
    """What a call takes."""
    return points.given if isinstance(points, SparseRows) else points


def counts(X: Any, *, rounds: bool, rows_elsewhere: bool) -> CompressedRows:
    """Numbers of occurrences; rounded to whole numbers if `rounds`."""
    rows = summed(compressed(X, rows_elsewhere=rows_elsewhere))
    values = rows.values
    if values.size and values.min() < 0:
        at = int(np.argmin(values))
        raise InputError(
            f"Negative values in data passed to LatentDirichletAllocation: found {values[at]} in "
            f"{entry(rows, at)}, expected numbers of occurrences"
        )
    if values.dtype.kind != "f":
        return rows
    whole = np.rint(values)
    if rounds:
        return rows._replace(values=whole)
    bad = np.flatnonzero(whole != values)
    if bad.size:
        raise InputError(
            f"X: found {values[bad[0]]} in {entry(rows, bad[0])}, expected whole numbers of "
            "occurrences, or fractions='round'"
        )
    return rows


def weights_of(sample_weight: Any, rows: int) -> Array | None:
    """One number of at least 0 for each row, with a finite sum; what else is for the call to say."""
    if sample_weight is None:
        return None
    weights = as_numbers(sample_weight, "sample_weight").astype(np.float64)
    if weights.shape != (rows,):
        raise InputError(
            f"sample_weight: found an array of shape {weights.shape}, expected one number for each "
            f"of {rows} rows"
        )
    bad = np.flatnonzero(~(weights >= 0) | np.isinf(weights))
    if bad.size:
        raise InputError(
            f"sample_weight: found {weights[bad[0]]:g} of row {bad[0]} (from 0), expected a "
            "finite number of at least 0"
        )
    with np.errstate(over="ignore"):
        if np.isinf(weights.sum()):
            raise InputError("sample_weight: found weights whose sum no 64-bit float holds")
    return as_c(weights)


def classes_of(y: Any, rows: int, name: str = "y") -> Array:
    """Labels, one of each row."""
    if y is None:
        if name != "y":
            raise InputError(f"{name}: found None, expected one label per row")
        raise InputError("The classifier requires y to be passed, but the target y is None")
    if isinstance(y, np.ma.MaskedArray) and np.any(y.mask):
        raise InputError(f"{name}: found masked labels, expected one label per row")
    labels = as_array(y, name)
    if labels.ndim == 2 and labels.shape[1] == 1:
        warn_of_column()
        labels = labels.reshape(-1)
    if labels.ndim != 1:
        raise InputError(
            f"{name}: found an array of shape {labels.shape}, expected one label per row"
        )
    if len(labels) != rows:
        raise InputError(f"{name}: found {len(labels)} labels, expected one for each of {rows} rows")
    if labels.dtype.kind == "f":
        if not np.all(np.isfinite(labels)):
            raise InputError(
                f"{name}: found a label that is NaN or infinite, expected finite labels"
            )
        if np.any(labels != np.rint(labels)):
            raise InputError(
                f"{name}: Unknown label type: 'continuous', found numbers with fractions, expected "
                "classes"
            )
    elif labels.dtype.kind not in "biuOUS":
        raise InputError(f"{name}: Unknown label type: {labels.dtype}, expected classes")
    if labels.dtype.kind == "O":
        plain = [each.item() if isinstance(each, np.generic) else each for each in labels]
        labels = np.array(plain, dtype=object)
        kinds = {type(label) for label in labels.tolist()}
        if len(kinds) > 1 or not kinds <= {str, int, bool, float}:
            names = ", ".join(sorted(kind.__name__ for kind in kinds))
            raise InputError(
                f"{name}: Unknown label type: found objects of type {names}, expected labels of one "
                "type: str, int or bool"
            )
        if kinds == {float}:
            return classes_of(labels.astype(np.float64), rows, name)
        if kinds == {bool}:  # such as pandas' nullable ones
            return labels.astype(bool)
        if kinds == {int}:
            least, most = min(labels), max(labels)
            for dtype in (np.dtype(np.int64), np.dtype(np.uint64)):
                if np.iinfo(dtype).min <= least and most <= np.iinfo(dtype).max:
                    return labels.astype(dtype)
    return labels


def labels_like(y: Any, rows: int, classes: Array) -> Array:
    """As classes_of, of the same kind as the classes that are known."""

    def kind(labels: Array) -> str:
        if labels.dtype.kind == "O":
            return "U" if isinstance(labels[0], str) else "number"
        return labels.dtype.kind if labels.dtype.kind in "US" else "number"

    labels = classes_of(y, rows)
    if labels.size and kind(labels) != kind(classes):
        raise InputError(f"y: found the label {labels[0]!r}, expected one of {classes.tolist()!r}")
    return labels


def distinct(labels: Array) -> Array:
    """np.unique(labels), without sorting all where few numbers are found again and again."""
    few = np.unique(labels[:1000])
    if labels.dtype.kind in "biuf" and len(few) <= 10:
        known = np.zeros(len(labels), dtype=bool)
        for label in few:
            known |= labels == label
        if known.all():
            return few
    return np.unique(labels)


def numbered(labels: Array, name: str, ranks: Ranks) -> tuple[Array, Array]:
    """The labels of all ranks, ascending, and the place among them of each of this rank's.
    Collective."""
    mine = ranks.together(lambda: distinct(labels))
    types = {str: "strings", bytes: "bytes"}
    kind = types.get(type(mine.tolist()[0]), "numbers") if len(mine) else None
    ranks.alike({name: kind}, InputError)
    everyones = [theirs for theirs in ranks.all(mine) if len(theirs)]
    known = unique_of(everyones) if everyones else mine
    if known.dtype.kind in "iuO" and labels.dtype.kind in "biu":
        labels = labels.astype(known.dtype)
    return known, np.searchsorted(known, labels) if len(labels) else np.zeros(0, dtype=np.intp)


def unique_of(arrays: list[Array]) -> Array:
    """np.unique of them all. Signed and unsigned integers do not become floats, which blur them."""
    if not all(each.dtype.kind in "biu" for each in arrays):
        return np.unique(np.concatenate(arrays))
    whole = sorted({label for each in arrays for label in each.tolist()})
    dtype: Any = object
    if all(each.dtype == arrays[0].dtype for each in arrays):
        dtype = arrays[0].dtype.newbyteorder("=")
    elif whole[-1] < 2**63:
        dtype = np.int64
    elif whole[0] >= 0:
        dtype = np.uint64
    return np.array(whole, dtype=dtype)


def warn_of_rounding(rows: CompressedRows) -> None:
    """Warns of a column whose numbers are all 0 as float32, or, as the tools do, of one whose
    numbers change by more than 1e-4 of their spread. 0 is one of them if more than half of the
    rows leave the column out. Of rows that were checked. It looks at 16 suspicious columns at most,
    so that it takes a few passes."""
    values, columns = rows.values, rows.columns
    if values.dtype == np.float32:
        return
    floats = values.astype(np.float32)
    lost = (floats == 0) & (values != 0)
    gone = np.setdiff1d(columns[lost], columns[floats != 0]) if lost.any() else columns[:0]
    if len(gone):
        warnings.warn(
            f"X: all values of column {gone[0]} become 0 when rounded to 32-bit floats: multiply "
            "the column by a large number first",
            stacklevel=5,  # for fit, which calls this by Ranks.together
        )
        return
    large = (np.abs(values) >= 16) & (floats != values)
    if not large.any():
        return
    # The range is at least twice the deviation, and floats are off by 6e-8 of a number at most.
    count = np.bincount(columns)
    first = np.zeros(len(count))
    first[columns[::-1]] = values[::-1]
    moved = values - first[columns]
    mean = np.bincount(columns, moved) / np.maximum(count, 1)
    spread = np.sqrt(np.maximum(np.bincount(columns, moved**2) / np.maximum(count, 1) - mean**2, 0))
    narrow = np.abs(first) > 1000 * spread
    for column in np.unique(columns[large & narrow[columns]])[:16].tolist():
        given = values[columns == column].astype(np.float64)
        off = np.abs(given - given.astype(np.float32)).max()
        if 2 * len(given) < rows.shape[0]:
            given = np.append(given, 0.0)
        if off > 1e-4 * (given.max() - given.min()) > 0:
            warnings.warn(
                f"X: the values of column {column}, from {given.min():.10g} to {given.max():.10g}, "
                f"change by up to {off:.2g} when rounded to 32-bit floats: subtract an offset first",
                stacklevel=5,  # for fit, which calls this by Ranks.together
            )
            return


def warn_of_column() -> None:
    exceptions = sys.modules.get("sklearn.exceptions")
    category = getattr(exceptions, "DataConversionWarning", UserWarning)
    warnings.warn(
        "A column-vector y was passed when a 1d array was expected. Please change the shape of y "
        "to (n_samples,), for example using ravel().",
        category,
        stacklevel=4,
    )
