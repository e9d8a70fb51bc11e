// Compiled for every processor.
#define Eigen gas_eigen_portable
#include "programs/networks/kernels/layer_kernels.hpp"
#include "programs/networks/kernels/layer_loops.hpp"

const gas::LayerKernel gas::portable_layer_kernel = {"portable", gas::autoencode, gas::learn,
                                                     gas::classify};
