#include "friction_sticking.h"

#include "elementary.h"
#include "vectors.h"

#include <string.h>

static const double EPSILON = 1e-9;    /* squares of rows are 1 or less */
static const double ROUND_OFF = 1e-15; /* of w, relative to a: no further pass */
enum { MOST_PASSES = 4 };

/* y [n] = B v of the held rows */
static void combine(const SparseRows *B, const int *is_held, const double *v, double *y) {
    memset(y, 0, (size_t)B->n * sizeof(double));
    for (int i = 0; i < B->m; i++)
        if (is_held[i])
            add_sparse_multiple(B, i, v[i], y);
}

int find_sticking(const SparseRows *B, const double *a, const int *is_held, Envelope *matrix, double *z, double *y, double *w) {
    int m = B->m;
    double size = largest_number(a, m);
    memset(z, 0, (size_t)m * sizeof(double));
    set_envelope(matrix, B, is_held, EPSILON);
    if (!factor_envelope(matrix))
        return 0;
    for (int pass = 0; pass < MOST_PASSES; pass++) {
        double largest = 0;
        combine(B, is_held, z, y);
        for (int i = 0; i < m; i++)
            if (is_held[i]) {
                w[i] = sparse_dot(B, i, y) + a[i];
                largest = fmax(largest, fabs(w[i]));
            }
        if (largest <= ROUND_OFF * size)
            break;
        combine(B, is_held, w, y);
        solve_envelope(matrix, y);
        for (int i = 0; i < m; i++)
            if (is_held[i])
                z[i] += (sparse_dot(B, i, y) - w[i]) / EPSILON;
    }
    return all_finite(m, z);
}
