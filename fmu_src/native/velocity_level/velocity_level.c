#include "velocity_level.h"

#include "rates_of_step.h"

#include "auto_updates.h"
#include "bounded_steps.h"
#include "contact_pool.h"
#include "contact_slots.h"
#include "coordinate_changes.h"
#include "elementary.h"
#include "evaluation.h"
#include "friction.h"
#include "friction_steps.h"
#include "listed_rows.h"
#include "momentum_of_hits.h"
#include "position_correction.h"
#include "rest_of_contacts.h"
#include "rims.h"
#include "rows.h"
#include "samples_of_step.h"
#include "state_sizes.h"
#include "step.h"
#include "step_arithmetic.h"
#include "tree.h"
#include "turns_of_step.h"
#include "unilateral_rows.h"

#include <string.h>

static const double WHOLE = 1e-9; /* relative to a step; round-off of times, as in engine/mobod/simulate/velocity_level/fixed_steps.py */

/* relative to the scale of a rate */
static double noise_of_speeds(const Model *model, const State *state) { return NOISE * size_of_u(model, state); }

/* ---- speeds ---- */

/* choose the rows of the problem, and set their lower bounds of rates, and their rates after bounces */
static void choose_rows(const Model *model, const State *state, const FixedSteps *steps, VelocityLevelWork *work, double h) {
    const int is_predictive = rule_of_model(model, steps->engagement) == ENGAGEMENT_PREDICTIVE;
    const ContactsOfStep step = {.distances = work->start.distances,
                                 .start_rates = work->start.rates,
                                 .rates = work->rates,
                                 .drifts = work->drifts,
                                 .free = work->free,
                                 .least = work->least,
                                 .target = work->target,
                                 .captured = work->captured,
                                 .slowest = work->slowest,
                                 .chosen = work->chosen};
    choose_rows_of_step(model, state->w, is_predictive, steps->constraints_at == CONSTRAINTS_AT_MIDDLE, h, noise_of_speeds(model, state),
                        model->contacts ? position_round_off(model, state) : 0, &step);
}

/* Compute the impulses of bilateral and chosen rows, and the change of speeds that they cause; is_first: in this step. */
static Outcome solve_for_speeds(const Model *model, State *state, const FixedSteps *steps, VelocityLevelWork *work, double h, int is_first,
                                Integration *result) {
    ContactWork *rows = work->rows;
    Outcome outcome;
    int m, n_equations;
    do {
        if (model->frictions)
            select_friction_of_step(model, state, rows, work->chosen, h);
        m = assemble_rows(model, state, rows, work->chosen, work->compliant.chosen, ROWS_OF_ALL_LEVELS, &n_equations);
        rows->keeps_bounces = work->frozen != ALL_ROWS_FROZEN;
        outcome = solve_listed_rows(model, state, steps, work, h, is_first, m, n_equations, result);
        rows->keeps_bounces = 0;
        if (outcome != INTEGRATED)
            release_contacts(model, state);
    } while (outcome == FRICTION_UNSOLVED && work->frozen++ < ALL_ROWS_FROZEN);
    if (outcome != INTEGRATED) {
        work->frozen = NO_ROWS_FROZEN;
        return outcome;
    }
    result->outcome = INTEGRATED;
    place_impulses(model, rows, m, rows->z);
    find_response(model, state, rows);
    release_contacts(model, state);
    for (int k = 0; work->turns.any && k < model->rows->nu; k++)
        rows->change[k] += work->turns.speeds[k];
    return INTEGRATED;
}

/* Choose rows that would fall below zero with these changes of speeds. Returns whether there are any. */
static int choose_violated(const Model *model, const State *state, VelocityLevelWork *work, double h) {
    int any = 0;
    rates_along(model->rows, state->w, work->rows->change, work->V, work->rates);
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        const double change = work->rates[row_number_of(model, contact)];
        if (!work->chosen[i] && is_violated(contact, state->w, work->start.distances[i], work->free[i], change, h) != 0)
            any = work->chosen[i] = 1;
    }
    return choose_violated_compliant(model, state, &work->compliant, h, work->rates, NOISE) || any;
}

static void note_jam(const Model *model, State *state) {
    if (state->jammed_steps++ == 0)
        state->first_jam = state->w[model->time_at];
}

/* Compute the change of the bodies' speeds, into rows->change, and mark the unilateral rows that press without a bounce. */
static Outcome find_impulses(const Model *model, State *state, const FixedSteps *steps, VelocityLevelWork *work, double h,
                             Integration *result) {
    const EngagementRule rule = rule_of_model(model, steps->engagement);
    remove_compliant_forces(model, state, work->rows, &work->compliant, h);
    find_free_rates(model, state, steps, work, h);
    begin_compliant_rows(model, state, &work->compliant, h, work->rates, work->drifts, rule);
    choose_rows(model, state, steps, work, h);
    if (model->frictions)
        note_free_slips(model, work->rows, work->rates, work->drifts);
    work->rows->leaves_out_bounces = 0;
    Outcome outcome = model->contacts ? resolve_turns(model, state, steps, work, h, result) : INTEGRATED;
    if (outcome != INTEGRATED)
        return outcome;
    int n_solutions = 0, goes_on;
    do {
        outcome = solve_for_speeds(model, state, steps, work, h, n_solutions == 0, result);
        if (outcome != INTEGRATED)
            return outcome;
        n_solutions++;
        goes_on = rule == ENGAGEMENT_PREDICTIVE && choose_violated(model, state, work, h);
        if (goes_on && work->rows->cuts.is_on && n_solutions == MOST_CHOICES) {
            note_cut(work->rows, 0); /* rows end below zero, and are corrected */
            goes_on = 0;
        }
    } while (goes_on);
    if (work->frozen != NO_ROWS_FROZEN || work->rows->leaves_out_bounces)
        note_jam(model, state);
    work->frozen = NO_ROWS_FROZEN;
    for (int line = 0; work->turns.any && line < model->rows->n_rows; line++)
        work->rows->impulses[line] += work->turns.impulses[line];

    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        double impulse = work->rows->impulses[row_number_of(model, contact)];
        work->chosen[i] = work->chosen[i] && impulse > 0;
        work->presses[i] = work->chosen[i] && !(work->target[i] > work->captured[i]);
        state->w[contact->impulse] = impulse;
    }
    note_compliant_impulses(model, state, work->rows);
    if (model->frictions)
        note_friction_of_step(model, state, work->rows);
    if (work->hits.any)
        note_hits(model, state, work->hits.contacts);
    if (rule == ENGAGEMENT_PREDICTIVE)
        note_predicted(model, state, work->chosen);
    return INTEGRATED;
}

/* ---- coordinates ---- */

/* ---- steps ---- */

/* Rows that press become active, so that reported forces match the accelerations at the end of the step. */
static Outcome end_step(const Model *model, State *state, VelocityLevelWork *work, double h, Integration *result) {
    if (!model->contacts)
        return INTEGRATED;
    realize(model, state, STAGE_VELOCITY);
    remember_rows_at_end(model, state);
    if (model->frictions)
        carry_mean_forces(model, state, h);
    for (int i = 0; i < model->contacts->n; i++) {
        const Contact *contact = model->contacts->contacts + i;
        work->presses[i] = work->presses[i] && row_exists_in_fixed_steps(state, contact) && !has_friction(model, i) &&
                           fabs(state->w[contact->rate]) <= work->captured[i];
    }
    Outcome outcome = find_pressing(model, state, work->rows, work->presses, result);
    if (outcome == INTEGRATED)
        activate_contacts(model, state, work->rows->pressing);
    return outcome;
}

/* Forces at the start, as under error control. If the laws of friction have no solution there, no contact presses before the first step. */
static Outcome begin_friction(const Model *model, State *state, VelocityLevelWork *work, Integration *result) {
    remember_rows_at_end(model, state);
    Outcome outcome = find_modes(model, state, work->rows, work->presses, result);
    if (outcome != INTEGRATED && outcome != FRICTION_UNSOLVED && outcome != FRICTION_PARADOX)
        return outcome;
    if (outcome == INTEGRATED) {
        activate_contacts(model, state, work->rows->pressing);
        apply_modes(model, state);
    }
    return result->outcome = INTEGRATED;
}

/* find the engaged rows, and correct coordinates */
static Outcome begin_rows(const Model *model, State *state, const FixedSteps *steps, VelocityLevelWork *work, Integration *result) {
    realize(model, state, STAGE_VELOCITY);
    if (!reset_changed_rows(model, state))
        return INTEGRATED;
    release_contacts(model, state);
    decide_changed_slots(model, state, steps->step, steps->tolerances);
    Outcome outcome = decide_changed_pools(model, state, steps->step, steps->tolerances, result);
    if (outcome != INTEGRATED)
        return outcome;
    realize(model, state, STAGE_VELOCITY);
    outcome = check_start_of_contacts(model, state, steps->tolerances, result);
    if (outcome == INTEGRATED)
        outcome = correct_positions(model, state, steps, work, result);
    if (outcome != INTEGRATED)
        return outcome;
    realize(model, state, STAGE_VELOCITY);
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        work->presses[i] = row_exists_in_fixed_steps(state, contact) && (is_engaged(state, contact) || state->w[contact->distance] <= 0);
        work->captured[i] = scale_of_speed(model, contact) * noise_of_speeds(model, state);
    }
    return model->frictions ? begin_friction(model, state, work, result) : end_step(model, state, work, 0, result);
}

Outcome begin_fixed_steps(const Model *model, State *state, const FixedSteps *steps, VelocityLevelWork *work, Integration *result) {
    Outcome outcome = begin_rows(model, state, steps, work, result);
    return outcome == INTEGRATED ? begin_samples(model, state, work->events, result) : outcome;
}

/* Returns INTEGRATED, or describes in `result` the first of the values [n] that is not finite; they belong to y from entry `first` on. */
static Outcome check_finite(const double *values, int n, int first, double time, Integration *result) {
    for (int i = 0; i < n; i++)
        if (!isfinite(values[i])) {
            result->culprit = first + i;
            result->value = values[i];
            result->time = time;
            return result->outcome = STEP_NOT_FINITE;
        }
    return INTEGRATED;
}

/* Compute speeds and auxiliary variables at the end of a step, in work->y, from the rates in w and from impulses. */
static Outcome find_end(const Model *model, State *state, const FixedSteps *steps, VelocityLevelWork *work, double h, double end,
                        Integration *result) {
    const double *y = work->start.y, *y_dot = state->w + model->y_dot_at;
    const int n_q = model->n_q, n = y_size(model), is_middle = steps->constraints_at == CONSTRAINTS_AT_MIDDLE;
    double *y_new = work->y;
    realize(model, state, STAGE_ACCELERATION);
    for (int i = n_q; i < n; i++)
        y_new[i] = y[i] + h * y_dot[i];
    Outcome outcome = check_finite(y_new + n_q, n - n_q, n_q, end, result);
    if (outcome != INTEGRATED || !model->rows)
        return outcome;
    outcome = find_impulses(model, state, steps, work, h, result);
    for (int k = 0; k < model->rows->nu; k++)
        y_new[model->rows->u - model->y_at + k] += work->rows->change[k] + work->compliant.removed[k];
    if (outcome == INTEGRATED && work->free_impacts.any)
        outcome = note_momenta_without_impulses(model, state, work, is_middle ? h / 2 : h, end, result);
    return outcome;
}

/* Compute coordinates at the end of a step, in work->y: they move with the speeds of the end, from those in w. */
static void move_to_end(const Model *model, State *state, const FixedSteps *steps, VelocityLevelWork *work, double h) {
    const int n_q = model->n_q, n_u = model->n_u, is_middle = steps->constraints_at == CONSTRAINTS_AT_MIDDLE;
    double *y = state->w + model->y_at, *y_dot = state->w + model->y_dot_at, *y_new = work->y, time = is_middle ? h / 2 : h;
    memcpy(y + n_q, y_new + n_q, (size_t)n_u * sizeof(double));
    if (work->hits.any)
        change_speeds_of_hits(model, &work->hits, work->start.y + (model->rows->u - model->y_at), state->w + model->rows->u);
    invalidate(state, STAGE_VELOCITY);
    realize(model, state, model->q_dot_stage);
    for (int i = 0; i < n_q; i++)
        y_new[i] = y[i] + time * y_dot[i];
    if (!is_middle) /* prescribed speeds */
        memcpy(y_new + n_q, y + n_q, (size_t)n_u * sizeof(double));
}

/* take one step to the time `end` */
static Outcome take_step(const Model *model, State *state, const FixedSteps *steps, VelocityLevelWork *work, double end,
                         Integration *result) {
    const int n = y_size(model), is_middle = steps->constraints_at == CONSTRAINTS_AT_MIDDLE;
    double h = end - state->w[model->time_at];
    int ignored;
    if (state->is_bounded)
        begin_bounded_step(state);
    bound_contact_work(work->rows, state->is_bounded);
    Outcome outcome = take_next_values(model, state, &ignored, result);
    if (outcome != INTEGRATED)
        return outcome;
    note_start_of_step(model, state, work->rows, &work->start, &work->compliant);
    read_leans(model, state, work->leans);
    work->compliant.is_middle = is_middle;
    work->hits.any = work->free_impacts.any = 0;
    if (is_middle)
        find_middle(model, state, &work->start, &work->compliant, h, work->y);
    if (model->rows)
        outcome = keep_loads_and_release(model, state, work->rows, result);
    if (outcome == INTEGRATED && has_slots(model)) {
        decide_slots(model, state, h, steps->tolerances);
        outcome = decide_pools(model, state, h, steps->tolerances, result);
    }
    if (outcome == INTEGRATED && has_slots(model))
        note_rows_at_start(model, state, work->rows, &work->start);
    if (outcome == INTEGRATED && is_middle)
        outcome = check_finite(work->y, n, 0, state->w[model->time_at], result);
    if (outcome == INTEGRATED && is_middle)
        outcome = move_to_middle(model, state, h, work->y, result);
    if (outcome == INTEGRATED)
        outcome = find_end(model, state, steps, work, h, end, result);
    if (outcome != INTEGRATED)
        return outcome;

    move_to_end(model, state, steps, work, h);
    if ((outcome = check_finite(work->y, n, 0, end, result)) != INTEGRATED)
        return outcome;
    memcpy(state->w + model->y_at, work->y, (size_t)n * sizeof(double));
    set_time(model, state, end);
    outcome = normalize_directions(model, state, end, result);
    if (outcome == INTEGRATED && model->rows)
        outcome = correct_positions(model, state, steps, work, result);
    if (outcome == INTEGRATED)
        restore_momenta(model, state, work);
    if (outcome == INTEGRATED)
        outcome = end_step(model, state, work, h, result);
    report_overruns(work->rows, state);
    realize(model, state, STAGE_VELOCITY); /* sets prescribed coordinates and speeds */
    if (outcome == INTEGRATED)
        outcome = check_leans(model, state, work->leans, result);
    return outcome == INTEGRATED ? take_samples_of_step(model, state, work->events, h, result) : outcome;
}

int64_t count_fixed_steps(const FixedSteps *steps, double t_start, double t_end) {
    int64_t n = (int64_t)ceil((t_end - t_start) / steps->step - WHOLE);
    return n < 1 && t_end > t_start ? 1 : n;
}

double end_of_step(const FixedSteps *steps, double t_start, double t_end, int64_t n, int64_t k) {
    return k == n ? t_end : t_start + (double)k * steps->step;
}

Integration take_fixed_steps(const Model *model, State *state, const FixedSteps *steps, VelocityLevelWork *work, double t_start,
                             double t_end, int64_t first, int64_t last) {
    Integration result = {.outcome = INTEGRATED, .step_size = steps->step};
    int64_t n = count_fixed_steps(steps, t_start, t_end);
    for (int64_t k = first; k <= last && result.outcome == INTEGRATED; k++) {
        double end = end_of_step(steps, t_start, t_end, n, k);
        result.outcome = take_step(model, state, steps, work, end, &result);
        if (state->stopped)
            result.outcome = KERNEL_STOPPED;
        result.n_steps++;
        result.n_evaluations++;
    }
    return result;
}
