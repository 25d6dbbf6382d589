/* Factors of matrices of which each row is stored from its first entry that is not 0 to the diagonal: Cholesky's of symmetric positive
 * ones, and LU without pivots of others with a symmetric pattern, whose upper part is stored by columns. Factors have the same shape. Where
 * rows of bodies that touch follow each other, the cost grows linearly with their number.
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

/* entry (i, j) is at row[j], for columns j from first[i] on */
static inline double *envelope_row(const Envelope *matrix, int i) { return matrix->entries + matrix->start[i] - matrix->first[i]; }

/* the same for entry (j, i) of the upper part, which is at column[j] */
static inline double *upper_column(const Envelope *matrix, double *upper, int i) { return upper + matrix->start[i] - matrix->first[i]; }

/* the number of entries */
static inline int envelope_size(const Envelope *matrix) {
    int last = matrix->n - 1;
    return last < 0 ? 0 : matrix->start[last] + last - matrix->first[last] + 1;
}

/* Set the matrix to shift 1 + the sum of b b^T over the rows b of a mask [m]. */
void set_envelope(Envelope *matrix, const SparseRows *rows, const int *is_taken, double shift);

/* The same in three stages, for sums of B S B^T over blocks of up to three rows: begin without entries, widen by the columns of each
 * block, in their order, and set all to shift 1. */
void begin_envelope(Envelope *matrix, int n);
void widen_envelope(Envelope *matrix, int n_columns, const int *columns);
void clear_envelope(Envelope *matrix, double shift);

/* Factor it in place. Returns whether it is positive. */
int factor_envelope(Envelope *matrix);

/* x [n] becomes the solution of L L^T x = x. */
void solve_envelope(const Envelope *factor, double *x);

/* Factor in place a matrix with the upper part `upper`, whose places of the diagonal are not used. Returns whether no pivot is much smaller
 * than the entry of the diagonal. */
int factor_envelope_lu(Envelope *lower, double *upper);

/* x [n] becomes the solution of L U x = x. */
void solve_envelope_lu(const Envelope *lower, double *upper, double *x);

#endif
