#pragma once

#include <memory>

#include "gas/base/threads/executor.hpp"

namespace gas_test {

/// The product's executor; plain threads where ThreadSanitizer is to see into it.
inline std::unique_ptr<gas::Executor> make_executor(unsigned threads) {
#ifdef GAS_TSAN
  return gas::make_thread_executor(threads);
#else
  return gas::make_tbb_executor(threads);
#endif
}

}  // namespace gas_test
