#pragma once

#include <memory>

#include "gas/base/threads/executor.hpp"
#include "gas/exchange/transport.hpp"

namespace gas {

/// The ranks and the threads that algorithms run on. Every rank constructs one, on the thread that
/// will also make the calls. Every call that takes a context is collective.
class Context {
 public:
  /// This process alone; MPI is neither started nor needed. `threads`: 0 means one per core that
  /// the process may use.
  explicit Context(unsigned threads = 0);
  /// The ranks of `transport`, which must outlive the context, with `threads` threads on this rank;
  /// 0 means one per core of its share: ranks of a host that may use the same cores share them.
  explicit Context(Transport& transport, unsigned threads = 0);
  /// The same with the caller's own executor.
  Context(Transport& transport, std::unique_ptr<Executor> executor);

  Transport& transport() const { return *transport_; }
  Executor& executor() const { return *executor_; }
  /// The number of threads on this rank.
  unsigned threads() const { return static_cast<unsigned>(executor_->workers()); }
  int rank() const { return transport_->rank(); }
  int ranks() const { return transport_->size(); }

 private:
  std::unique_ptr<Transport> alone_;  // null if the caller gave a transport
  Transport* transport_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace gas
