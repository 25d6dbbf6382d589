#define MOBOD_LANES MOBOD_WIDTH /* of this library */
#include "lanes.h"
#include "lanes_trial.h"

#include "elementary.h"
#include "events.h"
#include "one_step.h"
#include "projection.h"
#include "rows.h"
#include "step_control.h"
#include "step_grid.h"
#include "stiffness.h"
#include "tree.h"
#include "unilateral_rows.h"

#include <stdlib.h>
#include <string.h>

int number_of_lanes(void) { return MOBOD_LANES; }

static int n_witnesses(const Model *model) { return model->events ? model->events->n_witnesses : 0; }

Lanes *create_lanes(const LanesTable *table) {
    const Model *model = table->model;
    const size_t n = (size_t)y_size(model) + 1, n_points = (size_t)n_witnesses(model) * POINTS_OF_A_STEP + 1;
    const size_t sizes[] = {(size_t)model->n_w, (size_t)table->n_registers + 1, n, n, n, n, n, MOST_SLOPES * n, MOST_DEGREES * n, n_points};
    size_t all = sizeof(Lanes) / sizeof(Number) + 2; /* one more, to align the first one */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        all += sizes[i];
    void *memory = calloc(all, sizeof(Number));
    if (!memory)
        return NULL;
    Number *next = (Number *)(((uintptr_t)memory + sizeof(Number) - 1) / sizeof(Number) * sizeof(Number));
    Lanes *lanes = (Lanes *)next;
    Number **const arrays[] = {&lanes->w,     &lanes->scratch,     &lanes->y,      &lanes->y_new, &lanes->y_stage,
                               &lanes->error, &lanes->error_below, &lanes->slopes, &lanes->dense, &lanes->points};
    next += (sizeof(Lanes) + sizeof(Number) - 1) / sizeof(Number);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        *arrays[i] = next;
        next += sizes[i];
    }
    lanes->table = table;
    lanes->memory = memory;
    return lanes;
}

void free_lanes(Lanes *lanes) {
    if (lanes)
        free(lanes->memory);
}

void count_of_lane_steps(const Lanes *lanes, int64_t *in_lanes, int64_t *alone) {
    *in_lanes = lanes->n_in_lanes;
    *alone = lanes->n_alone;
}

/* whether the steps of all runs of a model are taken alone */
static int is_unsuitable(const Model *model) {
    const EventTable *events = model->events;
    if (model->delays || model->auto_updates || model->own_errors)
        return 1;
    for (int i = 0; events && i < events->n; i++)
        if (events->events[i].cause == CAUSE_OBSERVATION || events->events[i].cause == CAUSE_TIME_ADVANCED || events->events[i].is_called)
            return 1;
    return 0;
}

/* whether all witnesses are where the last step left them, with their signs known */
static int has_quiet_events(const Model *model, const State *state, const EventWork *work) {
    if (work->needs_rates)
        return 0;
    for (int i = 0; i < model->events->n_witnesses; i++) {
        const Event *event = model->events->events + model->events->triggered[i];
        if (work->expected[i] != NOT_EXPECTED || (state->w[event->enabled] != 0 && state->w[event->memory + MEMORY_NOISE] != 0))
            return 0;
    }
    return 1;
}

/* Whether the next step of a run is an ordinary one. Then w is realized to ACCELERATION. */
static int is_ordinary(const Lanes *lanes, const Simulation *simulation) {
    const Model *model = simulation->model;
    State *state = simulation->state;
    const Work *work = &simulation->work;
    const Method *method = method_in_use(model, state, work);
    if (!method->pair || (lanes->method && method != lanes->method))
        return 0;
    if ((method->order && state->step_size == 0) || state->hooks || state->inputs || simulation->changes)
        return 0;
    if (work->events && !has_quiet_events(model, state, work->events))
        return 0;
    if (realize(model, state, STAGE_ACCELERATION))
        return 0;
    for (int i = 0; i < y_size(model); i++)
        if (!isfinite(state->w[model->y_dot_at + i]))
            return 0;
    return 1;
}

static int has_enabled_rows(const Model *model, const double *w) {
    for (int i = 0; model->rows && i < model->rows->n_blocks; i++)
        if (w[model->rows->blocks[i].enabled] != 0)
            return 1;
    return 0;
}

/* a run takes a lane */
static void enter(Lanes *lanes, int k, LaneRun *run) {
    const Simulation *simulation = run->simulation;
    const Model *model = simulation->model;
    const double *w = simulation->state->w;
    Number *const columns = lanes->w;
    for (int i = 0; i < model->scratch_at; i++)
        columns[i][k] = w[i];
    for (int i = 0; i < y_size(model); i++) {
        lanes->y[i][k] = w[model->y_at + i];
        lanes->slopes[i][k] = w[model->y_dot_at + i];
    }
    lanes->tolerance[k] = simulation->state->tolerance;
    lanes->method = method_in_use(model, simulation->state, &simulation->work);
    lanes->lanes[k] = (Lane){.run = run, .has_numbers = 1, .has_rows = has_enabled_rows(model, w)};
    simulation->state->realized = STAGE_INSTANCE; /* time and y in w are not kept up to date */
}

/* write y to the State of a run, whose time is known there */
static void write_y(const Lanes *lanes, int k, const Number *y) {
    const Simulation *simulation = lanes->lanes[k].run->simulation;
    const Model *model = simulation->model;
    for (int i = 0; i < y_size(model); i++)
        simulation->state->w[model->y_at + i] = y[i][k];
    simulation->state->realized = STAGE_INSTANCE;
}

static void end_run(LaneRun *run) { end_steps(run->simulation->model, run->simulation->state, &run->result); }

/* Take steps alone until the run ends, or until the next step is ordinary; then take lane k. */
static void go_on(Lanes *lanes, int k, LaneRun *run) {
    Simulation *simulation = run->simulation;
    const Model *model = simulation->model;
    State *state = simulation->state;
    Work *work = &simulation->work;
    const int never = is_unsuitable(model);
    lanes->lanes[k].run = NULL;
    while (!is_at_end(model, state, work, run->t_end)) {
        if (!never && is_ordinary(lanes, simulation)) {
            enter(lanes, k, run);
            return;
        }
        lanes->n_alone++;
        if (!next_step(model, state, work, run->t_end, run->step_taken, simulation, &run->result))
            break;
    }
    end_run(run);
}

/* Undo the trials of the present step, and take it alone. */
static void step_alone(Lanes *lanes, int k) {
    Lane *lane = lanes->lanes + k;
    LaneRun *run = lane->run;
    Simulation *simulation = run->simulation;
    write_y(lanes, k, lanes->y);
    simulation->state->step_size = lane->step_size;
    simulation->state->error_before = lane->error_before;
    simulation->work.n_tried = lane->n_tried;
    run->result = lane->result;
    lanes->n_alone++;
    *lane = (Lane){.run = NULL};
    if (next_step(simulation->model, simulation->state, &simulation->work, run->t_end, run->step_taken, simulation, &run->result))
        go_on(lanes, k, run);
    else
        end_run(run);
}

/* Plan the next trial of a lane. Returns 0 if the run may not try another step. */
static int plan(Lanes *lanes, int k) {
    Lane *lane = lanes->lanes + k;
    Simulation *simulation = lane->run->simulation;
    const Model *model = simulation->model;
    State *state = simulation->state;
    const double t = state->w[model->time_at];
    const double t_stop = model->events ? fmin(lane->run->t_end, next_event_time(model, state)) : lane->run->t_end;
    if (!lane->was_refused) {
        lane->step_size = state->step_size;
        lane->error_before = state->error_before;
        lane->n_tried = simulation->work.n_tried;
        lane->result = lane->run->result;
    }
    if (simulation->work.n_tried >= simulation->work.max_steps)
        return 0;
    simulation->work.n_tried++;
    if (has_fixed_steps(state)) {
        lane->planned.t_new = end_of_fixed_step(state, t, t_stop);
        lane->planned.step = lane->planned.t_new - t;
    } else {
        lane->planned = plan_step(state, t, t_stop);
    }
    lanes->t[k] = t;
    lanes->t_new[k] = lane->planned.t_new;
    lanes->step[k] = lane->planned.step;
    lanes->error_before[k] = state->error_before;
    lane->is_unusual = 0;
    return 1;
}

/* give the observer of a run the step: its interpolant, if there are rows within it */
static int report(Lanes *lanes, int k) {
    Simulation *simulation = lanes->lanes[k].run->simulation;
    const Model *model = simulation->model;
    Work *work = &simulation->work;
    const double t = lanes->t[k], t_new = lanes->t_new[k];
    const int n = y_size(model);
    if (work->inside_from <= t_new) {
        for (int i = 0; i < n; i++)
            work->y[i] = lanes->y[i][k];
        for (int i = 0; i < lanes->method->degree * n; i++)
            work->dense[i] = lanes->dense[i][k];
    }
    if (work->inside_from <= t_new || t_new >= lanes->lanes[k].run->t_end)
        write_y(lanes, k, lanes->y_new);
    return lanes->lanes[k].run->step_taken(simulation, t, t_new, work);
}

/* complete an accepted step, as next_step does */
static void complete(Lanes *lanes, int k) {
    Lane *lane = lanes->lanes + k;
    LaneRun *run = lane->run;
    Simulation *simulation = run->simulation;
    const Model *model = simulation->model;
    State *state = simulation->state;
    Work *work = &simulation->work;
    const Method *method = work->method = lanes->method;
    work->worst = lane->worst;
    if (!has_fixed_steps(state))
        accept_step(model, state, &lane->planned, lane->error, growth(lanes->growth[k]), lane->was_refused);
    count_step(work, &run->result);
    state->w[model->time_at] = lanes->t_new[k];
    if (state->integrator == INTEGRATOR_AUTO && work->implicit)
        watch_explicit(state, method, lanes->step[k], lanes->change[k], lanes->change_of_rates[k]);
    int continues = report(lanes, k), was_disturbed = 0;
    if (work->events) {
        EventWork *events = work->events;
        events->is_at_event = 0;
        if (next_event_time(model, state) <= lanes->t_new[k])
            write_y(lanes, k, lanes->y_new);
        run->result.outcome = process_events(model, state, events, 1, &run->result);
        was_disturbed = events->has_changed || events->is_at_event;
    }
    lane->was_refused = 0;
    if (continues && run->result.outcome == INTEGRATED && !was_disturbed && !is_at_end(model, state, work, run->t_end) &&
        method_in_use(model, state, work) == method) {
        for (int i = 0; i < y_size(model); i++) {
            lanes->y[i][k] = lanes->y_new[i][k];
            lanes->slopes[i][k] = lanes->slopes[method->last * y_size(model) + i][k];
        }
        return;
    }
    if (!was_disturbed)
        write_y(lanes, k, lanes->y_new);
    lane->run = NULL;
    if (continues && run->result.outcome == INTEGRATED)
        go_on(lanes, k, run);
    else
        end_run(run);
}

/* the values of the witnesses of a lane, for keeps_all_signs */
static void copy_points(const Lanes *lanes, int k) {
    EventWork *events = lanes->lanes[k].run->simulation->work.events;
    const int n_parts = lanes->method->degree;
    for (int i = 0; i < n_witnesses(lanes->table->model); i++)
        for (int point = 0; point <= n_parts; point++) {
            const int at = i * (n_parts + 1) + point;
            events->points[at] = (Point){lanes->t[k], point == 0 ? events->values[i] : lanes->points[at][k], NAN};
        }
}

/* whether the step may end too close to a singular configuration, see ends_near_singularity; its end is in the State */
static int is_near_singularity(const Simulation *simulation) {
    return !has_fixed_steps(simulation->state) &&
           singularity(simulation->model, simulation->state).inaccuracy > simulation->state->tolerance;
}

/* decide what follows the trial of a lane */
static void judge(Lanes *lanes, int k, int has_witnesses) {
    Lane *lane = lanes->lanes + k;
    Simulation *simulation = lane->run->simulation;
    State *state = simulation->state;
    const Tableau *pair = lanes->method->pair;
    Integration *result = &lane->run->result;
    if (lane->is_unusual) {
        step_alone(lanes, k);
        return;
    }
    result->n_evaluations += pair->n_stages - 1;
    if (lane->error > 1) {
        result->n_refused++;
        state->step_size = lane->planned.step * shrinkage(lane->error, lanes->method->order);
        simulation->work.worst = lane->worst;
        lane->was_refused = 1;
        if (!(state->step_size > lane->planned.smallest))
            step_alone(lanes, k);
        return;
    }
    if (needs_interpolant(simulation->model, &simulation->work, lane->planned.t_new))
        result->n_evaluations += pair->n_inner;
    if (lane->has_rows && !lane->planned.is_last && is_near_singularity(simulation)) {
        step_alone(lanes, k);
        return;
    }
    if (has_witnesses) {
        copy_points(lanes, k);
        if (!keeps_all_signs(simulation->model, state, simulation->work.events, lanes->method->degree)) {
            step_alone(lanes, k);
            return;
        }
    }
    lanes->n_in_lanes++;
    complete(lanes, k);
}

/* Fill empty lanes with the numbers of another one, so that their results are ordinary. A lane whose run has ended repeats its last step.
 */
static void fill_empty(Lanes *lanes, int from) {
    const Model *model = lanes->table->model;
    const int n = y_size(model);
    for (int k = 0; k < MOBOD_LANES; k++) {
        if (lanes->lanes[k].has_numbers)
            continue;
        lanes->lanes[k].has_numbers = 1;
        for (int i = 0; i < model->scratch_at; i++)
            lanes->w[i][k] = lanes->w[i][from];
        for (int i = 0; i < n; i++) {
            lanes->y[i][k] = lanes->y[i][from];
            lanes->slopes[i][k] = lanes->slopes[i][from];
        }
        lanes->t[k] = lanes->t[from];
        lanes->t_new[k] = lanes->t_new[from];
        lanes->step[k] = lanes->step[from];
        lanes->tolerance[k] = lanes->tolerance[from];
    }
}

static int may_need_interpolant(const Lanes *lanes, int k) {
    const Lane *lane = lanes->lanes + k;
    return lane->run && !lane->is_unusual && lane->error <= 1 &&
           needs_interpolant(lane->run->simulation->model, &lane->run->simulation->work, lane->planned.t_new);
}

void integrate_side_by_side(Lanes *lanes, int n, LaneRun *runs) {
    const Model *model = lanes->table->model;
    const int has_witnesses = n_witnesses(model) > 0;
    int next = 0;
    lanes->method = NULL;
    for (int k = 0; k < MOBOD_LANES; k++)
        lanes->lanes[k] = (Lane){.run = NULL};
    for (;;) {
        int n_occupied = 0, first = 0;
        for (int k = 0; k < MOBOD_LANES; k++) {
            for (; !lanes->lanes[k].run && next < n; next++) {
                LaneRun *run = runs + next;
                Simulation *simulation = run->simulation;
                run->result = (Integration){.outcome = INTEGRATED};
                if (begin_steps(model, simulation->state, &simulation->work, &run->result) != INTEGRATED)
                    end_run(run);
                else
                    go_on(lanes, k, run);
            }
            while (lanes->lanes[k].run && !plan(lanes, k))
                step_alone(lanes, k);
            n_occupied += lanes->lanes[k].run != NULL;
            first = lanes->lanes[k].run ? k : first;
        }
        if (!n_occupied && next == n)
            return;
        if (!n_occupied)
            continue;
        fill_empty(lanes, first);
        try_step_in_lanes(lanes);
        int interpolates = 0;
        for (int k = 0; k < MOBOD_LANES; k++)
            interpolates |= may_need_interpolant(lanes, k);
        if (interpolates)
            interpolate_in_lanes(lanes, has_witnesses);
        for (int k = 0; k < MOBOD_LANES; k++)
            if (lanes->lanes[k].run)
                judge(lanes, k, has_witnesses);
    }
}
