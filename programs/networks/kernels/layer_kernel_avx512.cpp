// Compiled with -mavx512f -mavx512dq -mfma.
#define Eigen gas_eigen_avx512
#include "programs/networks/kernels/layer_kernels.hpp"
#include "programs/networks/kernels/layer_loops.hpp"

const gas::LayerKernel gas::avx512_layer_kernel = {"avx512", gas::autoencode, gas::learn,
                                                   gas::classify};
