#pragma once

#include <chrono>
#include <exception>

#include "gas/engine/run_options.hpp"

namespace gas::python {

/// Ends a run where Python got a signal meanwhile, Ctrl-C above all: its handlers run between
/// rounds, some times in a second.
class Signals {
 public:
  /// Asks for signals between the rounds of `run`; must outlive them.
  explicit Signals(RunOptions& run);
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  /// After the run, with Python's lock: raises what a handler raised; where the run was interrupted
  /// on another rank, KeyboardInterrupt.
  void raise(bool interrupted) const;

 private:
  bool came();

  std::chrono::steady_clock::time_point next_;
  std::exception_ptr raised_;
};

}  // namespace gas::python
