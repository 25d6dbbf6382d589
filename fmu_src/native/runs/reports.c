#include "reports.h"
#include "auto_updates.h"
#include "delays.h"
#include "elementary.h"
#include "evaluation.h"
#include "jacobian.h"
#include "saltation.h"
#include "step.h"
#include "stiffness.h"

#include <string.h>

int wants_tangents(const Simulation *simulation) {
    const Work *work = &simulation->work;
    return work->implicit && !work->implicit->has_asked_for_tangents && method_in_use(simulation->state, work)->rosenbrock;
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

/* y [n_y] of a report within the step from t: normalize quaternions and project q and u onto the constraints, which the interpolant
 * satisfies only approximately. If this fails, or would move y far, y is that of the interpolant if its errors are small, or else of a
 * shorter step; the report counts as inaccurate if this step fails too. The caller restores w. */
static void finish_report(Simulation *simulation, double t, double time, double *y) {
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
    else if (has_directions && nearly_satisfies(model, state, time, y))
        return;
    else if (step_inside(model, state, &simulation->work, t, time, &ignored))
        memcpy(y, state->w + model->y_at, bytes);
    else if (simulation->n_not_projected++ == 0)
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

    if (simulation->changes && work->events && work->events->has_jammed)
        note_fault(simulation->changes, CHANGES_JAMMED, t);
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
                finish_report(simulation, t, time, row);
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
