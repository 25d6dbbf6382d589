#include "friction_moments.h"

#include "contact_table.h"
#include "elementary.h"
#include "friction_table.h"
#include "rows.h"
#include "vectors.h"

#include <string.h>

/* SAME_LOADS: relative to the largest normal; of loads of two solutions that count as equal. UNDETERMINED: the same after many solutions:
 * loads of contacts that share a load in more than one way have these errors. HOLDS: of its limit; a smaller moment holds, and its load
 * does not matter. LEAST_PART: of the change of loads to the next solution; SMALLER, LARGER: its bound is multiplied by, where the changes
 * have grown, or fallen. SETTLING: solutions after which only such a part is taken. */
static const double SAME_LOADS = 1e-10, UNDETERMINED = 1e-7, HOLDS = 1 - 1e-6, LEAST_PART = 0.02, SMALLER = 0.5, LARGER = 1.2;
enum { SETTLING = 4, MANY_SOLUTIONS = 15, MOST_SOLUTIONS = 150, MOST_BOUNDED_SOLUTIONS = 15, FIRST_LOAD = -2 };

/* how loads go on: the part of their last changes that was taken, its bound, and the largest of these changes */
typedef struct {
    double part, largest_part, change;
} Settling;

int most_selected_rows(const Model *model) { return model->rows->n_rows + 3 * n_frictions(model); }

int list_moments(const Model *model, ContactWork *work, int m) {
    ChosenFriction *rows = work->friction;
    for (int f = 0; f < model->frictions->n; f++) {
        const Friction *friction = friction_at(model, f);
        if (!friction->is_moment || !rows->selected[f])
            continue;
        work->row_numbers[m++] = FIRST_LOAD - rows->n_moments++;
        rows->row[f] = m;
        for (int k = 0; k < 2; k++)
            work->row_numbers[m++] = k < friction->n ? model->rows->blocks[friction->block + k].first : -1;
        rows->of_triple[rows->n_triples++] = f;
    }
    work->width += rows->n_moments;
    return m;
}

int column_of_load(const RowTable *table, const ContactWork *work, int number) {
    return number > FIRST_LOAD ? -1 : table->nu + work->n_soft + FIRST_LOAD - number;
}

/* the friction of a moment, by its number among the selected moments */
static int friction_of_moment(const ChosenFriction *rows, int moment) {
    return rows->of_triple[rows->n_triples - rows->n_moments + moment];
}

/* the row of its load */
static int row_of_load(const ChosenFriction *rows, int moment) { return rows->row[friction_of_moment(rows, moment)] - 1; }

static int column_of(const Model *model, const ContactWork *work, int moment) { return model->rows->nu + work->n_soft + moment; }

void write_loads_of_moments(const Model *model, ContactWork *work) {
    const ChosenFriction *rows = work->friction;
    for (int i = 0; rows->n_selected && i < rows->n_moments; i++) {
        const int row = row_of_load(rows, i);
        double longest = 0;
        for (int k = 1; k <= friction_at(model, friction_of_moment(rows, i))->n; k++)
            longest = fmax(longest, dot_along_pattern(work->patterns + row + k, row_of_B(work, row + k), row_of_B(work, row + k)));
        work->B[(size_t)row * (size_t)work->width + (size_t)column_of(model, work, i)] = longest > 0 ? sqrt(longest) : 1;
    }
}

/* set the numbers of the rows of loads */
static void set_loads(const Model *model, ContactWork *work) {
    const ChosenFriction *rows = work->friction;
    for (int i = 0; i < rows->n_moments; i++) {
        const int row = row_of_load(rows, i);
        const double length = row_of_B(work, row)[column_of(model, work, i)];
        work->size[row] = length * length * rows->moment_loads[i];
        work->a[row] = -work->size[row];
    }
}

/* the row of the normal that a moment belongs to */
static int row_of_normal(const Model *model, const ContactWork *work, int moment) {
    return work->row_of_contact[friction_at(model, friction_of_moment(work->friction, moment))->contact];
}

/* The part of the changes of loads to take next (Aitken): as large as the last two changes allow, from LEAST_PART to its bound. Where the
 * program has several solutions, changes may jump: then the bound falls until the loads follow one of them. */
static double part_of_changes(const ChosenFriction *rows, const double *changes, const double *last, double change, Settling *settling) {
    double product = 0, square = 0;
    for (int i = 0; i < rows->n_moments; i++) {
        product += last[i] * (changes[i] - last[i]);
        square += (changes[i] - last[i]) * (changes[i] - last[i]);
    }
    settling->largest_part *= change < settling->change ? LARGER : SMALLER;
    settling->largest_part = fmin(fmax(settling->largest_part, LEAST_PART), 1);
    return square > 0 ? fmin(fmax(-settling->part * product / square, LEAST_PART), settling->largest_part) : 1;
}

/* Take the loads from the solution number `solutions`, or a part of their changes. Returns whether those of moments at their limits have
 * changed. */
static int take_loads(const Model *model, const ContactWork *work, int solutions, Settling *settling) {
    const ChosenFriction *rows = work->friction;
    const double *z = rows->solution.multipliers;
    double *changes = rows->load_changes, *last = changes + model->frictions->n, largest_load = 0, change = 0;
    for (int i = 0; i < rows->n_moments; i++) {
        const int f = friction_of_moment(rows, i);
        const double before = rows->moment_loads[i], load = fmax(z[row_of_normal(model, work, i)], 0);
        const double moment = sqrt(dot(2, z + rows->row[f], z + rows->row[f]));
        largest_load = fmax(largest_load, load);
        if (rows->limit[f] > 0 && moment >= HOLDS * rows->limit[f] * fmin(load, before))
            change = fmax(change, fabs(load - before));
        changes[i] = load - before;
    }
    settling->part = solutions < SETTLING ? 1 : part_of_changes(rows, changes, last, change, settling);
    settling->change = change;
    for (int i = 0; i < rows->n_moments; i++) {
        rows->moment_loads[i] += settling->part * changes[i];
        last[i] = changes[i];
    }
    return change > (solutions < MANY_SOLUTIONS ? SAME_LOADS : UNDETERMINED) * largest_load;
}

int solve_with_moments(const Model *model, ContactWork *work, const RowProblem *problem) {
    ChosenFriction *rows = work->friction;
    RowProblem next = *problem;
    const size_t bytes = (size_t)problem->m * sizeof(double);
    for (int i = 0; i < rows->n_moments; i++)
        rows->moment_loads[i] = problem->start ? fmax(problem->start[row_of_normal(model, work, i)], 0) : 0;
    int outcome = ROWS_SOLVED, has_changed = 1;
    Settling settling = {1, 1, INFINITY};
    for (int solutions = 0; has_changed && outcome == ROWS_SOLVED; solutions++) {
        if (solutions == MOST_SOLUTIONS)
            return ROWS_NOT_CERTIFIED;
        if (work->cuts.is_on && solutions == MOST_BOUNDED_SOLUTIONS) { /* the loads are those of the last solution */
            note_cut(work, settling.change);
            break;
        }
        set_loads(model, work);
        outcome = solve_friction_islands(&rows->program, &next, &rows->solution);
        has_changed = rows->n_moments && outcome == ROWS_SOLVED && take_loads(model, work, solutions, &settling);

        /* where the program has several solutions, loads settle only if the next one is near the last one */
        if (!next.start && solutions >= SETTLING) {
            memset(rows->now, 0, bytes);
            next.start = rows->start;
        }
        if (has_changed && next.start)
            memcpy(rows->start, rows->solution.multipliers, bytes);
    }

    /* loads have no part in the sizes by which others judge the rows */
    for (int i = 0; i < rows->n_moments; i++)
        work->size[row_of_load(rows, i)] = 0;
    return outcome;
}
