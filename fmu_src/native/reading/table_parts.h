/* Checks of the parts of tables: ranges of w, and lists. */
#ifndef MOBOD_TABLE_PARTS_H
#define MOBOD_TABLE_PARTS_H

#include "blob.h"
#include "model.h"

/* the data for checks of a table */
typedef struct {
    const Blob *blob;
    const Model *model;
    int n_w; /* entries of w */
} Checks;

/* whether n numbers from `at` on lie in w */
int are_in_w(const Checks *checks, int at, int64_t n);

/* whether two ranges of n numbers in w, from a and from b on, overlap */
int overlap(int a, int b, int n);

/* whether there are at least n items */
int has_items(const Checks *checks, const void *items, int64_t n);

/* whether it is the number of a stage */
static inline int is_stage(int stage) { return stage >= STAGE_EMPTY && stage < N_STAGES; }

#endif
