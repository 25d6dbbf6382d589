#include "unresolved_bounces.h"

#include "chosen_friction.h"
#include "contact_table.h"
#include "contact_work.h"
#include "elementary.h"
#include "event_times.h"
#include "friction.h"
#include "friction_table.h"
#include "handler_actions.h"
#include "late_impacts.h"
#include "rest_of_contacts.h"
#include "rows.h"
#include "slip_directions.h"
#include "state_sizes.h"
#include "tree.h"
#include "unilateral_rows.h"
#include "vectors.h"
#include "witnesses.h"

#include <string.h>

/* NOISE: relative to the scale of a rate and |u|; of a rate.
 * WIDER: how much further below zero a contact at rest may be after an importer's errors have taken it there */
static const double NOISE = 1e-12, WIDER = 4;
enum { MOST_TIMES = 50 }; /* until the normal impulses and their friction belong together */

/* relative to the scale of a rate */
static double rate_noise(const Model *model, const State *state) { return NOISE * size_of_u(model, state); }

static const Contact *contact_of_event(const Model *model, int event) {
    return model->contacts->contacts + model->contacts->contact_of_event[event];
}

/* the first row of what the run decides at this event */
static int row_of_event(const Model *model, int event) {
    int is_contact = model->contacts && model->contacts->contact_of_event[event] >= 0;
    return is_contact ? row_number_of(model, contact_of_event(model, event)) : model->rows->blocks[friction_of(model, event)->block].first;
}

double noise_for_importer(const Model *model, const State *state, int event, double value) {
    double round_off = scale_of_row(model, row_of_event(model, event)) * position_round_off(model, state);
    return fabs(value) <= round_off ? 2 * round_off : 0;
}

/* ---- what the importer has seen ---- */

/* whether a contact was free before an event and is free after it, or its friction slipped and slips */
static int has_gone_on(const Model *model, const State *state, const EventWork *work, int event) {
    const int contact = model->contacts->contact_of_event[event];
    const Friction *friction = friction_of(model, event);
    if (contact >= 0)
        return !work->contacts->were_active[contact] && state->w[model->contacts->contacts[contact].active] == 0;
    return work->contacts->friction->were_modes[friction - friction_at(model, 0)] == FRICTION_SLIP &&
           state->w[friction->mode] == FRICTION_SLIP;
}

double wider_noise_for_importer(const Model *model, State *state, const EventWork *work, int witness) {
    const int event = model->events->triggered[witness];
    const double noise = state->w[model->events->events[event].memory + MEMORY_NOISE];
    if (!work->crossed[witness] || !has_gone_on(model, state, work, event) || !(noise >= noise_at_rest(model, state, event, 0, 0)))
        return 0;
    return WIDER * noise;
}

int note_crossings_of_importer(const Model *model, State *state, EventWork *work) {
    const EventTable *table = model->events;
    int stage = stage_of_witnesses(model, state);
    if (!model->contacts || realize(model, state, stage))
        return 0;
    renew_directions(model, state);
    read_witness_values(model, state, stage, work->inside_values);
    for (int i = 0; i < table->n_witnesses; i++) {
        const Event *event = table->events + table->triggered[i];
        double *memory = state->w + event->memory;
        int is_above = work->inside_values[i] + memory[MEMORY_NOISE] > 0;
        if (is_decided_by_run(model, table->triggered[i]) && memory[MEMORY_SIDE] > 0 && !is_above && is_enabled(event, state))
            memory[MEMORY_CROSSED] = -1;
    }
    for (int i = 0; i < n_contacts(model); i++)
        work->contacts->drift[i] = state->w[model->contacts->contacts[i].distance];
    return 1;
}

int has_noted_crossings(const Model *model, const State *state) {
    const EventTable *table = model->events;
    for (int i = 0; i < table->n_witnesses; i++)
        if (is_decided_by_run(model, table->triggered[i]) && state->w[table->events[table->triggered[i]].memory + MEMORY_CROSSED] != 0)
            return 1;
    return 0;
}

int crosses_at_once(const Model *model, State *state, const EventWork *work, int witness) {
    int event = model->events->triggered[witness];
    const double *memory = state->w + model->events->events[event].memory;
    if (!is_decided_by_run(model, event) || !(memory[MEMORY_SIDE] > 0) || !is_enabled(model->events->events + event, state))
        return 0;
    double soon = location_of_roots(model, time_of(model, state)), rate = work->rates[witness];
    double scale = scale_of_row(model, row_of_event(model, event));
    double low = fmax(-rate * soon, scale * position_round_off(model, state) / 2); /* less than what noise_for_importer leaves */
    return rate < -scale / time_scale(model) * rate_noise(model, state) && work->values[witness] + memory[MEMORY_NOISE] <= low;
}

void note_drift_of_contacts(const Model *model, State *state, EventWork *work) {
    realize(model, state, STAGE_POSITION);
    for (int i = 0; i < n_contacts(model); i++)
        work->contacts->drift[i] = fmax(0, work->contacts->drift[i] - state->w[model->contacts->contacts[i].distance]) +
                                   state->w[model->events->events[model->contacts->contacts[i].event].memory + MEMORY_NOISE];
}

void forget_drift_of_contacts(const Model *model, EventWork *work) {
    if (n_contacts(model))
        memset(work->contacts->drift, 0, (size_t)n_contacts(model) * sizeof(double));
}

/* ---- bounces ---- */

/* Select the friction of the contacts of a mask that slip, or of those that stick. Sets the coefficients of those that slip. */
static void select_slips(const Model *model, const State *state, ContactWork *work, const int *mask, int slips) {
    ChosenFriction *rows = work->friction;
    for (int f = 0; f < n_frictions(model); f++) {
        const Friction *friction = friction_at(model, f);
        int is_chosen = friction->contact >= 0 && mask[friction->contact] && state->w[friction->enabled] != 0;
        int is_slip = slip_speed(friction, state->w) > rest_of_slip(model, state, friction);
        rows->selected[f] = is_chosen && is_slip == slips;
        rows->n_selected += rows->selected[f];
        if (is_chosen && slips)
            rows->limit[f] = is_slip ? state->w[friction->kinetic] : 0;
    }
}

/* Add the friction of the normal impulses of contacts that slip to work->impulses. */
static void add_friction_impulses(const Model *model, const State *state, ContactWork *work, const int *mask) {
    for (int f = 0; f < n_frictions(model); f++) {
        const Friction *friction = friction_at(model, f);
        if (friction->contact < 0 || !mask[friction->contact] || state->w[friction->enabled] == 0 || !(work->friction->limit[f] > 0))
            continue;
        double normal = work->impulses[row_number_of(model, model->contacts->contacts + friction->contact)];
        for (int k = 0; k < friction->n; k++)
            work->impulses[model->rows->blocks[friction->block + k].first] =
                -work->friction->limit[f] * normal * state->w[friction->rates + k] / slip_speed(friction, state->w);
    }
}

/* Remove the rates of the contacts of a mask once, with the friction of the impulses of contacts that slip. */
static Outcome remove_rates(const Model *model, State *state, ContactWork *work, const int *mask, Integration *result) {
    realize(model, state, STAGE_DYNAMICS);
    int n_equations;
    if (model->frictions) { /* E of the tangents */
        select_no_friction(work->friction, model->frictions->n);
        select_slips(model, state, work, mask, 1);
        assemble_rows(model, state, work, mask, NULL, ROWS_OF_ALL_LEVELS, &n_equations);
        realize(model, state, STAGE_DYNAMICS);
        select_no_friction(work->friction, model->frictions->n);
        select_slips(model, state, work, mask, 0);
    }
    int m = assemble_rows(model, state, work, mask, NULL, ROWS_OF_ALL_LEVELS, &n_equations);
    read_velocity_errors(model, state, work->a);
    for (int i = 0; i < n_contacts(model); i++)
        if (mask[i])
            work->a[work->row_of_contact[i]] = state->w[model->contacts->contacts[i].rate];
    if (model->frictions) {
        read_slips(model, state, work, work->a);
        work->friction->n_selected = 0; /* all rows are equations */
    }
    for (int i = 0; i < m; i++)
        work->size[i] = fabs(work->a[i]);
    Outcome outcome = solve_unilateral(model, state, work, m, m, NULL, result);
    if (outcome != INTEGRATED)
        return outcome;
    place_impulses(model, work, m, work->rows.multipliers);
    if (model->frictions)
        add_friction_impulses(model, state, work, mask);
    find_response(model, state, work);
    for (int k = 0; k < model->n_u; k++)
        state->w[model->y_at + model->n_q + k] += work->change[k];
    invalidate(state, STAGE_VELOCITY);
    realize(model, state, STAGE_VELOCITY);
    return INTEGRATED;
}

/* relative to the scale of a rate */
static double largest_rate(const Model *model, const State *state, const int *mask) {
    double fastest = 0;
    for (int i = 0; i < n_contacts(model); i++)
        if (mask[i])
            fastest =
                fmax(fastest, fabs(state->w[model->contacts->contacts[i].rate]) / scale_of_speed(model, model->contacts->contacts + i));
    return fastest;
}

Outcome take_back_bounces(const Model *model, State *state, EventWork *events, Integration *result) {
    const ContactTable *contacts = model->contacts;
    ContactWork *work = events->contacts;
    double *w = state->w, noise = rate_noise(model, state);
    int *mask = work->pressing, any = 0;
    for (int i = 0; i < contacts->n; i++)
        mask[i] = work->were_active[i] = w[contacts->contacts[i].active] != 0;
    for (int i = 0; i < model->events->n_witnesses; i++) {
        int contact = contacts->contact_of_event[model->events->triggered[i]];
        if (contact < 0 || !events->crossed[i] || mask[contact] || work->late[contact].depth > 0 ||
            !(events->rates[i] > noise * scale_of_speed(model, contacts->contacts + contact)))
            continue;
        mask[contact] = any = 1;
    }
    if (!any)
        return INTEGRATED;

    /* if the impulses do not converge, the bounce stays: it is an event again, until its contact is captured or chatters */
    memcpy(events->y_kept, w + model->y_at, (size_t)y_size(model) * sizeof(double));
    release_contacts(model, state);
    realize(model, state, STAGE_VELOCITY);
    Outcome outcome = INTEGRATED;
    int times = 0;
    do
        outcome = remove_rates(model, state, work, mask, result);
    while (outcome == INTEGRATED && largest_rate(model, state, mask) > noise && ++times < MOST_TIMES);
    if (times == MOST_TIMES)
        move_to(model, state, time_of(model, state), events->y_kept);
    if (model->frictions)
        select_no_friction(work->friction, model->frictions->n);
    activate_contacts(model, state, work->were_active);
    if (model->frictions)
        apply_modes(model, state);
    return outcome;
}
