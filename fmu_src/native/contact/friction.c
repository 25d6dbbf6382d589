#include "friction.h"

#include "carried_rows.h"
#include "chosen_friction.h"
#include "contact_table.h"
#include "contact_work.h"
#include "elementary.h"
#include "event_table.h"
#include "friction_table.h"
#include "given_friction.h"
#include "rest_of_contacts.h"
#include "rows.h"
#include "scales.h"
#include "step_grid.h"
#include "tree.h"
#include "unilateral_rows.h"
#include "vectors.h"

#include <string.h>

/* BEGINS: relative to the largest terms of accelerations; a slip with less does not begin. More than the residual of solutions.
 * AT_LIMIT: relative; friction so near its limit has reached it, if its event says so, and if it nears the limit faster than FALLS, per
 * time scale. Otherwise it sticks as long as it does not exceed the limit by twice as much. LARGEST_MARGIN: this is never more. BEGINNING:
 * relative to the speed that counts as rest; until a slip that has begun is as fast, its velocity may be round-off. UNLIMITED: of a joint
 * that is held; not infinite, since a row without bounds would be an equation. */
static const double BEGINS = 1e-7, AT_LIMIT = 1e-8, FALLS = 1e-6, LARGEST_MARGIN = 1e-3, BEGINNING = 1e-4, UNLIMITED = 1e100;
enum { MOST_DECISIONS = 20 }; /* until modes and loads belong together */

/* AT_LIMIT, which grows where sticking and slipping alternate at one time */
static double margin_at_limit(const Model *model, const State *state, const Friction *friction) {
    const double *memory = state->w + model->events->events[friction->event].memory;
    return fmin(AT_LIMIT * mobod_pow(10, memory[MEMORY_RAISED]), LARGEST_MARGIN);
}

double noise_at_rest(const Model *model, State *state, int event, double value, double rate) {
    int contact = model->contacts->contact_of_event[event];
    if (contact >= 0)
        return rest_noise(model, state, model->contacts->contacts + contact, value, rate);
    const Friction *friction = friction_of(model, event);
    if (state->w[friction->mode] == FRICTION_STICK) {
        const double *forces = state->w + model->rows->multipliers + model->rows->blocks[friction->block].first;
        double allowed = fmax(margin_at_limit(model, state, friction) * fabs(value + sqrt(dot(friction->n, forces, forces))),
                              force_noise(model, state->w, model->rows->blocks[friction->block].first));
        return fabs(value) <= allowed ? 2 * allowed : 0;
    }
    double slowest = state->w[friction->rest]; /* a slip that goes on after an event is faster; a slower one begins */
    return state->w[friction->mode] == FRICTION_SLIP && fabs(value) <= slowest ? fmax(BEGINNING * slowest, -2 * value) : 0;
}

/* ---- modes ---- */

/* whether its event is processed at this time */
static int has_event_now(const Model *model, const State *state, const Friction *friction) {
    const double *memory = state->w + model->events->events[friction->event].memory;
    return memory[MEMORY_N_SHORT] > 0 && memory[MEMORY_LAST] == state->w[model->time_at];
}

static int exists(const State *state, const Friction *friction) { return state->w[friction->enabled] != 0; }

/* Set the direction of a slip to that of a vector of the tangents, if it is not 0. */
static void set_direction(State *state, const Friction *friction, const double *along, double sign) {
    const int n = friction->n == 1 ? 1 : 2; /* a compiler sees that there are no more */
    double length = sqrt(dot(n, along, along));
    for (int k = 0; k < n && length > 0; k++)
        state->w[friction->direction + k] = sign * along[k] / length;
}

/* Which contacts and joints slip by their speeds, with their directions. */
static void find_slips(const Model *model, State *state, ChosenFriction *rows, const int *resting) {
    double *w = state->w;
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        double slowest = rest_of_slip(model, state, friction);
        if (has_event_now(model, state, friction) ||
            !has_fixed_steps(state)) /* of other events, a slip goes on that may stop in a fixed step */
            slowest = fmax(w[friction->rest], slowest);
        w[friction->rest] = rest_of_slip(model, state, friction);
        rows->slips[f] = exists(state, friction) && (friction->contact < 0 || resting[friction->contact]) &&
                         slip_speed(friction, w) > slowest && !rows->passed[f];
        if (rows->slips[f])
            set_direction(state, friction, w + friction->rates, 1);
        rows->loads[f] = rows->slips[f] ? 0 : INFINITY;
    }
    invalidate(state, STAGE_VELOCITY); /* directions have changed */
    realize(model, state, STAGE_VELOCITY);
}

/* Select the contacts and joints at rest with their static limits, and set the modes by the speeds. */
static void select_at_rest(const Model *model, State *state, ContactWork *work, const int *resting) {
    ChosenFriction *rows = work->friction;
    double *w = state->w;
    select_no_friction(rows, model->frictions->n);
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        int is_joint = friction->contact < 0, slips = rows->slips[f];
        w[friction->mode] = FRICTION_OPEN;
        if (!exists(state, friction) || !(is_joint || resting[friction->contact]))
            continue;
        w[friction->mode] = slips ? FRICTION_SLIP : FRICTION_STICK;
        int is_held = friction->load >= 0 && isinf(rows->loads[f]);
        rows->limit[f] = is_held ? UNLIMITED : friction_limit(friction, w, slips, rows->loads[f]);
        rows->selected[f] = !(is_joint && slips);
        rows->n_selected += rows->selected[f];
        for (int k = 0; k < friction->n; k++)
            rows->slip[2 * f + k] = slips ? w[friction->direction + k] : 0;
    }
}

/* Let the joints that slip carry their sliding forces; under loads those of the last decision. */
static void carry_joint_slips(const Model *model, State *state, const ChosenFriction *rows) {
    double *w = state->w;
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        if (friction->contact >= 0 || w[friction->mode] != FRICTION_SLIP)
            continue;
        set_flags_of_tangents(model, w, friction, 0, friction->load < 0 ? CARRIES_SLIP : CARRIES_GIVEN);
        if (friction->load >= 0)
            w[model->rows->blocks[friction->block].carried->given] = -rows->limit[f] * w[friction->direction];
    }
    invalidate(state, STAGE_DYNAMICS);
}

/* the acceleration of a selected row after the solution */
static double acceleration_after(const ContactWork *work, int row) {
    return work->a[row] + dot_along_pattern(work->patterns + row, row_of_B(work, row), work->friction->solution.y);
}

/* Whether a contact or joint has stuck until now, and its event at this time says that it has reached its limit and is about to exceed it.
 * A constant load at the limit does not, nor one that is largest there; nor friction whose threshold has been raised. */
static int has_reached_limit(const Model *model, const State *state, const ContactWork *work, int f, double limit) {
    const double *memory = state->w + model->events->events[friction_at(model, f)->event].memory;
    return work->friction->were_modes[f] == FRICTION_STICK && has_event_now(model, state, friction_at(model, f)) &&
           memory[MEMORY_FALL] > FALLS / time_scale(model) * limit && memory[MEMORY_RAISED] == 0;
}

/* After a solution: the contacts and joints at rest that begin to slip get the limit of a slip, and their directions. `fixes`: those that
 * have begun before keep their directions, also where they would stick. Returns whether any has begun. */
static int begin_slips(const Model *model, State *state, ContactWork *work, int m, int fixes) {
    ChosenFriction *rows = work->friction;
    int any = 0;
    double size = largest(work->size, m);
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        if (!rows->selected[f] || rows->slip[2 * f] != 0 || rows->slip[2 * f + 1] != 0)
            continue;
        double after[2] = {0, 0};
        for (int k = 0; k < friction->n; k++)
            after[k] = acceleration_after(work, rows->row[f] + k);
        const double *forces = rows->solution.multipliers + rows->row[f];
        const double normal = friction->contact < 0 ? 1 : rows->solution.multipliers[work->row_of_contact[friction->contact]];
        int presses = normal > 0;
        int accelerates = presses && sqrt(dot(2, after, after)) > BEGINS / AT_LIMIT * margin_at_limit(model, state, friction) * size;
        double largest_force = rows->limit[f] * normal;
        int is_at_limit = presses && has_reached_limit(model, state, work, f, largest_force) &&
                          sqrt(dot(friction->n, forces, forces)) >= (1 - AT_LIMIT) * largest_force;
        int begins = accelerates || is_at_limit;
        int had_begun = state->w[friction->mode] == FRICTION_SLIP;
        if (begins) {
            if (accelerates)
                set_direction(state, friction, after, 1);
            else
                set_direction(state, friction, forces, -1);
            invalidate(state, STAGE_VELOCITY); /* the force of the slip has the new direction */
            state->w[friction->mode] = FRICTION_SLIP;
            double kinetic = friction_limit(friction, state->w, 1, rows->loads[f]);
            any = any || (!had_begun && rows->limit[f] > kinetic);
            rows->limit[f] = kinetic;
        }
        for (int k = 0; fixes && had_begun && k < friction->n; k++)
            rows->slip[2 * f + k] = state->w[friction->direction + k];
        any = any || (fixes && had_begun && !begins && presses);
    }
    return any;
}

void explain_by_paradox(const Model *model, State *state, Integration *result) {
    Outcome outcome = result->outcome;
    int may_jam = outcome == NOT_FINITE || outcome == TOO_INACCURATE || outcome == NOT_PROJECTED || outcome == MOVED_TOO_FAR ||
                  outcome == WITNESS_NOT_A_NUMBER || outcome == FRICTION_UNSOLVED;
    if ((may_jam || outcome == STEP_NOT_FINITE) && are_loads_missing(model, state))
        load_failed(model, state, result);
    int normal = may_jam && n_frictions(model) ? jammed_normal(model->rows, state->w) : -1;
    for (int f = 0; f < n_frictions(model) && normal >= 0; f++) {
        const Friction *friction = friction_at(model, f);
        const Contact *contact = friction->contact < 0 ? NULL : model->contacts->contacts + friction->contact;
        if (contact && row_number_of(model, contact) == normal && state->w[friction->mode] == FRICTION_SLIP) {
            contact_failed(FRICTION_PARADOX, model, state, contact, state->w[friction->kinetic], result);
            result->culprit = friction->is_moment ? friction->event : contact->event; /* its name says what turns */
        }
    }
}

/* After find_modes failed: if the contacts at rest would jam with their present modes, that is the cause. */
static Outcome explain_modes(const Model *model, State *state, const int *resting, Integration *result) {
    activate_contacts(model, state, resting);
    apply_modes(model, state);
    realize(model, state, STAGE_ACCELERATION);
    explain_by_paradox(model, state, result);
    return result->outcome;
}

/* Determine the modes once, with given loads of joints. */
static Outcome find_modes_under_loads(const Model *model, State *state, ContactWork *work, const int *resting, Integration *result) {
    memset(work->pressing, 0, (size_t)n_contacts(model) * sizeof(int));
    select_at_rest(model, state, work, resting);
    release_contacts(model, state);
    carry_joint_slips(model, state, work->friction);
    realize(model, state, STAGE_ACCELERATION);
    int n_equations, m = assemble_rows(model, state, work, resting, NULL, ROWS_OF_ALL_LEVELS, &n_equations);
    double energy = read_free_accelerations(model, state, work, m);
    Outcome outcome = INTEGRATED;
    if (m > 0)
        outcome = solve_unilateral(model, state, work, m, n_equations, NULL, result);
    if (outcome == INTEGRATED && work->friction->n_selected && begin_slips(model, state, work, m, 0)) {
        outcome = solve_unilateral(model, state, work, m, n_equations, NULL, result);
        if (outcome == INTEGRATED && begin_slips(model, state, work, m, 1))
            outcome = solve_unilateral(model, state, work, m, n_equations, NULL, result);
    }
    if (outcome == FRICTION_UNSOLVED)
        outcome = explain_modes(model, state, resting, result);
    for (int i = 0; i < n_contacts(model) && outcome == INTEGRATED; i++)
        work->pressing[i] = resting[i] && is_pressing(work, work->row_of_contact[i], energy);
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        if (friction->contact >= 0 && !work->pressing[friction->contact])
            state->w[friction->mode] = FRICTION_OPEN;
        else if (state->w[friction->mode] == FRICTION_STICK && is_without_friction(friction, state->w))
            state->w[friction->mode] = FRICTION_SLIP;
    }
    select_no_friction(work->friction, model->frictions->n);
    release_contacts(model, state);
    return outcome;
}

/* Set the loads to those of the modes just found. A joint that has begun to slip under its load goes on. */
static Outcome measure_loads(const Model *model, State *state, ContactWork *work, Integration *result) {
    ChosenFriction *rows = work->friction;
    activate_contacts(model, state, work->pressing);
    apply_modes(model, state);
    Outcome outcome = give_present_friction(model, state, result);
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        rows->loads[f] = friction->load < 0 ? 0 : state->w[friction->load];
        rows->slips[f] = rows->slips[f] || (friction->load >= 0 && state->w[friction->mode] == FRICTION_SLIP);
    }
    release_contacts(model, state);
    return outcome;
}

Outcome find_modes(const Model *model, State *state, ContactWork *work, const int *resting, Integration *result) {
    const int n = model->frictions->n;
    realize(model, state, STAGE_VELOCITY);
    find_slips(model, state, work->friction, resting);
    give_no_friction(model, state);
    Outcome outcome = find_modes_under_loads(model, state, work, resting, result);
    for (int times = 0; outcome == INTEGRATED && model->rows->n_loads; times++) {
        int has_changed = 0, *modes = work->friction->modes_before, *pressing = modes + n;
        for (int f = 0; f < n; f++)
            modes[f] = (int)state->w[friction_at(model, f)->mode];
        memcpy(pressing, work->pressing, (size_t)n_contacts(model) * sizeof(int));
        outcome = measure_loads(model, state, work, result);
        if (outcome == INTEGRATED)
            outcome = find_modes_under_loads(model, state, work, resting, result);
        for (int f = 0; f < n; f++)
            has_changed = has_changed || modes[f] != (int)state->w[friction_at(model, f)->mode];
        if (!has_changed && memcmp(pressing, work->pressing, (size_t)n_contacts(model) * sizeof(int)) == 0)
            break;
        if (times == MOST_DECISIONS && outcome == INTEGRATED)
            outcome = load_failed(model, state, result);
    }
    release_given_friction(model, state);
    return outcome;
}

/* ---- impacts ---- */

void select_touching(const Model *model, State *state, ContactWork *work, const int *touching) {
    ChosenFriction *rows = work->friction;
    select_no_friction(rows, model->frictions->n);
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        rows->selected[f] = friction->contact >= 0 && touching[friction->contact] && exists(state, friction);
        rows->n_selected += rows->selected[f];
        rows->limit[f] = state->w[friction->kinetic];
    }
}

void read_slips(const Model *model, const State *state, const ContactWork *work, double *rates) {
    const ChosenFriction *rows = work->friction;
    for (int f = 0; f < model->frictions->n; f++)
        for (int k = 0; rows->selected[f] && k < (friction_at(model, f)->contact < 0 ? 1 : 2); k++)
            rates[rows->row[f] + k] = k < friction_at(model, f)->n ? state->w[friction_at(model, f)->rates + k] : 0;
}

void note_friction_impulses(const Model *model, State *state, ContactWork *work) {
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        for (int k = 0; work->friction->selected[f] && k < friction->n; k++)
            state->w[friction->impulse + k] = work->impulses[model->rows->blocks[friction->block + k].first];
    }
    select_no_friction(work->friction, model->frictions->n);
}
