#include "samples_of_step.h"

#include "elementary.h"
#include "handler_actions.h"

#include <string.h>

static const double SLACK = 1e-6; /* relative to a step; at most what engine/mobod/system/measures/sampling.py allows */

int is_sample(const Event *event) {
    return !event->is_reporter && event->handling.n && (event->cause == CAUSE_SCHEDULED || event->cause == CAUSE_INITIALIZATION);
}

int has_samples(const Model *model) {
    int any = 0;
    for (int i = 0; model->events && i < model->events->n; i++)
        any = any || is_sample(model->events->events + i);
    return any;
}

int is_sample_due(double next, double end, double h) { return next <= end + SLACK * h; }

/* take the sample of an event if it is due, and compute the time of the next one */
static Outcome take_sample(const Model *model, State *state, EventWork *work, int number, double h, Integration *result) {
    const Event *event = model->events->events + number;
    int ignored;
    if (!is_sample_due(memory_of(event, state->w)[MEMORY_NEXT], time_of(model, state), h))
        return INTEGRATED;
    Outcome outcome = is_enabled(event, state) ? handle_event(model, state, work, number, 0, result) : INTEGRATED;
    return outcome == INTEGRATED ? run_actions(model, state, work, number, &event->next, &ignored, result) : outcome;
}

Outcome take_due_samples(const Model *model, State *state, EventWork *work, double h, Integration *result) {
    Outcome outcome = INTEGRATED;
    for (int i = 0; work && i < model->events->n && outcome == INTEGRATED; i++)
        if (model->events->events[i].cause == CAUSE_SCHEDULED && is_sample(model->events->events + i))
            outcome = take_sample(model, state, work, i, h, result);
    if (work)
        state->w[model->events->shared + SHARED_UNTIL] = time_of(model, state);
    return outcome;
}

Outcome begin_samples(const Model *model, State *state, EventWork *work, Integration *result) {
    if (!work || state->w[model->events->shared + SHARED_UNTIL] == time_of(model, state))
        return INTEGRATED;
    const EventTable *table = model->events;
    Outcome outcome = INTEGRATED;
    for (int i = 0; i < table->n && outcome == INTEGRATED; i++) {
        const Event *event = table->events + i;
        if (!is_sample(event))
            continue;
        double *memory = memory_of(event, state->w);
        memset(memory, 0, (size_t)size_of_memory(event) * sizeof(double));
        memory[MEMORY_NEXT] = memory[MEMORY_SCHEDULED] = NEVER;
        int ignored;
        if (event->cause == CAUSE_SCHEDULED)
            outcome = run_actions(model, state, work, i, &event->start, &ignored, result);
        else if (is_enabled(event, state))
            outcome = handle_event(model, state, work, i, 0, result);
    }
    return outcome == INTEGRATED ? take_due_samples(model, state, work, 0, result) : outcome;
}
