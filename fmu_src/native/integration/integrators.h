/* Error-controlled integration of y from one communication point to the next. */
#ifndef MOBOD_INTEGRATORS_H
#define MOBOD_INTEGRATORS_H

#include "model.h"
#include "outcome.h"
#include "state.h"
#include "work.h"

/* Returns 0 if memory is exhausted; call free_work in any case. integrator: as State.integrator */
int allocate_work(Work *work, const Model *model, int integrator);
void free_work(Work *work);

/* Called after each step, from t to t_new, with the data that `interpolate` needs. Returns 0 to stop the integration there. Must not
 * change the State. */
typedef int StepTaken(void *observer, double t, double t_new, const Work *work);

/* Integrate from State.w's time to t_end, or until step_taken (NULL: none) or an event stops it. It ends at exactly t_end, or after what
 * end_with_events has found round-off after it. Leaves w realized to STAGE_ACCELERATION. If it fails, time and y are those of the last good
 * step, and nothing is realized from STAGE_TIME on. */
Integration integrate(const Model *model, State *state, Work *work, double t_end, StepTaken *step_taken, void *observer);

/* Its parts. At the start: process the changes since the last call, and the events that are pending. Returns result->outcome. */
Outcome begin_steps(const Model *model, State *state, Work *work, Integration *result);
/* whether t_end is reached, or an event ends the integration */
int is_at_end(const Model *model, State *state, const Work *work, double t_end);
/* whether t_end is reached, with the time events and delayed jumps that end_with_events finds */
int has_reached(const Model *model, State *state, double t_end);
/* where an integration to t_end ends: t_end, or the next time event or delayed jump if that is round-off after it, event_times.h */
double end_with_events(const Model *model, State *state, double t_end);
/* Take one step, and process what is due at both of its ends. Returns 0 if no step follows. */
int next_step(const Model *model, State *state, Work *work, double t_end, StepTaken *step_taken, void *observer, Integration *result);
void end_steps(const Model *model, State *state, Integration *result);

#endif
