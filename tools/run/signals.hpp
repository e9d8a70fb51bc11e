#pragma once

#include <initializer_list>
#include <optional>

namespace gas::tools {

/// Signals that are taken one by one instead of being delivered, as long as this lives; also in a
/// process of one thread only.
class SignalsTaken {
 public:
  explicit SignalsTaken(std::initializer_list<int> signals);
  ~SignalsTaken();
  SignalsTaken(const SignalsTaken&) = delete;
  SignalsTaken& operator=(const SignalsTaken&) = delete;

  /// For poll(2): readable if there is one.
  int file() const { return file_; }
  std::optional<int> next();

 private:
  int file_;
};

/// In a new process whose parent takes signals: drops those that have come and wait.
void forget_signals();
/// In a new process, before exec: signals do again what they do by default.
void release_signals();

}  // namespace gas::tools
