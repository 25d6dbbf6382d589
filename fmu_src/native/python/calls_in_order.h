/* Several calls of a sweep, done by one kernel one after the other. It replaces a kernel that does them side by side (lanes_of_calls.h)
 * where only the kernel of one call exists: tangents, and runs in the lanes of vectors. */
#ifndef MOBOD_CALLS_IN_ORDER_H
#define MOBOD_CALLS_IN_ORDER_H

#include "exported.h"
#include "kernel.h"

/* a context */
typedef struct {
    Kernel kernel; /* of one call */
    int n_calls;
    int n_places; /* of a call in `at` */
} CallsInOrder;

MOBOD_API KernelFunction run_calls_in_order;

#endif
