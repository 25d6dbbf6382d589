#include "simulation.h"
#include "auto_updates.h"
#include "delays.h"
#include "elementary.h"
#include "evaluation.h"
#include "events.h"
#include "failure_causes.h"
#include "jacobian.h"
#include "saltation.h"
#include "step.h"
#include "step_grid.h"
#include "stiffness.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

Simulation *simulation_open(const Model *model, const double *w, int integrator, double tolerance, double constraint_tolerance,
                            double largest_step, double fixed_step, int64_t max_steps) {
    size_t n_w = (size_t)model->n_w;
    Simulation *simulation = calloc(1, sizeof(Simulation));
    if (!simulation)
        return NULL;
    simulation->model = model;
    simulation->state = calloc(1, sizeof(State) + n_w * sizeof(double));
    if (!allocate_work(&simulation->work, model, integrator) || !simulation->state) {
        simulation_close(simulation);
        return NULL;
    }
    simulation->state->integrator = integrator;
    simulation->state->tolerance = tolerance;
    simulation->state->constraint_tolerance = constraint_tolerance;
    simulation->state->largest_step = largest_step;
    simulation->state->fixed_step = fixed_step;
    simulation_reset(simulation, w);
    simulation->work.max_steps = max_steps;
    if (simulation->work.events)
        simulation->work.events->stops = 1;
    return simulation;
}

void simulation_reset(Simulation *simulation, const double *w) {
    const Model *model = simulation->model;
    const State before = *simulation->state;
    *simulation->state = (State){
        .realized = STAGE_MODEL,
        .patience = LEAST_PATIENCE,
        .integrator = before.integrator,
        .tolerance = before.tolerance,
        .constraint_tolerance = before.constraint_tolerance,
        .largest_step = before.largest_step,
        .fixed_step = before.fixed_step,
        .steps_from = w[model->time_at],
        .host = before.host,
        .hooks = before.hooks,
    };
    copy_numbers(model, simulation->state->w, w);
    simulation->n_steps = simulation->n_evaluations = 0;
    free_ramps(&simulation->ramps);
    free_sensitivity(simulation->changes);
    simulation->changes = NULL;
}

void simulation_close(Simulation *simulation) {
    free(simulation->state);
    free(simulation->before);
    free_work(&simulation->work);
    free_velocity_level_work(simulation->of_fixed_steps);
    free(simulation->tolerances);
    free_ramps(&simulation->ramps);
    free_sensitivity(simulation->changes);
    free(simulation);
}

int simulation_set_tangents(Simulation *simulation, const Kernel *tangents, int n_scratch) {
    ImplicitWork *implicit = simulation->work.implicit;
    if (!implicit)
        return 1;
    implicit->has_asked_for_tangents = 1;
    return set_tangents(simulation->model, implicit, tangents, n_scratch);
}

int wants_tangents(const Simulation *simulation) {
    const Work *work = &simulation->work;
    return work->implicit && !work->implicit->has_asked_for_tangents && method_in_use(simulation->state, work)->rosenbrock;
}

/* make room for w of another model, and for copies of it */
static int make_room(Simulation *simulation, const Model *model) {
    const size_t before = (size_t)simulation->model->n_w, after = (size_t)model->n_w;
    State **states[] = {&simulation->state, &simulation->before};
    for (size_t i = 0; after > before && i < sizeof states / sizeof *states; i++)
        if (*states[i]) {
            State *grown = calloc(1, state_size(model));
            if (!grown)
                return 0;
            memcpy(grown, *states[i], state_size(simulation->model));
            free(*states[i]);
            *states[i] = grown;
        }
    simulation->ramps.state = simulation->state;
    return grow_numbers(&simulation->work.w, before, after) && grow_event_work(simulation->work.events, simulation->model, model) &&
           grow_implicit_work(simulation->work.implicit, simulation->model, model);
}

int simulation_use_kernels(Simulation *simulation, const Model *model, const Kernel *tangents, int n_scratch) {
    ImplicitWork *implicit = simulation->work.implicit;
    if (!make_room(simulation, model))
        return 0;
    if (implicit && !set_tangents(model, implicit, tangents ? tangents : model->tangents, tangents ? n_scratch : 0))
        return 0;
    if (simulation->changes && !use_kernels_for_changes(simulation->changes, model, tangents, n_scratch))
        return 0;
    simulation->model = model;
    return 1;
}

/* the time from which on interpolants are needed: the next report */
static double first_inside(const Simulation *simulation) { return simulation->n_reports_left > 0 ? *simulation->report_times : INFINITY; }

/* the entries from which delays are read at the time of a row: for each delay the number of entries, and up to two */
static void report_pasts(Simulation *simulation, double time) {
    const DelayTable *table = simulation->model->delays;
    if (!table)
        return;
    double *past = simulation->pasts + (size_t)simulation->n_rows * (size_t)(table->n_delays + 2 * table->moment_size);
    for (int k = 0; k < table->n_delays; k++)
        past = excerpt_of_delay(table->delays + k, simulation->state->w, time, past);
}

/* the last row: the present values of updated variables */
static void read_last_updated(Simulation *simulation) {
    const Model *model = simulation->model;
    if (simulation->updated)
        read_updated(model, simulation->state, simulation->updated + (size_t)simulation->n_rows_most * (size_t)size_of_updated(model));
}

/* where y of the next row is written */
static double *next_row(const Simulation *simulation) {
    return simulation->ys + (simulation->row_hook ? 0 : (size_t)simulation->n_rows * (size_t)y_size(simulation->model));
}

/* complete a row: its time, the entries of delays, and updated variables */
static void end_row(Simulation *simulation, double time) {
    const Model *model = simulation->model;
    if (simulation->row_hook) {
        simulation->row_hook(simulation->row_observer, time, next_row(simulation));
        simulation->n_rows++;
        return;
    }
    report_pasts(simulation, time);
    read_updated(model, simulation->state, simulation->updated + (size_t)simulation->n_rows * (size_t)size_of_updated(model));
    simulation->times[simulation->n_rows++] = time;
}

/* y [n_y] of a report within the step: normalize quaternions and project q and u onto the constraints, which the interpolant satisfies
 * only approximately. If this fails, or would move y far, y is that of the interpolant; it counts if its errors are large too. The caller
 * restores w. */
static void finish_report(Simulation *simulation, double time, double *y) {
    const Model *model = simulation->model;
    State *state = simulation->state;
    size_t bytes = (size_t)y_size(model) * sizeof(double);
    memcpy(state->w + model->y_at, y, bytes);
    set_time(model, state, time);
    int has_directions = normalize_quaternions(model, state->w) < 0;
    memcpy(y, state->w + model->y_at, bytes);
    Integration ignored = {.outcome = INTEGRATED};
    if (has_directions && (!has_constraints(model) || project_step(model, state, 1, simulation->work.error, &ignored)))
        memcpy(y, state->w + model->y_at, bytes);
    else if (!(has_directions && nearly_satisfies(model, state, time, y)) && simulation->n_not_projected++ == 0)
        simulation->not_projected_at = time;
}

/* the changes at the present row; fraction: of the step, 1 at its end */
static void report_changes(Simulation *simulation, double fraction, int was_projected) {
    const Model *model = simulation->model;
    Sensitivity *changes = simulation->changes;
    if (!changes || !changes->rows || changes->fault != CHANGES_FOLLOWED)
        return;
    size_t n = (size_t)changes->n * (size_t)y_size(model);
    double *rows = changes->rows + (size_t)simulation->n_rows * n;
    if (fraction == 1)
        memcpy(rows, changes->y, n * sizeof(double));
    else
        changes_inside(changes, simulation->state, &simulation->work, fraction, was_projected, rows);
}

int report_step(void *observer, double t, double t_new, const Work *work) {
    Simulation *simulation = observer;
    const Model *model = simulation->model;
    double *w = simulation->state->w;
    const double *y_new = w + model->y_at;
    int n = y_size(model), reports_steps = !simulation->report_times, leaves_w = 0, realized = simulation->state->realized;
    size_t bytes = (size_t)n * sizeof(double);

    if (simulation->changes)
        follow_step(simulation->changes, simulation->state, work, &simulation->ramps, t,
                    simulation->n_reports_left > 0 && *simulation->report_times < t_new);
    if (reports_steps) {
        memcpy(next_row(simulation), y_new, bytes);
        end_row(simulation, t_new);
    }
    while (simulation->n_reports_left > 0 && *simulation->report_times <= t_new) {
        double time = *simulation->report_times++;
        double *row = next_row(simulation);
        simulation->n_reports_left--;
        simulation->work.n_tried = 0;
        if (time == t_new) {
            memcpy(row, leaves_w ? simulation->work.w + model->y_at : y_new, bytes);
            report_changes(simulation, 1, 0);
        } else {
            interpolate(n, work, (time - t) / (t_new - t), row);
            if (has_constraints(model) || model->n_quaternions > 0) {
                if (!leaves_w)
                    memcpy(simulation->work.w, w, (size_t)model->n_w * sizeof(double));
                leaves_w = 1;
                finish_report(simulation, time, row);
            }
            report_changes(simulation, (time - t) / (t_new - t), leaves_w);
        }
        end_row(simulation, time);
    }
    if (leaves_w) {
        memcpy(w, simulation->work.w, (size_t)model->n_w * sizeof(double));
        simulation->state->realized = realized;
    }
    if (simulation->row_hook && t_new == simulation->last_row_at)
        simulation->row_hook(simulation->row_observer, t_new, NULL);
    if (simulation->changes)
        follow_events(simulation->changes, simulation->state, work, &simulation->ramps, 1);
    read_last_updated(simulation);
    simulation->work.inside_from = first_inside(simulation);
    return --simulation->n_steps_left > 0 && !wants_tangents(simulation) &&
           !(reports_steps && simulation->n_rows == simulation->n_rows_most);
}

Progress progress_of(const Simulation *simulation, Integration integration) {
    Progress progress = {.integration = integration, .n_rows = simulation->n_rows};
    if (simulation->state->stopped)
        progress.integration.outcome = KERNEL_STOPPED;
    const EventWork *events = simulation->work.events;
    if (events) {
        progress.is_at_event = events->is_at_event;
        progress.has_changed = events->has_changed;
    }
    progress.wants_tangents = wants_tangents(simulation);
    progress.n_not_projected = simulation->n_not_projected;
    progress.not_projected_at = simulation->not_projected_at;
    return progress;
}

void begin_reports(Simulation *simulation, int n_steps, int n_reports, const double *report_times, int n_rows, double *times, double *ys,
                   double *pasts, double *updated) {
    simulation->n_steps_left = n_steps;
    simulation->n_reports_left = n_reports;
    simulation->report_times = report_times;
    simulation->n_rows = simulation->n_not_projected = 0;
    simulation->n_rows_most = n_rows;
    simulation->times = times;
    simulation->ys = ys;
    simulation->pasts = pasts;
    simulation->updated = updated;
    read_last_updated(simulation);
    simulation->work.inside_from = first_inside(simulation);
}

Progress simulation_run(Simulation *simulation, double t_end, int n_steps, int n_reports, const double *report_times, int n_rows,
                        double *times, double *ys, double *pasts, double *updated) {
    begin_reports(simulation, n_steps, n_reports, report_times, n_rows, times, ys, pasts, updated);
    Integration integration = integrate(simulation->model, simulation->state, &simulation->work, t_end, report_step, simulation);
    return progress_of(simulation, integration);
}

int simulation_set_ramps(Simulation *simulation, int n, const int *at, const int *stages, const double *values, const double *rates,
                         const double *curvatures) {
    if (simulation->changes)
        simulation->changes->has_slopes = 0;
    return set_ramps(&simulation->ramps, simulation->model, simulation->state, n, at, stages, values, rates, curvatures);
}

int simulation_follow_changes(Simulation *simulation, const Kernel *tangents, int n_scratch, int n, int n_known, const int *known,
                              const double *changes, const double *y_changes) {
    free_sensitivity(simulation->changes);
    simulation->changes = NULL;
    if (!n)
        return 1;
    simulation->changes = create_sensitivity(simulation->model, tangents, n_scratch, n, n_known, known, changes, y_changes);
    if (!simulation->changes)
        return 0;
    begin_changes(simulation->changes, simulation->state, &simulation->ramps);
    return 1;
}

void simulation_limit_step(Simulation *simulation, double largest_step) { simulation->state->largest_step = largest_step; }

void simulation_follow_start_events(Simulation *simulation) {
    follow_events(simulation->changes, simulation->state, &simulation->work, &simulation->ramps, 0);
}

void simulation_write_changes(Simulation *simulation, double *rows) { simulation->changes->rows = rows; }

void simulation_read_changes(const Simulation *simulation, double *y_changes, double *changes) {
    const Sensitivity *from = simulation->changes;
    memcpy(y_changes, from->y, (size_t)from->n * (size_t)y_size(from->model) * sizeof(double));
    for (int k = 0; k < from->n; k++)
        for (int i = 0; i < from->n_known; i++)
            changes[k * from->n_known + i] = from->dw[(size_t)k * (size_t)from->model->n_w + (size_t)from->known[i]];
}

void simulation_set_host(Simulation *simulation, void *host, const HostHooks *hooks) { set_host(simulation->state, host, hooks); }

void simulation_set_hook(Simulation *simulation, EventHook *hook, void *observer) {
    if (simulation->work.events) {
        simulation->work.events->hook = hook;
        simulation->work.events->observer = observer;
    }
}

double simulation_end_near(const Simulation *simulation, double t_end) { return time_on_grid(simulation->state, t_end); }

Progress simulation_begin(Simulation *simulation) {
    Integration result = {.outcome = INTEGRATED};
    if (simulation->work.events)
        result.outcome = begin_events(simulation->model, simulation->state, simulation->work.events, &result);
    return progress_of(simulation, result);
}

Progress simulation_preview(Simulation *simulation) {
    EventWork *events = simulation->work.events;
    if (events)
        events->is_preview = 1;
    Progress progress = simulation_begin(simulation);
    if (events)
        events->is_preview = 0;
    return progress;
}

Progress simulation_process_events(Simulation *simulation) {
    Integration result = {.outcome = INTEGRATED};
    if (simulation->work.events) {
        simulation->work.events->is_at_event = 0;
        result.outcome = process_events(simulation->model, simulation->state, simulation->work.events, 0, &result);
    }
    return progress_of(simulation, result);
}

Progress simulation_end(Simulation *simulation) {
    Integration result = {.outcome = INTEGRATED};
    if (simulation->work.events)
        result.outcome = end_events(simulation->model, simulation->state, simulation->work.events, &result);
    return progress_of(simulation, result);
}

int simulation_fix_steps(Simulation *simulation, double step, int engagement, int constraints_at, int position_iterations,
                         const double *tolerances) {
    size_t n = (size_t)n_contacts(simulation->model);
    if (!simulation->of_fixed_steps)
        simulation->of_fixed_steps = create_velocity_level_work(simulation->model);
    if (!simulation->tolerances)
        simulation->tolerances = calloc(n + 1, sizeof(double));
    if (!simulation->of_fixed_steps || !simulation->tolerances)
        return 0;
    memcpy(simulation->tolerances, tolerances, n * sizeof(double));
    simulation->fixed_steps =
        (FixedSteps){step, (EngagementRule)engagement, (ConstraintsAt)constraints_at, position_iterations, simulation->tolerances};
    return 1;
}

int simulation_is_at_end_of_fixed_step(Simulation *simulation) { return is_at_end_of_fixed_step(simulation->model, simulation->state); }

int simulation_describe_failure(Simulation *simulation, const Integration *failure, char *text, size_t size) {
    return (int)describe_failure(simulation->model, simulation->state, simulation->of_fixed_steps != NULL, failure, text, size);
}

Progress simulation_begin_fixed_steps(Simulation *simulation) {
    Integration result = {.outcome = INTEGRATED};
    result.outcome = begin_fixed_steps(simulation->model, simulation->state, &simulation->fixed_steps, simulation->of_fixed_steps, &result);
    return progress_of(simulation, result);
}

Progress simulation_take_fixed_steps(Simulation *simulation, double t_start, double t_end, int64_t first, int64_t last) {
    Integration result = take_fixed_steps(simulation->model, simulation->state, &simulation->fixed_steps, simulation->of_fixed_steps,
                                          t_start, t_end, first, last);
    return progress_of(simulation, result);
}

Projection simulation_project(Simulation *simulation, double tolerance, int of_speeds_alone) {
    Projection projection = of_speeds_alone ? project_velocities(simulation->model, simulation->state, tolerance)
                                            : project(simulation->model, simulation->state, tolerance);
    realize(simulation->model, simulation->state, STAGE_VELOCITY); /* sets prescribed coordinates and speeds */
    return projection;
}

void simulation_read(Simulation *simulation, double *w) { copy_numbers(simulation->model, w, simulation->state->w); }

void simulation_rates(Simulation *simulation, double time, const double *y, int n_times, double *y_dot) {
    const Model *model = simulation->model;
    double *w = simulation->state->w;
    for (int i = 0; i < n_times; i++) {
        w[model->time_at] = time;
        memcpy(w + model->y_at, y, (size_t)y_size(model) * sizeof(double));
        invalidate(simulation->state, STAGE_TIME);
        realize(model, simulation->state, STAGE_ACCELERATION);
    }
    memcpy(y_dot, w + model->y_dot_at, (size_t)y_size(model) * sizeof(double));
}
