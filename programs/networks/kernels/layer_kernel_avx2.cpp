// Compiled with -mavx2 -mfma.
#define Eigen gas_eigen_avx2
#include "programs/networks/kernels/layer_kernels.hpp"
#include "programs/networks/kernels/layer_loops.hpp"

const gas::LayerKernel gas::avx2_layer_kernel = {"avx2", gas::autoencode, gas::learn,
                                                 gas::classify};
