/* The change of the results of a runtime step (a kernel of kernel_functions.c) along the motion, as a kernel. It calls the step's
 * tangent on changes that lie within w. */
#ifndef MOBOD_CHANGE_OF_STEP_H
#define MOBOD_CHANGE_OF_STEP_H

#include "kernel.h"

typedef struct {
    Kernel tangent;     /* of the step */
    int changes;        /* offset into w of the changes, which have the same layout as w */
    int n_outputs;      /* number of ranges of changes that it writes */
    const int *outputs; /* [n_outputs][2]  offset into w, count */
} ChangeOfStep;

/* Context: a ChangeOfStep. The second derivative is not known: the tangent sets its outputs to NaN, which is an error where they are
 * read. So the adjoint stops the sweep if an adjoint of its outputs is not 0. */
KernelFunction run_change_of_step, run_change_of_step_tangent, run_change_of_step_adjoint;

#endif
