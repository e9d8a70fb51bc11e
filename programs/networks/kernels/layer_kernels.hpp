#pragma once

#include "programs/networks/layers.hpp"

namespace gas {

extern const LayerKernel portable_layer_kernel, avx2_layer_kernel;

}  // namespace gas
