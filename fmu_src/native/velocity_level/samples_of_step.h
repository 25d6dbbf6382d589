/* Sampled values in fixed steps: a sample is taken at the end of the first step that ends at its time or later, so that it has the mean
 * forces of that step. A step ends nowhere else because of it. Other events than samples are not supported at velocity level. */
#ifndef MOBOD_SAMPLES_OF_STEP_H
#define MOBOD_SAMPLES_OF_STEP_H

#include "event_work.h"

/* whether the handler of an event takes samples */
int is_sample(const Event *event);

/* whether a model has any */
int has_samples(const Model *model);

/* At the start of a run, unless it continues another one: take the first samples, and those that are due. Returns INTEGRATED, or the
 * reason why a handler failed; so does the next one. work: NULL if there are no samples */
Outcome begin_samples(const Model *model, State *state, EventWork *work, Integration *result);

/* at the end of a step of h */
Outcome take_samples_of_step(const Model *model, State *state, EventWork *work, double h, Integration *result);

#endif
