/* Products and inverses of matrices over Numbers: of one run, and of several side by side (lanes.h).
 *
 * Each entry of a result is a sum in the order of the inner index, in whatever order the loops are: so the bits do not depend on it. */
#ifndef MOBOD_MATRIX_ARITHMETIC_H
#define MOBOD_MATRIX_ARITHMETIC_H

#include "matrix_steps.h"
#include "vectors.h"

#include <stddef.h>

/* the same as in engine/mobod/matter/dynamics/dynamics.py */
#define SINGULAR_MATRIX 1e-10

/* the product of a matrix and a vector, whose entries are `step` apart */
static inline void add_product_with_vector(Number *c, int c_step, const Number *a, int a_down, int a_across, const Number *b, int b_step,
                                           int n_rows, int n_inner, Number sign) {
    if (a_down == 1 && c_step == 1) {
        for (int k = 0; k < n_inner; k++)
            add_multiple_apart(n_rows, c, sign * b[(ptrdiff_t)k * b_step], a + (ptrdiff_t)k * a_across);
        return;
    }
    for (int i = 0; i < n_rows; i++) {
        const Number *row = a + (ptrdiff_t)i * a_down;
        Number sum = c[(ptrdiff_t)i * c_step];
        for (int k = 0; k < n_inner; k++)
            sum += (sign * b[(ptrdiff_t)k * b_step]) * row[(ptrdiff_t)k * a_across];
        c[(ptrdiff_t)i * c_step] = sum;
    }
}

/* C += sign A B of matrices at places in v_c, v_a, v_b */
static inline void add_matrix_product(Number *v_c, MatrixPlace c, const Number *v_a, MatrixPlace a, const Number *v_b, MatrixPlace b,
                                      int n_rows, int n_inner, int n_columns, int sign) {
    const Number factor = NUMBER((double)sign);
    if (n_columns == 1) {
        add_product_with_vector(v_c + c.at, c.down, v_a + a.at, a.down, a.across, v_b + b.at, b.down, n_rows, n_inner, factor);
        return;
    }
    for (int i = 0; i < n_rows; i++)
        for (int k = 0; k < n_inner; k++) {
            const Number left = factor * v_a[a.at + (ptrdiff_t)i * a.down + (ptrdiff_t)k * a.across];
            Number *to = v_c + c.at + (ptrdiff_t)i * c.down;
            const Number *from = v_b + b.at + (ptrdiff_t)k * b.down;
            if (c.across == 1 && b.across == 1)
                add_multiple_apart(n_columns, to, left, from);
            else
                for (int j = 0; j < n_columns; j++)
                    to[(ptrdiff_t)j * c.across] += left * from[(ptrdiff_t)j * b.across];
        }
}

/* set C to its start */
static inline void start_product(const MatrixProduct *product, Number *v) {
    const MatrixPlace c = product->c, start = product->start;
    if (start.at == c.at)
        return;
    for (int i = 0; i < product->n_rows; i++)
        for (int j = 0; j < product->n_columns; j++)
            v[c.at + (ptrdiff_t)i * c.down + (ptrdiff_t)j * c.across] =
                start.at < 0 ? NUMBER(0.0) : v[start.at + (ptrdiff_t)i * start.down + (ptrdiff_t)j * start.across];
}

static inline void multiply_in(const MatrixProduct *product, Number *w) {
    start_product(product, w);
    add_matrix_product(w, product->c, w, product->a, w, product->b, product->n_rows, product->n_inner, product->n_columns, product->sign);
}

/* The inverse of a symmetric positive definite matrix by Gauss and Jordan's elimination of the entries above the diagonal, which stays
 * symmetric: n^3 / 2 products. The pivots are those of Cholesky's factorisation. */
static inline void invert_in(const SumInverse *step, Number *w) {
    const int n = step->n;
    Number *m = w + step->inverse, *column = w + step->spare, *diagonal = column + n;
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            m[i * n + j] = w[step->a + i * n + j] + w[step->b + i * n + j];
    for (int i = 0; i < n; i++)
        diagonal[i] = m[i * n + i];
    for (int k = 0; k < n; k++) {
        Number pivot = m[k * n + k];
        if (k > 0)
            pivot = number_where(number_less(NUMBER(SINGULAR_MATRIX) * diagonal[k], pivot), pivot, NUMBER(0.0));
        const Number inverse = NUMBER(1.0) / pivot;
        for (int i = 0; i < k; i++)
            column[i] = m[i * n + k];
        for (int i = k; i < n; i++)
            column[i] = m[k * n + i];
        for (int i = 0; i < n; i++)
            if (i != k)
                add_multiple_apart(n - i, m + i * n + i, -(column[i] * inverse), column + i);
        for (int i = 0; i < k; i++)
            m[i * n + k] = column[i] * inverse;
        for (int i = k + 1; i < n; i++)
            m[k * n + i] = column[i] * inverse;
        m[k * n + k] = -inverse;
    }
    const Number is_known = step->known_level < 0 ? NUMBER(0.0) : number_less(NUMBER(0.0), w[step->known_level]);
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++)
            m[i * n + j] = m[j * n + i] = number_where(is_known, NUMBER(0.0), -m[i * n + j]);
}

#endif
