/* Variables that get a next value at the start of each step.
 *
 * A sweep computes the next value as it does any other number; nothing but the start of a step moves it to where the variable lies. */
#ifndef MOBOD_AUTO_UPDATES_H
#define MOBOD_AUTO_UPDATES_H

#include "integrators.h"
#include "model.h"
#include "state.h"

/* Places are offsets into w. A next value that is computed at STAGE_TIME or later is taken in each step. One that is computed before is
 * taken once, until it is computed anew; nor is it taken after a handler has set the variable. */
typedef struct {
    const char *name;
    int at, next, n; /* the variable [n], and its next value [n] */
    int used;        /* a flag: the next value is not to be taken; 0 where it is computed at STAGE_TIME or later */
    int stage;       /* whose sweep computes it */
    int invalidates; /* the stage that must be realized anew when the variable changes */
    int is_boolean;  /* the variable is 0 or 1 */
} AutoUpdate;

typedef struct AutoUpdateTable {
    int n;
    const AutoUpdate *updates; /* [n] */
} AutoUpdateTable;

/* The start of a step: give each variable its next value, or have the host do so. has_changed: whether accelerations depend on what has
 * changed. Leaves time and y. Returns INTEGRATED, KERNEL_STOPPED, or UPDATE_NOT_FINITE, with what is wrong in `result`. */
Outcome take_next_values(const Model *model, State *state, int *has_changed, Integration *result);

/* Something was set that a stage depends on: it and all after it must be realized anew, next values too. What a step changes by itself
 * needs `invalidate` alone: all that depends on time is computed anew before the next step begins. */
void note_change(const Model *model, State *state, int stage);

/* A handler has set n numbers from `first` on, and `stage` is the earliest that depends on what it has set; after note_change. */
void note_set_by_handler(const Model *model, State *state, int first, int n, int stage);

/* how many numbers they have in all; and copy these */
int size_of_updated(const Model *model);
void read_updated(const Model *model, const State *state, double *values);

#endif
