/* Fixed steps, each with one program for speeds and one for coordinates.
 *
 *     u+ is nearest to u + h u_dot, as M measures, of all that keep the bilateral rows and take no engaged row farther below zero;
 *     q+ = q + h q_dot(u+);  then q moves as little as can be, as M measures, to where the constraints hold.
 *
 * u_dot is that of the bilateral constraints alone. Rows are those of the start of the step, with their own rates counted. An engaged row
 * asks for a rate of 0; a predicted one for -d / h, so that it ends at zero and never below; one that was met faster than the step itself
 * explains for -e times the rate before (Newton). A row below zero is brought back to its tolerance, not to zero: at rest it stays met.
 *
 * Source: Lloyd, Stavness, Fels, ArtiSynth (2012); Anitescu & Potra, Nonlinear Dyn. 14 (1997); Stewart & Trinkle, IJNME 39 (1996). */
#ifndef MOBOD_VELOCITY_LEVEL_H
#define MOBOD_VELOCITY_LEVEL_H

#include "compliant_rows.h"
#include "engagement.h"
#include "integrators.h"
#include "model.h"
#include "state.h"

#include <stdint.h>

typedef struct FixedSteps {
    double step; /* s */
    EngagementRule engagement;
    int position_iterations;  /* how often coordinates are corrected in a step, at most */
    const double *tolerances; /* [contacts] how far below zero each row may stay, in the unit of its distance */
} FixedSteps;

/* of no meaning between two calls */
typedef struct {
    ContactWork *rows;                        /* NULL: the model has no constraints */
    double *free, *least, *target, *captured; /* [contacts] rates without impulses, the least that they may be, what they are to be after
                                                 bounces, and what counts as rest */
    CompliantStep compliant;
    double *rates, *drifts; /* [n_rows] how rates change by speeds, without impulses, and by the rows themselves */
    double *V;              /* [n_joints][6] */
    double *accelerations;  /* [nu] u_dot where it is not known */
    double *y;              /* [n_y] */
    int *chosen, *presses;  /* [contacts] */
    double *reals;          /* the room of all */
    int *integers;
} VelocityLevelWork;

/* NULL if there is no memory for it */
VelocityLevelWork *create_velocity_level_work(const Model *model);
void free_velocity_level_work(VelocityLevelWork *work);

/* whether the State is where a step left it */
int is_at_end_of_fixed_step(const Model *model, State *state);

/* Where a run begins, or something was set: what is engaged is found, and coordinates are corrected. */
Outcome begin_fixed_steps(const Model *model, State *state, const FixedSteps *steps, VelocityLevelWork *work, Integration *result);

/* how many steps there are between two times, the last of which may be shorter */
int64_t count_fixed_steps(const FixedSteps *steps, double t_start, double t_end);

/* Steps number first to last of those from t_start to t_end, counted from 1. If it fails, the State may be anywhere. */
Integration take_fixed_steps(const Model *model, State *state, const FixedSteps *steps, VelocityLevelWork *work, double t_start,
                             double t_end, int64_t first, int64_t last);

#endif
