#include "friction_unknowns.h"

#include "elementary.h"

int add_unknown(FrictionRows *rows, int n, int kind, int row, double first, double second, double third) {
    rows->kind[n] = kind;
    rows->place[n] = row;
    rows->factors[3 * n] = first;
    rows->factors[3 * n + 1] = second;
    rows->factors[3 * n + 2] = third;
    return n + 1;
}

static int add_single(FrictionRows *rows, int n, int row) { return add_unknown(rows, n, SINGLE, row, 1, 0, 0); }

/* Set the known part of the step of the tangents of a contact or moment, and along [2]: their changes by that of the normal. Returns which
 * part of the limit the force has along the slip if it turns in the step, with its direction d; 0: it does not turn; -1: it sticks. */
static double find_tangents(FrictionRows *rows, int contact, double *along, double *d) {
    int k = rows->n_boxes + 3 * contact, normal = normal_row(rows, contact);
    const double *direction = slip_direction(rows, contact), *z = rows->z + k, *w = rows->w + k;
    double mu = rows->mu[contact], z_n = rows->z[normal], limit = mu * (z_n - rows->w[normal]), *dz = rows->dz + k;
    dz[1] = dz[2] = along[0] = along[1] = 0;
    if (direction || mu == 0) {
        along[0] = direction ? -mu * direction[0] : 0;
        along[1] = direction ? -mu * direction[1] : 0;
        dz[1] = along[0] * z_n - z[1];
        dz[2] = along[1] * z_n - z[2];
        return 0;
    }
    double x[2] = {z[1] - w[1], z[2] - w[2]}, length = sqrt(x[0] * x[0] + x[1] * x[1]);
    if (length <= limit)
        return -1;

    /* along the slip, tangents follow from the normal: z_t + dz_t = mu (z_n + dz_n) d */
    d[0] = x[0] / length;
    d[1] = x[1] / length;
    double known = mu * z_n - (z[1] * d[0] + z[2] * d[1]);
    for (int i = 0; i < 2; i++) {
        dz[1 + i] = known * d[i];
        along[i] = mu * d[i];
    }
    return limit / length;
}

/* add the unknowns of the tangents of a contact or moment, as the function above has found them */
static int add_tangents(FrictionRows *rows, int n, int contact, double part, const double *d) {
    int k = rows->n_boxes + 3 * contact;
    if (part < 0)
        return add_single(rows, add_single(rows, n, k + 1), k + 2);
    return part > 0 ? add_unknown(rows, n, ACROSS, k, part, -d[1], d[0]) : n;
}

/* add the unknowns of a contact and its moments to the first n, and set the known part of its step; returns their number */
static int add_contact(FrictionRows *rows, int n, int contact) {
    int k = rows->n_boxes + 3 * contact, depends = 0, at = n, last = contact;
    double along[2], d[2], *dz = rows->dz + k;
    while (has_moment(rows, last))
        last++;
    if (rows->z[k] - rows->w[k] <= 0) {
        for (int i = 0; i < 3 * (last - contact + 1); i++)
            dz[i] = -rows->z[k + i];
        return n;
    }
    dz[0] = 0;
    double part = find_tangents(rows, contact, along, d);
    n = add_tangents(rows, add_unknown(rows, n, NORMAL, k, 1, along[0], along[1]), contact, part, d);
    for (int moment = contact + 1; moment <= last; moment++) {
        double *by_normal = rows->along_normal + 2 * moment, of_moment = find_tangents(rows, moment, by_normal, d);
        rows->dz[rows->n_boxes + 3 * moment] = -rows->z[rows->n_boxes + 3 * moment];
        depends = depends || of_moment >= 0;
        n = add_tangents(rows, n, moment, of_moment, d);
    }
    if (part < 0 && !depends)
        rows->kind[at] = SINGLE;
    return n;
}

int find_unknowns(FrictionRows *rows) {
    int n = 0;
    for (int i = 0; i < rows->n_boxes; i++) {
        double x = rows->z[i] - rows->w[i];
        rows->dz[i] = x < rows->lower[i] ? rows->lower[i] - rows->z[i] : x > rows->upper[i] ? rows->upper[i] - rows->z[i] : 0;
        if (x >= rows->lower[i] && x <= rows->upper[i])
            n = add_unknown(rows, n, SINGLE, i, 1, 0, 0);
    }
    for (int contact = 0; contact < rows->n_contacts; contact++)
        if (!is_moment_at(rows, contact))
            n = add_contact(rows, n, contact);
    return n;
}
