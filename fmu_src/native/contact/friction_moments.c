#include "friction_moments.h"

#include "contact_table.h"
#include "elementary.h"
#include "friction_table.h"
#include "rows.h"
#include "vectors.h"

#include <string.h>

/* SAME_LOADS: relative to the largest normal; of loads of two solutions that count as equal. UNDETERMINED, SHARED: the same after many and
 * far more solutions: loads of contacts that share a load in more than one way have these errors. HOLDS: of its limit; a smaller moment
 * holds, and its load does not matter. AT_REST: rates beside the size of the solution that count as rest. LEAST_PART, LARGEST_PART: of the
 * changes of loads to the next solution; SMALLER, LARGER: their bound is multiplied by, where the changes turn back, or go on. SETTLING:
 * solutions after which only such a part is taken, and points share loads. SAME_ROW: relative to its length. */
static const double SAME_ROW = 1e-9, SAME_LOADS = 1e-10, UNDETERMINED = 1e-7, SHARED = 1e-5, HOLDS = 1 - 1e-6, AT_REST = 1e-10;
static const double LEAST_PART = 0.02, LARGEST_PART = 64, SMALLER = 0.5, LARGER = 1.2;
enum { SETTLING = 4, MANY_SOLUTIONS = 15, FAR_MORE_SOLUTIONS = 40, MOST_SOLUTIONS = 150, MOST_BOUNDED_SOLUTIONS = 15, FIRST_LOAD = -2 };

/* how loads go on: the part of their last changes that was taken, its bound, and the largest of their errors */
typedef struct {
    double part, largest_part, error;
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
 * program has several solutions, changes may jump: then the bound falls until the loads follow one of them. Changes in one direction that
 * do not become smaller go as far as the bound allows. */
static double part_of_changes(const ChosenFriction *rows, const double *changes, const double *last, Settling *settling) {
    double product = 0, square = 0, along = 0;
    for (int i = 0; i < rows->n_moments; i++) {
        along += changes[i] * last[i];
        product += last[i] * (changes[i] - last[i]);
        square += (changes[i] - last[i]) * (changes[i] - last[i]);
    }
    settling->largest_part *= along > 0 ? LARGER : SMALLER;
    settling->largest_part = fmin(fmax(settling->largest_part, LEAST_PART), LARGEST_PART);
    return product < 0 ? fmin(fmax(-settling->part * product / square, LEAST_PART), settling->largest_part) : settling->largest_part;
}

/* ---- moments that share loads, docs/decisions/212-loads-of-patches.md ---- */

/* whether the rows of two moments are equal, as those of points of one flat patch are */
static int are_rows_equal(const Model *model, const ContactWork *work, int one, int other) {
    const ChosenFriction *rows = work->friction;
    const int f = friction_of_moment(rows, one), g = friction_of_moment(rows, other), n = friction_at(model, f)->n;
    if (friction_at(model, g)->n != n || rows->limit[f] != rows->limit[g])
        return 0;
    for (int k = 0; k < n; k++) {
        const double *row = row_of_B(work, rows->row[f] + k), *of_other = row_of_B(work, rows->row[g] + k);
        const double allowed = SAME_ROW * row_of_B(work, row_of_load(rows, one))[column_of(model, work, one)];
        for (int i = 0; i < work->width; i++)
            if (fabs(row[i] - of_other[i]) > allowed)
                return 0;
    }
    return 1;
}

/* Each moment on its own, or groups of those with equal rows, each with the number of its first one. The program does not determine how the
 * points of a flat patch share its load, nor does it matter: all turn with the same velocity, and together have the limit of the whole
 * load.
 */
static void group_moments(const Model *model, const ContactWork *work, int share) {
    int *group = work->friction->moment_groups;
    for (int i = 0; i < work->friction->n_moments; i++) {
        group[i] = i;
        for (int j = 0; share && j < i && group[i] == i; j++)
            if (group[j] == j && are_rows_equal(model, work, j, i))
                group[i] = j;
    }
}

/* ---- errors of loads ---- */

/* whether the bodies turn at a moment: its rows have rates in the solution that are no errors of it */
static int turns(const Model *model, const ContactWork *work, int moment) {
    const ChosenFriction *rows = work->friction;
    const Friction *friction = friction_at(model, friction_of_moment(rows, moment));
    const int load = row_of_load(rows, moment);
    const double *y = rows->solution.y, length = row_of_B(work, load)[column_of(model, work, moment)];
    double rate = 0;
    for (int k = load + 1; k <= load + friction->n; k++)
        rate = fmax(rate, fabs(work->a[k] + dot_along_pattern(work->patterns + k, row_of_B(work, k), y)));
    return rate > AT_REST * length * norm(work->width, y);
}

/* of a group of moments: their number, loads before and in a solution, and those that its moments need */
typedef struct {
    int n;
    double before, in_solution, needed;
} GroupLoad;

static GroupLoad load_of_group(const Model *model, const ContactWork *work, int group) {
    const ChosenFriction *rows = work->friction;
    const double *z = rows->solution.multipliers;
    GroupLoad sum = {0, 0, 0, 0};
    for (int i = group; i < rows->n_moments; i++) {
        const int f = friction_of_moment(rows, i);
        const double *moment = z + rows->row[f];
        if (rows->moment_groups[i] != group)
            continue;
        sum.n++;
        sum.before += rows->moment_loads[i];
        sum.in_solution += fmax(z[row_of_normal(model, work, i)], 0);
        sum.needed += rows->limit[f] > 0 ? sqrt(dot(2, moment, moment)) / rows->limit[f] : 0;
    }
    return sum;
}

/* The error of a load in the solution, whose limit was that of the load before: a moment that turns has its limit; one at rest needs a load
 * that is large enough, and there may be several such solutions. */
static double error_of_load(const Model *model, const ContactWork *work, int moment, const GroupLoad *load) {
    const ChosenFriction *rows = work->friction;
    if (!(rows->limit[friction_of_moment(rows, moment)] > 0))
        return 0;
    if (load->needed >= HOLDS * load->before && turns(model, work, moment))
        return fabs(load->in_solution - load->before);
    return fmax(load->needed - load->in_solution, 0);
}

/* Take the loads from the solution number `solutions`, or a part of their changes. Returns whether their errors are too large. */
static int take_loads(const Model *model, const ContactWork *work, int solutions, Settling *settling) {
    const ChosenFriction *rows = work->friction;
    const double *z = rows->solution.multipliers;
    double *changes = rows->load_changes, *last = changes + model->frictions->n, largest_load = 0, error = 0;
    for (int first = 0; first < rows->n_moments; first++) {
        if (rows->moment_groups[first] != first)
            continue;
        const GroupLoad sum = load_of_group(model, work, first);
        const int keeps_parts = sum.n > 1 && sum.before > 0;
        error = fmax(error, error_of_load(model, work, first, &sum));
        for (int i = first; i < rows->n_moments; i++) {
            const double before = rows->moment_loads[i], load = fmax(z[row_of_normal(model, work, i)], 0);
            largest_load = fmax(largest_load, load);
            if (rows->moment_groups[i] == first)
                changes[i] = keeps_parts ? before * (sum.in_solution / sum.before - 1) : load - before;
        }
    }
    settling->error = error;
    settling->part = solutions < SETTLING ? 1 : part_of_changes(rows, changes, last, settling);
    for (int i = 0; i < rows->n_moments; i++) {
        rows->moment_loads[i] = fmax(rows->moment_loads[i] + settling->part * changes[i], 0);
        last[i] = changes[i];
    }
    return error > (solutions < MANY_SOLUTIONS ? SAME_LOADS : solutions < FAR_MORE_SOLUTIONS ? UNDETERMINED : SHARED) * largest_load;
}

/* Solve the problem until its loads are those of its solution, from its start, or from none and no loads. */
static int settle_loads(const Model *model, ContactWork *work, const RowProblem *problem, int share) {
    ChosenFriction *rows = work->friction;
    RowProblem next = *problem;
    const size_t bytes = (size_t)problem->m * sizeof(double);
    for (int i = 0; i < rows->n_moments; i++)
        rows->moment_loads[i] = problem->start ? fmax(problem->start[row_of_normal(model, work, i)], 0) : 0;
    int outcome = ROWS_SOLVED, has_errors = 1;
    Settling settling = {1, 1, 0};
    for (int solutions = 0; has_errors && outcome == ROWS_SOLVED; solutions++) {
        if (solutions == MOST_SOLUTIONS)
            return ROWS_NOT_CERTIFIED;
        if (work->cuts.is_on && solutions == MOST_BOUNDED_SOLUTIONS) { /* the loads are those of the last solution */
            note_cut(work, settling.error);
            break;
        }
        if (solutions == 0 || solutions == SETTLING)
            group_moments(model, work, solutions == SETTLING && share);
        set_loads(model, work);
        outcome = solve_friction_islands(&rows->program, &next, &rows->solution);
        has_errors = rows->n_moments && outcome == ROWS_SOLVED && take_loads(model, work, solutions, &settling);

        /* where the program has several solutions, loads settle only if the next one is near the last one */
        if (!next.start && solutions >= SETTLING) {
            memset(rows->now, 0, bytes);
            next.start = rows->start;
        }
        if (has_errors && next.start)
            memcpy(rows->start, rows->solution.multipliers, bytes);
    }
    return outcome;
}

int solve_with_moments(const Model *model, ContactWork *work, const RowProblem *problem) {
    ChosenFriction *rows = work->friction;
    RowProblem next = *problem;
    int outcome = settle_loads(model, work, problem, rows->shares_loads);

    /* searches from elsewhere follow other solutions of the program; without a start, the first one was one of them */
    next.start = NULL;
    for (int share = 0; share <= rows->shares_loads && outcome == ROWS_NOT_CERTIFIED && rows->n_moments && !work->cuts.is_on; share++)
        if (problem->start || share != rows->shares_loads)
            outcome = settle_loads(model, work, &next, share);

    /* loads have no part in the sizes by which others judge the rows */
    for (int i = 0; i < rows->n_moments; i++)
        work->size[row_of_load(rows, i)] = 0;
    return outcome;
}
