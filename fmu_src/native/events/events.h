/* The times at which events occur, and the actions of their handlers.
 *
 * At one time, reporters are called first, samples are taken second, and handlers are called third, each in the order in which they were
 * added to the System. Then the state is projected onto the constraints, and each scheduled event computes its next time. All memory of
 * events lies in w, in discrete variables. So a run can continue where another run ended. */
#ifndef MOBOD_EVENTS_H
#define MOBOD_EVENTS_H

#include "event_work.h"

/* an event chatters after so many consecutive occurrences at practically one time */
enum { MANY_SHORT = 100 };

/* NULL if there are no events or memory is exhausted. moments: Work.moments */
EventWork *create_event_work(const Model *model, double *moments);
void free_event_work(EventWork *work);

/* Make room for w of another model with the same events. work may be NULL. Returns 0 if memory is exhausted. */
int grow_event_work(EventWork *work, const Model *from, const Model *to);

/* copy the data of the last step that process_events needs */
void copy_event_work(const Model *model, const EventWork *from, EventWork *to);

/* Each of these returns INTEGRATED, or the reason why a handler failed; result->culprit is then the number of the event. */

/* The start of a run: call the handlers of CAUSE_INITIALIZATION and compute the first times of scheduled events. If the run continues
 * where another one ended, only the active contacts are determined. */
Outcome begin_events(const Model *model, State *state, EventWork *work, Integration *result);

/* Before the first step of a call: evaluate the witnesses, and process the changes since the last call, and the events that are pending. */
Outcome resume_events(const Model *model, State *state, EventWork *work, Integration *result);

/* At the end of a step: whether an event is due that is not one of CAUSE_TIME_ADVANCED; and store the crossings, for resume_events. */
int is_event_due(const Model *model, const State *state, const EventWork *work);
void leave_events(const Model *model, State *state, const EventWork *work);

/* Evaluate the witnesses and their rates at the start of the next step. */
Outcome read_witnesses(const Model *model, State *state, EventWork *work, Integration *result);

/* The end of a run: call the handlers of CAUSE_TERMINATION. */
Outcome end_events(const Model *model, State *state, EventWork *work, Integration *result);

/* s, the next time of an event, at which a step must end */
double next_event_time(const Model *model, const State *state);

/* crossings.c: search the last step, which began at t, for crossings. Sets *better to the time at which the step should have ended, or to
 * infinity if its end is right. Leaves w unchanged. Fails if a witness is not a number. */
Outcome find_crossings(const Model *model, State *state, Work *integration, EventWork *work, double t, double *better, Integration *result);

/* Whether no witness comes near a crossing in the last step, whose values at the ends of n_parts equal parts are in work->points. If so,
 * those at its end are stored, as find_crossings does. Not if the last step needed rates, or ends where a crossing is expected. */
int keeps_all_signs(const Model *model, State *state, EventWork *work, int n_parts);

/* Process all events that are due at the State's time: reporters, impacts, handlers. */
Outcome process_events(const Model *model, State *state, EventWork *work, int is_end_of_step, Integration *result);

/* whether an event has ended the run */
int is_terminated(const Model *model, const State *state);

#endif
