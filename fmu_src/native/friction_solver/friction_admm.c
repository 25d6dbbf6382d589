/* ADMM with the shift of de Saxce: with w_n + mu |w_t| in place of w_n, the law of Coulomb is z in the cone |z_t| <= mu z_n, w in the dual
 * cone, z . w = 0. The shift is that of the last iteration.
 *
 * Source: de Saxce & Feng, Math. Comput. Modelling 28 (1998); Carpentier, Le Lidec & Montaut, From compliant to rigid contact simulation,
 * RSS (2024). */
#include "elementary.h"
#include "friction_cones.h"
#include "friction_rows.h"
#include "vectors.h"

#include <string.h>

static const double LEAST_PART = 1e-4; /* of the largest eigenvalue: smaller ones count as this */
static const double UNBALANCED = 10.0; /* ratio of the two residuals at which the penalty changes */
static const double LEAST_EIGENVALUE = 1e-12;
static const double LEAST_PIVOT = 1e-30;
enum { POWER_ITERATIONS = 8, CHECKED_EVERY = 10 };

/* with blocks: the factors of B B^T + shift 1 */
static int factor_blocks(FrictionRows *rows, double shift) {
    double unit[MOST_BLOCK_ROWS * MOST_BLOCK_ROWS];
    begin_matrix_of_blocks(rows->blocks, NULL, shift, 1);
    for (int block = 0; block < rows->blocks->n_blocks; block++) {
        const int size = rows_of_block(rows->blocks, block);
        memset(unit, 0, sizeof unit);
        for (int i = 0; i < size; i++)
            unit[size * i + i] = 1;
        add_to_matrix(rows->blocks, block, unit, 1);
    }
    return factor_matrix_of_blocks(rows->blocks, 1);
}

/* M = (A + shift 1)^-1, symmetric, by sweeps over the diagonal; returns whether it is positive */
static int invert(FrictionRows *rows, double shift) {
    int m = rows->m;
    double *M = rows->M;
    if (rows->blocks)
        return factor_blocks(rows, shift);
    memcpy(M, rows->A, (size_t)m * (size_t)m * sizeof(double));
    for (int i = 0; i < m; i++)
        M[i * m + i] += shift;
    for (int k = 0; k < m; k++) {
        double *row = M + k * m, pivot = row[k];
        if (!(pivot > LEAST_PIVOT))
            return 0;
        double inverse = 1 / pivot;
        for (int i = 0; i < m; i++) {
            if (i == k)
                continue;
            double *other = M + i * m, factor = other[k] * inverse;
            other[k] = 0;
            add_multiple_apart(m, other, -factor, row);
            other[k] = -factor;
        }
        for (int j = 0; j < m; j++)
            row[j] *= inverse;
        row[k] = inverse;
    }
    return 1;
}

/* x = M v; with blocks (v - B^T (B B^T + shift 1)^-1 B v) / shift. Overwrites v. */
static void multiply_by_inverse(const FrictionRows *rows, double shift, double *v, double *x) {
    const FrictionBlocks *blocks = rows->blocks;
    memset(x, 0, (size_t)rows->m * sizeof(double));
    for (int i = 0; i < rows->m && !blocks; i++)
        add_multiple_apart(rows->m, x, v[i], rows->M + i * rows->m);
    if (!blocks)
        return;
    sum_of_rows(blocks, v, blocks->y);
    solve_matrix_of_blocks(blocks, 1, blocks->y);
    for (int block = 0; block < blocks->n_blocks; block++)
        rates_of_block(blocks, block, blocks->y, x + blocks->first_row[block]);
    for (int i = 0; i < rows->m; i++)
        x[i] = (v[i] - x[i]) / shift;
}

/* the largest eigenvalue of A or, with a shift, of M, by powers */
static double largest_eigenvalue(const FrictionRows *rows, double shift) {
    int m = rows->m;
    double value = 0, *v = rows->dz, *u = rows->dw;
    for (int i = 0; i < m; i++)
        v[i] = 1 + 0.5 * ((i * 7) % 5) - (i * 3) % 4; /* without symmetry */
    for (int k = 0; k < POWER_ITERATIONS; k++) {
        double length = norm(m, v);
        if (!(length > 0))
            return value;
        for (int i = 0; i < m; i++)
            v[i] /= length;
        if (shift > 0)
            multiply_by_inverse(rows, shift, v, u);
        else
            find_changes(rows, v, u);
        value = norm(m, u);
        memcpy(v, u, (size_t)m * sizeof(double));
    }
    return value;
}

void begin_admm(FrictionRows *rows, AdmmPenalty *penalty) {
    double largest = fmax(largest_eigenvalue(rows, 0), LEAST_EIGENVALUE), least = LEAST_PART * largest;
    penalty->factored = 0;
    if (!rows->blocks && invert(rows, least)) /* with blocks there are more rows than dimensions: the least eigenvalue is 0 */
        least = fmax(least, 1 / largest_eigenvalue(rows, least) - least);
    penalty->first = sqrt(largest * least);
}

/* z becomes the projection of x of a contact and its moments on their cone; tangents with a given direction follow from the last normal */
static void project_contact(const FrictionRows *rows, int contact, const double *x, double *z) {
    const int first = rows->n_boxes + 3 * contact;
    double mu[MOST_DISKS] = {0}, length[MOST_DISKS] = {0}, sum, before = z[first];
    int n = 0, exceeded[MOST_DISKS];
    do {
        const double *tangents = x + first + 3 * n + 1;
        if (!slip_direction(rows, contact + n)) {
            mu[n] = rows->mu[contact + n];
            length[n] = sqrt(tangents[0] * tangents[0] + tangents[1] * tangents[1]);
        }
        n++;
    } while (has_moment(rows, contact + n - 1));
    z[first] = projected_normal(n, mu, 1, x[first], length, exceeded, &sum);
    for (int i = 0; i < n; i++) {
        const double *direction = slip_direction(rows, contact + i), limit = rows->mu[contact + i] * z[first];
        const double part = exceeded[i] ? (length[i] > 0 ? limit / length[i] : 0) : 1;
        for (int k = first + 3 * i + 1, j = 0; j < 2; j++)
            z[k + j] = direction ? -rows->mu[contact + i] * before * direction[j] : part * x[k + j];
    }
}

/* z becomes the projection of x on the boxes and cones */
static void project_on_cones(const FrictionRows *rows, const double *x, double *z) {
    for (int i = 0; i < rows->n_boxes; i++)
        z[i] = fmin(fmax(x[i], rows->lower[i]), rows->upper[i]);
    for (int contact = 0; contact < rows->n_contacts; contact++)
        if (!is_moment_at(rows, contact))
            project_contact(rows, contact, x, z);
}

int iterate_admm(FrictionRows *rows, AdmmPenalty *penalty, int most) {
    int m = rows->m, is_good = 0;
    penalty->factored = 0; /* other methods have overwritten the factors */
    double *z = rows->cone_z, *y = rows->dual, *x = rows->unknowns, *right = rows->dz, *before = rows->dw, least = INFINITY;
    for (int n = 1; n <= most && !is_good; n++) {
        rows->iterations++;
        if (penalty->factored != penalty->now) {
            if (!invert(rows, penalty->now))
                return 0;
            penalty->factored = penalty->now;
        }

        /* x = (A + penalty 1)^-1 (penalty z + y - a), with the shift */
        for (int i = 0; i < m; i++)
            right[i] = penalty->now * z[i] + y[i] - rows->a[i];
        for (int contact = 0, k = rows->n_boxes; contact < rows->n_contacts; contact++, k += 3)
            if (!slip_direction(rows, contact))
                right[normal_row(rows, contact)] -= rows->mu[contact] * sqrt(y[k + 1] * y[k + 1] + y[k + 2] * y[k + 2]);
        multiply_by_inverse(rows, penalty->now, right, x);

        /* z = the projection of x - y / penalty */
        for (int i = 0; i < m; i++) {
            right[i] = x[i] - y[i] / penalty->now;
            before[i] = z[i];
        }
        project_on_cones(rows, right, z);
        for (int i = 0; i < m; i++)
            y[i] -= penalty->now * (x[i] - z[i]);
        if (n % CHECKED_EVERY != 0)
            continue;

        find_rates(rows, z, rows->w);
        double residual = friction_rows_residual(rows, z, rows->w);
        if (residual < least) {
            least = residual;
            memcpy(rows->z, z, (size_t)m * sizeof(double));
        }
        is_good = note_multipliers(rows, z, rows->w);
        double primal = 0, change = 0;
        for (int i = 0; i < m; i++) {
            primal = fmax(primal, fabs(x[i] - z[i]));
            change = fmax(change, fabs(z[i] - before[i]));
        }
        if (primal > UNBALANCED * change)
            penalty->now *= 2;
        else if (change > UNBALANCED * primal)
            penalty->now /= 2;
    }
    return is_good;
}
