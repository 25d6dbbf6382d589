#include "friction_program.h"

#include "elementary.h"
#include "friction_equations.h"
#include "friction_judge.h"
#include "friction_start.h"
#include "friction_tolerances.h"
#include "vectors.h"

#include <float.h>
#include <string.h>

/* the number of entries of rows with compliance */
static size_t most_entries(int n, int m) { return (size_t)m * ((size_t)n + 1); }

size_t friction_program_reals(int n, int m, int n_contacts) {
    size_t rows = (size_t)m, extended = (size_t)n + rows;
    return (2 * rows + 3) * extended + 11 * rows + 2 * extended + (size_t)n + 2 * (size_t)n_contacts + friction_rows_reals(m) +
           complementarity_reals(n + m, m) + 3 * most_entries(n, m) + envelope_reals(n) + (MOST_BLOCK_ROWS + 1) * (size_t)n;
}

size_t friction_program_integers(int n, int m, int n_contacts) {
    return 8 * (size_t)m + 4 + (size_t)n_contacts + friction_rows_integers(m) + complementarity_integers(n + m, m) +
           3 * most_entries(n, m) + 4 * (size_t)n + column_order_integers(n, m, most_entries(n, m));
}

static void begin(FrictionProgram *program, int n, int m, int n_equations, int n_boxes) {
    double *next = program->reals;
    int *next_integer = program->integers, extended = n + m;
    program->n = n;
    program->m = m;
    program->n_equations = n_equations;
    program->n_boxes = n_boxes;
    program->n_contacts = (m - n_equations - n_boxes) / 3;
    program->multipliers = next;
    program->w = next += m;
    program->a = next += m;
    program->size = next += m;
    program->length = next += m;
    program->lower = next += m;
    program->upper = next += m;
    program->missed = next += m;
    program->whole = next += m;
    program->some_a = next += m;
    program->some_size = next += m;
    program->y = next += m;
    program->contact_residuals = next += n;
    program->scaled_mu = next += program->n_contacts;
    program->y_fixed = next += program->n_contacts;
    program->work = next += extended;
    program->B = next += extended;
    program->turned = next += m * extended;
    program->entries.values = next += (m + 3) * extended;
    program->scaled.values = next += most_entries(n, m);
    program->given.values = next += most_entries(n, m);
    program->matrix.entries = next += most_entries(n, m);
    program->blocks.products = next += envelope_reals(n);
    program->blocks.y = next += MOST_BLOCK_ROWS * n;
    program->complementarity.reals = next += n;
    next += complementarity_reals(n + m, m);
    program->modes = next_integer;
    program->against = next_integer += program->n_contacts;
    program->held = next_integer += m;
    program->entries.first = next_integer += m;
    program->entries.columns = next_integer += m + 1;
    program->given.first = next_integer += most_entries(n, m);
    program->given.columns = next_integer += m + 1;
    program->matrix.first = next_integer += most_entries(n, m);
    program->matrix.start = next_integer += n;
    program->blocks.first = next_integer += n;
    program->blocks.columns = next_integer += m + 1;
    program->blocks.first_row = next_integer += most_entries(n, m);
    program->blocks.first_value = next_integer += m + 1;
    program->blocks.of_row = next_integer += m;
    program->order = next_integer += m;
    program->place = next_integer += n;
    program->ordering = next_integer += n;
    program->complementarity.integers = next_integer += column_order_integers(n, m, most_entries(n, m));
    next_integer += complementarity_integers(n + m, m);
    program->blocks.matrix = program->matrix; /* with blocks there are no whole rows */
    program->blocks.values = program->turned;
    program->blocks.upper = program->B;
    begin_friction_rows(&program->rows, n_boxes, program->n_contacts, next, next_integer);
    program->rows.is_bounded = program->complementarity.active_set.is_bounded = program->is_bounded;
    program->is_cut = program->is_ordered = 0;
    memset(program->multipliers, 0, (size_t)m * sizeof(double));
    memset(program->missed, 0, (size_t)m * sizeof(double));
    program->n_against = program->rounds = program->newton_steps = program->iterations = program->sweeps = 0;
    program->violation = program->contradiction = program->residual = 0;
    program->worst_contact = -1;
}

/* whether the numbers of a problem but those of its rows are finite, bounds are in order, and coefficients and compliances not negative */
static int is_valid(const FrictionProgram *program, const double *a, const double *size, const double *lower, const double *upper,
                    const double *mu, const double *compliance, const double *slip) {
    int m = program->m, valid = all_finite(m, a) && (!size || all_finite(m, size)) && all_finite(program->n_contacts, mu) &&
                                (!compliance || all_finite(m, compliance)) && (!slip || all_finite(2 * program->n_contacts, slip));
    for (int i = 0; i < program->n_boxes; i++)
        valid = valid && lower[i] <= upper[i] && lower[i] < DBL_MAX && upper[i] > -DBL_MAX;
    for (int i = 0; i < program->n_contacts; i++)
        valid = valid && mu[i] >= 0;
    for (int i = 0; compliance && i < m; i++)
        valid = valid && compliance[i] >= 0;
    return valid;
}

/* take the rows; those with compliance get a dimension each */
static void take_entries(FrictionProgram *program, const SparseRows *B, const double *compliance) {
    program->n_extended = B->n;
    program->own_entries = program->entries;
    if (!compliance) {
        program->entries = *B;
        return;
    }
    SparseRows *entries = &program->entries;
    begin_sparse_rows(entries, B->n);
    for (int i = 0, at = 0; i < B->m; i++) {
        for (int k = B->first[i]; k < B->first[i + 1]; k++, at++) {
            entries->columns[at] = B->columns[k];
            entries->values[at] = B->values[k];
        }
        if (compliance[i] > 0) {
            entries->columns[at] = program->n_extended++;
            entries->values[at++] = sqrt(compliance[i]);
        }
        end_sparse_row(entries, at);
    }
    program->entries.n = program->n_extended;
}

static double length_of_entries(const SparseRows *rows, int i, int last_column) {
    double square = 0;
    for (int k = rows->first[i]; k < rows->first[i + 1] && rows->columns[k] < last_column; k++)
        square += rows->values[k] * rows->values[k];
    return sqrt(square);
}

/* Rows are scaled by contact: the coefficients of moments for the lengths of theirs and of the rows of their contact. */
static void scale_limits(FrictionProgram *program) {
    FrictionRows *rows = &program->rows;
    const double *length = program->length + program->n_equations, *mu = rows->mu;
    for (int i = 0; rows->is_moment && i < program->n_contacts; i++)
        program->scaled_mu[i] = rows->is_moment[i] ? mu[i] * length[rows->n_boxes + 3 * i] / length[normal_row(rows, i)] : mu[i];
    if (rows->is_moment)
        rows->mu = program->scaled_mu;
}

/* copy the problem: a dimension for each row with compliance, lengths of rows, bounds; returns ROWS_SOLVED or ROWS_INVALID */
static int copy_rows(FrictionProgram *program, const SparseRows *B, const double *a, const double *size, const double *lower,
                     const double *upper, const double *mu, const int *is_moment, const double *compliance, const double *slip) {
    int n = program->n, m = program->m, first_contact = program->n_equations + program->n_boxes;
    if (!is_valid(program, a, size, lower, upper, mu, compliance, slip))
        return ROWS_INVALID;
    take_entries(program, B, compliance);
    double longest = 0;
    for (int i = 0; i < m; i++) {
        program->length[i] = length_of_entries(&program->entries, i, n);
        program->whole[i] = compliance ? length_of_entries(&program->entries, i, program->n_extended) : program->length[i];
        if (!isfinite(program->length[i]))
            return ROWS_INVALID;
        longest = fmax(longest, program->length[i]);
        program->a[i] = a[i];
        program->size[i] = fabs(size ? size[i] : a[i]);
    }

    /* one length for each contact, or the disk of friction became an ellipse */
    for (int k = first_contact; k < m; k += 3) {
        double *length = program->length + k;
        length[0] = length[1] = length[2] = fmax(length[0], fmax(length[1], length[2]));
    }
    program->least = fmax(ROUND_OFF * longest, DBL_MIN);

    /* an equation that no unknown moves is round-off, which has no size of its own: it contradicts if it is large beside the other rows */
    double largest_size = largest_number(program->size, m);
    for (int i = 0; i < m; i++)
        if (!(program->length[i] > program->least)) {
            program->length[i] = longest > program->least ? longest : 1;
            program->size[i] = i < program->n_equations ? largest_size : program->size[i];
        }
    program->given_lower = lower;
    program->given_upper = upper;
    program->rows.mu = mu;
    program->rows.is_moment = is_moment;
    scale_limits(program);
    program->rows.slip = slip;
    return ROWS_SOLVED;
}

/* A [i][j] = dot product of rows i and j; rows of a mask count as 0. `row` [n] is temporary. */
static void find_sparse_products(const SparseRows *rows, const int *is_zero, double *row, double *A) {
    int m = rows->m;
    memset(A, 0, (size_t)m * (size_t)m * sizeof(double));
    memset(row, 0, (size_t)rows->n * sizeof(double));
    for (int i = 0; i < m; i++) {
        int first = rows->first[i], end = rows->first[i + 1];
        if (is_zero[i] || first == end)
            continue;
        for (int k = first; k < end; k++)
            row[rows->columns[k]] = rows->values[k];
        for (int j = 0; j <= i; j++) {
            int first_of_other = rows->first[j], end_of_other = rows->first[j + 1];
            int overlap = first_of_other < end_of_other && rows->columns[first_of_other] <= rows->columns[end - 1] &&
                          rows->columns[end_of_other - 1] >= rows->columns[first];
            if (overlap && !is_zero[j])
                A[i * m + j] = A[j * m + i] = sparse_dot(rows, j, row);
        }
        for (int k = first; k < end; k++)
            row[rows->columns[k]] = 0;
    }
}

/* Without equations: set A or, by dimensions, the blocks; and a, which is not scaled. Returns ROWS_SOLVED or ROWS_CONTRADICT. */
static int multiply_rows(FrictionProgram *program, int is_by_dimensions) {
    for (int i = 0; i < program->rows.m; i++) {
        program->held[i] = program->whole[i] <= program->least;
        if (program->held[i] && !accept_held(program, i, program->a[i]))
            return ROWS_CONTRADICT;
        program->rows.a[i] = program->a[i] - program->missed[i];
    }
    scale_entries(program);
    if (is_by_dimensions) {
        program->rows.blocks = &program->blocks;
        gather_blocks(&program->blocks, &program->scaled, program->held, program->rows.is_moment, program->n_boxes);
    } else
        find_sparse_products(&program->scaled, program->held, program->work, program->rows.A);
    return ROWS_SOLVED;
}

/* Take the equations out of the other rows, and scale those. *unit is the size of the numbers, by which they are divided. */
static int reduce_rows(FrictionProgram *program, int is_by_dimensions, double *unit) {
    int n = program->n_extended, k = program->n_equations;
    FrictionRows *rows = &program->rows;
    double size = size_of_rows(program) + norm(n, program->y_fixed), forced = 0;
    for (int i = 0; i < program->n_boxes; i++)
        forced += fabs(fmin(fmax(0, program->given_lower[i]), program->given_upper[i])) * program->length[k + i];
    *unit = size + forced > DBL_MIN ? size + forced : 1;
    rows->size = size / *unit;
    scale_bounds(program, *unit);
    int outcome = k > 0 ? turn_rows(program) : multiply_rows(program, is_by_dimensions);
    for (int i = 0; i < rows->m; i++)
        rows->a[i] = rows->a[i] / program->length[k + i] / *unit;
    return outcome;
}

/* Without friction tangents and moments have no part: list equations, boxes and normals. Returns their number. */
static int list_rows_without_friction(FrictionProgram *program, int *taken) {
    int n = 0, first = program->n_equations + program->n_boxes;
    for (int row = 0; row < program->m; row += row < first ? 1 : 3)
        if (row < first || !is_moment_at(&program->rows, (row - first) / 3))
            taken[n++] = row;
    return n;
}

static int solve_without_friction(FrictionProgram *program) {
    write_whole_rows(program);
    int n = program->n_extended, k = program->n_equations, first = k + program->n_boxes, *rows = program->held;
    const int taken = list_rows_without_friction(program, rows);
    double *B = program->turned;
    Complementarity *solved = &program->complementarity;
    for (int i = 0; i < taken; i++) {
        int row = rows[i];
        memcpy(B + i * n, program->B + row * n, (size_t)n * sizeof(double));
        program->some_a[i] = program->a[row];
        program->some_size[i] = program->size[row];
        program->lower[i] = i < k ? 0 : i < first ? program->given_lower[i - k] : 0;
        program->upper[i] = i < k ? 0 : i < first ? program->given_upper[i - k] : INFINITY;
    }
    int outcome = solve_complementarity(solved, n, taken, k, B, program->some_a, program->some_size, program->lower + k, program->upper + k,
                                        program->is_nearest);
    program->contradiction = solved->contradiction;
    program->violation = solved->violation;
    program->n_against = solved->n_against;
    for (int i = 0; i < solved->n_against; i++)
        program->against[i] = rows[solved->against[i]];
    if (outcome == ROWS_INVALID)
        return outcome;
    for (int i = 0; i < taken; i++) {
        program->multipliers[rows[i]] = solved->multipliers[i];
        program->missed[rows[i]] = solved->missed[i] * solved->length[i];
    }
    judge(program);
    return outcome;
}

static int search_solution(FrictionProgram *program, int is_by_dimensions, const double *start) {
    double unit;
    int n_equations = program->n_equations, outcome = solve_equations(program);
    if (outcome == ROWS_SOLVED)
        outcome = reduce_rows(program, is_by_dimensions, &unit);
    if (outcome != ROWS_SOLVED)
        return outcome;
    for (int i = 0; i < program->rows.m; i++)
        program->rows.z[i] = start ? start[n_equations + i] * program->length[n_equations + i] / unit : 0;
    search_multipliers(&program->rows, start && !is_by_dimensions);
    program->is_cut = program->rows.is_cut;
    if (is_by_dimensions)
        polish_multipliers(&program->rows);
    program->rounds = program->rows.rounds;
    program->newton_steps = program->rows.newton_steps;
    program->iterations = program->rows.iterations;
    program->sweeps = program->rows.sweeps;
    restore_multipliers(program, program->rows.best, unit);
    judge(program);
    return is_certified(program->residual) ? ROWS_SOLVED : ROWS_NOT_CERTIFIED;
}

int solve_sparse_program(FrictionProgram *program, const SparseRows *B, int n_equations, int n_boxes, const double *a, const double *size,
                         const double *lower, const double *upper, const double *mu, const int *is_moment, const double *start,
                         const double *now, const double *compliance, const double *slip) {
    begin(program, B->n, B->m, n_equations, n_boxes);
    int outcome = copy_rows(program, B, a, size, lower, upper, mu, is_moment, compliance, slip), has_friction = 0;
    if (outcome != ROWS_SOLVED || (start && !all_finite(B->m, start)))
        return ROWS_INVALID;
    for (int i = 0; i < program->n_contacts; i++)
        has_friction = has_friction || mu[i] > 0;
    if (!has_friction)
        return solve_without_friction(program);
    int is_by_dimensions = start && n_equations == 0 && program->n_extended == B->n && B->m > B->n; /* fewer rows are cheaper by rows */
    if (!is_by_dimensions || !solve_from_start(program, start, now))
        outcome = search_solution(program, is_by_dimensions, start);
    restore_columns(program);
    return outcome;
}

/* the columns of B as sparse rows, in the workspace of a program that has begun; from where the rows with compliance are made */
static SparseRows without_zeros(FrictionProgram *program, const double *B) {
    int n = program->n, m = program->m;
    SparseRows rows = program->given;
    begin_sparse_rows(&rows, n);
    for (int i = 0, at = 0; i < m; i++) {
        const double *row = B + (size_t)i * (size_t)n;
        for (int k = 0; k < n; k++)
            if (row[k] != 0) { /* NaN, too */
                rows.columns[at] = k;
                rows.values[at++] = row[k];
            }
        end_sparse_row(&rows, at);
    }
    return rows;
}

int solve_friction_program(FrictionProgram *program, int n, int m, int n_equations, int n_boxes, const double *B, const double *a,
                           const double *size, const double *lower, const double *upper, const double *mu, const int *is_moment,
                           const double *start, const double *compliance, const double *slip) {
    begin(program, n, m, n_equations, n_boxes);
    SparseRows rows = without_zeros(program, B);
    return solve_sparse_program(program, &rows, n_equations, n_boxes, a, size, lower, upper, mu, is_moment, start, NULL, compliance, slip);
}

double friction_residual(FrictionProgram *program, int n, int m, int n_equations, int n_boxes, const double *B, const double *a,
                         const double *size, const double *lower, const double *upper, const double *mu, const int *is_moment,
                         const double *compliance, const double *slip, const double *z) {
    begin(program, n, m, n_equations, n_boxes);
    SparseRows rows = without_zeros(program, B);
    if (copy_rows(program, &rows, a, size, lower, upper, mu, is_moment, compliance, slip) != ROWS_SOLVED || !all_finite(m, z))
        return INFINITY;
    memcpy(program->multipliers, z, (size_t)m * sizeof(double));
    judge(program);
    return program->residual;
}
