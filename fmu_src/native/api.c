#include "api.h"

#include <stddef.h>

const char *mobod_why_not_a_program(const Program *program) { return why_not_a_program(program); }

Kernel mobod_program_kernel(const Program *program) { return (Kernel){run_program, program}; }

int mobod_call_kernels(const Sweep *sweep, const Kernel *kernels, double *w, double *dw, double *scratch) {
    Call call = {.w = w, .dw = dw, .scratch = scratch};
    return call_kernels(sweep, kernels, &call, dw ? dw : w);
}
