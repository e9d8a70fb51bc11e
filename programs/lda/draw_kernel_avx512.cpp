// Compiled with -mavx512f.
#include "programs/lda/draw_kernel_loops.hpp"

const gas::DrawKernel gas::avx512_draw_kernel = GAS_DRAW_KERNEL;
