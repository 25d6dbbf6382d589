#include "api.h"

#include "elimination.h"
#include "multipliers.h"

#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    KernelFunction *function;
} KERNEL_FUNCTIONS[] = {
    {"run_program", run_program},
    {"run_elimination", run_elimination},
    {"run_elimination_tangent", run_elimination_tangent},
    {"run_multipliers", run_multipliers},
    {"run_multipliers_tangent", run_multipliers_tangent},
    {"run_delay", run_delay},
    {"run_delay_tangent", run_delay_tangent},
    {"run_change_of_step", run_change_of_step},
    {"run_change_of_step_tangent", run_change_of_step_tangent},
};

KernelFunction *mobod_kernel_function(const char *name) {
    for (size_t i = 0; i < sizeof KERNEL_FUNCTIONS / sizeof KERNEL_FUNCTIONS[0]; i++)
        if (strcmp(KERNEL_FUNCTIONS[i].name, name) == 0)
            return KERNEL_FUNCTIONS[i].function;
    return NULL;
}

const char *mobod_why_not_a_program(const Program *program) { return why_not_a_program(program); }

Kernel mobod_program_kernel(const Program *program) { return (Kernel){run_program, program}; }

int mobod_call_kernels(const Sweep *sweep, const Kernel *kernels, double *w, double *dw, double *scratch) {
    Call call = {.w = w, .dw = dw, .scratch = scratch};
    return call_kernels(sweep, kernels, &call, dw ? dw : w);
}
