#define GAS_LANES 4
#define GAS_TILE_POINTS 3
#define GAS_TILE_PANELS 1
#include "programs/k_means/kernels/block_kernel_loops.hpp"

const gas::BlockKernel gas::portable_block_kernel = GAS_BLOCK_KERNEL("portable");
