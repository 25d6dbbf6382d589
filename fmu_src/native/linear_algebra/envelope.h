/* Cholesky factors of symmetric positive matrices of which each row is stored from its first entry that is not 0 to the diagonal. The
 * factor has the same shape. Where rows of bodies that touch follow each other, the cost grows linearly with their number.
 *
 * Source: George & Liu, Computer Solution of Large Sparse Positive Definite Systems (1981), ch. 4. */
#ifndef MOBOD_ENVELOPE_H
#define MOBOD_ENVELOPE_H

#include "sparse_rows.h"

#include <stddef.h>

typedef struct {
    int n;
    int *first; /* [n] column of the first entry of each row */
    int *start; /* [n] its place in `entries` */
    double
        *entries; /* [envelope_reals(n)] the rows one after the other; after factor_envelope those of L, with the inverse of its diagonal */
} Envelope;

/* the largest number of entries */
static inline size_t envelope_reals(int n) { return (size_t)n * ((size_t)n + 1) / 2; }

/* Set the matrix to shift 1 + the sum of b b^T over the rows b of a mask [m]. */
void set_envelope(Envelope *matrix, const SparseRows *rows, const int *is_taken, double shift);

/* Factor it in place. Returns whether it is positive. */
int factor_envelope(Envelope *matrix);

/* x [n] becomes the solution of L L^T x = x. */
void solve_envelope(const Envelope *factor, double *x);

#endif
