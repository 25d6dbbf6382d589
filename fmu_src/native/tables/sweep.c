#include "sweep.h"

#include <stddef.h>
#include <string.h>

int run_no_operation(const void *context, Call *call, const int *at) {
    (void)context;
    (void)call;
    (void)at;
    return 0;
}

/* where a kernel's result asks for it, begin or repeat a part of a sweep (kernel.h), and return 0 */
static int repeated(int result, int *row, int *begin) {
    if (result == REPEAT_FROM_HERE)
        *begin = *row;
    else if (result == REPEAT && *begin >= 0)
        *row = *begin;
    else
        return result;
    return 0;
}

int call_kernels(const Sweep *sweep, const Kernel *kernels, Call *call, double *cleared) {
    int result = 0, begin = -1;
    for (int i = 0; i < sweep->n_clear; i++)
        memset(cleared + sweep->clear[2 * i], 0, (size_t)sweep->clear[2 * i + 1] * sizeof(double));
    for (int row = 0; row < sweep->n_rows && !result; row++) {
        const Kernel *kernel = kernels + sweep->kernel[row];
        result = repeated(kernel->run(kernel->context, call, sweep->at + sweep->first[row]), &row, &begin);
    }
    return result;
}

int call_adjoints(const Sweep *sweep, const Kernel *adjoints, Call *call) {
    int result = 0, begin = -1;
    for (int row = sweep->n_rows - 1; row >= 0 && !result; row--) {
        const Kernel *adjoint = adjoints + sweep->kernel[row];
        result = repeated(adjoint->run(adjoint->context, call, sweep->at + sweep->first[row]), &row, &begin);
    }
    for (int i = 0; i < sweep->n_clear; i++)
        memset(call->dw + sweep->clear[2 * i], 0, (size_t)sweep->clear[2 * i + 1] * sizeof(double));
    return result;
}
