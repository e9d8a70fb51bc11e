// gas._gas: the calls of programs/ for the Python package around it, which checks and names what
// people give. Arrays are read where they lie.
#include <pybind11/pybind11.h>

#include "gas/base/error.hpp"
#include "tools/python/bindings/parts.hpp"
#include "tools/python/bindings/session.hpp"

namespace gas::python {
namespace {

template <class Error>
void bind_error(py::module_& module, const char* name, PyObject* base, const char* text) {
  auto& error = py::register_exception<Error>(module, name, base);
  error.attr("__module__") = "gas";
  error.attr("__doc__") = text;
}

}  // namespace
}  // namespace gas::python

PYBIND11_MODULE(_gas, module) {
  using namespace gas::python;
  module.attr("__version__") = GAS_VERSION;
  bind_error<gas::InputError>(
      module, "InputError", PyExc_ValueError,
      "Data that cannot be used: of the wrong shape, not finite, negative.");
  bind_error<gas::UsageError>(module, "UsageError", PyExc_ValueError,
                              "Parameters that contradict each other or are out of range.");
  bind_error<gas::RunError>(module, "RunError", PyExc_RuntimeError,
                            "A run that cannot go on, or a file that cannot be written.");
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(std::move(thrown));
    } catch (const gas::RunError& error) {  // as gas::out_of_memory has it, of any rank
      if (!std::string_view(error.what()).ends_with("out of memory")) throw;
      PyErr_SetString(PyExc_MemoryError, error.what());
    }
  });
  bind_session(module);
  bind_matrix(module);
  bind_k_means(module);
  bind_lda(module);
  bind_logistic_regression(module);
  bind_online(module);
  bind_als(module);
  bind_graph(module);
  bind_searches(module);
  bind_structure(module);
  bind_partition(module);
}
