/* Delays: the record of past values, which grows during an integration, and how delayed values are read from it. */
#ifndef MOBOD_DELAYS_H
#define MOBOD_DELAYS_H

#include "model.h"
#include "state.h"
#include "work.h"

typedef struct {
    const char *name;
    int n, capacity;      /* number of entries of its value, and of times in its record */
    double delay;         /* s */
    const double *before; /* [n] value for times before the record; NULL: the oldest value, or the operand if nothing is recorded */

    /* offsets into w */
    int time;
    int operand, rate; /* [n] recorded value, and its rate */
    int value, slope;  /* [n] delayed value, and its rate */
    int memory;        /* offset of the memory of a History */
} Delay;

typedef struct DelayTable {
    int n_delays;
    const Delay *delays;
    int stage;           /* stage at which all operands and their rates are known */
    int moment_size;     /* number of values of a moment: time, operand and rate of each delay */
    double longest_step; /* s, shorter than any delay, so that a step reads only values recorded before it */
} DelayTable;

/* the number of entries of Work.moments */
size_t moments_size(const Model *model);

/* kernel, tangent and adjoint of a delay: value and slope from its record; context: a Delay */
KernelFunction run_delay, run_delay_tangent, run_delay_adjoint;

/* Record the values in w. Call it at the start of an integration, and whenever a value may have changed without a change of time: the
 * record then contains a jump. The start of a record is a jump too, from the value of the delay before it. Returns -1, or the number of a
 * delay whose record is full.
 *
 * moments  Work.moments */
int begin_delays(const Model *model, State *state, double *moments);

/* s, the last time before the next delayed jump, at which a step must end; infinite if there is none */
double next_stop_of_delays(const Model *model, State *state);

/* s, the time after the next such time, or after the present one if it is one that has not been passed */
double next_time_after_jump(const Model *model, State *state);

/* If such a time is that in w or later, but not after `latest`, set the time to the next larger double, which is after the jump; y stays.
 * Returns whether the time has changed. full_delay: -1, or the number of a delay whose record is full. */
int pass_stop_of_delays(const Model *model, State *state, double *moments, double latest, int *full_delay);

/* Record the step from `start`, the last recorded time, to the time in w. Chooses times within the step so that interpolation between
 * two entries is as accurate as the step. Leaves w unchanged except for the record. Returns -1, or the number of a delay whose record is
 * full. */
int advance_delays(const Model *model, State *state, Work *work, double start);

/* Record the values in w, at the end of a step that an importer has taken. Returns -1, or the number of a delay whose record is full. */
int commit_delays(const Model *model, State *state, double *moments);

/* Copy the entries from which a delay is read at a time: their number and up to two entries. Returns the end of the space for them in
 * `excerpt`. */
double *excerpt_of_delay(const Delay *delay, double *w, double time, double *excerpt);

/* whether the recorded times are finite and do not decrease */
int delays_are_sound(const Model *model, double *w);

#endif
