#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace gas {

/// The `room` least of the values added, in ascending order; value-initialised ones must be greater
/// than any other. For summaries: the few vertices that stand out.
template <class T, std::size_t room>
struct Least {
  std::array<T, room> values{};

  Least& operator+=(const T& value) {
    if (!(value < values.back())) return *this;
    const auto at = std::upper_bound(values.begin(), values.end(), value);
    std::move_backward(at, values.end() - 1, values.end());
    *at = value;
    return *this;
  }
  Least& operator+=(const Least& other) {
    for (const T& value : other.values) *this += value;
    return *this;
  }
};

}  // namespace gas
