#define MOBOD_LANES MOBOD_WIDTH /* of this library */
#include "lanes.h"
#include "lanes_trial.h"

#include "elementary.h"
#include "evaluation.h"
#include "events.h"
#include "one_step.h"
#include "rims.h"
#include "rows.h"
#include "step_control.h"
#include "step_grid.h"
#include "stiffness.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

/* whether the steps of all runs of a model are taken alone */
static int is_unsuitable(const Model *model) {
    const EventTable *events = model->events;
    if (model->delays || model->auto_updates || model->own_errors || model->frictions)
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
        if (state->w[event->enabled] != 0 && state->w[event->memory + MEMORY_NOISE] != 0)
            return 0;
    }
    return 1;
}

/* the latest end of the next step */
static double end_of_next_step(const Model *model, State *state, double t_end) {
    return model->events ? fmin(end_with_events(model, state, t_end), next_event_time(model, state)) : t_end;
}

/* Whether the next step of a run is an ordinary one. Then its rates are in work->slopes, and the size of a first step is chosen. */
static int is_ordinary(const Lanes *lanes, LaneRun *run) {
    Simulation *simulation = run->simulation;
    const Model *model = simulation->model;
    State *state = simulation->state;
    Work *work = &simulation->work;
    const Method *method = method_in_use(state, work);
    if (method->rosenbrock || (lanes->method && method != lanes->method))
        return 0;
    if (state->hooks || state->inputs || simulation->changes)
        return 0;
    if (work->events && !has_quiet_events(model, state, work->events))
        return 0;
    if (evaluate(model, state, work->slopes) >= 0)
        return 0;
    if (!method->estimate_order || state->step_size > 0)
        return 1;
    memcpy(work->y, state->w + model->y_at, (size_t)y_size(model) * sizeof(double));
    begin_step_size(model, state, work, method, end_of_next_step(model, state, run->t_end));
    return !state->stopped;
}

static void end_run(Lanes *lanes, LaneRun *run) {
    end_steps(run->simulation->model, run->simulation->state, &run->result);
    lanes->runs->has_ended(lanes->runs->owner, run);
}

/* Take steps alone until the run ends, or until the next step is ordinary; then take lane k. */
static void go_on(Lanes *lanes, int k, LaneRun *run) {
    Simulation *simulation = run->simulation;
    const Model *model = simulation->model;
    State *state = simulation->state;
    Work *work = &simulation->work;
    const int never = is_unsuitable(model);
    lanes->lanes[k].run = NULL;
    while (!is_at_end(model, state, work, run->t_end)) {
        const double step_size = state->step_size;
        if (!never && is_ordinary(lanes, run)) {
            enter_lane(lanes, k, run);
            lanes->lanes[k].is_first = step_size == 0;
            return;
        }
        state->step_size = step_size;
        lanes->n_alone++;
        if (!next_step(model, state, work, run->t_end, run->step_taken, simulation, &run->result))
            break;
    }
    end_run(lanes, run);
}

/* Undo the trials of the present step, and take it alone. */
static void step_alone(Lanes *lanes, int k) {
    Lane *lane = lanes->lanes + k;
    LaneRun *run = lane->run;
    Simulation *simulation = run->simulation;
    write_y(lanes, k, lanes->y);
    simulation->state->stopped = 0; /* of the trial: no kernel had stopped before */
    simulation->state->step_size = lane->step_size;
    simulation->state->error_before = lane->error_before;
    simulation->work.n_tried = lane->n_tried;
    run->result = lane->result;
    lanes->n_alone++;
    *lane = (Lane){.run = NULL};
    if (next_step(simulation->model, simulation->state, &simulation->work, run->t_end, run->step_taken, simulation, &run->result))
        go_on(lanes, k, run);
    else
        end_run(lanes, run);
}

/* Plan the next trial of a lane. Returns 0 if the run may not try another step, or asks for rims that lie flat. */
static int plan(Lanes *lanes, int k) {
    Lane *lane = lanes->lanes + k;
    Simulation *simulation = lane->run->simulation;
    const Model *model = simulation->model;
    State *state = simulation->state;
    const double t = state->w[model->time_at];
    const double t_stop = end_of_next_step(model, state, lane->run->t_end);
    if (!lane->was_refused) {
        lane->step_size = lane->is_first ? 0 : state->step_size; /* a run alone chooses a first size again, and remembers that it has */
        lane->error_before = state->error_before;
        lane->n_tried = simulation->work.n_tried;
        lane->result = lane->run->result;
    }
    if (simulation->work.n_tried >= simulation->work.max_steps || hardly_advances(model, &simulation->work, t))
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
    lane->was_refused = lane->is_first = 0;
    if (continues && run->result.outcome == INTEGRATED && !was_disturbed && !is_at_end(model, state, work, run->t_end) &&
        method_in_use(state, work) == method) {
        for (int i = 0; i < y_size(model); i++) {
            lanes->y[i][k] = lanes->y_new[i][k];
            lanes->slopes[i][k] = lanes->slopes[method->last * y_size(model) + i][k];
        }
        return;
    }
    if (!was_disturbed)
        write_y(lanes, k, lanes->y_new);
    lane->run = NULL;
    if (was_disturbed || run->result.outcome != INTEGRATED || state->stopped)
        continues &= run->result.outcome == INTEGRATED;
    else if (!continues || is_at_end(model, state, work, run->t_end)) {
        lanes->runs->has_ended(lanes->runs->owner, run); /* w, which was evaluated here, is realized when it is read */
        return;
    }
    if (continues)
        go_on(lanes, k, run);
    else
        end_run(lanes, run);
}

/* the values of the witnesses of a lane, for keeps_all_signs */
static void copy_points(const Lanes *lanes, int k) {
    EventWork *events = lanes->lanes[k].run->simulation->work.events;
    const int n_parts = lanes->method->degree;
    for (int i = 0; i < number_of_witnesses(lanes->table->model); i++)
        for (int point = 0; point <= n_parts; point++) {
            const int at = i * (n_parts + 1) + point;
            events->points[at] = (Point){lanes->t[k], point == 0 ? events->values[i] : lanes->points[at][k], NAN};
        }
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
    result->n_evaluations += pair ? pair->n_stages - 1 : 1;
    if (lane->error > 1) {
        result->n_refused++;
        state->step_size = lane->planned.step * shrinkage(lane->error, lanes->method->estimate_order);
        simulation->work.worst = lane->worst;
        lane->was_refused = 1;
        if (!(state->step_size > lane->planned.smallest))
            step_alone(lanes, k);
        return;
    }
    if (needs_interpolant(simulation->model, &simulation->work, lane->planned.t_new))
        result->n_evaluations += pair ? pair->n_inner : 0;
    if (lane->is_near_singularity) {
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

static int may_need_interpolant(const Lanes *lanes, int k) {
    const Lane *lane = lanes->lanes + k;
    return lane->run && !lane->is_unusual && lane->error <= 1 &&
           needs_interpolant(lane->run->simulation->model, &lane->run->simulation->work, lane->planned.t_new);
}

/* let runs begin until one takes lane k; returns whether there are no more */
static int begin_runs(Lanes *lanes, int k) {
    const LaneRuns *runs = lanes->runs;
    while (!lanes->lanes[k].run) {
        LaneRun *run = runs->next(runs->owner);
        if (!run)
            return 1;
        Simulation *simulation = run->simulation;
        run->result = (Integration){.outcome = INTEGRATED};
        if (begin_steps(simulation->model, simulation->state, &simulation->work, &run->result) != INTEGRATED)
            end_run(lanes, run);
        else
            go_on(lanes, k, run);
    }
    return 0;
}

void integrate_side_by_side(Lanes *lanes, const LaneRuns *runs) {
    const int has_witnesses = number_of_witnesses(lanes->table->model) > 0;
    int have_all_begun = 0;
    lanes->runs = runs;
    lanes->method = NULL;
    lanes->watches_stiffness = 0;
    for (int k = 0; k < MOBOD_LANES; k++)
        lanes->lanes[k] = (Lane){.run = NULL};
    for (;;) {
        int n_occupied = 0, first = 0;
        for (int k = 0; k < MOBOD_LANES; k++) {
            have_all_begun = have_all_begun || begin_runs(lanes, k);
            while (lanes->lanes[k].run && !plan(lanes, k))
                step_alone(lanes, k);
            n_occupied += lanes->lanes[k].run != NULL;
            first = lanes->lanes[k].run ? k : first;
        }
        if (!n_occupied && have_all_begun)
            return;
        if (!n_occupied)
            continue;
        copy_entered(lanes);
        fill_empty_lanes(lanes, first);
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
