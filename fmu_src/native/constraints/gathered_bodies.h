/* Copies of what rows read of the bodies that they act on, where the runtime decides which bodies these are (RowBlock.choice). The rows
 * themselves are recorded, and read the copies. */
#ifndef MOBOD_GATHERED_BODIES_H
#define MOBOD_GATHERED_BODIES_H

#include "kernel.h"

/* offsets into w */
typedef struct {
    int n;             /* copies, each of two bodies */
    int choices;       /* [n] the numbers of their paths */
    int idle;          /* [n] flags: the copies in w are those of Ground, since the choice was 0 */
    int n_paths;       /* of all rows: a choice is below */
    const int *bodies; /* [n_paths][2] numbers of the bodies; 0: Ground */
    int n_bodies;
    int n_parts;
    const int *sizes;  /* [n_parts] */
    const int *places; /* [n_bodies][n_parts] offsets of the parts */
    int n_numbers;     /* the sum of the sizes */
    int to;            /* [n][2][n_numbers] */
} GatherTable;

KernelFunction run_gather, run_gather_tangent, run_gather_adjoint;

#endif
