#include "tools/python/bindings/signals.hpp"

#include <pybind11/pybind11.h>

#include "tools/python/bindings/session.hpp"

namespace gas::python {

using Clock = std::chrono::steady_clock;

// Python's lock may take some milliseconds to get, while other threads of Python run.
constexpr auto between_looks = std::chrono::milliseconds(50);

Signals::Signals(RunOptions& run) : next_(Clock::now() + between_looks) {
  run.interrupted = [this] { return came(); };
}

bool Signals::came() {
  if (raised_) return true;
  if (Clock::now() < next_) return false;
  const PyGILState_STATE state = or_stop([] { return PyGILState_Ensure(); });
  if (PyErr_CheckSignals() != 0) raised_ = std::make_exception_ptr(py::error_already_set());
  PyGILState_Release(state);
  next_ = Clock::now() + between_looks;
  return raised_ != nullptr;
}

void Signals::raise(bool interrupted) const {
  if (raised_) std::rethrow_exception(raised_);
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  if (!interrupted) return;
  PyErr_SetNone(PyExc_KeyboardInterrupt);
  throw py::error_already_set();
}

}  // namespace gas::python
