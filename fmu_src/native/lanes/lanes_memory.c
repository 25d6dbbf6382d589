/* The numbers in the lanes. */
#define MOBOD_LANES MOBOD_WIDTH /* of this library */
#include "lanes_velocity_level.h"

#include "events.h"
#include "stiffness.h"

#include <stdlib.h>
#include <string.h>

int number_of_lanes(void) { return MOBOD_LANES; }

int number_of_witnesses(const Model *model) { return model->events ? model->events->n_witnesses : 0; }

Lanes *create_lanes(const LanesTable *table) {
    const Model *model = table->model;
    const size_t n = (size_t)y_size(model) + 1, n_points = (size_t)number_of_witnesses(model) * POINTS_OF_A_STEP + 1;
    const size_t sizes[] = {
        (size_t)model->n_w, (size_t)table->n_registers + 1, n, n, n, n, n, n, MOST_SLOPES * n, MOST_DEGREES * n, n_points};
    size_t all = sizeof(Lanes) / sizeof(Number) + 2; /* one more, to align the first one */
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        all += sizes[i];
    void *memory = calloc(all, sizeof(Number));
    if (!memory)
        return NULL;
    Number *next = (Number *)(((uintptr_t)memory + sizeof(Number) - 1) / sizeof(Number) * sizeof(Number));
    Lanes *lanes = (Lanes *)next;
    Number **const arrays[] = {&lanes->w,           &lanes->scratch, &lanes->y,      &lanes->y_new, &lanes->y_stage, &lanes->error,
                               &lanes->error_below, &lanes->kept,    &lanes->slopes, &lanes->dense, &lanes->points};
    next += (sizeof(Lanes) + sizeof(Number) - 1) / sizeof(Number);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        *arrays[i] = next;
        next += sizes[i];
    }
    lanes->table = table;
    lanes->memory = memory;
    lanes->sweeps = create_lane_sweeps(table);
    if (!lanes->sweeps) {
        free(memory);
        return NULL;
    }
    return lanes;
}

void free_lanes(Lanes *lanes) {
    if (!lanes)
        return;
    free(lanes->sweeps);
    free_step_in_lanes(lanes->fixed_step);
    free(lanes->memory);
}

void count_of_lane_steps(const Lanes *lanes, int64_t *in_lanes, int64_t *alone) {
    *in_lanes = lanes->n_in_lanes;
    *alone = lanes->n_alone;
}

void count_of_lane_problems(const Lanes *lanes, int64_t *at_once, int64_t *alone) {
    *at_once = lanes->n_problems_at_once;
    *alone = lanes->n_problems_alone;
}

static int has_enabled_rows(const Model *model, const double *w) {
    for (int i = 0; model->rows && i < model->rows->n_blocks; i++)
        if (w[model->rows->blocks[i].enabled] != 0)
            return 1;
    return 0;
}

void enter_lane(Lanes *lanes, int k, LaneRun *run) {
    const Simulation *simulation = run->simulation;
    const Model *model = simulation->model;
    const double *w = simulation->state->w;
    for (int i = 0; i < y_size(model); i++) {
        lanes->y[i][k] = w[model->y_at + i];
        lanes->slopes[i][k] = simulation->work.slopes[i];
    }
    lanes->watches_stiffness |= simulation->state->integrator == INTEGRATOR_AUTO;
    lanes->tolerance[k] = simulation->state->tolerance;
    lanes->constraint_tolerance[k] = simulation->state->constraint_tolerance;
    lanes->method = method_in_use(simulation->state, &simulation->work);
    lanes->lanes[k] = (Lane){.run = run, .enters = 1, .has_numbers = 1, .has_rows = has_enabled_rows(model, w)};
    simulation->state->realized = STAGE_INSTANCE; /* time and y in w are not kept up to date */
}

void copy_entered(Lanes *lanes) {
    const double *from[MOBOD_LANES];
    int at[MOBOD_LANES], n = 0;
    for (int k = 0; k < MOBOD_LANES; k++) {
        if (!lanes->lanes[k].enters)
            continue;
        from[n] = lanes->lanes[k].run->simulation->state->w;
        at[n++] = k;
        lanes->lanes[k].enters = 0;
    }
    /* all lanes of a number are in one cache line */
    for (int i = 0; n > 0 && i < lanes->table->model->scratch_at; i++)
        for (int j = 0; j < n; j++)
            lanes->w[i][at[j]] = from[j][i];
}

void write_y(const Lanes *lanes, int k, const Number *y) {
    const Simulation *simulation = lanes->lanes[k].run->simulation;
    const Model *model = simulation->model;
    for (int i = 0; i < y_size(model); i++)
        simulation->state->w[model->y_at + i] = y[i][k];
    simulation->state->realized = STAGE_INSTANCE;
}

void fill_empty_lanes(Lanes *lanes, int from) {
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
        lanes->constraint_tolerance[k] = lanes->constraint_tolerance[from];
    }
}
