#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <type_traits>

#include "gas/program/accumulators.hpp"
#include "gas/program/row.hpp"

namespace gas {

// Views of published rows and row accumulators as Eigen vectors and matrices. They read and write
// the memory in place. All maps are unaligned. Accumulators are stored back to back, so one may
// begin at any element. Published rows are padded, but their array has only the alignment of an
// allocation. An aligned map of such memory would be undefined behaviour and could crash. An
// unaligned map is as fast where the memory happens to be aligned.
//
// A map is valid as long as its row: in a hook, until the call returns. Eigen evaluates an
// expression only when it is assigned. So store a result in a VectorXd or the like; an `auto` would
// keep the expression, which still refers to the maps.

namespace detail {

template <class T, class Plain>
using Mapped = std::conditional_t<std::is_const_v<T>, const Plain, Plain>;
template <class T>
using Column = Eigen::Matrix<std::remove_const_t<T>, Eigen::Dynamic, 1>;
template <class T>
using Columns = Eigen::Matrix<std::remove_const_t<T>, Eigen::Dynamic, Eigen::Dynamic>;
template <class T>
using Rows = Eigen::Matrix<std::remove_const_t<T>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace detail

template <class T>
using VectorMap = Eigen::Map<detail::Mapped<T, detail::Column<T>>, Eigen::Unaligned>;
/// Column-major.
template <class T>
using MatrixMap = Eigen::Map<detail::Mapped<T, detail::Columns<T>>, Eigen::Unaligned>;
template <class T>
using RowsMap = Eigen::Map<const detail::Rows<T>, Eigen::Unaligned, Eigen::OuterStride<>>;

/// A row as a column vector. A hook can assign to it to fill its `out`.
template <class T>
VectorMap<T> as_vector(RowView<T> row) {
  return {row.data(), static_cast<Eigen::Index>(row.size())};
}
/// The first `rows` × `columns` elements of a row, as a column-major matrix. The row must have that
/// many.
template <class T>
MatrixMap<T> as_matrix(RowView<T> row, std::size_t rows, std::size_t columns) {
  return {row.data(), static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns)};
}

/// The elements of a row accumulator; hooks can add to them through the map.
template <RowAccumulator Accumulator>
VectorMap<typename Accumulator::Element> as_vector(const Accumulator& total) {
  return as_vector(total.elements());
}
template <RowAccumulator Accumulator>
MatrixMap<typename Accumulator::Element> as_matrix(const Accumulator& total, std::size_t rows,
                                                   std::size_t columns) {
  return as_matrix(total.elements(), rows, columns);
}

/// A RowsView as a read-only matrix with the same rows.
template <class T>
RowsMap<T> as_matrix(const RowsView<T>& rows) {
  return {rows.data, static_cast<Eigen::Index>(rows.count), static_cast<Eigen::Index>(rows.width),
          Eigen::OuterStride<>(static_cast<Eigen::Index>(rows.stride))};
}

}  // namespace gas
