#pragma once

#include <pybind11/pybind11.h>

namespace gas::python {

// A file each; what they bind is described in gas/_gas.pyi.
void bind_matrix(pybind11::module_& module);
void bind_k_means(pybind11::module_& module);
void bind_lda(pybind11::module_& module);
void bind_logistic_regression(pybind11::module_& module);
void bind_online(pybind11::module_& module);
void bind_als(pybind11::module_& module);
void bind_graph(pybind11::module_& module);
void bind_searches(pybind11::module_& module);
void bind_structure(pybind11::module_& module);
void bind_partition(pybind11::module_& module);

}  // namespace gas::python
