#include "friction_blocks.h"

#include "vectors.h"

#include <string.h>

/* add the columns of a row to those of a block, both in their order; returns the new number */
static int merge_columns(int n, int *columns, int n_added, const int *added) {
    int n_new = 0, total;
    for (int i = 0, k = 0; k < n_added; k++) {
        while (i < n && columns[i] < added[k])
            i++;
        n_new += i == n || columns[i] != added[k];
    }
    total = n + n_new;
    for (int i = n - 1, k = n_added - 1, at = total - 1; k >= 0 && at >= 0; at--) {
        if (i >= 0 && columns[i] >= added[k]) {
            k -= columns[i] == added[k];
            columns[at] = columns[i--];
        } else
            columns[at] = added[k--];
    }
    return total;
}

/* set which rows each block has */
static void list_blocks(FrictionBlocks *blocks, const int *is_moment, int m, int n_boxes) {
    blocks->n_boxes = n_boxes;
    blocks->n_blocks = 0;
    for (int i = 0; i < m; i++) {
        int in_contact = i - n_boxes, continues = in_contact >= 0 && (in_contact % 3 || (is_moment && is_moment[in_contact / 3]));
        if (!continues)
            blocks->first_row[blocks->n_blocks++] = i;
        blocks->of_row[i] = blocks->n_blocks - 1;
    }
    blocks->first_row[blocks->n_blocks] = m;
}

void gather_blocks(FrictionBlocks *blocks, const SparseRows *rows, const int *is_zero, const int *is_moment, int n_boxes) {
    list_blocks(blocks, is_moment, rows->m, n_boxes);
    blocks->n = rows->n;
    blocks->first[0] = 0;
    for (int block = 0, at_values = 0; block < blocks->n_blocks; block++) {
        int *columns = blocks->columns + blocks->first[block], n = 0, first = blocks->first_row[block];
        for (int i = first; i < first + rows_of_block(blocks, block); i++)
            n = merge_columns(n, columns, rows->first[i + 1] - rows->first[i], rows->columns + rows->first[i]);
        double *values = blocks->values + at_values;
        blocks->first_value[block] = at_values;
        at_values += rows_of_block(blocks, block) * n;
        memset(values, 0, (size_t)(rows_of_block(blocks, block) * n) * sizeof(double));
        for (int i = first; i < first + rows_of_block(blocks, block); i++, values += n)
            for (int k = rows->first[i], at = 0; k < rows->first[i + 1] && !(is_zero && is_zero[i]); k++) {
                while (columns[at] < rows->columns[k])
                    at++;
                values[at] = rows->values[k];
            }
        blocks->first[block + 1] = blocks->first[block] + n;
    }
}

void add_block(const FrictionBlocks *blocks, int block, const double *z, double *y) {
    int first = blocks->first[block], n = blocks->first[block + 1] - first;
    const int *columns = blocks->columns + first;
    const double *values = blocks->values + blocks->first_value[block];
    if (rows_of_block(blocks, block) == 1)
        for (int k = 0; k < n; k++)
            y[columns[k]] += z[0] * values[k];
    else
        for (int i = 0; i < rows_of_block(blocks, block); i += 3, z += 3, values += 3 * n)
            for (int k = 0; k < n && (z[0] != 0 || z[1] != 0 || z[2] != 0); k++)
                y[columns[k]] = y[columns[k]] + z[0] * values[k] + z[1] * values[n + k] + z[2] * values[2 * n + k];
}

void add_row_of_block(const FrictionBlocks *blocks, int row, double factor, double *y) {
    int block = blocks->of_row[row], first = blocks->first[block], n = blocks->first[block + 1] - first;
    const double *values = blocks->values + blocks->first_value[block] + (row - blocks->first_row[block]) * n;
    for (int k = 0; k < n; k++)
        y[blocks->columns[first + k]] += factor * values[k];
}

void sum_of_rows(const FrictionBlocks *blocks, const double *z, double *y) {
    memset(y, 0, (size_t)blocks->n * sizeof(double));
    for (int block = 0; block < blocks->n_blocks; block++)
        add_block(blocks, block, z + blocks->first_row[block], y);
}

void rates_of_block(const FrictionBlocks *blocks, int block, const double *y, double *w) {
    int first = blocks->first[block], n = blocks->first[block + 1] - first;
    const int *columns = blocks->columns + first;
    const double *values = blocks->values + blocks->first_value[block];
    double *at = blocks->products; /* y of the block */
    for (int k = 0; k < n; k++)
        at[k] = y[columns[k]];
    for (int i = 0; i < rows_of_block(blocks, block); i++, values += n) {
        double even = 0, odd = 0; /* each sum waits for its last addition */
        for (int k = 0; k + 1 < n; k += 2) {
            even += values[k] * at[k];
            odd += values[k + 1] * at[k + 1];
        }
        w[i] = even + odd + (n % 2 ? values[n - 1] * at[n - 1] : 0);
    }
}

void products_in_blocks(const FrictionBlocks *blocks, double *own) {
    for (int block = 0; block < blocks->n_blocks; block++) {
        int n = blocks->first[block + 1] - blocks->first[block], size = rows_of_block(blocks, block);
        const double *values = blocks->values + blocks->first_value[block];
        for (int i = 0; i < size; i++)
            for (int j = i - i % 3; j < i - i % 3 + 3 && j < size; j++)
                own[3 * (blocks->first_row[block] + i) + j % 3] = dot(n, values + i * n, values + j * n);
    }
}

void begin_matrix_of_blocks(FrictionBlocks *blocks, const int *is_taken, double shift, int is_symmetric) {
    begin_envelope(&blocks->matrix, blocks->n);
    for (int block = 0; block < blocks->n_blocks; block++)
        if (!is_taken || is_taken[block])
            widen_envelope(&blocks->matrix, blocks->first[block + 1] - blocks->first[block], blocks->columns + blocks->first[block]);
    clear_envelope(&blocks->matrix, shift);
    if (!is_symmetric)
        memset(blocks->upper, 0, (size_t)envelope_size(&blocks->matrix) * sizeof(double));
}

/* to [l] += the sum of factors[i] rows[i][l] over one row or contacts of three rows, for l from `first` to end - 1 */
static void add_rows(int size, const double *factors, const double *rows, int stride, int first, int end, double *restrict to) {
    if (size == 1)
        for (int l = first; l < end; l++)
            to[l] += factors[0] * rows[l];
    else
        for (int i = 0; i < size; i += 3, factors += 3, rows += 3 * stride) {
            const double *restrict second = rows + stride, *restrict third = second + stride;
            for (int l = first; l < end; l++)
                to[l] = to[l] + factors[0] * rows[l] + factors[1] * second[l] + factors[2] * third[l];
        }
}

/* The same for a block of three rows: the lower and the upper part of a matrix that is not symmetric at once. */
static void add_contact_to_matrix(FrictionBlocks *blocks, int block, const double *S) {
    const int first = blocks->first[block], n = blocks->first[block + 1] - first, *columns = blocks->columns + first;
    const double *restrict u = blocks->values + blocks->first_value[block], *restrict v = u + n, *restrict w = v + n;
    double *restrict U = blocks->products, *restrict V = U + n, *restrict W = V + n;
    for (int k = 0; k < n; k++) {
        U[k] = S[0] * u[k] + S[1] * v[k] + S[2] * w[k];
        V[k] = S[3] * u[k] + S[4] * v[k] + S[5] * w[k];
        W[k] = S[6] * u[k] + S[7] * v[k] + S[8] * w[k];
    }
    for (int run = 0, end; run < n; run = end) {
        const int from = columns[run];
        for (end = run + 1; end < n && columns[end] - from == end - run;)
            end++;
        for (int k = run; k < n; k++) {
            const int last = k < end ? k : end;
            double *restrict row = envelope_row(&blocks->matrix, columns[k]) + from - run;
            double *restrict column = upper_column(&blocks->matrix, blocks->upper, columns[k]) + from - run;
            const double a = u[k], b = v[k], c = w[k], A = U[k], B = V[k], C = W[k];
            for (int l = run; l < last; l++) {
                row[l] = row[l] + a * U[l] + b * V[l] + c * W[l];
                column[l] = column[l] + A * u[l] + B * v[l] + C * w[l];
            }
            if (k < end)
                row[k] = row[k] + a * U[k] + b * V[k] + c * W[k];
        }
    }
}

void add_to_matrix(FrictionBlocks *blocks, int block, const double *S, int is_symmetric) {
    int first = blocks->first[block], n = blocks->first[block + 1] - first, size = rows_of_block(blocks, block);
    const int *columns = blocks->columns + first;
    const double *values = blocks->values + blocks->first_value[block];
    if (size == 3 && !is_symmetric) {
        add_contact_to_matrix(blocks, block, S);
        return;
    }
    double *products = blocks->products; /* S B^T */
    for (int i = 0; i < size; i++) {
        memset(products + i * n, 0, (size_t)n * sizeof(double));
        add_rows(size, S + size * i, values, n, 0, n, products + i * n);
    }

    /* by runs of columns that follow each other, such as those of a body */
    for (int run = 0, end; run < n; run = end) {
        for (end = run + 1; end < n && columns[end] - columns[run] == end - run;)
            end++;
        for (int k = run; k < n; k++) {
            double of_row[MOST_BLOCK_ROWS], of_product[MOST_BLOCK_ROWS];
            for (int i = 0; i < size; i++) {
                of_row[i] = values[i * n + k];
                of_product[i] = products[i * n + k];
            }
            const int from = columns[run] - run;
            add_rows(size, of_row, products, n, run, k < end ? k + 1 : end, envelope_row(&blocks->matrix, columns[k]) + from);
            if (!is_symmetric)
                add_rows(size, of_product, values, n, run, k < end ? k : end,
                         upper_column(&blocks->matrix, blocks->upper, columns[k]) + from);
        }
    }
}

int factor_matrix_of_blocks(FrictionBlocks *blocks, int is_symmetric) {
    return is_symmetric ? factor_envelope(&blocks->matrix) : factor_envelope_lu(&blocks->matrix, blocks->upper);
}

void solve_matrix_of_blocks(const FrictionBlocks *blocks, int is_symmetric, double *x) {
    if (is_symmetric)
        solve_envelope(&blocks->matrix, x);
    else
        solve_envelope_lu(&blocks->matrix, blocks->upper, x);
}
