/* Several rows of a sweep in one call of a kernel, one after the other. It replaces a kernel that does them side by side
 * (lanes_of_rows.h) where only the kernel of one row exists: tangents, and runs in the lanes of vectors. */
#ifndef MOBOD_ROWS_IN_ORDER_H
#define MOBOD_ROWS_IN_ORDER_H

#include "exported.h"
#include "kernel.h"

/* a context */
typedef struct {
    Kernel kernel; /* of one row */
    int n_rows;
    int n_places; /* of a row in `at` */
} RowsInOrder;

MOBOD_API KernelFunction run_rows_in_order;

#endif
