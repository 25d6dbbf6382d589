/* Cholesky's factor of a symmetric, positive semidefinite matrix with few entries, in blocks, where places and order of elimination are
 * known beforehand.
 *
 * The matrix is scaled to a unit diagonal. Rows of round-off are left out: they have a pivot of 1, and 0 in solutions. The other rows are
 * proved to be independent, to a tolerance: see invert_root in factor_arithmetic.h. The trace of the inverse, which this needs, follows
 * from the entries of the inverse in the places of the factor, by Takahashi's recurrence. There are no dependent rows here; if the proof
 * fails, a dense factorisation with pivots must find them (factor.h).
 *
 * Source: Golub & Van Loan, Matrix Computations (2013), 4.2; Takahashi, Fagan & Chen, Formation of a sparse bus impedance matrix,
 * PICA Conference (1973); Erisman & Tinney, On computing certain elements of the inverse of a sparse matrix, Comm. ACM 18 (1975) */
#ifndef MOBOD_SPARSE_CHOLESKY_H
#define MOBOD_SPARSE_CHOLESKY_H

#include "number_type.h"

/* a column of blocks; all places are among the `size` numbers of the factor */
typedef struct {
    int n;  /* rows of its block */
    int at; /* of its diagonal block [n][n] */
    int n_after;
    const int *after; /* [n_after][2] later columns whose rows have an entry in this one, ascending: number; place of [its n][n] */
    const int
        *pairs; /* [n_after (n_after + 1) / 2] for each of these, and each up to itself: place of the block that this column changes */
} CholeskyColumn;

typedef struct {
    int n_columns;
    const CholeskyColumn *columns; /* [n_columns] in the order of elimination */
    int n_entries;
    const int *entries; /* [n_entries][3] the blocks of the matrix: row, column, place */
    int size;
    int tallest; /* the largest number of entries of a column below its diagonal block */
} CholeskyPattern;

/* of a matrix, or of one in each lane. The rows of a block may be fewer than its n, and none: the matrix is without the others. */
typedef struct {
    const CholeskyPattern *pattern;
    const int *rows;  /* [n_columns] how many rows of a block there are */
    const int *first; /* [n_columns] the place of the first one in vectors */
    Number *L;        /* [size] the matrix, then its factor, with inverse diagonal entries */
    Number *inverse;  /* [size] the blocks of the inverse in these places */
    Number *column;   /* [tallest] temporary values */
    Number *scale;    /* [rows] 1 / size of each row; of rows of round-off, that of the largest row */
    Number *weight;   /* [rows] the same; of rows of round-off 0 */
} SparseFactors;

#endif
