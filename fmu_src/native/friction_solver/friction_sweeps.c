/* Block Gauss-Seidel over box rows, normals and the two tangents of a contact.
 *
 * Source: Jourdan, Alart & Jean, A Gauss-Seidel like algorithm to solve frictional contact problems, Comput. Methods Appl. Mech. Eng. 155
 * (1998). */
#include "elementary.h"
#include "friction_rows.h"
#include "vectors.h"

static const double LEAST = 1e-14; /* a diagonal entry below it: no multiplier moves the row */
enum { CHECKED_EVERY = 5 };

/* change the multiplier of a row, and w with it */
static void set_multiplier(FrictionRows *rows, int row, double value) {
    double change = value - rows->z[row];
    if (change == 0)
        return;
    if (rows->blocks)
        add_row_of_block(rows->blocks, row, change, rows->blocks->y);
    else
        add_multiple_apart(rows->m, rows->w, change, rows->A + row * rows->m);
    rows->z[row] = value;
}

/* with blocks: w of the block of a row, from y */
static void refresh_rates(FrictionRows *rows, int row) {
    if (!rows->blocks)
        return;
    int block = rows->blocks->of_row[row], first = rows->blocks->first_row[block];
    rates_of_block(rows->blocks, block, rows->blocks->y, rows->w + first);
    for (int i = first; i < first + rows_of_block(rows->blocks, block); i++)
        rows->w[i] += rows->a[i];
}

/* set the entries of A that sweeps read */
static void find_own_products(FrictionRows *rows) {
    if (rows->blocks) {
        products_in_blocks(rows->blocks, rows->own);
        return;
    }
    for (int i = 0; i < rows->m; i++) {
        int first = i < rows->n_boxes ? i : i - (i - rows->n_boxes) % 3;
        for (int j = 0; j < (i < rows->n_boxes ? 1 : 3); j++)
            rows->own[3 * i + j] = rows->A[i * rows->m + first + j];
    }
}

/* with a given slip direction, the tangents change with the normal */
static void set_slipping(FrictionRows *rows, int k, double mu, const double *direction) {
    const double *A = rows->own + 3 * k;
    double diagonal = A[0] - mu * (direction[0] * A[1] + direction[1] * A[2]);
    if (!(diagonal > LEAST))
        return;
    set_multiplier(rows, k, fmax(rows->z[k] - rows->w[k] / diagonal, 0));
    set_multiplier(rows, k + 1, -mu * rows->z[k] * direction[0]);
    set_multiplier(rows, k + 2, -mu * rows->z[k] * direction[1]);
}

/* tangents: a step by the largest eigenvalue of their block, into the disk of a limit */
static void set_tangents(FrictionRows *rows, int k, double limit) {
    const double *first = rows->own + 3 * (k + 1) + 1, *second = first + 3;
    double difference = first[0] - second[1];
    double largest = 0.5 * (first[0] + second[1] + sqrt(difference * difference + 4 * first[1] * first[1]));
    if (!(largest > LEAST))
        return;
    double x = rows->z[k + 1] - rows->w[k + 1] / largest, y = rows->z[k + 2] - rows->w[k + 2] / largest;
    double length = sqrt(x * x + y * y), part = length > limit ? limit / length : 1;
    set_multiplier(rows, k + 1, part * x);
    set_multiplier(rows, k + 2, part * y);
}

/* one sweep over a contact or moment, whose rows begin with k */
static void sweep_contact(FrictionRows *rows, int contact, int k) {
    const double *direction = slip_direction(rows, contact);
    const int at = normal_row(rows, contact);
    double normal = rows->own[3 * k], mu = rows->mu[contact];
    refresh_rates(rows, k);
    if (direction && at == k) {
        set_slipping(rows, k, mu, direction);
        return;
    }
    if (direction) {
        set_multiplier(rows, k + 1, -mu * rows->z[at] * direction[0]);
        set_multiplier(rows, k + 2, -mu * rows->z[at] * direction[1]);
        return;
    }
    if (at == k && normal > LEAST)
        set_multiplier(rows, k, fmax(rows->z[k] - rows->w[k] / normal, 0));
    for (int i = 0; i < 2; i++) {
        refresh_rates(rows, k);
        set_tangents(rows, k, mu * rows->z[at]);
    }
}

int sweep_contacts(FrictionRows *rows, int most) {
    int is_good = 0;
    find_own_products(rows);
    find_rates(rows, rows->z, rows->w);
    for (int n = 1; n <= most && !is_good; n++) {
        rows->sweeps++;
        for (int i = 0; i < rows->n_boxes; i++) {
            double diagonal = rows->own[3 * i];
            refresh_rates(rows, i);
            if (diagonal > LEAST)
                set_multiplier(rows, i, fmin(fmax(rows->z[i] - rows->w[i] / diagonal, rows->lower[i]), rows->upper[i]));
        }
        for (int contact = 0, k = rows->n_boxes; contact < rows->n_contacts; contact++, k += 3)
            sweep_contact(rows, contact, k);
        if (n % CHECKED_EVERY != 0)
            continue;
        if (rows->blocks)
            find_rates(rows, rows->z, rows->w);
        is_good = note_multipliers(rows, rows->z, rows->w);
    }
    return is_good;
}
