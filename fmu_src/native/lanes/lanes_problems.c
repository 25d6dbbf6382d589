/* The problems for speeds of all lanes, after their rows have been assembled. */
#define MOBOD_LANES MOBOD_WIDTH /* of this library */
#include "chosen_friction.h"
#include "friction_steps.h"
#include "friction_table.h"
#include "lanes_friction.h"
#include "listed_rows.h"
#include "unilateral_rows.h"

/* the numbers of the problem of a lane, without its rows */
static void gather_problem(const Lanes *lanes, const StepInLanes *step, int k, State *state) {
    const Model *model = lanes->table->model;
    const RowTable *table = model->rows;
    VelocityLevelWork *work = step->scalar;
    for (int i = 0; i < step->n_read; i++)
        state->w[step->read[i]] = lanes->w[step->read[i]][k];
    for (int i = 0; i < n_contacts(model); i++) {
        work->chosen[i] = (int)step->chosen[i][k];
        if (!work->chosen[i])
            continue;
        work->free[i] = step->free[i][k];
        work->least[i] = step->least[i][k];
        work->target[i] = step->target[i][k];
        work->slowest[i] = step->slowest[i][k];
        work->start.distances[i] = step->distances[i][k];
        work->start.rates[i] = step->start_rates[i][k];
    }
    for (int i = 0; i < table->n_blocks; i++)
        for (int line = table->blocks[i].first; step->blocks[i] && line < table->blocks[i].first + table->blocks[i].n; line++) {
            work->rates[line] = step->rates[line][k];
            work->drifts[line] = step->drifts[line][k];
            work->ahead[line] = step->ahead[line][k];
        }
    for (int f = 0; f < n_frictions(model); f++) {
        work->rows->friction->slips[f] = step->slips[f][k] != 0;
        work->rows->friction->loads[f] = 0;
    }
    work->hits.any = work->free_impacts.any = 0;
}

static void gather_rows(const StepInLanes *step, const RowTable *table, int k, int m) {
    ContactWork *rows = step->scalar->rows;
    for (int i = 0; i < m; i++) {
        const RowPattern *pattern = rows->patterns + i;
        const Number *of_B = step->B + (rows->row_numbers[i] < 0 ? 0 : rows->row_numbers[i]) * table->nu;
        double *row = rows->B + (size_t)i * (size_t)rows->width;
        for (int run = 0; run < pattern->n; run++)
            for (int j = pattern->runs[2 * run]; j < pattern->runs[2 * run] + pattern->runs[2 * run + 1]; j++)
                row[j] = of_B[j][k];
    }
}

/* List the rows of the problem of a lane, with its numbers. Returns how many these are. */
static int list_problem(const Lanes *lanes, const StepInLanes *step, int k, int *n_equations) {
    const Model *model = lanes->table->model;
    State *state = lanes->lanes[k].run->simulation->state;
    VelocityLevelWork *work = step->scalar;
    int n_rigid;
    gather_problem(lanes, step, k, state);
    if (model->frictions) {
        note_free_slips(model, work->rows, work->rates, work->drifts);
        select_friction_of_step(model, state, work->rows, work->chosen, lanes->step[k]);
    }
    const int m = list_rows(model, state, work->rows, work->chosen, NULL, ROWS_OF_ALL_LEVELS, n_equations, &n_rigid);
    begin_rows_of_B(model, state->w, work->rows, m, n_rigid);
    gather_rows(step, model->rows, k, m);
    return m;
}

/* Solve the problem of a lane: its impulses, and modes and impulses of friction in w. Returns 0 if the run must take the step alone. */
static int solve_in_lane(Lanes *lanes, StepInLanes *step, int k) {
    const Model *model = lanes->table->model;
    State *state = lanes->lanes[k].run->simulation->state;
    VelocityLevelWork *work = step->scalar;
    ContactWork *rows = work->rows;
    Integration ignored = {.outcome = INTEGRATED};
    int n_equations;
    const int m = list_problem(lanes, step, k, &n_equations);
    lanes->n_problems_alone += model->frictions != NULL && m > 0;
    if (solve_listed_rows(model, state, &step->settings, work, lanes->step[k], 1, m, n_equations, &ignored) != INTEGRATED)
        return 0;
    if (work->free_impacts.any)
        return 0;
    for (int i = 0; work->hits.any && i < n_contacts(model); i++)
        step->hits[i][k] = work->hits.contacts[i];
    for (int j = 0; work->hits.any && j < model->rows->n_joints; j++)
        step->before[j][k] = work->hits.before[j];
    for (int i = 0; i < m; i++)
        if (rows->row_numbers[i] >= 0)
            step->impulses[rows->row_numbers[i]][k] = rows->z[i];
    if (!model->frictions)
        return 1;
    place_impulses(model, rows, m, rows->z);
    note_friction_of_step(model, state, rows);
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        lanes->w[friction->mode][k] = state->w[friction->mode];
        for (int j = 0; j < friction->n; j++)
            lanes->w[friction->impulse + j][k] = state->w[friction->impulse + j];
    }
    return 1;
}

/* the lanes of a mask whose problems have the same rows as that of the lane `leading` */
static int lanes_with_rows_of(const Lanes *lanes, const StepInLanes *step, int mask, int leading) {
    const Model *model = lanes->table->model;
    Number are_alike = NUMBER(1.0);
    for (int i = 0; i < n_contacts(model); i++)
        are_alike = number_and(are_alike, index_is(step->chosen[i], (int)step->chosen[i][leading]));
    for (int f = 0; f < n_frictions(model); f++) {
        const Number is_enabled = number_not_equal(lanes->w[friction_at(model, f)->enabled], NUMBER(0.0));
        are_alike = number_and(are_alike, number_equal(is_enabled, NUMBER(is_enabled[leading])));
    }
    for (int k = 0; k < MOBOD_LANES; k++)
        mask &= are_alike[k] != 0 ? mask : ~(1 << k);
    return mask;
}

void solve_problems(Lanes *lanes, StepInLanes *step) {
    int left = 0, n_equations;
    for (int k = 0; k < MOBOD_LANES; k++)
        left |= is_alive(lanes, k) << k;
    for (int k = 0; k < MOBOD_LANES; k++) {
        const int alike = left >> k & 1 && step->friction ? lanes_with_rows_of(lanes, step, left, k) : 0;
        if (alike & (alike - 1)) { /* two or more */
            const int m = list_problem(lanes, step, k, &n_equations);
            const int solved = n_equations == 0 ? solve_friction_in_lanes(lanes, step, alike, k, m) : 0;
            left &= ~solved;
            for (int other = k; other < MOBOD_LANES; other++)
                lanes->n_problems_at_once += solved >> other & 1;
        }
        for (int other = k; other < MOBOD_LANES; other++)
            if ((left >> other & 1) && (other == k || alike >> other & 1)) {
                lanes->lanes[other].is_unusual = !solve_in_lane(lanes, step, other);
                left &= ~(1 << other);
            }
    }
}
