#include "friction_sticking.h"

#include "elementary.h"
#include "vectors.h"

#include <string.h>

static const double EPSILON = 1e-9;    /* squares of rows are 1 or less */
static const double ROUND_OFF = 1e-15; /* of w, relative to a: no further pass */
enum { PASSES = 3 };

int find_sticking(const SparseRows *B, const double *a, const int *is_held, Envelope *matrix, double *z, double *y, double *x, double *v) {
    int m = B->m;
    size_t bytes = (size_t)B->n * sizeof(double);
    double size = largest_number(a, m), largest = INFINITY;
    memset(z, 0, (size_t)m * sizeof(double));
    memset(y, 0, bytes);
    memset(x, 0, bytes);
    set_envelope(matrix, B, is_held, EPSILON);
    if (!factor_envelope(matrix))
        return 0;
    for (int pass = 0; pass < PASSES && largest > ROUND_OFF * size; pass++) {
        largest = 0;

        /* v = H^-2 B w */
        memset(v, 0, bytes);
        for (int i = 0; i < m; i++)
            if (is_held[i]) {
                double w = sparse_dot(B, i, y) + a[i];
                largest = fmax(largest, fabs(w));
                add_sparse_multiple(B, i, w, v);
            }
        solve_envelope(matrix, v);
        solve_envelope(matrix, v);

        /* x -= v, z -= B^T v, and y = B z */
        for (int k = 0; k < B->n; k++)
            x[k] -= v[k];
        for (int i = 0; i < m; i++)
            if (is_held[i]) {
                double change = -sparse_dot(B, i, v);
                z[i] += change;
                add_sparse_multiple(B, i, change, y);
            }
    }
    return all_finite(m, z);
}
