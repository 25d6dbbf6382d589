/* The factorisation and solutions of sparse_cholesky.h over Numbers: of one matrix, and of several side by side (lanes.h). */
#ifndef MOBOD_SPARSE_CHOLESKY_ARITHMETIC_H
#define MOBOD_SPARSE_CHOLESKY_ARITHMETIC_H

#include "factor_arithmetic.h"
#include "sparse_cholesky.h"

#include <string.h>

/* Factor a diagonal block of n rows, of length `stride`, from its lower triangle. Returns whether all pivots are positive. */
static inline Number factor_diagonal_block(int n, int stride, Number *L) {
    Number is_positive = NUMBER(1.0);
    for (int i = 0; i < n; i++) {
        Number *row = L + i * stride;
        for (int k = 0; k <= i; k++) {
            const Number *other = L + k * stride;
            Number sum = row[k];
            for (int l = 0; l < k; l++)
                sum -= row[l] * other[l];
            row[k] = k < i ? sum * other[k] : sum;
        }
        is_positive = number_and(is_positive, number_less(NUMBER(0.0), row[i]));
        row[i] = 1.0 / number_sqrt(row[i]);
    }
    return is_positive;
}

/* rows [n] of length `stride` times L^-T, for the factor L of a diagonal block of n rows of the same length */
static inline void divide_by_transposed(int n, int stride, const Number *L, int n_rows, Number *rows) {
    for (int i = 0; i < n_rows; i++) {
        Number *row = rows + i * stride;
        for (int k = 0; k < n; k++) {
            Number sum = row[k];
            for (int l = 0; l < k; l++)
                sum -= row[l] * L[k * stride + l];
            row[k] = sum * L[k * stride + k];
        }
    }
}

/* the same times L^-1 */
static inline void divide_by_factor(int n, int stride, const Number *L, int n_rows, Number *rows) {
    for (int i = 0; i < n_rows; i++) {
        Number *row = rows + i * stride;
        for (int k = n - 1; k >= 0; k--) {
            Number sum = row[k];
            for (int l = k + 1; l < n; l++)
                sum -= row[l] * L[l * stride + k];
            row[k] = sum * L[k * stride + k];
        }
    }
}

/* block [n_a][n_b] of length `stride` -= a b^T, for rows a [n_a][n] and b [n_b][n] of length `of_rows`; only the lower triangle of a
 * diagonal block */
static inline void subtract_products(int is_diagonal, int n_a, int n_b, int stride, Number *block, int n, int of_rows, const Number *a,
                                     const Number *b) {
    for (int i = 0; i < n_a; i++)
        for (int k = 0; k < (is_diagonal ? i + 1 : n_b); k++) {
            Number sum = block[i * stride + k];
            for (int l = 0; l < n; l++)
                sum -= a[i * of_rows + l] * b[k * of_rows + l];
            block[i * stride + k] = sum;
        }
}

/* Replace the lower triangle of the matrix by its factor. Returns whether all pivots are positive. */
static inline Number factor_columns(SparseFactors *factors) {
    const CholeskyPattern *pattern = factors->pattern;
    Number is_positive = NUMBER(1.0);
    for (int j = 0; j < pattern->n_columns; j++) {
        const CholeskyColumn *column = pattern->columns + j;
        const int n = factors->rows[j];
        if (n == 0)
            continue;
        Number *L = factors->L + column->at;
        is_positive = number_and(is_positive, factor_diagonal_block(n, column->n, L));
        if (!number_any(is_positive))
            return is_positive;
        const int *pair = column->pairs;
        for (int a = 0; a < column->n_after; a++) {
            const int row = column->after[2 * a], n_row = factors->rows[row];
            Number *of_row = factors->L + column->after[2 * a + 1];
            divide_by_transposed(n, column->n, L, n_row, of_row);
            for (int b = 0; b <= a; b++, pair++) {
                const int other = column->after[2 * b];
                subtract_products(a == b, n_row, factors->rows[other], pattern->columns[other].n, factors->L + *pair, n, column->n, of_row,
                                  factors->L + column->after[2 * b + 1]);
            }
        }
    }
    return is_positive;
}

/* inverse = (L L^T)^-1 of a diagonal block of n rows of length `stride` */
static inline void invert_diagonal_block(int n, int stride, const Number *L, Number *inverse) {
    for (int i = 0; i < n; i++) {
        Number *row = inverse + i * stride;
        for (int k = 0; k < n; k++)
            row[k] = NUMBER(i == k ? 1.0 : 0.0);
        divide_by_transposed(n, stride, L, 1, row);
        divide_by_factor(n, stride, L, 1, row);
    }
}

/* The trace of the inverse of the factored matrix. From the last column to the first, with U = L_aj L_jj^-1 of the later rows a:
 * Z_aj = -sum over b of Z_ab U_b, and Z_jj = (L_jj L_jj^T)^-1 - sum over a of U_a^T Z_aj; all Z_ab are in places of the factor. */
static inline Number trace_of_inverse(SparseFactors *factors) {
    const CholeskyPattern *pattern = factors->pattern;
    Number *Z = factors->inverse, trace = NUMBER(0.0);
    for (int j = pattern->n_columns - 1; j >= 0; j--) {
        const CholeskyColumn *column = pattern->columns + j;
        const int n = factors->rows[j], stride = column->n;
        if (n == 0)
            continue;
        const Number *L = factors->L + column->at;
        Number *own = Z + column->at, *U = factors->column;
        for (int a = 0; a < column->n_after; a++) {
            const int n_a = factors->rows[column->after[2 * a]];
            memcpy(U, factors->L + column->after[2 * a + 1], (size_t)(n_a * stride) * sizeof(Number));
            divide_by_factor(n, stride, L, n_a, U);
            U += n_a * stride;
        }
        invert_diagonal_block(n, stride, L, own);
        const Number *U_a = factors->column;
        for (int a = 0; a < column->n_after; a++) {
            const int row = column->after[2 * a], n_a = factors->rows[row];
            Number *Z_a = Z + column->after[2 * a + 1];
            memset(Z_a, 0, (size_t)(n_a * stride) * sizeof(Number));
            const Number *U_b = factors->column;
            for (int b = 0; b < column->n_after; b++) {
                const int other = column->after[2 * b], n_b = factors->rows[other];

                /* Z_ab, or Z_ba transposed */
                const int pair = b <= a ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a;
                const int down = b <= a ? pattern->columns[other].n : 1, across = b <= a ? 1 : pattern->columns[row].n;
                const Number *Z_ab = Z + column->pairs[pair];
                for (int i = 0; i < n_a; i++)
                    for (int l = 0; l < n_b; l++)
                        for (int k = 0; k < n; k++)
                            Z_a[i * stride + k] -= Z_ab[i * down + l * across] * U_b[l * stride + k];
                U_b += n_b * stride;
            }
            for (int i = 0; i < n; i++)
                for (int l = 0; l < n_a; l++)
                    for (int k = 0; k < n; k++)
                        own[i * stride + k] -= U_a[l * stride + i] * Z_a[l * stride + k];
            U_a += n_a * stride;
        }
        for (int i = 0; i < n; i++)
            trace += own[i * stride + i];
    }
    return trace;
}

/* Set scale and weight of each row from the diagonal of the matrix, and apply the weights to its entries. Returns the number of rows above
 * round-off, in each lane. */
static inline Number scale_sparse_entries(SparseFactors *factors, Number largest) {
    const CholeskyPattern *pattern = factors->pattern;
    const Number least_size = least_size_for(largest),
                 of_round_off = number_where(number_less_equal(least_size, largest), largest, NUMBER(1.0));
    Number n_count = NUMBER(0.0);
    for (int j = 0; j < pattern->n_columns; j++) {
        const CholeskyColumn *column = pattern->columns + j;
        for (int i = 0; i < factors->rows[j]; i++) {
            const int row = factors->first[j] + i;
            const Number size = number_sqrt(number_max(NUMBER(0.0), factors->L[column->at + i * (column->n + 1)]));
            const Number counts = number_less_equal(least_size, size);
            n_count += counts;
            factors->scale[row] = 1.0 / number_where(counts, size, of_round_off);
            factors->weight[row] = number_where(counts, factors->scale[row], NUMBER(0.0));
        }
    }
    for (int e = 0; e < pattern->n_entries; e++) {
        const int *entry = pattern->entries + 3 * e, stride = pattern->columns[entry[1]].n;
        const Number *down = factors->weight + factors->first[entry[0]], *across = factors->weight + factors->first[entry[1]];
        for (int i = 0; i < factors->rows[entry[0]]; i++)
            for (int k = 0; k < factors->rows[entry[1]]; k++)
                factors->L[entry[2] + i * stride + k] *= down[i] * across[k];
    }
    return n_count;
}

/* whether all numbers of the matrix are finite, in all lanes */
static inline int has_finite_entries(const SparseFactors *factors) {
    const CholeskyPattern *pattern = factors->pattern;
    Number finite = NUMBER(1.0);
    for (int e = 0; e < pattern->n_entries; e++) {
        const int *entry = pattern->entries + 3 * e, stride = pattern->columns[entry[1]].n;
        for (int i = 0; i < factors->rows[entry[0]]; i++)
            for (int k = 0; k < (entry[0] == entry[1] ? i + 1 : factors->rows[entry[1]]); k++)
                finite = number_and(finite, number_is_finite(factors->L[entry[2] + i * stride + k]));
    }
    return number_all(finite);
}

/* Factor the matrix of n rows, whose lower triangle is in L. largest: the size of rows that round-off is relative to. rank: the number of
 * rows above round-off. Returns FACTORED if these are independent, to the tolerance; FACTORS_NEED_PIVOTS if that cannot be proved. */
static inline int factor_sparse(SparseFactors *factors, int n, Number largest, Number tolerance, int *rank) {
    const CholeskyPattern *pattern = factors->pattern;
    if (!has_finite_entries(factors))
        return FACTORS_NOT_FINITE;
    for (int j = 0; j < pattern->n_columns; j++)
        for (int i = 0; i < factors->rows[j]; i++) {
            const Number own = factors->L[pattern->columns[j].at + i * (pattern->columns[j].n + 1)];
            if (number_any(number_less(own, -ROW_ROUND_OFF * largest * largest)))
                return FACTORS_NOT_SEMIDEFINITE;
        }
    const Number n_count = scale_sparse_entries(factors, largest);
    *rank = (int)FIRST_LANE(n_count);
    if (!number_all(number_equal(n_count, NUMBER((double)*rank))))
        return FACTORS_DIFFER;
    for (int j = 0; j < pattern->n_columns; j++)
        for (int i = 0; i < factors->rows[j]; i++) {
            Number *pivot = factors->L + pattern->columns[j].at + i * (pattern->columns[j].n + 1);
            *pivot = number_where(number_equal(factors->weight[factors->first[j] + i], NUMBER(0.0)), NUMBER(1.0), *pivot);
        }

    Number is_proved = factor_columns(factors);
    if (number_any(is_proved))
        is_proved = number_and(is_proved, are_independent(n, trace_of_inverse(factors) - (n - *rank), tolerance));
    return number_all(is_proved) ? FACTORED : number_any(is_proved) ? FACTORS_DIFFER : FACTORS_NEED_PIVOTS;
}

/* y = (L L^T)^-1 y */
static inline void solve_columns(const SparseFactors *factors, Number *y) {
    const CholeskyPattern *pattern = factors->pattern;
    for (int j = 0; j < pattern->n_columns; j++) {
        const CholeskyColumn *column = pattern->columns + j;
        const int n = factors->rows[j];
        Number *own = y + factors->first[j];
        divide_by_transposed(n, column->n, factors->L + column->at, n > 0, own);
        for (int a = 0; n > 0 && a < column->n_after; a++) {
            const int row = column->after[2 * a];
            const Number *L = factors->L + column->after[2 * a + 1];
            for (int i = 0; i < factors->rows[row]; i++)
                for (int k = 0; k < n; k++)
                    y[factors->first[row] + i] -= L[i * column->n + k] * own[k];
        }
    }
    for (int j = pattern->n_columns - 1; j >= 0; j--) {
        const CholeskyColumn *column = pattern->columns + j;
        const int n = factors->rows[j];
        Number *own = y + factors->first[j];
        for (int a = 0; n > 0 && a < column->n_after; a++) {
            const int row = column->after[2 * a];
            const Number *L = factors->L + column->after[2 * a + 1];
            for (int i = 0; i < factors->rows[row]; i++)
                for (int k = 0; k < n; k++)
                    own[k] -= L[i * column->n + k] * y[factors->first[row] + i];
        }
        divide_by_factor(n, column->n, factors->L + column->at, n > 0, own);
    }
}

/* x = A^-1 b, and 0 for rows of round-off; x may be b. Returns FACTORED or FACTORS_NOT_FINITE. */
static inline int solve_sparse(const SparseFactors *factors, int n, const Number *b, Number *x) {
    if (!all_finite(n, b))
        return FACTORS_NOT_FINITE;
    for (int i = 0; i < n; i++)
        x[i] = factors->weight[i] * b[i];
    solve_columns(factors, x);
    for (int i = 0; i < n; i++)
        x[i] *= factors->weight[i];
    return FACTORED;
}

#endif
