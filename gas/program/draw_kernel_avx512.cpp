// Compiled with -mavx512f.
#include "gas/program/draw_kernel_loops.hpp"

const gas::DrawKernel gas::avx512_draw_kernel = GAS_DRAW_KERNEL;
