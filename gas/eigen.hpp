#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <type_traits>

#include "gas/program/accumulators.hpp"
#include "gas/program/row.hpp"

namespace gas {

// Published rows and row accumulators as vectors and matrices of Eigen, which read and write them
// where they lie. All maps are unaligned. Accumulators lie side by side, so one begins wherever the
// one before it ends; published rows are padded, but their array is no more aligned than an
// allocation. An aligned map of such memory is undefined and may end the process. Processors read
// through an unaligned map as fast where the memory happens to be aligned.
//
// A map is valid as long as its row: in a hook, during the call. Eigen computes where the result is
// assigned: keep a VectorXd or the like of what it computes from maps, not an `auto`.

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
/// By columns.
template <class T>
using MatrixMap = Eigen::Map<detail::Mapped<T, detail::Columns<T>>, Eigen::Unaligned>;
template <class T>
using RowsMap = Eigen::Map<const detail::Rows<T>, Eigen::Unaligned, Eigen::OuterStride<>>;

/// A row as a column vector. `out` of a hook can be assigned to through it.
template <class T>
VectorMap<T> as_vector(RowView<T> row) {
  return {row.data(), static_cast<Eigen::Index>(row.size())};
}
/// The first `rows` × `columns` elements of a row that has as many, as a matrix by columns.
template <class T>
MatrixMap<T> as_matrix(RowView<T> row, std::size_t rows, std::size_t columns) {
  return {row.data(), static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns)};
}

/// What a row accumulator has summed up; can be added to.
template <RowAccumulator Accumulator>
VectorMap<typename Accumulator::Element> as_vector(const Accumulator& total) {
  return as_vector(total.elements());
}
template <RowAccumulator Accumulator>
MatrixMap<typename Accumulator::Element> as_matrix(const Accumulator& total, std::size_t rows,
                                                   std::size_t columns) {
  return as_matrix(total.elements(), rows, columns);
}

/// Many rows as the rows of a matrix.
template <class T>
RowsMap<T> as_matrix(const RowsView<T>& rows) {
  return {rows.data, static_cast<Eigen::Index>(rows.count), static_cast<Eigen::Index>(rows.width),
          Eigen::OuterStride<>(static_cast<Eigen::Index>(rows.stride))};
}

}  // namespace gas
