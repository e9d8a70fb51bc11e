#pragma once

#include <cxxabi.h>
#include <pybind11/pybind11.h>
#include <unistd.h>

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

/// Calls take(), which takes Python's lock. If Python is ending it lets no other thread have it,
/// and ends the thread by unwinding, which C++ does not survive in a destructor or behind a catch
/// (...). So the thread stops here until the process has ended.
template <class Take>
auto or_stop(Take take) {
  try {
    return take();
  } catch (abi::__forced_unwind&) {
    while (true) ::pause();
  }
}

/// Without Python's lock until the end of the scope.
class Unlocked {
 public:
  Unlocked() : state_(PyEval_SaveThread()) {}
  Unlocked(const Unlocked&) = delete;
  Unlocked& operator=(const Unlocked&) = delete;
  ~Unlocked() {
    or_stop([this] { PyEval_RestoreThread(state_); });
  }

 private:
  PyThreadState* state_;
};

/// Calls work() without Python's lock, so that other threads of Python run meanwhile.
template <class Work>
auto unlocked(Work work) {
  const Unlocked without;
  return work();
}

void bind_session(py::module_& module);

}  // namespace gas::python
