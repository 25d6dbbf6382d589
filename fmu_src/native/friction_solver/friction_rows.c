#include "friction_rows.h"

#include "elementary.h"
#include "friction_tolerances.h"
#include "vectors.h"

#include <float.h>
#include <string.h>

size_t friction_rows_reals(int m) { return 3 * (size_t)m * (size_t)m + 22 * (size_t)m; }

size_t friction_rows_integers(int m) { return 3 * (size_t)m; }

void begin_friction_rows(FrictionRows *rows, int n_boxes, int n_contacts, double *reals, int *integers) {
    int m = n_boxes + 3 * n_contacts;
    double *next = reals;
    rows->m = m;
    rows->residual = INFINITY;
    rows->is_bounded = rows->is_cut = 0;
    rows->rounds = rows->newton_steps = rows->iterations = rows->sweeps = 0;
    rows->blocks = NULL;
    rows->is_moment = NULL;
    rows->epsilon = 0;
    rows->factor = 1;
    rows->n_boxes = n_boxes;
    rows->n_contacts = n_contacts;
    rows->a = next;
    rows->lower = next += m;
    rows->upper = next += m;
    rows->z = next += m;
    rows->w = next += m;
    rows->best = next += m;
    rows->r = next += m;
    rows->dz = next += m;
    rows->dw = next += m;
    rows->trial_z = next += m;
    rows->trial_w = next += m;
    rows->cone_z = next += m;
    rows->dual = next += m;
    rows->unknowns = next += m;
    rows->diagonal = next += m;
    rows->factors = next += m;
    rows->own = next += 3 * m;
    rows->along_normal = next += 3 * m;
    rows->A = next += m;
    rows->M = next += m * m;
    rows->columns = next + m * m;
    rows->kind = integers;
    rows->place = integers + m;
    rows->pivots = integers + 2 * m;
}

const double *slip_direction(const FrictionRows *rows, int contact) {
    const double *direction = rows->slip ? rows->slip + 2 * contact : NULL;
    return direction && (direction[0] != 0 || direction[1] != 0) ? direction : NULL;
}

/* the numbers are of size 1, so that no square overflows */
static double length_of(const double *t) { return sqrt(t[0] * t[0] + t[1] * t[1]); }

void natural_map(const FrictionRows *rows, const double *z, const double *w, double *r) {
    for (int i = 0; i < rows->n_boxes; i++) {
        double x = z[i] - w[i];
        r[i] = x < rows->lower[i] ? z[i] - rows->lower[i] : x > rows->upper[i] ? z[i] - rows->upper[i] : w[i];
    }
    for (int contact = 0, k = rows->n_boxes; contact < rows->n_contacts; contact++, k += 3) {
        const double *direction = slip_direction(rows, contact);
        double mu = rows->mu[contact];
        const int normal = normal_row(rows, contact);
        r[k] = normal == k ? fmin(z[k], w[k]) : z[k];
        if (direction) {
            r[k + 1] = z[k + 1] + mu * z[normal] * direction[0];
            r[k + 2] = z[k + 2] + mu * z[normal] * direction[1];
            continue;
        }
        double x[2] = {z[k + 1] - w[k + 1], z[k + 2] - w[k + 2]}, limit = mu * fmax(z[normal] - w[normal], 0), length = length_of(x);
        int slips = length > limit;
        for (int i = 0; i < 2; i++)
            r[k + 1 + i] = slips ? z[k + 1 + i] - limit / length * x[i] : w[k + 1 + i];
    }
}

void project_multipliers(const FrictionRows *rows, double *z) {
    for (int i = 0; i < rows->n_boxes; i++)
        z[i] = fmin(fmax(z[i], rows->lower[i]), rows->upper[i]);
    for (int contact = 0, k = rows->n_boxes; contact < rows->n_contacts; contact++, k += 3) {
        const double *direction = slip_direction(rows, contact);
        const int normal = normal_row(rows, contact);
        z[k] = normal == k ? fmax(z[k], 0) : 0;
        double limit = rows->mu[contact] * z[normal], length = length_of(z + k + 1);
        for (int i = 0; i < 2; i++)
            z[k + 1 + i] = direction ? -limit * direction[i] : length > limit ? limit / length * z[k + 1 + i] : z[k + 1 + i];
    }
}

static void find_changes_by_blocks(const FrictionRows *rows, const double *dz, double *dw) {
    const FrictionBlocks *blocks = rows->blocks;
    sum_of_rows(blocks, dz, blocks->y);
    for (int block = 0; block < blocks->n_blocks; block++)
        rates_of_block(blocks, block, blocks->y, dw + blocks->first_row[block]);
    for (int i = 0; i < rows->m; i++)
        dw[i] = rows->factor * (dw[i] + rows->epsilon * dz[i]);
}

void find_changes(const FrictionRows *rows, const double *dz, double *dw) {
    int m = rows->m;
    if (rows->blocks) {
        find_changes_by_blocks(rows, dz, dw);
        return;
    }
    memset(dw, 0, (size_t)m * sizeof(double));
    for (int i = 0; i < m; i++)
        if (dz[i] != 0)
            add_multiple_apart(m, dw, dz[i], rows->A + i * m);
}

void find_rates(const FrictionRows *rows, const double *z, double *w) {
    find_changes(rows, z, w);
    for (int i = 0; i < rows->m; i++)
        w[i] += rows->a[i];
}

double friction_rows_residual(const FrictionRows *rows, const double *z, const double *w) {
    int m = rows->m;
    double square = 0; /* |y|^2 = z . A z */
    natural_map(rows, z, w, rows->r);
    for (int i = 0; i < m; i++)
        square += z[i] * (w[i] - rows->a[i]);
    double largest = DBL_EPSILON * largest_number(z, m), scale = fmax(rows->size + sqrt(fmax(square, 0)), DBL_MIN);
    for (int i = 0; i < m; i++)
        if (!(fabs(rows->r[i]) <= largest))
            largest = fabs(rows->r[i]);
    return isfinite(scale) ? largest / scale : INFINITY;
}

FrictionMode friction_mode(const FrictionRows *rows, int contact) {
    const int at = normal_row(rows, contact);
    const double *z = rows->z + rows->n_boxes + 3 * contact, *w = rows->w + rows->n_boxes + 3 * contact;
    double x[2] = {z[1] - w[1], z[2] - w[2]}, normal = rows->z[at] - rows->w[at];
    if (!(normal > 0))
        return FRICTION_OPEN;
    return slip_direction(rows, contact) || length_of(x) > rows->mu[contact] * normal ? FRICTION_SLIP : FRICTION_STICK;
}

int note_multipliers(FrictionRows *rows, const double *z, const double *w) {
    double residual = friction_rows_residual(rows, z, w);
    if (residual < rows->residual) {
        rows->residual = residual;
        memcpy(rows->best, z, (size_t)rows->m * sizeof(double));
    }
    return rows->residual <= GOOD;
}
