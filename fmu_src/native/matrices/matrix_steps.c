#include "matrix_steps.h"

#include "matrix_arithmetic.h"

#include <string.h>

static int is_zero(const double *v, MatrixPlace place, int n_rows, int n_columns) {
    for (int i = 0; i < n_rows; i++)
        for (int j = 0; j < n_columns; j++)
            if (v[place.at + (ptrdiff_t)i * place.down + (ptrdiff_t)j * place.across] != 0)
                return 0;
    return 1;
}

static MatrixPlace transposed(MatrixPlace place) { return (MatrixPlace){place.at, place.across, place.down}; }

int run_product(const void *context, Call *call, const int *at) {
    (void)at;
    multiply_in(context, call->w);
    return 0;
}

/* dC = d start + sign (dA B + A dB); a matrix that does not change costs no product, even where the other one is infinite */
int run_product_tangent(const void *context, Call *call, const int *at) {
    const MatrixProduct *self = context;
    const int m = self->n_rows, n = self->n_columns, inner = self->n_inner;
    const double *w = call->w;
    double *dw = call->dw;
    (void)at;
    start_product(self, dw);
    if (!is_zero(dw, self->b, inner, n))
        add_matrix_product(dw, self->c, w, self->a, dw, self->b, m, inner, n, self->sign);
    if (!is_zero(dw, self->a, m, inner))
        add_matrix_product(dw, self->c, dw, self->a, w, self->b, m, inner, n, self->sign);
    return 0;
}

/* to the adjoint of A: sign (that of C) B^T; to that of B: sign A^T (that of C) */
int run_product_adjoint(const void *context, Call *call, const int *at) {
    const MatrixProduct *self = context;
    const int m = self->n_rows, n = self->n_columns, inner = self->n_inner;
    const MatrixPlace c = self->c, start = self->start;
    const double *w = call->w;
    double *dw = call->dw;
    (void)at;
    if (is_zero(dw, c, m, n))
        return 0;
    add_matrix_product(dw, self->a, dw, c, w, transposed(self->b), m, n, inner, self->sign);
    add_matrix_product(dw, self->b, w, transposed(self->a), dw, c, inner, m, n, self->sign);
    for (int i = 0; i < m && start.at != c.at; i++)
        for (int j = 0; j < n; j++) {
            double *of_c = dw + c.at + (ptrdiff_t)i * c.down + (ptrdiff_t)j * c.across;
            if (start.at >= 0)
                dw[start.at + (ptrdiff_t)i * start.down + (ptrdiff_t)j * start.across] += *of_c;
            *of_c = 0;
        }
    return 0;
}

int run_inverse(const void *context, Call *call, const int *at) {
    (void)at;
    invert_in(context, call->w);
    return 0;
}

/* the matrix -inverse (first + second) inverse, of matrices [n][n], row by row: to `to` where it is set, or added to `to` and `other`;
 * second may be NULL. row [n] is a workspace */
static void add_between_inverses(const double *inverse, const double *first, const double *second, double *to, double *other, double *row,
                                 int n) {
    for (int i = 0; i < n; i++) {
        memset(row, 0, (size_t)n * sizeof(double));
        for (int k = 0; k < n; k++) {
            add_multiple_apart(n, row, inverse[i * n + k], first + k * n);
            if (second)
                add_multiple_apart(n, row, inverse[i * n + k], second + k * n);
        }
        for (int k = 0; k < n; k++) {
            add_multiple_apart(n, to + i * n, -row[k], inverse + k * n);
            if (other)
                add_multiple_apart(n, other + i * n, -row[k], inverse + k * n);
        }
    }
}

/* d D^-1 = -D^-1 dD D^-1, which is 0 where D^-1 is */
int run_inverse_tangent(const void *context, Call *call, const int *at) {
    const SumInverse *self = context;
    const int n = self->n;
    double *dw = call->dw;
    const MatrixPlace a = {self->a, n, 1}, b = {self->b, n, 1};
    (void)at;
    memset(dw + self->inverse, 0, (size_t)n * (size_t)n * sizeof(double));
    const double *of_a = is_zero(dw, a, n, n) ? NULL : dw + self->a, *of_b = is_zero(dw, b, n, n) ? NULL : dw + self->b;
    if (of_a || of_b)
        add_between_inverses(call->w + self->inverse, of_a ? of_a : of_b, of_a ? of_b : NULL, dw + self->inverse, NULL, dw + self->spare,
                             n);
    return 0;
}

int run_inverse_adjoint(const void *context, Call *call, const int *at) {
    const SumInverse *self = context;
    const int n = self->n;
    double *dw = call->dw, *of_inverse = dw + self->inverse;
    (void)at;
    if (is_zero(dw, (MatrixPlace){self->inverse, n, 1}, n, n))
        return 0;
    add_between_inverses(call->w + self->inverse, of_inverse, NULL, dw + self->a, dw + self->b, dw + self->spare, n);
    memset(of_inverse, 0, (size_t)n * (size_t)n * sizeof(double));
    return 0;
}
