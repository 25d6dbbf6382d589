#include "elementary.h"
#include "friction_rows.h"
#include "friction_tolerances.h"
#include "friction_unknowns.h"
#include "lu.h"
#include "vectors.h"

#include <string.h>

static const double SOLVED_PASS = 1e-13;  /* norm of the natural map of a proximal problem, relative to the factor of rates */
static const double SOLVED_PART = 1e-3;   /* with blocks: the same relative to the norm where it begins, if that is more */
static const double FIRST_EPSILON = 1e-3; /* of proximal Newton; near a solution NEAR times the residual, if that is less */
static const double NEAR = 3;
static const double LEAST_NEAR = 1e-10; /* the least epsilon near a solution without blocks: rows that are almost redundant need it */
/* of epsilon, after a pass that solved its problem or did not; no powers of each other */
static const double FALL = 4, RISE = 6, FALL_NEAR = 10, RISE_NEAR = 15;
static const double BETTER = 0.5; /* of the residual: passes that improve it less are idle; with blocks, a few of them end the search of a
                                      certified solution */
static const double SLOW = 0.25;  /* of the squared norm, with blocks: a good solution that a step improves less has errors of round-off */
enum { STEPS_OF_PASS = 20, IDLE_PASSES = 3 };

static double squared(double x) { return x * x; }

/* column [m] = A times the change of multipliers by an unknown */
static void find_column(const FrictionRows *rows, int unknown, double *column) {
    int m = rows->m, kind = rows->kind[unknown];
    const double *A = rows->A + rows->place[unknown] * m, *factor = rows->factors + 3 * unknown;
    if (kind == SINGLE)
        memcpy(column, A, (size_t)m * sizeof(double));
    else
        for (int i = 0; i < m; i++)
            column[i] = (kind == NORMAL ? A[i] : 0) + factor[1] * A[m + i] + factor[2] * A[2 * m + i];
    if (kind == NORMAL)
        for (int moment = contact_of_unknown(rows, unknown); has_moment(rows, moment); moment++)
            for (int i = 0; i < 2; i++)
                add_multiple_apart(m, column, rows->along_normal[2 * (moment + 1) + i],
                                   rows->A + (rows->n_boxes + 3 * (moment + 1) + 1 + i) * m);
}

/* the right side of the equation of an unknown, without what the known part of the step adds to w */
static double right_side(const FrictionRows *rows, int unknown) {
    int at = rows->place[unknown];
    const double *factor = rows->factors + 3 * unknown, *z = rows->z + at;
    return rows->kind[unknown] == ACROSS ? -(factor[1] * z[1] + factor[2] * z[2]) : -rows->w[at];
}

/* b becomes the solution of M x = b, where M is the part of A that belongs to single rows: elimination without pivots. Returns whether M is
 * positive. */
static int solve_symmetric(FrictionRows *rows, int n, double *b) {
    double *M = rows->M;
    for (int i = 0; i < n; i++) {
        const double *A = rows->A + rows->place[i] * rows->m;
        for (int j = i; j < n; j++)
            M[i * n + j] = A[rows->place[j]];
    }
    for (int k = 0; k < n; k++) {
        const double *row = M + k * n;
        if (!(row[k] > 0))
            return 0;
        double inverse = 1 / row[k];
        for (int i = k + 1; i < n; i++) {
            double factor = row[i] * inverse;
            if (factor == 0)
                continue;
            add_multiple_apart(n - i, M + i * n + i, -factor, row + i);
            b[i] -= factor * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--)
        b[k] = (b[k] - dot(n - k - 1, M + k * n + k + 1, b + k + 1)) / M[k * n + k];
    return 1;
}

/* the same for unknowns of all kinds, by LU */
static int solve_general(FrictionRows *rows, int n, double *b) {
    int m = rows->m;
    for (int j = 0; j < n; j++)
        find_column(rows, j, rows->columns + j * m);
    for (int i = 0; i < n; i++) {
        double *row = rows->M + i * n;
        for (int j = 0; j < n; j++)
            row[j] = in_equation(rows, i, rows->columns + j * m);
        if (rows->kind[i] == ACROSS)
            row[i] += 1 - rows->factors[3 * i];
    }
    if (factor_lu(n, rows->M, rows->pivots) >= 0)
        return 0;
    solve_lu(n, rows->M, rows->pivots, b);
    return 1;
}

/* the entry of K below */
static double diagonal_of(const FrictionRows *rows, int unknown) {
    double part = rows->kind[unknown] == ACROSS ? rows->factors[3 * unknown] : 1;
    return part * rows->factor * rows->epsilon + 1 - part;
}

/* the entries of N and E below that belong to an unknown, in its block [size]; at: those of its row */
static void find_parts_of_unknown(const FrictionRows *rows, int unknown, int at, int size, double *column, double *row) {
    const double *factor = rows->factors + 3 * unknown;
    int kind = rows->kind[unknown];
    memset(column, 0, (size_t)size * sizeof(double));
    memset(row, 0, (size_t)size * sizeof(double));
    if (kind != ACROSS)
        column[at] = row[at] = 1;
    for (int i = 1; i < 3 && kind != SINGLE; i++) {
        column[at + i] = factor[i];
        row[at + i] = kind == ACROSS ? factor[0] * factor[i] : 0;
    }
    for (int i = at + 3; i < size && kind == NORMAL; i++) /* moments follow their contact */
        column[i] = i % 3 ? rows->along_normal[2 * (contact_of_unknown(rows, unknown) + i / 3) + i % 3 - 1] : 0;
}

/* The same with blocks. The matrix is factor E B^T B N + K: the columns of N are the changes of multipliers by each unknown, the rows of E
 * give its equation, and K is diagonal. So u = (b - factor E B^T y) / K, where y = B N u solves (1 + factor B N / K E B^T) y = B N b / K.
 */
static int solve_by_blocks(FrictionRows *rows, int n, int is_symmetric, double *b) {
    FrictionBlocks *blocks = rows->blocks;
    double *y = blocks->y, z[MOST_BLOCK_ROWS], S[MOST_BLOCK_ROWS * MOST_BLOCK_ROWS];
    begin_matrix_of_blocks(blocks, NULL, 1, is_symmetric);
    memset(y, 0, (size_t)blocks->n * sizeof(double));
    for (int j = 0; j < n;) {
        int block = blocks->of_row[rows->place[j]], first = blocks->first_row[block], size = rows_of_block(blocks, block);
        memset(z, 0, sizeof z);
        memset(S, 0, (size_t)(size * size) * sizeof(double));
        for (; j < n && blocks->of_row[rows->place[j]] == block; j++) {
            double inverse = 1 / diagonal_of(rows, j), column[MOST_BLOCK_ROWS], row[MOST_BLOCK_ROWS];
            find_parts_of_unknown(rows, j, rows->place[j] - first, size, column, row);
            for (int i = 0; i < size; i++) {
                z[i] += column[i] * b[j] * inverse;
                for (int k = 0; k < size; k++)
                    S[size * i + k] += rows->factor * inverse * column[i] * row[k];
            }
        }
        add_block(blocks, block, z, y);
        add_to_matrix(blocks, block, S, is_symmetric);
    }
    if (!factor_matrix_of_blocks(blocks, is_symmetric))
        return 0;
    solve_matrix_of_blocks(blocks, is_symmetric, y);
    for (int j = 0; j < n; j++) {
        int block = blocks->of_row[rows->place[j]];
        if (j == 0 || block != blocks->of_row[rows->place[j - 1]])
            rates_of_block(blocks, block, y, z);
        const double *change = z + (rows->place[j] - blocks->first_row[block]), *factor = rows->factors + 3 * j;
        double in_equation = rows->kind[j] == ACROSS ? factor[0] * (factor[1] * change[1] + factor[2] * change[2]) : change[0];
        b[j] = (b[j] - rows->factor * in_equation) / diagonal_of(rows, j);
    }
    return 1;
}

/* solve for the step dz, and dw = A dz; returns whether there is one */
static int find_step(FrictionRows *rows) {
    int n = find_unknowns(rows), is_symmetric = 1;
    double *u = rows->unknowns;
    find_changes(rows, rows->dz, rows->dw);
    for (int i = 0; i < n; i++) {
        u[i] = right_side(rows, i) - in_equation(rows, i, rows->dw);
        is_symmetric = is_symmetric && rows->kind[i] == SINGLE;
    }
    int is_solved = rows->blocks   ? solve_by_blocks(rows, n, is_symmetric, u)
                    : is_symmetric ? solve_symmetric(rows, n, u)
                                   : solve_general(rows, n, u);
    if (!is_solved || !all_finite(n, u))
        return 0;
    for (int j = 0; j < n; j++) {
        const double *factor = rows->factors + 3 * j;
        double *dz = rows->dz + rows->place[j];
        if (rows->kind[j] != ACROSS)
            dz[0] += u[j];
        if (rows->kind[j] != SINGLE) {
            dz[1] += u[j] * factor[1];
            dz[2] += u[j] * factor[2];
        }
        if (rows->kind[j] == NORMAL)
            for (int moment = contact_of_unknown(rows, j), at = 3; has_moment(rows, moment); moment++, at += 3)
                for (int i = 0; i < 2; i++)
                    dz[at + 1 + i] += u[j] * rows->along_normal[2 * (moment + 1) + i];
    }
    find_changes(rows, rows->dz, rows->dw);
    return 1;
}

/* the squared norm of the natural map at z and w */
static double squared_norm(FrictionRows *rows, const double *z, const double *w) {
    natural_map(rows, z, w, rows->r);
    return dot(rows->m, rows->r, rows->r);
}

/* Take the step, or the part of it that decreases the squared norm. Returns whether one does; *square becomes that after it. */
static int take_step(FrictionRows *rows, double *square) {
    int m = rows->m;
    double *z = rows->trial_z, *w = rows->trial_w;
    for (double part = 1; part > SHORTEST; part /= 2) {
        for (int i = 0; i < m; i++) {
            z[i] = rows->z[i] + part * rows->dz[i];
            w[i] = rows->w[i] + part * rows->dw[i];
        }
        double next = squared_norm(rows, z, w);
        if (next < (1 - DECREASE * part) * *square) {
            memcpy(rows->z, z, (size_t)m * sizeof(double));
            memcpy(rows->w, w, (size_t)m * sizeof(double));
            *square = next;
            return 1;
        }
    }
    return 0;
}

static void keep_diagonal(FrictionRows *rows) {
    for (int i = 0; i < rows->m && !rows->blocks; i++)
        rows->diagonal[i] = rows->A[i * rows->m + i];
}

/* A with the diagonal that was kept, plus epsilon */
static void shift_diagonal(FrictionRows *rows, double epsilon) {
    rows->epsilon = epsilon;
    for (int i = 0; i < rows->m && !rows->blocks; i++)
        rows->A[i * rows->m + i] = rows->diagonal[i] + epsilon;
}

int stick_where_pressed(FrictionRows *rows) {
    int m = rows->m, n = 0, presses = 0;
    for (int contact = 0, k = rows->n_boxes; contact < rows->n_contacts; contact++, k += 3) {
        const double *z = rows->z + k, z_n = rows->z[normal_row(rows, contact)];
        presses = presses || z_n > 0;
        if (slip_direction(rows, contact) || (z_n > 0 && !(z[1] * z[1] + z[2] * z[2] < squared(HOLDS * rows->mu[contact] * z_n))))
            return 0;
    }
    for (int i = 0; i < rows->n_boxes; i++)
        n = add_unknown(rows, n, SINGLE, i, 1, 0, 0);
    for (int contact = 0, k = rows->n_boxes; contact < rows->n_contacts; contact++, k += 3)
        for (int i = is_moment_at(rows, contact); i < 3 && (!presses || rows->z[normal_row(rows, contact)] > 0); i++)
            n = add_unknown(rows, n, SINGLE, k + i, 1, 0, 0);

    /* the second pass removes the error of epsilon */
    double *z = rows->trial_z, *w = rows->trial_w;
    memset(z, 0, (size_t)m * sizeof(double));
    keep_diagonal(rows);
    for (int pass = 0; pass < 2; pass++) {
        find_rates(rows, z, w);
        for (int i = 0; i < n; i++)
            rows->unknowns[i] = -w[rows->place[i]];
        shift_diagonal(rows, LEAST_EPSILON);
        int is_solved = solve_symmetric(rows, n, rows->unknowns) && all_finite(n, rows->unknowns);
        shift_diagonal(rows, 0);
        if (!is_solved)
            return 0;
        for (int i = 0; i < n; i++)
            z[rows->place[i]] += rows->unknowns[i];
    }
    find_rates(rows, z, w);
    return note_multipliers(rows, z, w);
}

int newton(FrictionRows *rows, int most) {
    int m = rows->m;
    keep_diagonal(rows);
    find_rates(rows, rows->z, rows->w);
    double residual = friction_rows_residual(rows, rows->z, rows->w), square = dot(m, rows->r, rows->r);
    int is_slow = 0;
    for (int i = 0; i < most && !(residual <= SOLVED) && !(is_slow && residual <= GOOD); i++) {
        const double before = square;
        double epsilon = fmin(fmax(PART_OF_NORM * sqrt(square), LEAST_EPSILON), LARGEST_EPSILON);
        rows->newton_steps++;
        shift_diagonal(rows, epsilon);
        int has_step = find_step(rows);
        shift_diagonal(rows, 0);
        add_multiple_apart(m, rows->dw, -epsilon, rows->dz); /* A dz, without epsilon */
        if (!has_step || !take_step(rows, &square))
            break;
        residual = friction_rows_residual(rows, rows->z, rows->w);
        is_slow = rows->blocks && !(square < SLOW * before);
    }
    find_rates(rows, rows->z, rows->w);
    return note_multipliers(rows, rows->z, rows->w);
}

/* Solve the natural map of the proximal problem, whose w is that of A + epsilon 1 and a - epsilon z0, up to a norm `solved`: by one step
 * at least, since multipliers may need less than that of a norm that rates have. */
static int solve_proximal(FrictionRows *rows, double solved) {
    double square = squared_norm(rows, rows->z, rows->w);
    if (rows->blocks)
        solved = fmax(solved, SOLVED_PART * sqrt(square));
    for (int i = 0; i < STEPS_OF_PASS && (i == 0 || !(square <= solved * solved)); i++) {
        rows->newton_steps++;
        if (!find_step(rows) || !take_step(rows, &square))
            break;
    }
    return square <= solved * solved;
}

/* The factor of A and w in the natural map of a proximal problem, a power of two so that it rounds nothing. What all redundant contacts can
 * do together has speeds of epsilon times multipliers: with a factor of 1 a slip so slow would count as a kink at rest, where its direction
 * jumps; with 1 / epsilon most normals open and close in one step. */
static double factor_of_rates(double epsilon) {
    static const uint64_t EXPONENT = UINT64_C(0x7FF0000000000000);
    return mobod_double(mobod_bits(1 / (sqrt(epsilon) * sqrt(sqrt(epsilon)))) & EXPONENT);
}

static void scale_rates(FrictionRows *rows, double factor) {
    int m = rows->m;
    rows->factor *= factor;
    for (int i = 0; i < m * m && !rows->blocks; i++)
        rows->A[i] *= factor;
    for (int i = 0; i < m; i++)
        rows->w[i] *= factor;
}

int proximal_newton(FrictionRows *rows, int passes, int is_near) {
    const int is_near_by_rows = is_near && !rows->blocks;
    const double least = is_near_by_rows ? LEAST_NEAR : LEAST_EPSILON, fall = is_near ? FALL_NEAR : FALL, rise = is_near ? RISE_NEAR : RISE;
    double epsilon = is_near_by_rows ? fmin(fmax(NEAR * rows->residual, LEAST_EPSILON), FIRST_EPSILON) : FIRST_EPSILON;
    int is_good = 0, n_idle = 0;
    keep_diagonal(rows);
    find_rates(rows, rows->z, rows->w);
    for (int pass = 0; pass < passes && !is_good; pass++) {
        const double before = rows->residual;
        double factor = factor_of_rates(epsilon);
        shift_diagonal(rows, epsilon);
        scale_rates(rows, factor);
        int is_solved = solve_proximal(rows, SOLVED_PASS * factor);
        scale_rates(rows, 1 / factor);
        shift_diagonal(rows, 0);
        find_rates(rows, rows->z, rows->w);
        is_good = note_multipliers(rows, rows->z, rows->w);
        n_idle = rows->residual < BETTER * before ? 0 : n_idle + 1;
        is_good = is_good || (rows->blocks && n_idle >= IDLE_PASSES && rows->residual <= NEARLY_GOOD);
        epsilon = is_solved ? fmax(epsilon / fall, least) : fmin(epsilon * rise, LARGEST_EPSILON);
    }
    return is_good;
}
