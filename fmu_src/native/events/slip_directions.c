#include "slip_directions.h"

#include "chosen_friction.h"
#include "friction_table.h"
#include "handler_actions.h"
#include "rows.h"
#include "step_grid.h"
#include "tree.h"
#include "vectors.h"
#include "witnesses.h"

#include <math.h>
#include <string.h>

/* cosine of an angle: the direction of a slip that has turned by more is set again */
static const double TURNED = 0.87;
/* in changes of a velocity by friction in a fixed step: a slower slip may stop within few steps */
static const double NEARLY_AT_REST = 4;
/* cosine of an angle: between its velocity and the opposite direction, if it has come to rest within an importer's step. Its speed then is
 * less than MOST_BACK times what its present acceleration explains. */
static const double STRAIGHT = 0.25, MOST_BACK = 2;

/* the velocity of a slip along its direction, if it goes on: else 0 */
static double speed_along(const State *state, const Friction *friction) {
    const double *w = state->w;
    if (w[friction->mode] != FRICTION_SLIP || !(slip_speed(friction, w) > w[friction->rest]))
        return 0;
    return fmax(dot(friction->n, w + friction->direction, w + friction->rates), 0);
}

int has_passed_event_of_friction(const Model *model, const State *state, const double *values) {
    const EventTable *table = model->events;
    for (int i = 0; n_frictions(model) && i < table->n_witnesses; i++) {
        const Event *event = table->events + table->triggered[i];
        if (friction_of(model, table->triggered[i]) && is_enabled(event, state) &&
            !(values[i] + state->w[event->memory + MEMORY_NOISE] > 0))
            return 1;
    }
    return 0;
}

void note_passed_slips(const Model *model, const State *state, EventWork *work) {
    const double *w = state->w;
    int *passed = n_frictions(model) ? work->contacts->friction->passed : NULL;
    if (passed)
        memset(passed, 0, (size_t)model->frictions->n * sizeof(int));
    for (int i = 0; n_frictions(model) && i < model->events->n_witnesses; i++) {
        const Friction *friction = work->crossed[i] ? friction_of(model, model->events->triggered[i]) : NULL;
        if (!friction || w[friction->mode] != FRICTION_SLIP)
            continue;
        double back = -dot(friction->n, w + friction->direction, w + friction->rates);
        double length = w[model->time_at] - state->completed_step;
        passed[friction - friction_at(model, 0)] =
            back > STRAIGHT * slip_speed(friction, w) && back <= MOST_BACK * length * fabs(work->rates[i]);
    }
}

void drop_turns(const Model *model, State *state, EventWork *work) {
    for (int i = 0; n_frictions(model) && i < model->events->n_witnesses; i++) {
        const Friction *friction = work->crossed[i] ? friction_of(model, model->events->triggered[i]) : NULL;
        if (!friction)
            continue;
        realize(model, state, STAGE_VELOCITY);
        if (speed_along(state, friction) > 0)
            work->crossed[i] = 0;
    }
}

static void set_direction_of_velocity(State *state, const Friction *friction, double speed) {
    for (int k = 0; k < friction->n; k++)
        state->w[friction->direction + k] = state->w[friction->rates + k] / speed;
}

int renew_directions(const Model *model, State *state) {
    int any = 0;
    for (int f = 0; f < n_frictions(model); f++) {
        const Friction *friction = friction_at(model, f);
        double *w = state->w, along;
        if (friction->n == 1 || w[friction->mode] != FRICTION_SLIP)
            continue;
        realize(model, state, STAGE_VELOCITY);
        along = speed_along(state, friction);
        double speed = slip_speed(friction, w);
        if (!(along > 0 && along < TURNED * speed))
            continue;
        any = 1;
        set_direction_of_velocity(state, friction, speed);
    }
    return any;
}

/* the change of the velocity of a slip by its friction alone in a fixed step */
static double change_by_friction(const Model *model, const State *state, const Friction *friction) {
    const RowTable *table = model->rows;
    double inverse_mass = 0;
    int first = table->blocks[friction->block].first;
    for (int k = 0; k < friction->n; k++)
        inverse_mass = fmax(inverse_mass, own_product(table, state->w, first + k));
    const double *forces = state->w + table->multipliers + first;
    return state->fixed_step * inverse_mass * sqrt(dot(friction->n, forces, forces));
}

/* Let slips that may stop within few fixed steps keep the directions that they have now. Their direction would change much in a step, and
 * friction of different directions in its stages would not stop them. Returns whether there are any. */
static int keep_last_directions(const Model *model, State *state) {
    int any = 0;
    for (int f = 0; f < n_frictions(model); f++) {
        const Friction *friction = friction_at(model, f);
        double *w = state->w;
        if (friction->n == 1 || w[friction->mode] != FRICTION_SLIP)
            continue;
        realize(model, state, STAGE_ACCELERATION);
        double speed = slip_speed(friction, w), change = change_by_friction(model, state, friction);
        if (!(speed_along(state, friction) > 0 && speed < NEARLY_AT_REST * change))
            continue;
        any = 1;
        set_direction_of_velocity(state, friction, speed);
        w[friction->rest] = fmin(NEARLY_AT_REST / 2 * change, speed); /* its friction stays as it is now */
    }
    return any;
}

int follow_turns(const Model *model, State *state, EventWork *work) {
    const EventTable *table = model->events;
    int has_turned = renew_directions(model, state);
    has_turned = (has_fixed_steps(state) && keep_last_directions(model, state)) || has_turned;
    if (!has_turned)
        return 0;
    realize(model, state, stage_of_witnesses(model, state));
    run_sweep(model, table->witnesses, state);
    for (int i = 0; i < table->n_witnesses; i++) {
        const Event *event = table->events + table->triggered[i];
        double *memory = memory_of(event, state->w);
        if (!friction_of(model, table->triggered[i]))
            continue;
        work->values[i] = memory[MEMORY_VALUE] = state->w[event->witness];
        if (work->values[i] > memory[MEMORY_NOISE])
            memory[MEMORY_NOISE] = 0;
    }
    work->has_rates = 0;
    return 1;
}
