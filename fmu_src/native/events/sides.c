#include "sides.h"

#include "elementary.h"
#include "event_table.h"
#include "event_times.h"
#include "friction.h"
#include "friction_table.h"
#include "handler_actions.h"
#include "unresolved_bounces.h"
#include "witnesses.h"

void decide_sides(const Model *model, State *state, EventWork *work, int has_jumped) {
    const EventTable *table = model->events;
    int has_noises = 0;
    for (int i = 0; i < table->n_witnesses; i++) {
        int crossed = work->crossed[i];
        if (!has_jumped && !crossed)
            continue;
        int is_decided = is_decided_by_run(model, table->triggered[i]);
        if (is_decided)
            crossed = 0; /* resolve_contacts has determined its state again: the earlier crossing is obsolete */
        double value = work->values[i], rate = work->rates[i], noise = 0;
        double fastest = fmax(fabs(rate), crossed ? fabs(work->crossed_rate[i]) : 0);
        double band = fmax(crossed ? work->crossed_noise[i] : 0, window_at(time_of(model, state), 0) * fastest);
        int side = sign_of(value);
        if (fabs(value) <= band) {
            if (!has_noises)
                read_noises(model, state, work);
            has_noises = 1;
            side = has_jumped ? sign_of(rate) : work->has_indicators ? crossed : 0;
            noise = fmax(band, work->noises[i]);
        }
        if (is_decided) {
            side = 1;
            noise = fmax(fmax(noise, -2 * value), noise_at_rest(model, state, table->triggered[i], value, rate));
            noise = work->has_indicators ? fmax(noise, wider_noise_for_importer(model, state, work, i)) : noise;
            noise = work->has_indicators ? fmax(noise, noise_for_importer(model, state, table->triggered[i], value)) : noise;
        }
        double *memory = memory_of(table->events + table->triggered[i], state->w);
        memory[MEMORY_SIDE] = side;
        memory[MEMORY_NOISE] = noise;
        memory[MEMORY_VALUE] = value;
    }
}

void decide_sides_of_contacts(const Model *model, State *state, EventWork *work) {
    const EventTable *table = model->events;
    for (int i = 0; i < table->n_witnesses; i++) {
        if (!is_decided_by_run(model, table->triggered[i]))
            continue;
        double *memory = state->w + table->events[table->triggered[i]].memory, value = work->values[i];
        memory[MEMORY_SIDE] = 1;
        memory[MEMORY_NOISE] = noise_at_rest(model, state, table->triggered[i], value, work->rates[i]);
        memory[MEMORY_VALUE] = value;
    }
}
