#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace gas {

/// Tag: a published value or an Input that is a row of T of a width set at run time. The program
/// returns the width of a published row from `std::size_t width(gas::PublishedOf<Kind>) const`; an
/// Input has the width of the data.
template <class T>
struct RowOf {
  static_assert(std::is_trivially_copyable_v<T>,
                "gas::RowOf<T>: T must be trivially copyable, as a number is: for a std::pair or "
                "std::tuple use a struct");
  using Element = T;
};

template <class>
constexpr bool is_row = false;
template <class T>
constexpr bool is_row<RowOf<T>> = true;

/// Tag: a published value that is a list of T. Each vertex has its own length, which may change.
/// Hooks write it to a std::vector<T>&, which holds what the vertex published last.
template <class T>
struct ListOf {
  static_assert(std::is_trivially_copyable_v<T>,
                "gas::ListOf<T>: T must be trivially copyable, as a number is: for a std::pair or "
                "std::tuple use a struct");
  using Element = T;
};

template <class>
constexpr bool is_list = false;
template <class T>
constexpr bool is_list<ListOf<T>> = true;

/// The element type of a row or list.
template <class Published>
struct ElementOf {
  using type = typename Published::Element;
};

/// Whether hooks write such a published value to `out` and read it as a span.
template <class Published>
constexpr bool is_span = is_row<Published> || is_list<Published>;

/// Tags that select what the hook `width` returns the width of: width(PublishedOf<Word>),
/// width(AccumulatorOf<Word>), width(SummaryOf).
template <class Kind>
struct PublishedOf {};
template <class Kind>
struct AccumulatorOf {};
struct SummaryOf {};

template <class T>
using RowView = std::span<T>;

/// The type of the `out` argument of hooks.
template <class Published>
struct WrittenTo {
  struct type {};
};
template <class T>
struct WrittenTo<RowOf<T>> {
  using type = RowView<T>;
};
template <class T>
struct WrittenTo<ListOf<T>> {
  using type = std::vector<T>&;
};
template <class Published>
using Out = typename WrittenTo<Published>::type;

/// A matrix view: `count` rows of `width` elements, `stride` elements apart (padded to 16
/// elements).
template <class T>
struct RowsView {
  const T* data = nullptr;
  std::size_t count = 0;
  std::size_t width = 0;
  std::size_t stride = 0;

  RowView<const T> operator[](std::size_t i) const { return {data + i * stride, width}; }
  std::size_t size() const { return count; }
};

/// The stride of rows of this width: padded, so that every row of floats starts a cache line if the
/// first does.
constexpr std::size_t row_stride(std::size_t width) { return (width + 15) / 16 * 16; }

}  // namespace gas
