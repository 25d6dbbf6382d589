/* The rows of boxes and contacts as blocks, each with the columns in which one of its rows is not 0, and matrices of dimensions that are
 * sums over them, such as shift 1 + B S B^T. Their envelope is narrow for bodies in the order in which they touch. */
#ifndef MOBOD_FRICTION_BLOCKS_H
#define MOBOD_FRICTION_BLOCKS_H

#include "envelope.h"
#include "sparse_rows.h"

/* the memory is of the owner */
typedef struct {
    int n, n_boxes, n_contacts; /* a box is a block of one row, a contact of three */
    int *first;                 /* [n_boxes + n_contacts + 1] place of the first column of each block */
    int *columns;               /* [first[n_boxes + n_contacts]] */
    double *values;             /* [3 first[n_boxes + n_contacts]] of block i from 3 first[i] on: its rows one after the other */
    Envelope matrix;            /* symmetric, or its lower part */
    double *upper;              /* [envelope_reals(n)] of a matrix that is not symmetric, by columns */
    double *products;           /* [3][n] temporary values */
    double *y;                  /* [n] sums of rows */
} FrictionBlocks;

static inline int n_blocks(const FrictionBlocks *blocks) { return blocks->n_boxes + blocks->n_contacts; }

static inline int rows_of_block(const FrictionBlocks *blocks, int block) { return block < blocks->n_boxes ? 1 : 3; }

static inline int first_row_of_block(const FrictionBlocks *blocks, int block) {
    return block < blocks->n_boxes ? block : blocks->n_boxes + 3 * (block - blocks->n_boxes);
}

static inline int block_of_row(const FrictionBlocks *blocks, int row) {
    return row < blocks->n_boxes ? row : blocks->n_boxes + (row - blocks->n_boxes) / 3;
}

/* Set the blocks from rows: boxes, then contacts. Rows of a mask count as 0; NULL: none. */
void gather_blocks(FrictionBlocks *blocks, const SparseRows *rows, const int *is_zero, int n_boxes);

/* y [n] = B z */
void sum_of_rows(const FrictionBlocks *blocks, const double *z, double *y);

/* y += B z of one block, with its z */
void add_block(const FrictionBlocks *blocks, int block, const double *z, double *y);

/* y += factor times a row */
void add_row_of_block(const FrictionBlocks *blocks, int row, double factor, double *y);

/* w = B^T y of one block, into its w */
void rates_of_block(const FrictionBlocks *blocks, int block, const double *y, double *w);

/* own [m][3]: products of each row with the rows of its block; of a box the first one */
void products_in_blocks(const FrictionBlocks *blocks, double *own);

/* Begin a matrix with shift 1, shaped for blocks of a mask; NULL: all. */
void begin_matrix_of_blocks(FrictionBlocks *blocks, const int *is_taken, double shift, int is_symmetric);

/* Add B S B^T of one block; S [3][3], of a box its first entry. */
void add_to_matrix(FrictionBlocks *blocks, int block, const double *S, int is_symmetric);

/* Factor the matrix. Returns whether that is possible without pivots. */
int factor_matrix_of_blocks(FrictionBlocks *blocks, int is_symmetric);

/* x [n] becomes the solution */
void solve_matrix_of_blocks(const FrictionBlocks *blocks, int is_symmetric, double *x);

#endif
