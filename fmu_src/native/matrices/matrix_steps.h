/* Products and inverses of matrices in w, as kernels.
 *
 * Recorded code grows with each entry of a matrix. These kernels are loops: their size does not depend on the numbers of rows and columns.
 * They compute the parts of flexible bodies with many modes; engine/mobod/matter/dynamics/matrix_steps.py makes the tables. */
#ifndef MOBOD_MATRIX_STEPS_H
#define MOBOD_MATRIX_STEPS_H

#include "kernel.h"

/* a matrix in w: the offset of its first entry, and how far it is from an entry to the one in the next row, and in the next column */
typedef struct {
    int at, down, across;
} MatrixPlace;

/* C = start + sign A B */
typedef struct {
    int n_rows, n_inner, n_columns; /* of C, of A, of C */
    int sign;                       /* 1 or -1 */
    MatrixPlace a, b, c;
    MatrixPlace start; /* at = -1: zeros; that of c: the product is added */
} MatrixProduct;

/* (A + B)^-1 of symmetric positive definite A + B, or 0 */
typedef struct {
    int n;
    int a, b;        /* [n][n] */
    int known_level; /* offset of a level as in rows.h: above 0 the result is 0; -1: there is none */
    int inverse;     /* [n][n] */
    int spare;       /* [2 n] temporary */
} SumInverse;

/* context: a MatrixProduct */
KernelFunction run_product, run_product_tangent, run_product_adjoint;
/* context: a SumInverse */
KernelFunction run_inverse, run_inverse_tangent, run_inverse_adjoint;

#endif
