#include "contacts.h"

#include "bounces.h"
#include "bounded_steps.h"
#include "chosen_friction.h"
#include "contact_table.h"
#include "contact_work.h"
#include "elementary.h"
#include "engagement.h"
#include "event_table.h"
#include "friction.h"
#include "friction_table.h"
#include "impact.h"
#include "impacts_in_turn.h"
#include "late_impacts.h"
#include "projection.h"
#include "rest_of_contacts.h"
#include "rims.h"
#include "rows.h"
#include "sliding_impacts.h"
#include "state_sizes.h"
#include "tree.h"
#include "unilateral_rows.h"

#include <string.h>

/* MOMENT: in time scales; more than MOST_EVENTS impacts or releases of a row within it raise its capture speed.
 * HARDLY: of the time, and in time scales; a run has no end if MANY_EVENTS of a row come within it. They take 1,000 steps or more.
 * NOISE: relative to a rate; of the energy of its impulse.
 * Decision: docs/decisions/234-endless-events.md */
static const double MOMENT = 1e-6 * 0.1, HARDLY = 1e-3, NOISE = 1e-12;
/* relative to the largest impact speed of a row: the order of slower impacts does not matter */
static const double FAST = 1e-2;
enum { MOST_EVENTS = 100, MOST_RAISED = 12, MANY_EVENTS = 500 };

/* whether the event of a row is a bounce by which it becomes slower: such bounces end at the capture speed */
static int is_slowing_bounce(const Model *model, State *state, int event, double fall) {
    const int number = model->contacts->contact_of_event[event];
    const Contact *contact = number < 0 ? NULL : model->contacts->contacts + number;
    return contact && state->w[contact->active] == 0 && state->w[contact->restitution] < 1 && fall > slowest_impact(model, state, contact);
}

/* Count the events of a row in which time hardly advances; whether there are too many. */
static int has_stalled(const Model *model, State *state, int event, double fall) {
    double *memory = state->w + model->events->events[event].memory, time = state->w[model->time_at];
    if (is_slowing_bounce(model, state, event, fall))
        return 0;
    if (!(fabs(time - memory[MEMORY_INTERVAL]) <= HARDLY * fmin(fabs(time), time_scale(model)))) {
        memory[MEMORY_INTERVAL] = time;
        memory[MEMORY_N_SHORTER] = 0;
    }
    return ++memory[MEMORY_N_SHORTER] > MANY_EVENTS && !state->is_bounded;
}

int count_contact_event(const Model *model, State *state, int event, double fall) {
    double *memory = state->w + model->events->events[event].memory, time = state->w[model->time_at];
    const Friction *friction = friction_of(model, event);
    memory[MEMORY_LAST] = time;
    memory[MEMORY_FALL] = fall;
    if (time - memory[MEMORY_SINCE] > MOMENT * time_scale(model)) {
        memory[MEMORY_SINCE] = time;
        memory[MEMORY_N_SHORT] = memory[MEMORY_RAISED] = 0;
    }
    memory[MEMORY_N_SHORT]++;
    if (memory[MEMORY_N_SHORT] > MOST_EVENTS) {
        memory[MEMORY_N_SHORT] = 0;
        memory[MEMORY_RAISED]++;
        if (memory[MEMORY_RAISED] > MOST_RAISED) {
            if (!state->is_bounded)
                return 0;
            memory[MEMORY_RAISED] = MOST_RAISED;
        }
    }
    if (has_stalled(model, state, event, fall))
        return 0;
    if (friction)
        return state->w[friction->mode] == FRICTION_STICK ? 1 : -1;
    return state->w[model->contacts->contacts[model->contacts->contact_of_event[event]].active] != 0 ? 1 : -1;
}

/* ---- impacts ---- */

/* whether the impulse of one row changes the rate of the other */
static int are_coupled(const ContactWork *work, int n_equations, int one, int other) {
    const double *a = work->B + one * work->width, *b = work->B + other * work->width;
    double product = 0, of_a = 0, of_b = 0;
    for (int k = 0; k < work->width; k++) {
        product += a[k] * b[k];
        of_a += a[k] * a[k];
        of_b += b[k] * b[k];
    }
    return n_equations > 0 || fabs(product) > SAME_RATIO * sqrt(of_a * of_b);
}

/* whether a speed of a selected row is fast enough for the order of impacts to matter */
static int is_fast(const Model *model, State *state, const ContactWork *work, int row, double speed) {
    return speed > FAST * memory_of_contact(model, state, model->contacts->contacts + work->contact_of_row[row])[MEMORY_IMPACT_SPEED];
}

/* Mark in `ambiguous` the coupled rows that approach fast at the same time; in the last round, all fast rows. */
static void mark_ambiguous(const Model *model, State *state, ContactWork *work, int m, int n_equations, int is_last_round) {
    for (int row = n_equations; row < m; row++) {
        double rate = work->before[row];
        int is_ambiguous = is_last_round;
        for (int other = n_equations; other < m; other++)
            is_ambiguous = is_ambiguous || (other != row && are_coupled(work, n_equations, row, other) &&
                                            is_fast(model, state, work, other, -work->before[other]));
        if (is_ambiguous && is_fast(model, state, work, row, is_last_round ? fabs(rate) : -rate))
            work->ambiguous[row] = 1;
    }
}

/* Prepare a round from the rates `before`: rows that approach bounce, rows that separate take no part. Returns whether any row
 * approaches. is_sequence: set to 1 if a row separates because of an earlier round. */
static int begin_round(const Model *model, State *state, ContactWork *work, int m, int n_equations, int *is_sequence) {
    int any = 0;
    for (int row = n_equations; row < m; row++) {
        const Contact *contact = model->contacts->contacts + work->contact_of_row[row];
        double *memory = memory_of_contact(model, state, contact), rate = work->before[row];
        if (rate < -rate_noise(model, state, contact)) {
            any = 1;
            work->bounce[row] = bounce_of(model, state, work, work->contact_of_row[row], -rate);
            memory[MEMORY_IMPACT_SPEED] = fmax(memory[MEMORY_IMPACT_SPEED], -rate);
        } else {
            work->before[row] = fmax(rate, 0);
            work->bounce[row] = 0;
        }
        work->upper[row - n_equations] = rate > work->rest_rates[row] ? 0 : INFINITY;
        *is_sequence = *is_sequence || rate > work->rest_rates[row];
    }
    return any;
}

/* compute the impulses of a round, and the rates after it */
static Outcome solve_round(const Model *model, const State *state, ContactWork *work, int m, int n_equations, Integration *result) {
    int nu = model->rows->nu;
    for (int i = 0; i < m; i++)
        work->noise[i] = NOISE * fabs(work->before[i]);
    Outcome outcome = solve_without_gain(model, state, work, m, n_equations, work->upper, result);
    if (outcome != INTEGRATED)
        return outcome;
    memset(work->change, 0, (size_t)nu * sizeof(double));
    for (int i = 0; i < m; i++) {
        work->total[i] += work->z[i];
        for (int k = 0; k < nu; k++)
            work->change[k] += work->B[i * work->width + k] * work->z[i];
    }
    for (int i = 0; i < m; i++)
        for (int k = 0; k < nu; k++)
            work->before[i] += work->B[i * work->width + k] * work->change[k];
    return INTEGRATED;
}

/* Impacts at one time, in rounds, until no row approaches. Sets `total` to the impulses and `before` to the rates. */
static Outcome solve_rounds(const Model *model, State *state, ContactWork *work, int m, int n_equations, Integration *result) {
    int n = m - n_equations, is_sequence = 0, is_endless = 0;
    double *rates = work->before + n_equations;
    memset(work->bounce, 0, (size_t)m * sizeof(double));
    memset(work->total, 0, (size_t)m * sizeof(double));
    for (int round = 0; !is_endless && begin_round(model, state, work, m, n_equations, &is_sequence); round++) {
        int is_last_round = round == (work->cuts.is_on ? MOST_BOUNDED_ROUNDS : MOST_ROUNDS);
        if (is_last_round && work->cuts.is_on)
            note_cut(work, 0);
        is_endless = is_last_round || (round > 0 && is_repeated(n, rates, work->earlier_rates));
        if (is_sequence)
            mark_ambiguous(model, state, work, m, n_equations, is_last_round && !work->cuts.is_on);

        /* for comparison, keep the rates of each round whose number is a power of two */
        if ((round & (round - 1)) == 0)
            memcpy(work->earlier_rates, rates, (size_t)n * sizeof(double));

        /* the limit of an infinite sequence: the nearest rates for which no row approaches */
        for (int i = 0; is_endless && i < n; i++) {
            work->upper[i] = INFINITY;
            work->bounce[n_equations + i] = 0;
        }
        Outcome outcome = solve_round(model, state, work, m, n_equations, result);
        if (outcome != INTEGRATED)
            return outcome;
    }
    return INTEGRATED;
}

/* Impacts with friction at one time: one problem for all rows at distance zero. Sets `total` to the impulses. */
static Outcome solve_with_friction(const Model *model, State *state, ContactWork *work, int m, int n_equations, Integration *result) {
    memset(work->bounce, 0, (size_t)m * sizeof(double));
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        double *memory = memory_of_contact(model, state, contact), rate = state->w[contact->rate];
        if (work->touching[i] && rate < -rate_noise(model, state, contact)) {
            work->bounce[work->row_of_contact[i]] = bounce_of(model, state, work, i, -rate);
            memory[MEMORY_IMPACT_SPEED] = fmax(memory[MEMORY_IMPACT_SPEED], -rate);
        }
    }
    read_slips(model, state, work, work->before);
    for (int i = 0; i < m; i++)
        work->noise[i] = NOISE * fabs(work->before[i]);
    Outcome outcome = solve_without_gain(model, state, work, m, n_equations, NULL, result);
    memcpy(work->total, work->z, (size_t)m * sizeof(double));
    return outcome;
}

/* fail if an impact at a rim that lies flat tilts it */
static Outcome check_rims(const Model *model, State *state, ContactWork *work, Integration *result) {
    const Contact *tilted = tilted_by_impact(model, state, work->touching, work->q);
    return tilted ? contact_failed(CONTACT_LIES_FLAT, model, state, tilted, 0, result) : INTEGRATED;
}

static Outcome solve_impacts(const Model *model, State *state, ContactWork *work, Integration *result) {
    const ContactTable *contacts = model->contacts;
    double *w = state->w;
    int any = 0, has_friction = has_friction_in(model, state, work->touching);
    for (int i = 0; i < contacts->n; i++)
        any = any || (work->touching[i] && w[contacts->contacts[i].rate] < -rate_noise(model, state, contacts->contacts + i));
    if (!any)
        return INTEGRATED;
    if (are_in_turn(model, state, work->touching)) {
        Outcome outcome = solve_impacts_in_turn(model, state, work, result);
        return outcome == INTEGRATED ? check_rims(model, state, work, result) : outcome;
    }

    /* the rows at distance zero, and their rates */
    realize(model, state, STAGE_DYNAMICS);
    if (has_friction)
        select_touching(model, state, work, work->touching);
    int n_equations, m = assemble_rows(model, state, work, work->touching, NULL, ROWS_OF_ALL_LEVELS, &n_equations);
    memset(work->bound, 0, (size_t)m * sizeof(double));
    memset(work->ambiguous, 0, (size_t)m * sizeof(int));
    read_velocity_errors(model, state, work->before);
    for (int i = 0; i < contacts->n; i++)
        if (work->touching[i]) {
            int row = work->row_of_contact[i];
            work->contact_of_row[row] = i;
            work->before[row] = w[contacts->contacts[i].rate];
            work->rest_rates[row] = slowest_impact(model, state, contacts->contacts + i);
        }
    Outcome outcome = has_friction ? solve_with_friction(model, state, work, m, n_equations, result)
                                   : solve_rounds(model, state, work, m, n_equations, result);
    if (outcome != INTEGRATED)
        return outcome;
    for (int row = 0; row < m; row++)
        if (work->ambiguous[row])
            note_ambiguous(model, state, contacts->contacts + work->contact_of_row[row]);

    apply_impulses(model, state, work, m, work->total);
    note_impulses_of_impacts(model, state, work);
    if (has_friction)
        note_friction_impulses(model, state, work);
    return check_rims(model, state, work, result);
}

/* Remove the residual rates of the rows at rest in `pressing`, by an impulse. A projection does not use masses and might add energy. */
static Outcome remove_residual_rates(const Model *model, State *state, ContactWork *work, Integration *result) {
    const ContactTable *contacts = model->contacts;
    double *w = state->w;
    int any = 0;
    for (int i = 0; i < contacts->n; i++)
        any = any || (work->pressing[i] && fabs(w[contacts->contacts[i].rate]) > rate_noise(model, state, contacts->contacts + i));
    if (!any)
        return INTEGRATED;
    realize(model, state, STAGE_DYNAMICS);
    int n_equations, m = assemble_rows(model, state, work, work->pressing, NULL, ROWS_OF_ALL_LEVELS, &n_equations), next = n_equations;
    read_velocity_errors(model, state, work->a);
    for (int i = 0; i < contacts->n; i++)
        if (work->pressing[i])
            work->a[next++] = w[contacts->contacts[i].rate];
    for (int i = 0; i < m; i++)
        work->size[i] = fabs(work->a[i]);
    Outcome outcome = solve_unilateral(model, state, work, m, m, NULL, result);
    if (outcome == INTEGRATED)
        apply_impulses(model, state, work, m, work->rows.multipliers);
    return outcome;
}

/* ---- all of it ---- */

static Outcome check_projected(const Model *model, const State *state, Projection projection, Integration *result) {
    if (projection.is_done)
        return INTEGRATED;
    result->outcome = CONTACT_NOT_PROJECTED;
    result->constraint = projection.constraint;
    result->culprit = model->contacts->contacts[0].event;
    result->time = state->w[model->time_at];
    result->value = projection.error;
    return CONTACT_NOT_PROJECTED;
}

Outcome resolve_contacts(const Model *model, State *state, ContactWork *work, int *has_changed, Integration *result) {
    const ContactTable *contacts = model->contacts;
    double *w = state->w, tolerance = state->constraint_tolerance;
    size_t n_y = (size_t)y_size(model) * sizeof(double);
    int any = model->frictions != NULL, is_below = 0;
    memcpy(work->y, w + model->y_at, n_y);
    for (int i = 0; i < contacts->n; i++)
        work->were_active[i] = w[contacts->contacts[i].active] != 0;
    for (int f = 0; f < n_frictions(model); f++) {
        const Friction *friction = friction_at(model, f);
        work->friction->were_modes[f] = (int)w[friction->mode];
        memcpy(work->friction->were_directions + 2 * f, w + friction->direction, (size_t)friction->n * sizeof(double));
    }

    /* the rows at distance zero */
    release_contacts(model, state);
    Outcome outcome = check_projected(model, state, project(model, state, tolerance), result);
    if (outcome != INTEGRATED)
        return outcome;
    realize(model, state, STAGE_VELOCITY);
    const Contact *deepest = NULL;
    double excess = 0;
    for (int i = 0; i < contacts->n && !state->is_bounded; i++) {
        const Contact *contact = contacts->contacts + i;
        double allowed = allowed_depth(model, state, contact) + work->drift[i] + work->late[i].depth;
        double beyond = (-allowed - w[contact->distance]) / scale_of_distance(model, contact);
        if (row_exists(state, contact) && beyond > excess) { /* else an event was late */
            excess = beyond;
            deepest = contact;
        }
    }
    if (deepest)
        return contact_failed(CONTACT_OUTSIDE, model, state, deepest, w[deepest->distance], result);
    int has_late = has_late_impacts(model, work);
    if (has_late)
        outcome = lift_to_bounds(model, state, work, result);
    if (outcome != INTEGRATED)
        return outcome;
    for (int i = 0; i < contacts->n; i++) {
        const Contact *contact = contacts->contacts + i;
        double allowed = tolerance_of_distance(model, state, contact);
        double distance = w[contact->distance], held = (work->were_active[i] ? OUTSIDE : 1) * allowed;
        work->touching[i] = row_exists(state, contact) && distance <= held + resolution_of(model, state, contact);
        any = any || work->touching[i];
        is_below = is_below || (work->touching[i] && distance < -allowed / 2);
    }

    if (any) {
        if (has_late)
            find_shortest_bounces(model, state, work);
        if (is_below) {
            activate_contacts(model, state, work->touching);
            outcome = check_projected(model, state, project_positions(model, state, tolerance), result);
            release_contacts(model, state);
        }
        if (outcome == INTEGRATED)
            outcome = solve_impacts(model, state, work, result);
        realize(model, state, STAGE_VELOCITY);
        for (int i = 0; i < contacts->n; i++) {
            const Contact *contact = contacts->contacts + i;
            double slowest = slowest_impact(model, state, contact);
            work->touching[i] = work->touching[i] && fabs(w[contact->rate]) <= fmax(slowest, work->late[i].shortest);
        }
        forget_late_impacts(model, work);
        memset(work->slow, 0, (size_t)contacts->n * sizeof(double));
        if (outcome == INTEGRATED && model->frictions)
            outcome = find_modes_or_impacts(model, state, work, result);
        else if (outcome == INTEGRATED)
            outcome = find_pressing(model, state, work, work->touching, result);
        if (outcome == INTEGRATED && !model->frictions)
            outcome = remove_residual_rates(model, state, work, result);
        if (outcome != INTEGRATED)
            return outcome;
        activate_contacts(model, state, work->pressing);
        if (model->frictions)
            apply_modes(model, state);
        outcome = check_projected(model, state, project(model, state, tolerance), result);
    }
    *has_changed = memcmp(work->y, w + model->y_at, n_y) != 0;
    for (int i = 0; i < contacts->n; i++)
        *has_changed = *has_changed || work->were_active[i] != (w[contacts->contacts[i].active] != 0);
    for (int f = 0; f < n_frictions(model); f++) {
        const Friction *friction = friction_at(model, f);
        *has_changed = *has_changed || work->friction->were_modes[f] != (int)w[friction->mode] ||
                       memcmp(work->friction->were_directions + 2 * f, w + friction->direction, (size_t)friction->n * sizeof(double)) != 0;
    }
    return outcome;
}
