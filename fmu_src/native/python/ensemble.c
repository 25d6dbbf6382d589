#include "ensemble.h"
#include "elementary.h"
#include "evaluation.h"
#include "reports.h"
#include "step_grid.h"
#include "stepwise.h"
#include "tree.h"

#include <limits.h>
#include <string.h>

/* ---- rows ---- */

static void set_y(const Model *model, double *w, const double *y) { memcpy(w + model->y_at, y, (size_t)y_size(model) * sizeof(double)); }

/* write the next row from member->copy, whose time and y are set */
static void write_row(Member *member) {
    const Outputs *outputs = member->outputs;
    State *state = member->simulation->state;
    double *row = member->rows + (size_t)member->n_rows++ * (size_t)outputs->n, *copy = member->copy;
    if (member->row_of_host) {
        if (member->row_of_host(member->host, copy, row) && !state->stopped)
            state->stopped = 1;
        return;
    }
    for (int i = 0; i < outputs->n; i++)
        if (outputs->is_state[i])
            row[i] = copy[outputs->from[i]];
    int status = 0;
    for (int i = 0; i < outputs->n_calls && !status; i++) {
        Call call = {.w = copy, .scratch = member->scratch};
        status = call_kernels(outputs->calls[i].sweep, outputs->calls[i].kernels, &call, copy);
    }
    for (int i = 0; i < outputs->n; i++)
        if (!outputs->is_state[i])
            row[i] = status ? NAN : copy[outputs->from[i]];
}

static void copy_w(Member *member) {
    memcpy(member->copy, member->simulation->state->w, (size_t)member->outputs->n_copied * sizeof(double));
}

/* write a row of the present State */
static void write_present(Member *member) {
    copy_w(member);
    write_row(member);
}

/* a RowHook: write a row within steps; or keep w and y at the end of the run, before the events there */
static void take_row(void *observer, double time, const double *y) {
    Member *member = observer;
    const Model *model = member->simulation->model;
    copy_w(member);
    if (!y) {
        member->is_at_last_row = 1;
        memcpy(member->y + y_size(model), member->copy + model->y_at, (size_t)y_size(model) * sizeof(double));
        return;
    }
    member->copy[model->time_at] = time;
    set_y(model, member->copy, y);
    normalize_quaternions(model, member->copy); /* projections move along the tangents of the constraints */
    write_row(member);
}

/* an EventHook: the last row has y before the first handler that results list */
static int note_event(void *observer, int number, int direction, int is_done) {
    Member *member = observer;
    const Model *model = member->simulation->model;
    if (member->is_at_last_row && !is_done && !member->has_found && member->is_in_results[number]) {
        member->has_found = 1;
        memcpy(member->y + y_size(model), member->simulation->state->w + model->y_at, (size_t)y_size(model) * sizeof(double));
    }
    return !member->hook || member->hook(member->host, number, direction, is_done);
}

/* write the row at the end. Without such a handler y is that after the others, which act at the end of each step. */
static void write_last(Member *member, int has_failed) {
    const Simulation *simulation = member->simulation;
    const Model *model = simulation->model;
    set_y(model, member->copy, member->has_found || has_failed ? member->y + y_size(model) : simulation->state->w + model->y_at);
    write_row(member);
}

/* ---- the start ---- */

static void go_to_start(Member *member) {
    const Preparation *preparation = member->preparation;
    const Model *model = member->simulation->model;
    State *state = member->simulation->state;
    if (!preparation) {
        simulation_reset(member->simulation, member->start);
        return;
    }
    simulation_reset(member->simulation, preparation->w);
    memcpy(state->w, member->start, (size_t)preparation->n_variables * sizeof(double));
    state->steps_from = state->w[model->time_at];
}

/* Take y from the State to the start. Numbers that are equal stay: a negative zero too. If then one of them has other bits, the State goes
 * to the start. */
static void keep_y(Member *member, int is_projected) {
    const Model *model = member->simulation->model;
    const double *y = member->simulation->state->w + model->y_at;
    double *start = member->start + model->y_at;
    int differs = !is_projected;
    for (int i = 0; i < y_size(model); i++)
        differs = differs || y[i] != start[i];
    if (differs)
        set_y(model, member->start, y);
    else if (memcmp(y, start, (size_t)y_size(model) * sizeof(double)))
        go_to_start(member);
}

/* remember y before the projection */
static void note_given(Member *member) {
    const Model *model = member->simulation->model;
    memcpy(member->given, member->simulation->state->w + model->y_at, (size_t)y_size(model) * sizeof(double));
}

/* Release unilateral rows, project y, and let prescribed coordinates and speeds have their values. The State is at the start then. */
static PreparationFault prepare(Member *member) {
    Simulation *simulation = member->simulation;
    const Model *model = simulation->model;
    const Preparation *preparation = member->preparation;
    int is_at_velocity_level = simulation->of_fixed_steps != NULL;
    if (is_at_velocity_level) {
        go_to_start(member);
        realize(model, simulation->state, STAGE_VELOCITY);
        keep_y(member, 0);
        note_given(member);
        if (simulation_is_at_end_of_fixed_step(simulation))
            return PREPARED;
    }
    for (int i = 0; i < preparation->n_active; i++)
        member->start[preparation->active[i]] = 0;
    go_to_start(member);
    realize(model, simulation->state, STAGE_VELOCITY);
    note_given(member);
    if (has_constraints(model)) {
        if (!simulation_project(simulation, preparation->constraint_tolerance, 0).is_done)
            return UNPREPARED_PROJECTION;
        keep_y(member, 1);
    }
    if (is_at_velocity_level)
        return PREPARED;
    if (realize(model, simulation->state, STAGE_ACCELERATION))
        return UNPREPARED_RATES;
    for (int i = 0; i < y_size(model); i++)
        if (!isfinite(simulation->state->w[model->y_dot_at + i]))
            return UNPREPARED_RATES;
    for (int i = 0; model->rows && i < model->rows->n_loads; i++)
        if (!isfinite(simulation->state->w[model->rows->loads[i].load]))
            return UNPREPARED_RATES;
    keep_y(member, 0);
    return PREPARED;
}

/* whether the last call has failed; then the member ends */
static int has_failed(Member *member, Progress progress) {
    member->progress = progress;
    if (member->simulation->state->stopped)
        member->progress.integration.outcome = KERNEL_STOPPED;
    return member->has_ended = member->progress.integration.outcome != INTEGRATED;
}

/* prepare the member, and process the events of the start */
static void begin(Member *member) {
    Simulation *simulation = member->simulation;
    if (member->preparation && (member->preparation_fault = (int)prepare(member)) != PREPARED) {
        member->has_ended = 1;
        return;
    }
    if (!member->preparation)
        go_to_start(member);
    simulation->work.n_tried = 0;
    member->start = NULL;
    member->t_start = simulation_time(simulation);
    simulation->row_hook = NULL;
    simulation_set_hook(simulation, note_event, member);
    if (simulation->work.events)
        simulation->work.events->stops = member->returns_at_events;
    if (has_failed(member, simulation->of_fixed_steps ? simulation_begin_fixed_steps(simulation) : simulation_begin(simulation)))
        return;
    if (member->outputs)
        write_present(member);
    if (!simulation->of_fixed_steps)
        has_failed(member, simulation_process_events(simulation));
}

/* ---- steps ---- */

/* the number of fixed steps of the whole run */
static int64_t all_fixed_steps(const Member *member) {
    return count_fixed_steps(&member->simulation->fixed_steps, member->t_start, member->t_end);
}

/* fixed steps: those to the next row, at most n_steps; without rows all to the end */
static int begin_fixed_piece(Member *member, int n_steps) {
    Simulation *simulation = member->simulation;
    const double now = simulation_time(simulation), end = member->t_end;
    if (!member->outputs) {
        member->piece = (FixedPiece){now, end, 1, count_fixed_steps(&simulation->fixed_steps, now, end)};
        return begin_advance(simulation, n_steps, &member->progress.integration);
    }
    int64_t n = all_fixed_steps(member), done = member->n_fixed_steps;
    int64_t of_row = member->steps_of_row, last = (done / of_row + 1) * of_row;
    last = last < done + n_steps ? last : done + n_steps;
    member->piece = (FixedPiece){member->t_start, end, done + 1, last < n ? last : n};
    return 1;
}

/* after them: the row; returns the progress */
static Progress end_fixed_piece(Member *member, Integration integration) {
    if (!member->outputs)
        return end_advance(member->simulation, integration);
    const int64_t last = member->n_fixed_steps = member->piece.last;
    if (integration.outcome == INTEGRATED && (last == all_fixed_steps(member) || last % member->steps_of_row == 0))
        write_present(member);
    return progress_of(member->simulation, integration);
}

int begin_piece(Member *member, int n_steps) {
    Simulation *simulation = member->simulation;
    if (simulation->of_fixed_steps)
        return begin_fixed_piece(member, n_steps);
    member->step_taken = member->outputs ? report_step : count_down;
    if (!member->outputs)
        return begin_advance(simulation, n_steps, &member->progress.integration);
    const int n_written = member->n_rows - 1;
    simulation->row_hook = take_row;
    simulation->row_observer = member;
    simulation->last_row_at = member->t_end;
    member->is_at_last_row = member->has_found = 0;
    begin_reports(simulation, n_steps, member->n_reports - n_written, member->report_times + n_written, 1, NULL, member->y, NULL, NULL);
    return 1;
}

/* number, counted from 1, of the event that has ended the run; steps at velocity level have no events */
static int ended_by(const Simulation *simulation) {
    const Model *model = simulation->model;
    return model->events && !simulation->of_fixed_steps ? (int)simulation->state->w[model->events->shared + SHARED_TERMINATED] : 0;
}

static void note_place(Member *member) {
    member->time = simulation_time(member->simulation);
    member->terminated_by = ended_by(member->simulation);
}

/* count the steps of a piece; returns whether the member has failed */
static int note_progress(Member *member, Progress progress) {
    if (progress.n_not_projected && !member->n_not_projected)
        member->not_projected_at = progress.not_projected_at;
    member->n_not_projected += progress.n_not_projected;
    member->jammed_steps = member->simulation->state->jammed_steps;
    member->first_jam = member->simulation->state->first_jam;
    member->n_steps += progress.integration.n_steps;
    member->n_evaluations += progress.integration.n_evaluations;
    member->methods |= progress.integration.methods;
    member->has_advanced = 1;
    note_place(member);
    return has_failed(member, progress);
}

int end_piece(Member *member, Integration integration) {
    if (member->simulation->of_fixed_steps)
        return note_progress(member, end_fixed_piece(member, integration));
    if (!member->outputs)
        return note_progress(member, end_advance(member->simulation, integration));
    const Progress progress = progress_of(member->simulation, integration);
    if (member->is_at_last_row)
        write_last(member, progress.integration.outcome != INTEGRATED);
    return note_progress(member, progress);
}

int take_piece(Member *member, int n_steps) {
    Simulation *simulation = member->simulation;
    if (!begin_piece(member, n_steps))
        return end_piece(member, member->progress.integration);
    if (simulation->of_fixed_steps) {
        const FixedPiece piece = member->piece;
        return end_piece(member, take_fixed_steps(simulation->model, simulation->state, &simulation->fixed_steps,
                                                  simulation->of_fixed_steps, piece.t_start, piece.t_end, piece.first, piece.last));
    }
    return end_piece(member,
                     integrate(simulation->model, simulation->state, &simulation->work, member->t_end, member->step_taken, simulation));
}

int begin_call(Member *member) {
    Simulation *simulation = member->simulation;
    member->progress.wants_tangents = 0;
    if (member->start)
        begin(member);
    if (member->keeps && !member->has_ended)
        simulation_keep(simulation);
    member->keeps = 0;
    member->t_end = simulation_end_near(simulation, member->t_end);
    note_place(member);
    member->n_before = member->n_steps;
    member->has_advanced = 0;
    return can_advance(member);
}

/* call the handlers of the end */
static void end(Member *member) {
    Simulation *simulation = member->simulation;
    const Model *model = simulation->model;
    const double *y = simulation->state->w + model->y_at;
    if (member->progress.has_changed || (member->terminated_by && member->time < member->t_end))
        member->changes_at_end = CHANGED_BY_EVENTS;
    memcpy(member->y, y, (size_t)y_size(model) * sizeof(double));
    has_failed(member, simulation_end(simulation));
    for (int i = 0; i < y_size(model); i++)
        if (y[i] != member->y[i])
            member->changes_at_end |= CHANGED_BY_END;
}

int steps_left(Member *member, int n_steps) {
    Simulation *simulation = member->simulation;
    if (!can_advance(member) || (member->has_advanced && member->returns_at_events && member->progress.is_at_event))
        return 0;
    if (simulation_has_reached(simulation, member->t_end) || member->terminated_by) {
        if (member->outputs && !simulation->of_fixed_steps)
            end(member);
        note_place(member);
        member->has_ended = 1;
        return 0;
    }
    const int64_t left = n_steps - (member->n_steps - member->n_before);
    return left > 0 ? (int)left : 0;
}

void advance_member(Member *member, int n_steps) {
    int left = begin_call(member) ? steps_left(member, n_steps) : 0;
    while (left > 0)
        left = take_piece(member, left) ? 0 : steps_left(member, n_steps);
}

void ensemble_advance(int n, Member *members, int n_steps) {
    for (int i = 0; i < n; i++)
        if (!members[i].has_ended)
            advance_member(members + i, n_steps);
}

void ensemble_set(int n, const Member *members, int n_numbers, const int *at, const double *values, int stage) {
    for (int i = 0; i < n; i++)
        simulation_set(members[i].simulation, n_numbers, at, values + (size_t)i * (size_t)n_numbers, stage);
}

void ensemble_get(int n, const Member *members, int n_numbers, const int *at, double *values) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n_numbers; k++)
            *values++ = members[i].simulation->state->w[at[k]];
}

void ensemble_read(int n, const Member *members, const Outputs *outputs, double *rows) {
    for (int i = 0; i < n; i++, rows += outputs->n)
        if (simulation_output(members[i].simulation, outputs->n_calls, outputs->calls, members[i].scratch, members[i].copy,
                              outputs->n_copied, outputs->n, outputs->from, rows))
            for (int k = 0; k < outputs->n; k++)
                rows[k] = NAN;
}
