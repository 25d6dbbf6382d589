/* Steps of bounded work, for hard real time. What they iterate has fixed largest counts. What is left then goes on in the next step: it is
 * counted, and its size is noted by unit. The start of a run has no such bounds.
 *
 * The counts are those of engine/mobod/simulate/bounded_steps.py, which computes from them the largest work of a step. */
#ifndef MOBOD_BOUNDED_STEPS_H
#define MOBOD_BOUNDED_STEPS_H

#include "state.h"

typedef enum {
    MOST_PARTS = 8,             /* trial steps within a step of RK4 and semi-implicit Euler: an event ends at most half of them */
    MOST_CORRECTIONS = 4,       /* iterations of a projection, of positions, and the same of velocities */
    MOST_BOUNDED_ROUNDS = 8,    /* rounds of impacts at one time */
    MOST_CHOICES = 4,           /* solutions at velocity level, each with the rows that the last one violates */
    MOST_DISPLACEMENTS = 2,     /* problems of an iteration of the position correction, each with the open rows that the last one lowers */
    MOST_BOUNDED_DECISIONS = 3, /* of the modes of friction at one time */
    MOST_SAMPLES = 100,         /* of witnesses in the search of one trial step, besides those at the ends of its parts */
} LargestCount;

/* Begin the notes of a step. */
void begin_bounded_step(State *state);

/* Count an overrun: a count was not enough. */
void note_overrun(State *state);

/* Note how late an event is, s, or the size of what is left; the largest of a step is kept. */
void note_late(State *state, double seconds);
void note_left(State *state, LeftKind kind, double size);

#endif
