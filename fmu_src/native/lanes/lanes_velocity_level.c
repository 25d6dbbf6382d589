#define MOBOD_LANES MOBOD_WIDTH /* of this library */
#include "lanes_velocity_level.h"

#include "contact_arithmetic.h"
#include "rest_of_contacts.h"
#include "rims.h"
#include "step_arithmetic.h"

#include <string.h>

/* mark the lanes of a condition */
static void mark(Lanes *lanes, Number is_unusual) {
    if (number_any(is_unusual))
        for (int k = 0; k < MOBOD_LANES; k++)
            lanes->lanes[k].is_unusual |= is_unusual[k] != 0;
}

/* mark the lanes in which one of n numbers is not finite */
static void mark_not_finite(Lanes *lanes, int n, const Number *values) {
    Number faults = NUMBER(0.0);
    for (int i = 0; i < n; i++)
        faults += values[i] - values[i];
    mark(lanes, number_not_equal(faults, NUMBER(0.0)));
}

static void realize_to(Lanes *lanes, int stage) {
    lanes->rows_are_alike = are_alike(lanes->table->model->rows, lanes->w);
    realize_in_lanes(lanes, stage);
}

static void leave_realized(Lanes *lanes, int stage) { lanes->realized = lanes->realized < stage ? lanes->realized : stage; }

/* ---- the start ---- */

static void note_start(Lanes *lanes, StepInLanes *step) {
    const Model *model = lanes->table->model;
    const Number *w = lanes->w;
    memcpy(step->y, w + model->y_at, (size_t)y_size(model) * sizeof(Number));
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        step->distances[i] = w[contact->distance];
        step->start_rates[i] = w[contact->rate];
        for (int k = 0; k < 2; k++)
            step->leans[2 * i + k] = contact->lean < 0 ? NUMBER(0.0) : w[contact->lean + k];
    }
    if (!n_frictions(model))
        return;
    const Number size = size_of_entries(model, w + model->y_at, model->n_q, model->n_u);
    const Number slowest = slowest_slip_of(size, lanes->tolerance, lanes->constraint_tolerance);
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        step->slips[f] = number_less(raised_rest_of(model, w, friction, slowest), speed_of_slip(friction, w));
    }
}

/* take from rows the forces that do not go on to the middle of the step */
static void take_forces_in_lanes(Lanes *lanes) {
    const Model *model = lanes->table->model;
    Number *w = lanes->w;
    for (int f = 0; f < n_frictions(model); f++) {
        const Friction *friction = friction_at(model, f);
        const Contact *contact = friction->contact < 0 ? NULL : model->contacts->contacts + friction->contact;
        const Number hit = contact ? was_hit_in(contact, w) : NUMBER(0.0);
        for (int k = contact ? -1 : 0; k < friction->n; k++) {
            const CarriedRow *row = model->rows->blocks[k < 0 ? contact->block : friction->block + k].carried;
            const Number is_taken = carries_nothing_that_goes_on(row, w, hit);
            w[row->flag] = number_where(is_taken, NUMBER((double)CARRIES_NOTHING), w[row->flag]);
        }
    }
    leave_realized(lanes, STAGE_VELOCITY);
}

/* see release_contacts */
static void release_rows(Lanes *lanes) {
    const Model *model = lanes->table->model;
    const Number nothing = NUMBER((double)CARRIES_NOTHING);
    Number *w = lanes->w;
    for (int i = 0; i < n_contacts(model); i++)
        w[model->contacts->contacts[i].active] = NUMBER(0.0);
    for (int f = 0; f < n_frictions(model); f++) {
        const Friction *friction = friction_at(model, f);
        for (int k = 0; k < friction->n; k++) {
            const RowBlock *block = model->rows->blocks + friction->block + k;
            w[block->enabled] = NUMBER(0.0);
            w[block->carried->flag] = nothing;
        }
        if (friction->contact >= 0)
            w[model->rows->blocks[model->contacts->contacts[friction->contact].block].carried->flag] = nothing;
    }
    leave_realized(lanes, STAGE_VELOCITY);
}

/* go to the middle of the step by an explicit half step, see middle_of_step.h */
static void move_to_middle_in_lanes(Lanes *lanes, StepInLanes *step) {
    const Model *model = lanes->table->model;
    const Number h = lanes->step, *y_dot = lanes->w + model->y_dot_at;
    Number *y = lanes->w + model->y_at;
    take_forces_in_lanes(lanes);
    realize_to(lanes, STAGE_ACCELERATION);
    release_rows(lanes);
    for (int i = 0; i < y_size(model); i++)
        y[i] = step->y[i] + h / 2.0 * y_dot[i];
    mark_not_finite(lanes, y_size(model), y);
    lanes->w[model->time_at] = lanes->t + h / 2.0;
    lanes->realized = STAGE_INSTANCE;
    normalize_in_lanes(lanes);
}

/* ---- speeds ---- */

static void find_free_rates_in_lanes(Lanes *lanes, StepInLanes *step) {
    const Model *model = lanes->table->model;
    const RowTable *table = model->rows;
    const Number *u_dot = lanes->w + model->y_dot_at + (table->u - model->y_at);
    const FreeRates rates = {.rates = step->rates,
                             .drifts = step->drifts,
                             .ahead = step->ahead,
                             .V = step->V,
                             .accelerations = step->accelerations,
                             .u_start = step->y + (table->u - model->y_at),
                             .removed = step->removed};
    if (step->settings.constraints_at == CONSTRAINTS_AT_MIDDLE)
        find_rates_from_middle(table, lanes->w, u_dot, lanes->step, &rates);
    else
        find_rates_from_begin(table, lanes->w, u_dot, lanes->step, &rates);
}

static void choose_rows_in_lanes(Lanes *lanes, StepInLanes *step) {
    const Model *model = lanes->table->model;
    const Number *y = lanes->w + model->y_at;
    const ContactsOfStep contacts = {.distances = step->distances,
                                     .start_rates = step->start_rates,
                                     .rates = step->rates,
                                     .drifts = step->drifts,
                                     .free = step->free,
                                     .least = step->least,
                                     .target = step->target,
                                     .captured = step->captured,
                                     .slowest = step->slowest,
                                     .chosen = step->chosen};
    const Number noise_of_positions = POSITION_ROUND_OFF * size_of_entries(model, y, 0, model->n_q);
    choose_rows_of_step(model, lanes->w, 1, step->settings.constraints_at == CONSTRAINTS_AT_MIDDLE, lanes->step,
                        NOISE * size_of_entries(model, y, model->n_q, model->n_u), noise_of_positions, &contacts);
}

/* whether a contact is chosen in any lane */
static int is_chosen(const Lanes *lanes, const StepInLanes *step, int contact) {
    for (int k = 0; k < MOBOD_LANES; k++)
        if (step->chosen[contact][k] && is_alive(lanes, k))
            return 1;
    return 0;
}

/* the rows of the problems of all lanes: E in w, and B */
static void assemble_in_lanes(Lanes *lanes, StepInLanes *step) {
    const Model *model = lanes->table->model;
    const RowTable *table = model->rows;
    Number *w = lanes->w;
    memset(step->blocks, 0, (size_t)table->n_blocks * sizeof(int));
    for (int i = 0; i < table->n_blocks; i++)
        step->blocks[i] = number_any(w[table->blocks[i].enabled]); /* unilateral rows are released */
    for (int i = 0; i < n_contacts(model); i++)
        step->blocks[model->contacts->contacts[i].block] = is_chosen(lanes, step, i);
    for (int f = 0; f < n_frictions(model); f++) {
        const Friction *friction = friction_at(model, f);
        for (int k = 0; k < friction->n; k++)
            step->blocks[friction->block + k] =
                friction->contact < 0 || step->blocks[model->contacts->contacts[friction->contact].block] != 0;
    }
    factor_joints(table, w, step->L);
    for (int i = 0; i < table->n_blocks; i++) {
        const RowBlock *block = table->blocks + i;
        const RowPath *path = path_of(table, block, w);
        if (!step->blocks[i])
            continue;
        project_block(table, block, w, workspace_in(table, w).z);
        for (int row = block->first; row < block->first + block->n; row++) {
            Number *of_B = step->B + row * table->nu;
            for (int run = 0; run < path->n_runs; run++)
                memset(of_B + path->runs[2 * run], 0, (size_t)path->runs[2 * run + 1] * sizeof(Number));
            add_row_of_B(table, path, step->L, w + table->E + row * table->nu, of_B);
        }
    }
}

/* mark the lanes in which further rows would fall below zero with the change of speeds */
static void mark_violated(Lanes *lanes, StepInLanes *step) {
    const Model *model = lanes->table->model;
    find_rates_along(model->rows, lanes->w, step->change, step->V, step->rates);
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        const Number change = step->rates[row_number_of(model, contact)];
        const Number violated = is_violated(contact, lanes->w, step->distances[i], step->free[i], change, lanes->step);
        mark(lanes, number_and(violated, index_is(step->chosen[i], 0)));
    }
}

/* the impulses of all lanes, and the speeds at the end, into y_new */
static void find_impulses_in_lanes(Lanes *lanes, StepInLanes *step) {
    const Model *model = lanes->table->model;
    const RowTable *table = model->rows;
    find_free_rates_in_lanes(lanes, step);
    choose_rows_in_lanes(lanes, step);
    assemble_in_lanes(lanes, step);
    memset(step->impulses, 0, (size_t)table->n_rows * sizeof(Number));
    memset(step->hits, 0, (size_t)n_contacts(model) * sizeof(Number));
    for (int j = 0; j < table->n_joints; j++)
        step->before[j] = NUMBER(0.5);
    solve_problems(lanes, step);
    find_response_to(table, lanes->w, step->impulses, step->scalar->rows->block_of_row, step->eps, step->A, step->change);
    mark_violated(lanes, step);
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        const Number impulse = step->impulses[row_number_of(model, contact)];
        const Number presses = number_and(number_not(index_is(step->chosen[i], 0)), number_less(NUMBER(0.0), impulse));
        step->chosen[i] = index_of(presses);
        lanes->w[contact->impulse] = impulse;
        note_hit(contact, lanes->w, step->hits[i]);
        count_engagement(contact, lanes->w, presses);
    }
    for (int j = 0; j < table->nu; j++)
        step->y_new[table->u - model->y_at + j] += step->change[j] + step->removed[j];
}

/* ---- the end ---- */

/* coordinates move with the speeds of the end, see move_to_end */
static void move_to_end_in_lanes(Lanes *lanes, StepInLanes *step) {
    const Model *model = lanes->table->model;
    const int n_q = model->n_q, n_u = model->n_u, is_middle = step->settings.constraints_at == CONSTRAINTS_AT_MIDDLE;
    const Number time = is_middle ? lanes->step / 2.0 : lanes->step;
    Number *y = lanes->w + model->y_at, *y_dot = lanes->w + model->y_dot_at, *y_new = step->y_new;
    memcpy(y + n_q, y_new + n_q, (size_t)n_u * sizeof(Number));
    change_speeds_by_hits(model->rows, step->before, step->y + (model->rows->u - model->y_at), lanes->w + model->rows->u);
    leave_realized(lanes, STAGE_POSITION);
    realize_to(lanes, model->q_dot_stage);
    for (int i = 0; i < n_q; i++)
        y_new[i] = y[i] + time * y_dot[i];
    if (!is_middle) /* prescribed speeds */
        memcpy(y_new + n_q, y + n_q, (size_t)n_u * sizeof(Number));
    mark_not_finite(lanes, y_size(model), y_new);
    memcpy(y, y_new, (size_t)y_size(model) * sizeof(Number));
    lanes->w[model->time_at] = lanes->t_new;
    lanes->realized = STAGE_INSTANCE;
    normalize_in_lanes(lanes);
    realize_to(lanes, STAGE_VELOCITY);
}

/* mark the lanes that have to correct coordinates: rows below their tolerances, see correct_once */
static void mark_corrected(Lanes *lanes, const StepInLanes *step) {
    const Model *model = lanes->table->model;
    if (step->settings.position_iterations == 0)
        return;
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        mark(lanes, number_and(exists_in_steps(contact, lanes->w), number_less(lanes->w[contact->distance], -step->tolerances[i])));
    }
}

/* mark the lanes in which a rim may have turned too far, see check_leans */
static void mark_leans(Lanes *lanes, const StepInLanes *step) {
    const Model *model = lanes->table->model;
    for (int i = 0; i < n_contacts(model); i++) {
        const Contact *contact = model->contacts->contacts + i;
        if (contact->lean < 0)
            continue;
        for (int k = 0; k < MOBOD_LANES; k++) {
            const double before[2] = {step->leans[2 * i][k], step->leans[2 * i + 1][k]};
            const double now[2] = {lanes->w[contact->lean][k], lanes->w[contact->lean + 1][k]};
            lanes->lanes[k].is_unusual |= lanes->w[contact->impulse][k] > 0 && has_turned_far(before, now);
        }
    }
}

/* see end_step */
static void end_step_in_lanes(Lanes *lanes, StepInLanes *step) {
    const Model *model = lanes->table->model;
    Number *w = lanes->w;
    if (!model->contacts)
        return;
    for (int i = 0; i < model->contacts->n; i++) {
        const Contact *contact = model->contacts->contacts + i;
        forget_undecided(contact, w);
        remember_row(contact, w);
        if (has_friction(model, i))
            continue;
        const Number is_at_rest = number_less_equal(number_abs(w[contact->rate]), step->captured[i]);
        const Number bounces = number_less(step->captured[i], step->target[i]);
        const Number presses = number_and(number_not(index_is(step->chosen[i], 0)), number_not(bounces));
        mark(lanes, number_and(number_and(presses, is_at_rest), exists_in_steps(contact, w)));
    }
    if (model->frictions)
        carry_forces_of_step(model, w, lanes->step);
    leave_realized(lanes, STAGE_VELOCITY);
}

void step_in_lanes(Lanes *lanes, StepInLanes *step) {
    const Model *model = lanes->table->model;
    const int n_q = model->n_q, n = y_size(model);
    const Number *y_dot = lanes->w + model->y_dot_at;
    for (int i = 0; i < step->n_changed; i++)
        step->kept[i] = lanes->w[step->changed[i]];
    realize_to(lanes, STAGE_VELOCITY);
    note_start(lanes, step);
    if (step->settings.constraints_at == CONSTRAINTS_AT_MIDDLE)
        move_to_middle_in_lanes(lanes, step);
    else
        release_rows(lanes);
    realize_to(lanes, STAGE_ACCELERATION);
    for (int i = n_q; i < n; i++)
        step->y_new[i] = step->y[i] + lanes->step * y_dot[i];
    mark_not_finite(lanes, n - n_q, step->y_new + n_q);
    find_impulses_in_lanes(lanes, step);
    move_to_end_in_lanes(lanes, step);
    mark_corrected(lanes, step);
    end_step_in_lanes(lanes, step);
    mark_leans(lanes, step);
}
