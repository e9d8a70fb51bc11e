// A sparse matrix by compressed rows.
#include "programs/calls/matrix.hpp"

#include <cstdint>

#include "tools/python/bindings/arrays.hpp"
#include "tools/python/bindings/parts.hpp"
#include "tools/python/bindings/session.hpp"

namespace gas::python {
namespace {

template <class Index, class Value>
Matrix from_rows(const Session& session, const Borrowed<Index>& offsets,
                 const Borrowed<Index>& columns, const Borrowed<Value>& values,
                 std::uint64_t column_count) {
  const Context& context = session.context();
  const auto from = numbers(offsets), to = numbers(columns);
  const auto of = numbers(values);
  return unlocked(
      [&] { return Matrix::borrow_rows(context, from, to, of, {.columns = column_count}); });
}

template <class Index, class Value>
void bind_rows(py::class_<Matrix>& matrix) {
  matrix.def_static("from_rows", &from_rows<Index, Value>, py::arg("session"),
                    py::arg("offsets").noconvert(), py::arg("columns").noconvert(),
                    py::arg("values").noconvert(), py::arg("column_count"), py::keep_alive<0, 3>(),
                    py::keep_alive<0, 4>());
}

}  // namespace

void bind_matrix(py::module_& module) {
  py::class_<Matrix> matrix(module, "Matrix");
  matrix.def("__reduce_ex__", &reduce);
  bind_rows<std::int32_t, float>(matrix);
  bind_rows<std::int32_t, double>(matrix);
  bind_rows<std::int32_t, std::int64_t>(matrix);
  bind_rows<std::int64_t, float>(matrix);
  bind_rows<std::int64_t, double>(matrix);
  bind_rows<std::int64_t, std::int64_t>(matrix);
  matrix.def_property_readonly(
      "shape", [](const Matrix& self) { return py::make_tuple(self.rows(), self.columns()); });
}

}  // namespace gas::python
