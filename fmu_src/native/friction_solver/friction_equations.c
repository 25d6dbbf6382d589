#include "friction_equations.h"

#include "elementary.h"
#include "friction_judge.h"
#include "vectors.h"

#include <string.h>

static const double HELD = 1e-9;       /* remaining length of a unit row below which the equations hold it */
static const double CONSISTENT = 1e-6; /* a row that equations hold may contradict them by this much, relative */

void write_whole_rows(FrictionProgram *program) {
    const SparseRows *entries = &program->entries;
    memset(program->B, 0, (size_t)program->m * (size_t)program->n_extended * sizeof(double));
    for (int i = 0; i < program->m; i++)
        add_sparse_multiple(entries, i, 1, program->B + (size_t)i * (size_t)program->n_extended);
}

int solve_equations(FrictionProgram *program) {
    int extended = program->n_extended, k = program->n_equations;
    Complementarity *solved = &program->complementarity;
    memset(program->y_fixed, 0, (size_t)extended * sizeof(double));
    if (k == 0)
        return ROWS_SOLVED;
    write_whole_rows(program);
    int outcome = solve_rows_unchecked(solved, extended, k, k, program->B, program->a, program->size, NULL, NULL, program->is_nearest);
    program->contradiction = solved->contradiction;
    program->violation = solved->violation;
    program->n_against = solved->n_against;
    memcpy(program->against, solved->against, (size_t)solved->n_against * sizeof(int));
    if (outcome != ROWS_SOLVED)
        return outcome;
    memcpy(program->y_fixed, solved->y, (size_t)extended * sizeof(double));
    for (int i = 0; i < k; i++)
        program->missed[i] = solved->missed[i] * solved->length[i];
    return ROWS_SOLVED;
}

/* v becomes Q^T v: its first entries, one for each independent equation, lie in the space of the equations, the others are orthogonal */
static void turn(const FrictionProgram *program, double *v) {
    const Factors *factors = &program->complementarity.equations;
    int n = program->n_extended;
    for (int i = 0; program->n_equations > 0 && i < factors->rank; i++)
        reflect(n - i, factors->rows + i * n + i, factors->tau[i], v + i);
}

static int n_fixed(const FrictionProgram *program) { return program->n_equations > 0 ? program->complementarity.equations.rank : 0; }

int accept_held(FrictionProgram *program, int row, double rate) {
    int box = row - program->n_equations, contact_row = box - program->n_boxes;
    double allowed = CONSISTENT * (program->size[row] + program->length[row] * norm(program->n_extended, program->y_fixed));
    if (fabs(rate) <= allowed) {
        program->missed[row] = rate;
        return 1;
    }
    if (contact_row < 0 ? isfinite(friction_bound(rate > 0 ? program->given_lower[box] : program->given_upper[box]))
                        : rate > 0 || contact_row % 3 != 0)
        return 1;
    program->against[program->n_against++] = row;
    program->violation = fabs(rate);
    return 0;
}

/* the number of rows, rounded up to a multiple of four */
static int padded(int m) { return (m + 3) / 4 * 4; }

/* A [i][j] = dot product of rows i and j, which are the columns of S [n][stride], with zeros beyond m. Four of them at a time. */
static void find_products(int m, int n, int stride, const double *S, double *A) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j += 4) {
            double sums[4] = {0, 0, 0, 0};
            for (int k = 0; k < n; k++) {
                const double *row = S + k * stride + j;
                double entry = S[k * stride + i];
                sums[0] += entry * row[0];
                sums[1] += entry * row[1];
                sums[2] += entry * row[2];
                sums[3] += entry * row[3];
            }
            for (int l = 0; l < 4 && j + l <= i; l++)
                A[i * m + j + l] = A[(j + l) * m + i] = sums[l];
        }
}

int turn_rows(FrictionProgram *program) {
    int n = program->n_extended, k = program->n_equations, fixed = n_fixed(program), stride = padded(program->rows.m);
    double *row = program->work;
    memset(program->turned, 0, (size_t)n * (size_t)stride * sizeof(double));
    for (int i = 0; i < program->rows.m; i++) {
        memcpy(row, program->B + (k + i) * n, (size_t)n * sizeof(double));
        double rate = program->a[k + i] + dot(n, row, program->y_fixed), left = program->whole[k + i];
        if (fixed > 0) {
            turn(program, row);
            left = norm(n - fixed, row + fixed);
        }
        if (left <= fmax(HELD * program->whole[k + i], program->least)) {
            memset(row + fixed, 0, (size_t)(n - fixed) * sizeof(double));
            if (!accept_held(program, k + i, rate))
                return ROWS_CONTRADICT;
        }
        for (int j = 0; j < n; j++)
            program->turned[j * stride + i] = row[j] / program->length[k + i];
        program->rows.a[i] = rate - program->missed[k + i];
    }
    find_products(program->rows.m, n - fixed, stride, program->turned + fixed * stride, program->rows.A);
    return ROWS_SOLVED;
}

void restore_multipliers(FrictionProgram *program, const double *z, double unit) {
    int n = program->n_extended, k = program->n_equations, fixed = n_fixed(program);
    const Factors *factors = &program->complementarity.equations;
    double *needed = program->work;
    for (int i = 0; i < program->rows.m; i++)
        program->multipliers[k + i] = z[i] * unit / program->length[k + i];
    if (fixed == 0)
        return;

    /* R x = what is missing of y_fixed, in the space of the equations */
    memcpy(needed, program->y_fixed, (size_t)n * sizeof(double));
    turn(program, needed);
    for (int j = 0; j < fixed; j++)
        needed[j] -= unit * dot(program->rows.m, program->turned + j * padded(program->rows.m), z);
    for (int i = fixed - 1; i >= 0; i--) {
        const double *column = factors->rows + i * n;
        int row = factors->order[i];
        needed[i] /= column[i];
        add_multiple_apart(i, needed, -needed[i], column);
        program->multipliers[row] = needed[i] * factors->scale[row] / program->complementarity.length[row];
    }
}
