#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

namespace gas {

// An accumulator is a commutative monoid. A gather adds to it, and the partial accumulators of a
// vertex on several ranks are combined. It has one of three shapes:
//  - small: a trivially copyable struct with `+=`, empty when default-constructed. The engine keeps
//    it in registers.
//  - row: a view `T(std::span<T::Element>)` of memory that the engine owns, of a width set at run
//    time. All zero means empty. Rows are combined element by element with
//    `T::combine(Element&, Element)`; `elements()` returns the memory.
//  - list: an object that owns memory and has its own length, empty when default-constructed or
//    cleared. `elements()` is a span of all its elements; `add` appends or merges such a span.
//    Elements are what travels between ranks. See lists.hpp.
// An accumulator is fresh (recomputed whole) unless it declares `static constexpr bool running =
// true`: then it is kept and changed by differences. A program's own type of any of these shapes
// works like those below.

template <class T>
concept SmallAccumulator = std::is_trivially_copyable_v<T> && std::default_initializable<T> &&
    requires(T& a, const T& b) {
  a += b;
};

template <class T>
concept RowAccumulator = requires(std::span<typename T::Element> memory, typename T::Element& a) {
  { T(memory).elements() } -> std::same_as<std::span<typename T::Element>>;
  T::combine(a, a);
};

template <class T>
concept ListAccumulator =
    !SmallAccumulator<T> && !RowAccumulator<T> && std::default_initializable<T> &&
    std::copyable<T> && std::is_trivially_copyable_v<typename T::Element> &&
    requires(T & a, const T& b, std::span<const typename T::Element> more) {
  a.clear();
  a.add(more);
  { b.elements() } -> std::convertible_to<std::span<const typename T::Element>>;
};

/// An array of a fixed number of numbers: a Summary that is added element by element.
template <class T>
constexpr bool is_number_array = false;
template <class T, std::size_t n>
constexpr bool is_number_array<std::array<T, n>> = std::is_arithmetic_v<T>;

template <class T>
concept AnyAccumulator = SmallAccumulator<T> || RowAccumulator<T> || ListAccumulator<T>;

template <class T>
constexpr bool is_running = [] {
  if constexpr (requires { T::running; }) return bool(T::running);
  return false;
}();

/// Whether it is a row of integers, which add up to the same in any order.
template <class T>
constexpr bool adds_exactly = false;
template <RowAccumulator T>
constexpr bool adds_exactly<T> = std::is_integral_v<typename T::Element>;

/// Whether adding the same value again changes nothing: so for accumulators that declare `static
/// constexpr bool idempotent = true`.
template <class T>
constexpr bool is_idempotent = [] {
  if constexpr (requires { T::idempotent; }) return bool(T::idempotent);
  return false;
}();

/// Whether a T loses digits of a U: a fraction, those that a double has beyond a float, or those of
/// a whole number of 64 bits beyond 32. Smaller whole numbers count as int, as literals are.
template <class U, class T>
concept LosesDigits = (std::floating_point<U> &&
                       (std::integral<T> || (std::floating_point<T> && sizeof(U) > sizeof(T)))) ||
                      (std::integral<U> && std::integral<T> && sizeof(U) > sizeof(T) &&
                       sizeof(U) > sizeof(int));

/// Σ of numbers. Adding a number whose digits T would lose does not compile: convert it yourself,
/// or sum a wider type.
template <class T>
struct Sum {
  T value = 0;
  template <LosesDigits<T> U>
  Sum& operator+=(U) = delete;
  Sum& operator+=(T x) { return value += x, *this; }
  Sum& operator+=(const Sum& other) { return value += other.value, *this; }
};

/// Σ of numbers that is kept from round to round; pushes change it.
template <class T>
struct RunningSum : Sum<T> {
  static constexpr bool running = true;
  bool operator==(const RunningSum& other) const { return this->value == other.value; }
};

/// Numbers only: std::numeric_limits<T> says where they begin.
template <class T>
struct Min {
  static_assert(std::numeric_limits<T>::is_specialized,
                "gas::Min is of a number: for another type write a struct of your own with += that "
                "begins at the largest value, or use gas::ArgMin");
  static constexpr bool idempotent = true;
  template <LosesDigits<T> U>
  Min& operator+=(U) = delete;
  T value = std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity()
                                                 : std::numeric_limits<T>::max();
  Min& operator+=(T x) { return value = std::min(value, x), *this; }
  Min& operator+=(const Min& other) { return *this += other.value; }
};

template <class T>
struct Max {
  static_assert(std::numeric_limits<T>::is_specialized,
                "gas::Max is of a number: for another type write a struct of your own with += that "
                "begins at the least value");
  static constexpr bool idempotent = true;
  template <LosesDigits<T> U>
  Max& operator+=(U) = delete;
  T value = std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity()
                                                 : std::numeric_limits<T>::lowest();
  Max& operator+=(T x) { return value = std::max(value, x), *this; }
  Max& operator+=(const Max& other) { return *this += other.value; }
};

/// The row with the least value; ties go to the lower row.
struct ArgMin {
  static constexpr bool idempotent = true;
  float value = std::numeric_limits<float>::infinity();
  std::uint32_t row = std::numeric_limits<std::uint32_t>::max();
  ArgMin& operator+=(const ArgMin& other) {
    if (other.value < value || (other.value == value && other.row < row)) *this = other;
    return *this;
  }
};

/// Σ of rows of numbers.
template <class T>
struct VectorSum {
  using Element = T;
  std::span<T> values;
  explicit VectorSum(std::span<T> memory) : values(memory) {}
  std::span<T> elements() const { return values; }
  static void combine(T& into, T from) { into += from; }
  /// `row` must have the width of the sum.
  void add(std::span<const T> row) {
    assert(row.size() == values.size());
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += row[i];
  }
};

/// How often each of `width` things occurred. Overflow is not checked: a program with a narrow
/// Count must make sure that its counts fit.
template <std::integral Count>
struct HistogramOf {
  using Element = Count;
  std::span<Count> counts;
  explicit HistogramOf(std::span<Count> memory) : counts(memory) {}
  std::span<Count> elements() const { return counts; }
  static void combine(Count& into, Count from) { into += from; }
  /// `thing` must be below the width.
  void add(std::size_t thing) {
    assert(thing < counts.size());
    ++counts[thing];
  }
  void remove(std::size_t thing) {
    assert(thing < counts.size());
    --counts[thing];
  }
};

/// A histogram with counts that no graph can overflow.
using Histogram = HistogramOf<std::int64_t>;

/// A running sum of rows that join and leave, in 64-bit fixed point; the last element counts the
/// rows. It is exact, so it does not depend on the order of joining, nor on the numbers of threads,
/// ranks and parts. Its width is that of a row, plus 1.
struct RunningRowSum {
  static constexpr bool running = true;
  using Element = std::int64_t;
  std::span<std::int64_t> sums;
  explicit RunningRowSum(std::span<std::int64_t> memory) : sums(memory) {}
  std::span<std::int64_t> elements() const { return sums; }
  static void combine(std::int64_t& into, std::int64_t from) { into += from; }

  std::int64_t count() const { return sums.back(); }
  double mean(std::size_t i, double scale) const {
    return static_cast<double>(sums[i]) / (scale * static_cast<double>(count()));
  }
  /// `scale` is one power of two for all elements, or a row with one for each (scale_for).
  template <class Scale>
  void join(std::span<const float> row, const Scale& scale) {
    for (std::size_t i = 0; i < row.size(); ++i) sums[i] += fixed(row[i], scale, i);
    ++sums.back();
  }
  template <class Scale>
  void leave(std::span<const float> row, const Scale& scale) {
    for (std::size_t i = 0; i < row.size(); ++i) sums[i] -= fixed(row[i], scale, i);
    --sums.back();
  }

  /// The scale for sums of up to `rows` values of magnitude up to `largest`: a power of two, such
  /// that sums stay below 2⁶³.
  static double scale_for(double largest, std::uint64_t rows) {
    if (!(largest > 0)) return 1;
    return std::ldexp(1.0, 61 - std::ilogb(largest) - std::ilogb(static_cast<double>(rows) + 1));
  }

 private:
  template <class Scale>
  static std::int64_t fixed(float x, const Scale& scale, std::size_t i) {
    if constexpr (std::is_arithmetic_v<Scale>)
      return static_cast<std::int64_t>(static_cast<double>(x) * scale);
    else
      return static_cast<std::int64_t>(static_cast<double>(x) * scale[i]);
  }
};

}  // namespace gas
