// Compiled with -mavx512f -mfma.
#define GAS_LANES 16
#define GAS_TILE_POINTS 12
#define GAS_TILE_PANELS 2
#include "programs/k_means/kernels/block_kernel_loops.hpp"

const gas::BlockKernel gas::avx512_block_kernel = GAS_BLOCK_KERNEL("avx512");
