/* The projection of steps side by side onto the constraints, and of their errors. */
#define MOBOD_LANES MOBOD_WIDTH /* of this library */
#include "lanes_trial.h"

#include "projection.h"
#include "projection_arithmetic.h"
#include "scales.h"
#include "step.h"
#include "step_grid.h"

#include <string.h>

static void realize_owner(void *owner, int stage) { realize_in_lanes(owner, stage); }

static void invalidate_owner(void *owner, int stage) {
    Lanes *lanes = owner;
    if (lanes->realized >= stage)
        lanes->realized = stage - 1;
}

static RowsInW rows_in(Lanes *lanes) {
    return (RowsInW){lanes->table->model, lanes->w, lanes, realize_owner, invalidate_owner, MOST_ITERATIONS};
}

static int has_rows(const Lanes *lanes, int k) { return lanes->lanes[k].run && lanes->lanes[k].has_rows && !lanes->lanes[k].is_unusual; }

static int any_has_rows(const Lanes *lanes) {
    int any = 0;
    for (int k = 0; k < MOBOD_LANES; k++)
        any |= has_rows(lanes, k);
    return any;
}

/* the State of a lane, with y at the end of its step */
static State *state_at_end(const Lanes *lanes, int k, const Number *y) {
    const Model *model = lanes->table->model;
    State *state = lanes->lanes[k].run->simulation->state;
    write_y(lanes, k, y);
    state->w[model->time_at] = lanes->t_new[k];
    return state;
}

/* after state_at_end: the time is that at the start of the step again */
static void leave_state(const Lanes *lanes, int k) {
    State *state = lanes->lanes[k].run->simulation->state;
    state->w[lanes->table->model->time_at] = lanes->t[k];
    state->realized = STAGE_INSTANCE;
}

/* whether a projection has moved y of the lanes too far, see project_step */
static Number have_moved_far(const Lanes *lanes, const Number *before) {
    const Model *model = lanes->table->model;
    const RowTable *table = model->rows;
    const Number *y = lanes->w + model->y_at, most = most_moved(MOST_MOVED, lanes->tolerance, lanes->constraint_tolerance);
    const int starts[] = {table->q - model->y_at, table->u - model->y_at}, counts[] = {table->nq, table->nu};
    Number are_far = NUMBER(0.0);
    for (int part = 0; part < 2; part++)
        for (int i = starts[part]; i < starts[part] + counts[part]; i++)
            are_far = number_or(are_far, number_less(most * (scale_of_y(model, i) + number_abs(before[i])), number_abs(y[i] - before[i])));
    return are_far;
}

/* Project all lanes at once. Returns 0, and leaves y as it was, if they need different work. */
static int project_alike(Lanes *lanes) {
    const Model *model = lanes->table->model;
    const RowsInW rows = rows_in(lanes);
    const size_t bytes = (size_t)y_size(model) * sizeof(Number);
    Number *y = lanes->w + model->y_at, distance;
    ProjectedLevel of_q, of_u;
    realize_in_lanes(lanes, STAGE_VELOCITY); /* sets prescribed coordinates and speeds */
    memcpy(lanes->kept, y, bytes);
    if (project_level(&rows, lanes->constraint_tolerance, 0, &distance, &of_q) != FACTORED ||
        project_level(&rows, lanes->constraint_tolerance, 1, &distance, &of_u) != FACTORED) {
        memcpy(y, lanes->kept, bytes);
        lanes->realized = STAGE_INSTANCE;
        return 0;
    }
    const Number are_far = have_moved_far(lanes, lanes->kept), are_done = number_and(of_q.is_done, of_u.is_done);
    for (int k = 0; k < MOBOD_LANES; k++)
        if (has_rows(lanes, k))
            lanes->lanes[k].is_unusual = !are_done[k] || (are_far[k] != 0 && !has_fixed_steps(lanes->lanes[k].run->simulation->state));
    return 1;
}

void project_in_lanes(Lanes *lanes) {
    const Model *model = lanes->table->model;
    Number *y = lanes->w + model->y_at;
    if (!any_has_rows(lanes) || (lanes->rows_are_alike && project_alike(lanes)))
        return;
    for (int k = 0; k < MOBOD_LANES; k++) {
        if (!has_rows(lanes, k))
            continue;
        State *state = state_at_end(lanes, k, y);
        Integration ignored;
        lanes->lanes[k].is_unusual = !project_step(model, state, 0, lanes->lanes[k].run->simulation->work.error, &ignored);
        for (int i = 0; i < y_size(model); i++)
            y[i][k] = state->w[model->y_at + i];
        leave_state(lanes, k);
    }
}

void remove_projected_errors(Lanes *lanes, Number *error) {
    const Model *model = lanes->table->model;
    const size_t bytes = (size_t)y_size(model) * sizeof(Number);
    if (!any_has_rows(lanes))
        return;
    if (lanes->rows_are_alike) {
        const RowsInW rows = rows_in(lanes);
        memcpy(lanes->kept, error, bytes);
        const int outcome = remove_normal_part_in(&rows, error);
        memcpy(lanes->w + model->y_at, lanes->y_new, bytes);
        if (outcome == FACTORED)
            return;
        memcpy(error, lanes->kept, bytes);
    }
    for (int k = 0; k < MOBOD_LANES; k++) {
        if (!has_rows(lanes, k))
            continue;
        Simulation *simulation = lanes->lanes[k].run->simulation;
        State *state = state_at_end(lanes, k, lanes->y_new);
        for (int i = 0; i < y_size(model); i++)
            simulation->work.error[i] = error[i][k];
        remove_projected_error(model, state, &simulation->work, simulation->work.error);
        for (int i = 0; i < y_size(model); i++)
            error[i][k] = simulation->work.error[i];
        leave_state(lanes, k);
    }
}

/* whether the step of a lane is refused if it ends near a singular configuration */
static int avoids_singularity(const Lanes *lanes, int k) {
    const Lane *lane = lanes->lanes + k;
    return has_rows(lanes, k) && !lane->planned.is_last && !has_fixed_steps(lane->run->simulation->state);
}

void find_singularities(Lanes *lanes) {
    const Model *model = lanes->table->model;
    int any = 0;
    for (int k = 0; k < MOBOD_LANES; k++) {
        lanes->lanes[k].is_near_singularity = 0;
        any |= avoids_singularity(lanes, k);
    }
    if (!any)
        return;
    Number distance, inaccuracy;
    const RowsInW rows = rows_in(lanes);
    const int is_found = lanes->rows_are_alike && find_singularity(&rows, &distance, &inaccuracy) == FACTORED;
    for (int k = 0; k < MOBOD_LANES; k++) {
        if (!avoids_singularity(lanes, k))
            continue;
        if (!is_found) {
            inaccuracy[k] = singularity(model, state_at_end(lanes, k, lanes->y_new)).inaccuracy;
            leave_state(lanes, k);
        }
        lanes->lanes[k].is_near_singularity = inaccuracy[k] > lanes->tolerance[k];
    }
}
