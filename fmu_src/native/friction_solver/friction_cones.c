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

/* z = P(x) of a contact, and its derivative D [3][3], symmetric */
static void project_contact(double mu, const double *x, double *z, double *D) {
    double length = sqrt(x[1] * x[1] + x[2] * x[2]);
    memset(z, 0, 3 * sizeof(double));
    memset(D, 0, 9 * sizeof(double));
    if (length <= mu * x[0]) {
        memcpy(z, x, 3 * sizeof(double));
        D[0] = D[4] = D[8] = 1;
    } else if (mu * length > -x[0]) {
        /* on the surface: along its line, and across, where its curvature is that of a circle */
        double normal = (x[0] + mu * length) / (1 + mu * mu), d[2] = {x[1] / length, x[2] / length};
        double line[3] = {1, mu * d[0], mu * d[1]}, across[3] = {0, -d[1], d[0]}, curvature = mu * normal / length;
        for (int i = 0; i < 3; i++) {
            z[i] = normal * line[i];
            for (int j = 0; j < 3; j++)
                D[3 * i + j] = line[i] * line[j] / (1 + mu * mu) + curvature * across[i] * across[j];
        }
    }
}

static void project_box(double lower, double upper, double x, double *z, double *D) {
    *z = fmin(fmax(x, lower), upper);
    *D = x >= lower && x <= upper;
}

/* Set z = P(B^T x) and y_z = B z; with a matrix, add B P' B^T to it. Returns the function that is minimised, |z|^2 / 2 - y . x. */
static double evaluate(const FrictionRows *rows, FrictionBlocks *blocks, const int *is_taken, double factor, const double *y,
                       const double *x, int has_matrix, double *z, double *y_z) {
    double D[9], at[3];
    memset(y_z, 0, (size_t)blocks->n * sizeof(double));
    memset(z, 0, (size_t)rows->m * sizeof(double));
    for (int block = 0; block < n_blocks(blocks); block++) {
        if (!is_taken[block])
            continue;
        double *z_block = z + first_row_of_block(blocks, block);
        rates_of_block(blocks, block, x, at);
        if (block < blocks->n_boxes)
            project_box(rows->lower[block], rows->upper[block], at[0], z_block, D);
        else
            project_contact(factor * rows->mu[block - blocks->n_boxes], at, z_block, D);
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
