/* A sweep: kernels called in order on the numbers of a State. */
#ifndef MOBOD_SWEEP_H
#define MOBOD_SWEEP_H

#include "kernel.h"

typedef struct {
    int n_clear;       /* ranges set to zero first */
    const int *clear;  /* [n_clear][2]  offset, count */
    int n_rows;        /* kernel calls, in order */
    const int *kernel; /* [n_rows]      index of the kernel */
    const int *first;  /* [n_rows]      where the row's offsets begin in `at` */
    const int *at;     /*               offsets, one for each input and output */
} Sweep;

/* In the place of a tangent that there is none of: of a step in Python, whose changes are not asked for. */
KernelFunction run_no_operation;

/* Clear the ranges of `cleared`, which is w, or dw for the kernels of tangents; then call the kernels, until one stops the sweep. Returns
 * 0, or its result. */
int call_kernels(const Sweep *sweep, const Kernel *kernels, Call *call, double *cleared);

#endif
