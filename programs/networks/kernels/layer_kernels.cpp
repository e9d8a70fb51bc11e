#include "programs/networks/kernels/layer_kernels.hpp"

namespace gas {

const std::vector<const LayerKernel*>& layer_kernels() {
  static const std::vector<const LayerKernel*> kernels = [] {
    std::vector<const LayerKernel*> all;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
      all.push_back(&avx2_layer_kernel);
#endif
    all.push_back(&portable_layer_kernel);
    return all;
  }();
  return kernels;
}

}  // namespace gas
