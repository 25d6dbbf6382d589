#include "late_impacts.h"

#include "chosen_friction.h"
#include "contact_table.h"
#include "contact_work.h"
#include "coordinate_changes.h"
#include "elementary.h"
#include "engagement.h"
#include "event_table.h"
#include "event_times.h"
#include "friction_table.h"
#include "rest_of_contacts.h"
#include "rows.h"
#include "tree.h"
#include "unilateral_rows.h"

#include <string.h>

enum { MOST_LIFTS = 30 };
static const double LOCATED_PART = 1e-3; /* of the fall in a step: an importer that ends so near a root has searched for it */

/* ---- what the importer's step has done ---- */

void remember_completed_step(const Model *model, State *state) {
    state->completed_step = state->w[model->time_at];
    if (n_contacts(model) > 0 && realize(model, state, STAGE_VELOCITY) == 0)
        remember_rows_at_end(model, state);
}

/* How far a distance may have fallen in a step that began with one rate and ended with the other. The rates may be larger within the step,
 * as they change by curvature, which moves coordinates of low order even along a bound. */
static double longest_fall(const Model *model, const State *state, const Contact *contact, double step, double before, double after) {
    double curvature = fabs(state->w[model->rows->blocks[contact->block].bias]);
    double approach = fmax(0, -fmin(before, after)) + fabs(after - before);
    return step * (approach + step * curvature);
}

/* The parabola of the distance in the step. */
static LateImpact late_impact(double step, RowAtEnd before, RowAtEnd after) {
    LateImpact late = {.depth = -after.distance, .speed = fmax(0, -after.rate)};
    if (!is_bound(before.distance))
        return late;
    double change = after.rate - before.rate, mean = (after.distance - before.distance) / step, end = mean + change / 2;
    double fastest = fmax(0, -fmin(before.rate, after.rate));
    late.shortest = fmax(0, -change);
    late.ahead = fmin(fmax(0, end - after.rate), late.shortest / 2);
    if (after.rate < 0)
        late.speed = fmin(sqrt(fmax(0, end * end - 2 * change / step * after.distance)), fastest);
    return late;
}

/* Whether a step has gone past the impact of a contact, and its approach explains this. An importer that has searched for the impact is
 * closer to it. A contact that rises at a depth within tolerances is left to take_back_bounces. */
static int is_late(const Model *model, const State *state, const Contact *contact, double step, RowAtEnd before, RowAtEnd after) {
    double depth = -after.distance, allowed = allowed_depth(model, state, contact);
    int existed = is_bound(before.distance); /* otherwise it has begun to exist within the step, at a distance that is not known */
    double fall = (existed ? before.distance : 0) + depth;
    double longest = longest_fall(model, state, contact, step, existed ? before.rate : after.rate, after.rate);
    double located = fmax(LOCATED_PART * fall, scale_of_distance(model, contact) * position_round_off(model, state) +
                                                   location_of_roots(model, state->w[model->time_at]) * fabs(after.rate));
    double noise = state->w[model->events->events[contact->event].memory + MEMORY_NOISE]; /* the indicator crosses zero there */
    return row_exists(state, contact) && depth > noise + located && before.distance >= -allowed && fall <= longest + allowed &&
           (after.rate < 0 || depth > allowed);
}

void note_late_impacts(const Model *model, State *state, ContactWork *work) {
    double step = state->w[model->time_at] - state->completed_step, *w = state->w;
    forget_late_impacts(model, work);
    if (!(step > 0) || (state->pending & PENDING_SET_STATES) || realize(model, state, STAGE_VELOCITY))
        return;
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        const RowAtEnd before = row_at_last_end(state, contact), after = {w[contact->distance], w[contact->rate]};
        if (is_late(model, state, contact, step, before, after))
            work->late[i] = late_impact(step, before, after);
    }
    work->step = step;
}

int confirm_late_impacts(const Model *model, State *state, ContactWork *work) {
    int deepest = -1;
    double lowest = 0;
    realize(model, state, STAGE_VELOCITY);
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        double distance = state->w[contact->distance];
        if (distance > -work->late[i].depth / 2)
            work->late[i] = (LateImpact){0};
        if (work->late[i].depth > 0 && distance < fmin(lowest, -allowed_depth(model, state, contact))) {
            lowest = distance;
            deepest = i;
        }
    }
    return deepest;
}

void forget_late_impacts(const Model *model, ContactWork *work) {
    if (n_contacts(model))
        memset(work->late, 0, (size_t)n_contacts(model) * sizeof(LateImpact));
}

int has_late_impacts(const Model *model, const ContactWork *work) {
    for (int i = 0; i < n_contacts(model); i++)
        if (work->late[i].depth > 0)
            return 1;
    return 0;
}

/* ---- what follows ---- */

/* Choose the contacts below zero. Returns the largest distance from zero, relative to its scale, of these and of those that have lifted
 * others or themselves; *worst: its contact */
static double choose_below(const Model *model, const State *state, double noise, ContactWork *work, int *worst) {
    double largest_error = 0;
    *worst = 0;
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        double distance = state->w[contact->distance] / scale_of_distance(model, contact),
               error = work->pressing[i] ? fabs(distance) : fmax(0, -distance);
        if (!row_exists(state, contact))
            continue;
        work->touching[i] = work->touching[i] || distance < -noise;
        if (error <= largest_error)
            continue;
        largest_error = error;
        *worst = i;
    }
    return largest_error;
}

/* Move the coordinates to the smallest lift from their start, by the linearised distances. work->pressing: the contacts that lift */
static Outcome lift_once(const Model *model, State *state, ContactWork *work, Integration *result) {
    const RowTable *table = model->rows;
    double *w = state->w;
    realize(model, state, STAGE_DYNAMICS);
    if (model->frictions)
        select_no_friction(work->friction, model->frictions->n);
    int n_equations, m = assemble_rows(model, state, work, work->touching, NULL, ROWS_OF_POSITIONS, &n_equations);

    /* the distances and errors without the lift until now */
    rates_along(table, w, work->lift, work->A, work->total);
    read_position_errors(model, state, work->a);
    for (int i = 0; i < n_contacts(model); i++)
        if (work->touching[i])
            work->a[work->row_of_contact[i]] = w[model->contacts->contacts[i].distance];
    for (int i = 0; i < m; i++) {
        work->size[i] = fabs(work->a[i]) + fabs(work->total[work->row_numbers[i]]);
        work->a[i] -= work->total[work->row_numbers[i]];
    }
    Outcome outcome = solve_unilateral(model, state, work, m, n_equations, NULL, result);
    if (outcome != INTEGRATED)
        return outcome;
    for (int i = 0; i < n_contacts(model); i++)
        work->pressing[i] = work->touching[i] && work->rows.multipliers[work->row_of_contact[i]] > 0;
    place_impulses(model, work, m, work->rows.multipliers);
    find_response(model, state, work);
    release_contacts(model, state);
    for (int k = 0; k < table->nu; k++) {
        double before = work->lift[k];
        work->lift[k] = work->change[k];
        work->change[k] -= before;
    }
    return move_coordinates(model, state, work->change, result);
}

/* A contact that separates falls back by its acceleration without contacts; forces of other contacts may add to this, as large as the terms
 * of this sum. The late impacts tell for how long contacts have been free. */
void find_shortest_bounces(const Model *model, State *state, ContactWork *work) {
    release_contacts(model, state);
    realize(model, state, STAGE_ACCELERATION);
    if (model->frictions)
        select_no_friction(work->friction, model->frictions->n);
    int n_equations, m = assemble_rows(model, state, work, work->touching, NULL, ROWS_OF_ALL_LEVELS, &n_equations);
    read_free_accelerations(model, state, work, m);
    release_contacts(model, state);
    double duration = 0;
    for (int i = 0; i < n_contacts(model); i++) {
        double size = work->touching[i] ? work->size[work->row_of_contact[i]] : 0;
        if (work->late[i].shortest > duration * size)
            duration = fmin(work->step, size > 0 ? work->late[i].shortest / size : 0);
    }
    for (int i = 0; i < n_contacts(model); i++)
        if (work->touching[i])
            work->late[i].shortest = fmax(work->late[i].shortest, work->size[work->row_of_contact[i]] * duration);
}

Outcome lift_to_bounds(const Model *model, State *state, ContactWork *work, Integration *result) {
    const double noise = position_round_off(model, state), tolerance = state->constraint_tolerance;
    double before = INFINITY;
    int worst;
    memset(work->touching, 0, (size_t)n_contacts(model) * sizeof(int));
    memset(work->pressing, 0, (size_t)n_contacts(model) * sizeof(int));
    memset(work->lift, 0, (size_t)model->rows->nu * sizeof(double));
    release_contacts(model, state);
    for (int times = 0;; times++) {
        realize(model, state, STAGE_VELOCITY);
        double distance = choose_below(model, state, noise, work, &worst);
        double error = fmax(distance, largest_position_error(model, state));

        /* until round-off, which may be larger than expected */
        if (error <= noise || (error <= tolerance && error > before / 2))
            break;
        if (times == MOST_LIFTS)
            return contact_failed(CONTACT_OUTSIDE, model, state, model->contacts->contacts + worst,
                                  -distance * scale_of_distance(model, model->contacts->contacts + worst), result);
        before = error;
        Outcome outcome = lift_once(model, state, work, result);
        if (outcome != INTEGRATED)
            return outcome;
    }

    for (int i = 0; i < n_contacts(model); i++)
        work->late[i].depth = 0;
    return INTEGRATED;
}

double bounce_of_late_impact(LateImpact *late, double restitution) {
    double rate = restitution * late->speed;
    late->speed = 0;
    return rate > late->shortest ? rate - late->ahead : 0;
}
