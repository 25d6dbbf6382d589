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
    add_multiple_apart(rows->m, rows->w, change, rows->A + row * rows->m);
    rows->z[row] = value;
}

/* with a given slip direction, the tangents change with the normal */
static void set_slipping(FrictionRows *rows, int k, double mu, const double *direction) {
    const double *A = rows->A + k * rows->m + k;
    double diagonal = A[0] - mu * (direction[0] * A[1] + direction[1] * A[2]);
    if (!(diagonal > LEAST))
        return;
    set_multiplier(rows, k, fmax(rows->z[k] - rows->w[k] / diagonal, 0));
    set_multiplier(rows, k + 1, -mu * rows->z[k] * direction[0]);
    set_multiplier(rows, k + 2, -mu * rows->z[k] * direction[1]);
}

/* tangents: a step by the largest eigenvalue of their block, into the disk */
static void set_tangents(FrictionRows *rows, int k, double mu) {
    int m = rows->m;
    const double *first = rows->A + (k + 1) * m + k + 1, *second = first + m;
    double difference = first[0] - second[1];
    double largest = 0.5 * (first[0] + second[1] + sqrt(difference * difference + 4 * first[1] * first[1]));
    if (!(largest > LEAST))
        return;
    double x = rows->z[k + 1] - rows->w[k + 1] / largest, y = rows->z[k + 2] - rows->w[k + 2] / largest;
    double length = sqrt(x * x + y * y), limit = mu * rows->z[k], part = length > limit ? limit / length : 1;
    set_multiplier(rows, k + 1, part * x);
    set_multiplier(rows, k + 2, part * y);
}

int sweep_contacts(FrictionRows *rows, int most) {
    int m = rows->m, is_good = 0;
    find_rates(rows, rows->z, rows->w);
    for (int n = 1; n <= most && !is_good; n++) {
        rows->sweeps++;
        for (int i = 0; i < rows->n_boxes; i++)
            if (rows->A[i * m + i] > LEAST)
                set_multiplier(rows, i, fmin(fmax(rows->z[i] - rows->w[i] / rows->A[i * m + i], rows->lower[i]), rows->upper[i]));
        for (int contact = 0, k = rows->n_boxes; contact < rows->n_contacts; contact++, k += 3) {
            const double *direction = slip_direction(rows, contact);
            double mu = rows->mu[contact];
            if (direction) {
                set_slipping(rows, k, mu, direction);
                continue;
            }
            if (rows->A[k * m + k] > LEAST)
                set_multiplier(rows, k, fmax(rows->z[k] - rows->w[k] / rows->A[k * m + k], 0));
            set_tangents(rows, k, mu);
            set_tangents(rows, k, mu);
        }
        if (n % CHECKED_EVERY == 0)
            is_good = note_multipliers(rows, rows->z, rows->w);
    }
    return is_good;
}
