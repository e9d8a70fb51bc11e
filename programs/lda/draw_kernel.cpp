#include "programs/lda/draw_kernel.hpp"

namespace gas {

const DrawKernel* draw_kernel_level(std::uint32_t i) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    if (i == 0) return &avx512_draw_kernel;
    --i;
  }
#endif
  return i == 0 ? &portable_draw_kernel : nullptr;
}

const DrawKernel& draw_kernel() { return *draw_kernel_level(0); }

}  // namespace gas
