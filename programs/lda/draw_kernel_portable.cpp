#include "programs/lda/draw_kernel_loops.hpp"

const gas::DrawKernel gas::portable_draw_kernel = GAS_DRAW_KERNEL;
