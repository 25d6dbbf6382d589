/* One fixed step at velocity level (velocity_level.h) in all lanes. Included by files that define MOBOD_LANES.
 *
 * Kernels, rows, their choice and the response to impulses are computed in all lanes at once. The problem with friction is solved lane by
 * lane. What is not the straight way is undone in its lane: rows that are chosen later, a correction of coordinates, rows without
 * friction that press, and failures. The run then takes the step alone.
 *
 * Decision: docs/decisions/191-steps-in-lanes.md */
#ifndef MOBOD_LANES_VELOCITY_LEVEL_H
#define MOBOD_LANES_VELOCITY_LEVEL_H

#include "lanes_trial.h"
#include "velocity_level.h"

/* the numbers of a step; VelocityLevelWork and ContactWork explain those of the same names */
typedef struct StepInLanes {
    FixedSteps settings;       /* of all lanes, without `step` and `tolerances` */
    VelocityLevelWork *scalar; /* for the problem of one lane at a time */
    int has_samples;           /* of samples_of_step.h */
    int n_changed, n_read;
    int *changed;                                                       /* [n_changed] offsets of all numbers that steps change */
    int *read;                                                          /* [n_read] of those that the problem of a lane reads from w */
    int *blocks;                                                        /* [n_blocks] mask of the rows of all problems */
    Number *kept;                                                       /* [n_changed] at the start of the step */
    Number *y, *y_new;                                                  /* [n_y] at the start, and at the end */
    Number *distances, *start_rates, *free, *least, *target, *captured; /* [contacts] */
    Number *slowest, *tolerances, *leans;                               /* [contacts]; leans [2 contacts] */
    Number *slips;                                                      /* [frictions] whether they slip at the start */
    Number *rates, *drifts, *ahead, *impulses;                          /* [n_rows] */
    Number *V, *A;                                                      /* [n_joints][6] */
    Number *accelerations, *removed, *eps, *change;                     /* [nu] */
    Number *hits;                                                       /* [contacts] mask as Hits.contacts */
    Number *before;                                                     /* [n_joints] as Hits.before */
    Number *L;                                                          /* [n_joints][size_of_L] */
    Number *B;                                                          /* [n_rows][nu] of all rows, along their paths */
    struct FrictionInLanes *friction;                                   /* NULL: the model has none */
    Index *chosen;                                                      /* [contacts] */
    void *memory;                                                       /* of all Numbers, from where it was allocated */
} StepInLanes;

/* whether runs of the model take steps in lanes */
int can_step_in_lanes(const Model *model, const FixedSteps *settings);

/* NULL if memory is exhausted */
StepInLanes *create_step_in_lanes(const Model *model, const FixedSteps *settings);
void free_step_in_lanes(StepInLanes *step);

/* the numbers that steps change, from the State of a run to its lane, and back; these are at the end of the last step, or `kept` */
void read_changed(Lanes *lanes, StepInLanes *step, int k);
void write_changed(const Lanes *lanes, const StepInLanes *step, int k, int are_kept);

/* whether a lane has a run, which need not take the step alone */
static inline int is_alive(const Lanes *lanes, int k) { return lanes->lanes[k].run && !lanes->lanes[k].is_unusual; }

/* Solve the problems of all lanes, those with the same rows at once where that is possible: sets impulses, hits, and in w the modes and
 * impulses of friction. Marks lanes without a solution. */
void solve_problems(Lanes *lanes, StepInLanes *step);

/* Take a step in each lane that has a run, from lanes->t to lanes->t_new. Marks the lanes in which it must be taken alone as unusual. */
void step_in_lanes(Lanes *lanes, StepInLanes *step);

#endif
