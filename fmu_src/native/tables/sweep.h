/* A sweep: kernels called in order on the numbers of a State. */
#ifndef MOBOD_SWEEP_H
#define MOBOD_SWEEP_H

#include "kernel.h"

typedef struct {
    int n_clear;       /* ranges set to zero first */
    const int *clear;  /* [n_clear][2]  offset, count */
    int n_calls;       /* of kernels, in order */
    const int *kernel; /* [n_calls]     index of the kernel */
    const int *first;  /* [n_calls] index in `at` of the first offset of each call */
    const int *at;     /*               offsets, one for each input and output */
    const int *spared; /* [n_calls]     index in `at` of a Spare; -1: the call is always done. NULL: all are */
} Sweep;

/* A call of rows whose bodies the runtime chooses (RowBlock.choice) is left out while no row has bodies, once its results are those of
 * rows without bodies, which do not change. In `at`: */
typedef enum {
    SPARE_N,       /* how many choices it has */
    SPARE_IS_IDLE, /* offset of a flag: the results in w are those of rows without bodies */
    SPARE_CHOICES  /* the offset of each choice */
} Spare;

/* kernels with the order in which they are called */
typedef struct {
    const Sweep *sweep;
    const Kernel *kernels;
} KernelCalls;

/* A kernel that does nothing. It replaces the missing tangent of a procedure in Python whose changes are not needed. */
KernelFunction run_no_operation;

/* Set the sweep's ranges of `cleared` to zero; `cleared` is w, or dw for tangents. Then call the kernels until one stops the sweep.
 * Returns 0, or its result. */
int call_kernels(const Sweep *sweep, const Kernel *kernels, Call *call, double *cleared);

/* The same backwards, with adjoints of kernels: the transposed operation. */
int call_adjoints(const Sweep *sweep, const Kernel *adjoints, Call *call);

#endif
