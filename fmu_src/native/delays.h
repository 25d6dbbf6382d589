/* What delays are read from, recorded while an integration goes on, and how they are read. */
#ifndef MOBOD_DELAYS_H
#define MOBOD_DELAYS_H

#include "integrators.h"
#include "model.h"
#include "state.h"

typedef struct {
    const char *name;
    int n, capacity;      /* entries of its value; of what is remembered */
    double delay;         /* s */
    const double *before; /* [n] for times before all that is recorded; NULL: the oldest value, or, if there is none, the operand */

    /* offsets into w */
    int time;
    int operand, rate; /* [n] what is recorded */
    int value, slope;  /* [n] what is read, and its rate */
    int memory;        /* of a History */
} Delay;

typedef struct DelayTable {
    int n_delays;
    const Delay *delays;
    int stage;           /* at which all operands and their rates are known */
    int moment_size;     /* numbers of all operands and their rates at one time, with the time for each */
    double longest_step; /* s, shorter than any delay: what is read in a step was recorded before it */
} DelayTable;

/* numbers of Work.moments */
size_t moments_size(const Model *model);

/* kernel and tangent of a delay: its value and slope from what is remembered; context: a Delay */
KernelFunction run_delay, run_delay_tangent;

/* Record what is in w: at the start of an integration, and wherever what is at the same time may have changed; a jump is recorded as one.
 * The start of a record is a jump too, from what a delay is worth before it. Returns -1, or the number of a delay without room.
 *
 * moments  Work.moments */
int begin_delays(const Model *model, State *state, double *moments);

/* s, the last moment before a delayed jump, at which a step must end; infinite if none is to come */
double next_stop_of_delays(const Model *model, State *state);

/* If the time in w is such a moment, go on to the next, which is after the jump; y stays. Returns whether it was; full_delay: -1, or the
 * number of a delay without room. */
int pass_stop_of_delays(const Model *model, State *state, double *moments, int *full_delay);

/* The step from `start`, where was recorded last, to the time in w has been taken. So often is recorded within it that what lies between
 * two entries is as accurate as the step. Leaves w as it is, but for what is remembered. Returns -1, or the number of a delay without room.
 */
int advance_delays(const Model *model, State *state, Work *work, double start);

/* How many of the entries, and which, a delay is read from at a time; returns what follows the room for it: one number and two entries. */
double *excerpt_of_delay(const Delay *delay, double *w, double time, double *excerpt);

/* whether the times of what is remembered are finite and do not decrease */
int delays_are_sound(const Model *model, double *w);

#endif
