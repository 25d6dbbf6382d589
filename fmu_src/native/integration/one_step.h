/* One step of an integration, which ends where accuracy or the grid of fixed steps allows. */
#ifndef MOBOD_ONE_STEP_H
#define MOBOD_ONE_STEP_H

#include "step.h"

/* Take one step towards t_end, the longest that is accurate enough. `result` counts it, or describes why there is none (0). */
int advance(const Model *model, State *state, Work *work, double t_end, Integration *result);

/* Take one fixed step towards t_end. `result` counts it, or describes why there is none (0). */
int advance_by_fixed_step(const Model *model, State *state, Work *work, double t_end, Integration *result);

/* The step under error control that is tried next. Its length is the difference of rounded times, so that time and y advance by the same
 * amount. The last step ends at t_end: up to 1 % longer, or any amount shorter, than State.step_size. */
typedef struct {
    double t_new, step;
    int is_last, is_cut_short;
    double smallest; /* s: with a shorter step, the sum of time and step has no digits left to distinguish two stages. After an accepted
                        step, step sizes are not smaller. If a refused step requires a smaller one, the integration fails. */
} PlannedStep;

/* Choose the size of a first step towards t_end, if none is known yet, from y and slopes[0] in `work`. Realizes nothing. */
void begin_step_size(const Model *model, State *state, Work *work, const Method *method, double t_end);

PlannedStep plan_step(const State *state, double t, double t_end);

/* Choose the size of the next step after an accepted one; factor: of `growth`. A step cut short by t_end does not shorten the next one, and
 * its error does not enter the step control. was_refused: a longer step from the same time was refused. */
void accept_step(const Model *model, State *state, const PlannedStep *planned, double error, double factor, int was_refused);

/* count a step that was taken */
void count_step(const Work *work, Integration *result);

/* restore time and y to those at the start of the step */
void restore_start_of_step(const Model *model, State *state, const Work *work, double t);

/* whether values within the step that ends at t_new are needed */
int needs_interpolant(const Model *model, const Work *work, double t_new);

#endif
