#include "friction.h"

#include "carried_rows.h"
#include "chosen_friction.h"
#include "contacts.h"
#include "elementary.h"
#include "events.h"
#include "rows.h"
#include "tree.h"
#include "vectors.h"

#include <string.h>

/* REST_SPEED: relative to 1 + |u|; REST_TOLERANCES: in tolerances of the integration and of constraints. Slower slips count as rest.
 * BEGINS: relative to the largest terms of accelerations; a slip with less does not begin.
 * AT_LIMIT: relative; friction so near its limit has reached it, if its event says so. */
static const double REST_SPEED = 1e-10, REST_TOLERANCES = 10, BEGINS = 1e-8, AT_LIMIT = 1e-8;

static const Friction *friction_at(const Model *model, int number) { return model->frictions->frictions + number; }

const Friction *friction_of(const Model *model, int event) {
    int number = model->frictions ? model->frictions->friction_of_event[event] : -1;
    return number < 0 ? NULL : friction_at(model, number);
}

int is_decided_by_run(const Model *model, int event) {
    return (model->contacts && model->contacts->contact_of_event[event] >= 0) || friction_of(model, event) != NULL;
}

double slip_speed(const Friction *friction, const double *w) { return sqrt(dot(friction->n, w + friction->rates, w + friction->rates)); }

double slowest_slip(const Model *model, const State *state) {
    double size = 1 + largest(state->w + model->y_at + model->n_q, model->n_u);
    return fmax(REST_SPEED * size, REST_TOLERANCES * fmax(state->tolerance * size, state->constraint_tolerance));
}

double raised_rest(const Model *model, const double *w, const Friction *friction, double slowest) {
    double raised = w[model->events->events[friction->event].memory + MEMORY_RAISED];
    return raised != 0 ? slowest * mobod_pow(10, raised) : slowest;
}

double rest_of_slip(const Model *model, const State *state, const Friction *friction) {
    return raised_rest(model, state->w, friction, slowest_slip(model, state));
}

double noise_at_rest(const Model *model, State *state, int event, double value, double rate) {
    int contact = model->contacts->contact_of_event[event];
    if (contact >= 0)
        return rest_noise(model, state, model->contacts->contacts + contact, value, rate);
    const Friction *friction = friction_of(model, event);
    double slowest = state->w[friction->rest];
    return state->w[friction->mode] == FRICTION_SLIP && fabs(value) <= 2 * slowest ? 2 * slowest : 0;
}

/* ---- flags ---- */

/* set a flag of the rows of a contact or joint; returns whether it has changed */
static int set_flag(double *flag, double value) {
    int has_changed = *flag != value;
    *flag = value;
    return has_changed;
}

static int set_tangents(const Model *model, double *w, const Friction *friction, int is_equation, int carries) {
    int has_changed = 0;
    for (int k = 0; k < friction->n; k++) {
        const RowBlock *block = model->rows->blocks + friction->block + k;
        has_changed = set_flag(w + block->enabled, is_equation) || has_changed;
        has_changed = set_flag(w + block->carried->flag, carries) || has_changed;
    }
    return has_changed;
}

void release_friction(const Model *model, State *state) {
    int has_changed = 0;
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        has_changed = set_tangents(model, state->w, friction, 0, CARRIES_NOTHING) || has_changed;
        if (friction->contact >= 0) {
            const RowBlock *block = model->rows->blocks + model->contacts->contacts[friction->contact].block;
            has_changed = set_flag(state->w + block->carried->flag, CARRIES_NOTHING) || has_changed;
        }
    }
    if (has_changed)
        invalidate(state, STAGE_DYNAMICS);
}

void apply_modes(const Model *model, State *state) {
    int has_changed = 0;
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        int mode = (int)state->w[friction->mode];
        int carries = mode == FRICTION_SLIP ? CARRIES_SLIP : CARRIES_NOTHING;
        has_changed = set_tangents(model, state->w, friction, mode == FRICTION_STICK, carries) || has_changed;
    }
    if (has_changed)
        invalidate(state, STAGE_DYNAMICS);
}

/* ---- modes ---- */

static int exists(const State *state, const Friction *friction) { return state->w[friction->enabled] != 0; }

/* Set the direction of a slip to that of a vector of the tangents, if it is not 0. */
static void set_direction(State *state, const Friction *friction, const double *along, double sign) {
    double length = sqrt(dot(friction->n, along, along));
    for (int k = 0; k < friction->n && length > 0; k++)
        state->w[friction->direction + k] = sign * along[k] / length;
}

/* Begin: which contacts and joints slip by their speeds, with their directions. The others are at rest, and are selected with their static
 * limits. */
static void select_at_rest(const Model *model, State *state, ContactWork *work, const int *resting) {
    ChosenFriction *rows = work->friction;
    double *w = state->w;
    select_no_friction(rows, model->frictions->n);
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        int is_joint = friction->contact < 0;
        w[friction->mode] = FRICTION_OPEN;
        double slowest = fmax(w[friction->rest], rest_of_slip(model, state, friction)); /* an event found the end of a slip by the former */
        w[friction->rest] = rest_of_slip(model, state, friction);
        if (!exists(state, friction) || !(is_joint || resting[friction->contact]))
            continue;
        int slips = slip_speed(friction, w) > slowest;
        if (slips)
            set_direction(state, friction, w + friction->rates, 1);
        w[friction->mode] = slips ? FRICTION_SLIP : FRICTION_STICK;
        rows->limit[f] = w[slips ? friction->kinetic : friction->static_limit];
        rows->selected[f] = !(is_joint && slips);
        rows->n_selected += rows->selected[f];
        for (int k = 0; k < friction->n; k++)
            rows->slip[2 * f + k] = slips ? w[friction->direction + k] : 0;
    }
    invalidate(state, STAGE_VELOCITY); /* directions have changed */
}

/* Let the joints that slip carry their sliding forces. */
static void carry_joint_slips(const Model *model, State *state) {
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        if (friction->contact < 0 && state->w[friction->mode] == FRICTION_SLIP)
            set_tangents(model, state->w, friction, 0, CARRIES_SLIP);
    }
    invalidate(state, STAGE_DYNAMICS);
}

/* the acceleration of a selected row after the solution */
static double acceleration_after(const ContactWork *work, int row) {
    return work->a[row] + dot_along_pattern(work->patterns + row, row_of_B(work, row), work->friction->solution.y);
}

/* whether a contact or joint has stuck until now, and its event at this time says that it has reached its limit */
static int has_reached_limit(const Model *model, const State *state, const ContactWork *work, int f) {
    const double *memory = state->w + model->events->events[friction_at(model, f)->event].memory;
    return work->friction->were_modes[f] == FRICTION_STICK && memory[MEMORY_N_SHORT] > 0 && memory[MEMORY_LAST] == state->w[model->time_at];
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
        int presses = friction->contact < 0 || forces[-1] > 0;
        int accelerates = presses && sqrt(dot(2, after, after)) > BEGINS * size;
        double largest_force = friction->contact < 0 ? rows->limit[f] : rows->limit[f] * forces[-1];
        int is_at_limit =
            presses && has_reached_limit(model, state, work, f) && sqrt(dot(friction->n, forces, forces)) >= (1 - AT_LIMIT) * largest_force;
        int begins = accelerates || is_at_limit;
        int had_begun = state->w[friction->mode] == FRICTION_SLIP;
        if (begins) {
            if (accelerates)
                set_direction(state, friction, after, 1);
            else
                set_direction(state, friction, forces, -1);
            state->w[friction->mode] = FRICTION_SLIP;
            any = any || (!had_begun && rows->limit[f] > state->w[friction->kinetic]);
            rows->limit[f] = state->w[friction->kinetic];
        }
        for (int k = 0; fixes && had_begun && k < friction->n; k++)
            rows->slip[2 * f + k] = state->w[friction->direction + k];
        any = any || (fixes && had_begun && !begins && presses);
    }
    return any;
}

Outcome find_modes(const Model *model, State *state, ContactWork *work, const int *resting, Integration *result) {
    memset(work->pressing, 0, (size_t)n_contacts(model) * sizeof(int));
    realize(model, state, STAGE_VELOCITY);
    select_at_rest(model, state, work, resting);
    release_contacts(model, state);
    carry_joint_slips(model, state);
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
    for (int i = 0; i < n_contacts(model) && outcome == INTEGRATED; i++)
        work->pressing[i] = resting[i] && is_pressing(work, work->row_of_contact[i], energy);
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        if (friction->contact >= 0 && !work->pressing[friction->contact])
            state->w[friction->mode] = FRICTION_OPEN;
    }
    select_no_friction(work->friction, model->frictions->n);
    release_contacts(model, state);
    return outcome;
}

void explain_by_paradox(const Model *model, State *state, Integration *result) {
    int is_of_motion = result->outcome < WITNESS_NOT_A_NUMBER && result->outcome != TOO_MANY_STEPS && result->outcome != HISTORY_FULL;
    if (!n_frictions(model) || !(is_of_motion || result->outcome == WITNESS_NOT_A_NUMBER))
        return;
    int normal = jammed_normal(model->rows, state->w);
    for (int i = 0; i < n_contacts(model) && normal >= 0; i++)
        if (row_number_of(model, model->contacts->contacts + i) == normal)
            contact_failed(FRICTION_UNSOLVED, model, state, model->contacts->contacts + i, 0, result);
}

Outcome remove_residual_slips(const Model *model, State *state, ContactWork *work, Integration *result) {
    ChosenFriction *rows = work->friction;
    const double *w = state->w;
    realize(model, state, STAGE_DYNAMICS);
    select_no_friction(rows, model->frictions->n);
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        int is_closed = w[friction->mode] != FRICTION_OPEN;
        rows->selected[f] = is_closed && slip_speed(friction, w) <= w[friction->rest];
        rows->n_selected += rows->selected[f];
    }
    int n_equations, m = assemble_rows(model, state, work, work->pressing, NULL, ROWS_OF_ALL_LEVELS, &n_equations);
    read_velocity_errors(model, state, work->a);
    for (int i = n_equations; i < m; i++)
        work->a[i] = 0;
    for (int i = 0; i < n_contacts(model); i++)
        if (work->pressing[i])
            work->a[work->row_of_contact[i]] = w[model->contacts->contacts[i].rate];
    read_slips(model, state, work, work->a);
    for (int i = 0; i < m; i++)
        work->size[i] = fabs(work->a[i]);

    /* all rows are equations, so that the solution needs no friction */
    int n_selected = rows->n_selected;
    rows->n_selected = 0;
    Outcome outcome = m > 0 ? solve_unilateral(model, state, work, m, m, NULL, result) : INTEGRATED;
    rows->n_selected = n_selected;
    if (outcome == INTEGRATED && m > 0)
        apply_impulses(model, state, work, m, work->rows.multipliers);
    select_no_friction(rows, model->frictions->n);
    release_contacts(model, state);
    return outcome;
}

/* ---- impacts ---- */

int has_friction_in(const Model *model, const State *state, const int *mask) {
    for (int f = 0; f < n_frictions(model); f++) {
        const Friction *friction = friction_at(model, f);
        if (friction->contact >= 0 && mask[friction->contact] && (state->w[friction->static_limit] > 0 || state->w[friction->kinetic] > 0))
            return 1;
    }
    return 0;
}

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
