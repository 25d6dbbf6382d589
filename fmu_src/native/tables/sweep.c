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
static int repeated(int result, int *number, int *begin) {
    if (result == REPEAT_FROM_HERE)
        *begin = *number;
    else if (result == REPEAT && *begin >= 0)
        *number = *begin;
    else
        return result;
    return 0;
}

/* whether a call may be left out: it is noted whether its results are those of rows without bodies from now on */
static int is_left_out(const int *spare, double *w) {
    int is_idle = 1;
    for (int i = 0; i < spare[SPARE_N] && is_idle; i++)
        is_idle = w[spare[SPARE_CHOICES + i]] == 0;
    const int was_idle = w[spare[SPARE_IS_IDLE]] != 0;
    w[spare[SPARE_IS_IDLE]] = is_idle;
    return is_idle && was_idle;
}

int call_kernels(const Sweep *sweep, const Kernel *kernels, Call *call, double *cleared) {
    const int n = sweep->n_calls, *kernel_of = sweep->kernel, *first = sweep->first, *at = sweep->at;
    const int *spared = call->dw ? NULL : sweep->spared;
    int begin = -1;
    for (int i = 0; i < sweep->n_clear; i++)
        memset(cleared + sweep->clear[2 * i], 0, (size_t)sweep->clear[2 * i + 1] * sizeof(double));
    for (int number = 0; number < n; number++) {
        const Kernel *kernel = kernels + kernel_of[number];
        if (spared && spared[number] >= 0 && is_left_out(at + spared[number], call->w))
            continue;
        int result = kernel->run(kernel->context, call, at + first[number]);
        if (result && (result = repeated(result, &number, &begin)))
            return result;
    }
    return 0;
}

int call_adjoints(const Sweep *sweep, const Kernel *adjoints, Call *call) {
    int result = 0, begin = -1;
    for (int number = sweep->n_calls - 1; number >= 0 && !result; number--) {
        const Kernel *adjoint = adjoints + sweep->kernel[number];
        result = repeated(adjoint->run(adjoint->context, call, sweep->at + sweep->first[number]), &number, &begin);
    }
    for (int i = 0; i < sweep->n_clear; i++)
        memset(call->dw + sweep->clear[2 * i], 0, (size_t)sweep->clear[2 * i + 1] * sizeof(double));
    return result;
}
