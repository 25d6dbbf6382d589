/* The rows of boxes and contacts as blocks, each with the columns in which one of its rows is not 0, and matrices of dimensions that are
 * sums over them, such as shift 1 + B S B^T. Their envelope is narrow for bodies in the order in which they touch. */
#ifndef MOBOD_FRICTION_BLOCKS_H
#define MOBOD_FRICTION_BLOCKS_H

#include "envelope.h"
#include "sparse_rows.h"

enum { MOST_BLOCK_ROWS = 9 }; /* a contact, its moment against spin and that against rolling */

/* the memory is of the owner */
typedef struct {
    int n, n_boxes; /* a box is a block of one row, a contact of three, and of three more for each of its moments */
    int n_blocks;
    int *first_row, *of_row; /* [n_blocks + 1], [m] the first row of each block, and the block of each row */
    int *first_value;        /* [n_blocks] */
    int *first;              /* [n_blocks + 1] place of the first column of each block */
    int *columns;            /* [first[n_blocks]] */
    double *values;          /* of block i from first_value[i] on: its rows one after the other */
    Envelope matrix;         /* symmetric, or its lower part */
    double *upper;           /* [envelope_reals(n)] of a matrix that is not symmetric, by columns */
    double *products;        /* [MOST_BLOCK_ROWS][n] temporary values */
    double *y;               /* [n] sums of rows */
} FrictionBlocks;

static inline int rows_of_block(const FrictionBlocks *blocks, int block) { return blocks->first_row[block + 1] - blocks->first_row[block]; }

/* Set the blocks from rows: boxes, then contacts, of which those of the mask is_moment belong to the block before; NULL: none. Rows of the
 * mask is_zero count as 0; NULL: none. */
void gather_blocks(FrictionBlocks *blocks, const SparseRows *rows, const int *is_zero, const int *is_moment, int n_boxes);

/* y [n] = B z */
void sum_of_rows(const FrictionBlocks *blocks, const double *z, double *y);

/* y += B z of one block, with its z */
void add_block(const FrictionBlocks *blocks, int block, const double *z, double *y);

/* y += factor times a row */
void add_row_of_block(const FrictionBlocks *blocks, int row, double factor, double *y);

/* w = B^T y of one block, into its w */
void rates_of_block(const FrictionBlocks *blocks, int block, const double *y, double *w);

/* own [m][3]: products of each row with the rows of its contact or moment; of a box the first one */
void products_in_blocks(const FrictionBlocks *blocks, double *own);

/* Begin a matrix with shift 1, shaped for blocks of a mask; NULL: all. */
void begin_matrix_of_blocks(FrictionBlocks *blocks, const int *is_taken, double shift, int is_symmetric);

/* Add B S B^T of one block; S [rows of the block][the same]. */
void add_to_matrix(FrictionBlocks *blocks, int block, const double *S, int is_symmetric);

/* Factor the matrix. Returns whether that is possible without pivots. */
int factor_matrix_of_blocks(FrictionBlocks *blocks, int is_symmetric);

/* x [n] becomes the solution */
void solve_matrix_of_blocks(const FrictionBlocks *blocks, int is_symmetric, double *x);

#endif
