// Compiled with -mavx2 -mfma.
#define GAS_LANES 8
#define GAS_TILE_POINTS 6
#define GAS_TILE_PANELS 1
#include "programs/k_means/kernels/block_kernel_loops.hpp"

const gas::BlockKernel gas::avx2_block_kernel = GAS_BLOCK_KERNEL("avx2");
