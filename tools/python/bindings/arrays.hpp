#pragma once

#include <pybind11/numpy.h>

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace gas::python {

namespace py = pybind11;

/// An array of Python's that is read where it lies. Arguments of this type are bound with
/// noconvert(), so that another type of number or another order of them is a TypeError.
template <class T>
using Borrowed = py::array_t<T, py::array::c_style>;

template <class T>
std::span<const T> numbers(const Borrowed<T>& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

/// Hands a vector over to Python, uncopied.
template <class T>
py::array_t<T> array_of(std::vector<T> values, std::vector<py::ssize_t> shape) {
  auto owned = std::make_unique<std::vector<T>>(std::move(values));
  T* const data = owned->data();
  const py::capsule owner(owned.get(), [](void* p) { delete static_cast<std::vector<T>*>(p); });
  owned.release();
  return py::array_t<T>(std::move(shape), data, owner);
}

template <class T>
py::array_t<T> array_of(std::vector<T> values) {
  const auto count = static_cast<py::ssize_t>(values.size());
  return array_of(std::move(values), {count});
}

/// Rows of so many numbers each.
template <class T>
py::array_t<T> rows(std::vector<T> values, std::size_t width) {
  const auto columns = static_cast<py::ssize_t>(width);
  const auto count = columns > 0 ? static_cast<py::ssize_t>(values.size()) / columns : 0;
  return array_of(std::move(values), {count, columns});
}

}  // namespace gas::python
