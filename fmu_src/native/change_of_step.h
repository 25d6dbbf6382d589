/* How the results of a step of the runtime change along the motion, as a kernel: the step's tangent, on changes that lie within w. */
#ifndef MOBOD_CHANGE_OF_STEP_H
#define MOBOD_CHANGE_OF_STEP_H

#include "kernel.h"

typedef struct {
    Kernel tangent;     /* of the step */
    int changes;        /* offset into w of the changes, which lie there as the numbers do in w */
    int n_outputs;      /* ranges of the changes that it writes */
    const int *outputs; /* [n_outputs][2]  offset into w, count */
} ChangeOfStep;

/* Context: a ChangeOfStep. How these changes change is not known: the tangent sets them to not a number, which is an error where it is
 * read. */
KernelFunction run_change_of_step, run_change_of_step_tangent;

#endif
