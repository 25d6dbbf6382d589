#include "friction_cones.h"

#include "elementary.h"
#include "vectors.h"

#include <string.h>

static const double EPSILON = 1e-9;    /* squares of rows are 1 or less */
static const double ROUND_OFF = 1e-15; /* of the sum, relative */
static const double ACCEPTED = 1e-13;  /* of the sum, relative: where round-off ends the search */
static const double DECREASE = 1e-4;   /* of the function, relative to that by its slope */
static const double SHORTEST = 1e-3;   /* part of a step */
enum { STEPS = 16 };

/* normal = x + sum of mu_i (length_i - mu_i normal) over the disks that are exceeded. The right side falls with the normal, and is convex:
 * from x, steps of Newton's method stay at or below the root, and disks are only removed, which takes at most n + 1 of them. */
double projected_normal(int n, const double *mu, double factor, double x, const double *length, int *exceeded, double *sum) {
    double normal = x, before;
    do {
        double above = x;
        *sum = 1;
        for (int i = 0; i < n; i++) {
            const double limit = factor * mu[i];
            exceeded[i] = length[i] > limit * normal;
            if (exceeded[i]) {
                above += limit * length[i];
                *sum += limit * limit;
            }
        }
        before = normal;
        normal = above / *sum;
    } while (normal > before);
    return fmax(normal, 0);
}

/* z = P(x) of a contact and its moments, [size] rows, and its derivative D [size][size], symmetric; mu: of the contact and of each moment
 */
static void project_contact(int size, const double *mu, double factor, const double *x, double *z, double *D) {
    double length[MOST_DISKS] = {0}, line[MOST_BLOCK_ROWS] = {1}, sum;
    int exceeded[MOST_DISKS];
    for (int i = 0; i < size / 3; i++)
        length[i] = sqrt(x[3 * i + 1] * x[3 * i + 1] + x[3 * i + 2] * x[3 * i + 2]);
    const double normal = projected_normal(size / 3, mu, factor, x[0], length, exceeded, &sum);
    memset(z, 0, (size_t)size * sizeof(double));
    memset(D, 0, (size_t)(size * size) * sizeof(double));
    if (normal == 0 && (sum > 1 || x[0] < 0))
        return;

    /* forces on the surface: along its line, and across, where its curvature is that of a circle */
    z[0] = normal;
    for (int i = 0; i < size / 3; i++) {
        const int at = 3 * i + 1;
        const double limit = factor * mu[i];
        if (!exceeded[i]) {
            z[at] = x[at];
            z[at + 1] = x[at + 1];
            D[size * at + at] = D[size * (at + 1) + at + 1] = 1;
            continue;
        }
        const double d[2] = {x[at] / length[i], x[at + 1] / length[i]}, across[2] = {-d[1], d[0]}, curvature = limit * normal / length[i];
        for (int j = 0; j < 2; j++) {
            line[at + j] = limit * d[j];
            z[at + j] = normal * line[at + j];
            for (int k = 0; k < 2; k++)
                D[size * (at + j) + at + k] = curvature * across[j] * across[k];
        }
    }
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++)
            D[size * i + j] += line[i] * line[j] / sum;
}

static void project_box(double lower, double upper, double x, double *z, double *D) {
    *z = fmin(fmax(x, lower), upper);
    *D = x >= lower && x <= upper;
}

/* Set z = P(B^T x) and y_z = B z; with a matrix, add B P' B^T to it. Returns the function that is minimised, |z|^2 / 2 - y . x. */
static double evaluate(const FrictionRows *rows, FrictionBlocks *blocks, const int *is_taken, double factor, const double *y,
                       const double *x, int has_matrix, double *z, double *y_z) {
    double D[MOST_BLOCK_ROWS * MOST_BLOCK_ROWS], at[MOST_BLOCK_ROWS];
    memset(y_z, 0, (size_t)blocks->n * sizeof(double));
    memset(z, 0, (size_t)rows->m * sizeof(double));
    for (int block = 0; block < blocks->n_blocks; block++) {
        if (!is_taken[block])
            continue;
        double *z_block = z + blocks->first_row[block];
        rates_of_block(blocks, block, x, at);
        if (block < blocks->n_boxes)
            project_box(rows->lower[block], rows->upper[block], at[0], z_block, D);
        else
            project_contact(rows_of_block(blocks, block), rows->mu + (blocks->first_row[block] - blocks->n_boxes) / 3, factor, at, z_block,
                            D);
        add_block(blocks, block, z_block, y_z);
        if (has_matrix)
            add_to_matrix(blocks, block, D, 1);
    }
    return 0.5 * dot(rows->m, z, z) - dot(blocks->n, y, x);
}

int find_least_in_cones(FrictionRows *rows, FrictionBlocks *blocks, const int *is_taken, double factor, const double *y, double *x) {
    int n = blocks->n;
    double *z = rows->z, *y_z = rows->trial_w, *step = rows->dz, *next = rows->dw, *z_next = rows->trial_z;
    double size = largest_number(y, n), error = INFINITY;
    for (int i = 0; i < STEPS; i++) {
        begin_matrix_of_blocks(blocks, is_taken, EPSILON, 1);
        double value = evaluate(rows, blocks, is_taken, factor, y, x, 1, z, y_z);
        for (int k = 0; k < n; k++)
            step[k] = y[k] - y_z[k];
        double slope = 0, before = error;
        error = largest_number(step, n);
        if (error <= ROUND_OFF * size || (error <= ACCEPTED * size && !(error < before)))
            return 1;

        /* the step, or the part of it that decreases the function; near the solution differences of the function are round-off */
        if (!factor_matrix_of_blocks(blocks, 1))
            return 0;
        solve_matrix_of_blocks(blocks, 1, step);
        for (int k = 0; k < n; k++)
            slope += (y_z[k] - y[k]) * step[k];
        double part = 1;
        for (;; part /= 2) {
            for (int k = 0; k < n; k++)
                next[k] = x[k] + part * step[k];
            double next_value = evaluate(rows, blocks, is_taken, factor, y, next, 0, z_next, y_z), next_error = 0;
            for (int k = 0; k < n; k++)
                next_error = fmax(next_error, fabs(y[k] - y_z[k]));
            if (next_value <= value + DECREASE * part * slope || next_error < 0.5 * error)
                break;
            if (part < SHORTEST)
                return error <= ACCEPTED * size;
        }
        memcpy(x, next, (size_t)n * sizeof(double));
    }
    return 0;
}
