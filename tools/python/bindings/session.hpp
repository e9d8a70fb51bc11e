#pragma once

#include <pybind11/pybind11.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "gas/context.hpp"

namespace gas::python {

namespace py = pybind11;

/// For protocols 0 and 1, which would make an object without its constructor, as for protocol 2.
inline py::object reduce(const py::object& self, int protocol) {
  const py::object base = py::module_::import("builtins").attr("object");
  return base.attr("__reduce_ex__")(self, std::max(protocol, 2));
}

/// The ranks and threads of some calls. Python ends it by close(), on all ranks at the same point,
/// and not when it happens to collect it.
class Session {
 public:
  /// `communicator`: the Fortran handle of an MPI communicator, whose ranks all make the session;
  /// none: this process alone. `threads` of this rank; 0: the cores of the host, shared out among
  /// its ranks.
  Session(std::optional<int> communicator, unsigned threads);

  /// UsageError if it is closed.
  const Context& context() const;
  void close();

 private:
  std::unique_ptr<Transport> transport_;  // where there are other ranks
  std::unique_ptr<Context> context_;
};

/// Calls work() without Python's lock, so that other threads of Python run meanwhile.
template <class Work>
auto unlocked(Work work) {
  const py::gil_scoped_release released;
  return work();
}

void bind_session(py::module_& module);

}  // namespace gas::python
