/* The change of the results of a procedure of the runtime (kernel_functions.c) along the motion, as a kernel. It calls the procedure's
 * tangent on changes that lie within w. */
#ifndef MOBOD_CHANGE_OF_STEP_H
#define MOBOD_CHANGE_OF_STEP_H

#include "kernel.h"

typedef struct {
    Kernel tangent;     /* of the procedure */
    int changes;        /* offset into w of the changes, which have the same layout as w */
    int n_outputs;      /* number of ranges of changes that it writes */
    const int *outputs; /* [n_outputs][2]  offset into w, count */
} ChangeOfProcedure;

/* Context: a ChangeOfProcedure. The second derivative is not known: the tangent sets its outputs to NaN, which is an error where they are
 * read. So the adjoint stops the sweep if an adjoint of its outputs is not 0. */
KernelFunction run_change_of_procedure, run_change_of_procedure_tangent, run_change_of_procedure_adjoint;

#endif
