#include "simulation.h"
#include "events.h"
#include "failure_causes.h"
#include "jacobian.h"
#include "reports.h"
#include "saltation.h"
#include "step_grid.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>

Simulation *simulation_open(const Model *model, const double *w, int integrator, double tolerance, double constraint_tolerance,
                            double largest_step, double fixed_step, int64_t max_steps, int impacts) {
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
    simulation->state->impacts = impacts;
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
        .impacts = before.impacts,
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

Progress simulation_run(Simulation *simulation, double t_end, int n_steps, int n_reports, const double *report_times, int n_rows,
                        double *times, double *ys, double *pasts, double *updated) {
    begin_reports(simulation, n_steps, n_reports, report_times, n_rows, times, ys, pasts, updated);
    Integration integration = integrate(simulation->model, simulation->state, &simulation->work, t_end, report_step, simulation);
    return progress_of(simulation, integration);
}

int simulation_set_ramps(Simulation *simulation, int n, const int *at, const int *stages, const double *values, const double *rates,
                         const double *curvatures) {
    if (simulation->changes)
        simulation->changes->first_slopes = NO_SLOPES;
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
    if (simulation->work.events)
        simulation->work.events->has_jammed = 0;
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

double simulation_end_near(const Simulation *simulation, double t_end) {
    return simulation->of_fixed_steps ? time_on_grid_of(simulation->state, simulation->fixed_steps.step, t_end)
                                      : time_on_grid(simulation->state, t_end);
}

int simulation_has_reached(Simulation *simulation, double t_end) {
    if (simulation->of_fixed_steps)
        return !(simulation->state->w[simulation->model->time_at] < t_end);
    return has_reached(simulation->model, simulation->state, t_end);
}

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

int simulation_bound_steps(Simulation *simulation) {
    simulation->state->is_bounded = 1;
    return simulation->before || (simulation->before = malloc(state_size(simulation->model))); /* steps allocate nothing */
}

void simulation_read_overruns(const Simulation *simulation, double *numbers) {
    const State *state = simulation->state;
    numbers[0] = state->overrun;
    numbers[1] = state->late;
    memcpy(numbers + 2, state->left, sizeof state->left);
}

void simulation_read_jams(const Simulation *simulation, double *numbers) {
    numbers[0] = simulation->state->jammed_steps;
    numbers[1] = simulation->state->first_jam;
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
