/* A model in a block of memory, without an operating system: what the functions of a model's own header call. */
#ifndef MOBOD_BARE_MODEL_H
#define MOBOD_BARE_MODEL_H

#include "bare.h"
#include "instance_data.h"

/* Variables that are members of a struct: Reals first, as doubles, then the others, as ints. */
typedef struct {
    const unsigned *reals; /* [n_reals] value references */
    size_t n_reals;
    const unsigned *booleans;
    size_t n_booleans;
    const unsigned *integers;
    size_t n_integers;
} BareGroup;

/* `memory` [size] holds the model; `reals` and `wholes` are the numbers of the group. */

/* create the model and its start. values: of groups[i], reals[i] and wholes[i]; NULL: they keep their values */
Status bare_start(void *memory, size_t size, double start_time, const BareGroup *const groups[], const double *const reals[],
                  const int *const wholes[], size_t n_groups);
Status bare_set(void *memory, const BareGroup *group, const double *reals, const int *wholes);
Status bare_get(void *memory, const BareGroup *group, double *reals, int *wholes);
Status bare_step(void *memory, double step);

double bare_time(const void *memory);
const char *bare_message(const void *memory);

/* the bytes that a start has taken, or would take */
size_t bare_bytes(const void *memory);

#endif
