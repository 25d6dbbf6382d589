#include "samples_of_step.h"

#include "elementary.h"
#include "event_times.h"
#include "handler_actions.h"

#include <string.h>

int is_sample(const Event *event) {
    return event->cause == CAUSE_SAMPLE || (event->cause == CAUSE_INITIALIZATION && !event->is_reporter && event->handling.n);
}

int has_samples(const Model *model) {
    int any = 0;
    for (int i = 0; model->events && i < model->events->n; i++)
        any = any || is_sample(model->events->events + i);
    return any;
}

Outcome take_samples_of_step(const Model *model, State *state, EventWork *work, double h, Integration *result) {
    if (!work)
        return INTEGRATED;
    const EventTable *table = model->events;
    int ignored, any = 0;
    for (int i = 0; i < table->n; i++) {
        const Event *event = table->events + i;
        const int is_due =
            event->cause == CAUSE_SAMPLE && is_due_at_end_of_fixed_step(memory_of(event, state->w)[MEMORY_NEXT], time_of(model, state), h);
        work->due[i] = is_due && is_enabled(event, state);
        any = any || is_due;
    }
    Outcome outcome = any ? take_due_samples(model, state, work, &ignored, result) : INTEGRATED;

    /* the next times, also of those that are disabled */
    for (int i = 0; any && i < table->n && outcome == INTEGRATED; i++)
        if (table->events[i].cause == CAUSE_SAMPLE)
            outcome = run_actions(model, state, work, i, &table->events[i].next, &ignored, result);
    state->w[table->shared + SHARED_UNTIL] = time_of(model, state);
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
        if (event->cause == CAUSE_SAMPLE)
            outcome = run_actions(model, state, work, i, &event->start, &ignored, result);
        else if (is_enabled(event, state))
            outcome = handle_event(model, state, work, i, 0, result);
    }
    return outcome == INTEGRATED ? take_samples_of_step(model, state, work, 0, result) : outcome;
}
