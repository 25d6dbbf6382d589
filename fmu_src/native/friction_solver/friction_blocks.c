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

void gather_blocks(FrictionBlocks *blocks, const SparseRows *rows, const int *is_zero, int n_boxes) {
    blocks->n = rows->n;
    blocks->n_boxes = n_boxes;
    blocks->n_contacts = (rows->m - n_boxes) / 3;
    blocks->first[0] = 0;
    for (int block = 0; block < n_blocks(blocks); block++) {
        int *columns = blocks->columns + blocks->first[block], n = 0, first = first_row_of_block(blocks, block);
        for (int i = first; i < first + rows_of_block(blocks, block); i++)
            n = merge_columns(n, columns, rows->first[i + 1] - rows->first[i], rows->columns + rows->first[i]);
        double *values = blocks->values + 3 * blocks->first[block];
        memset(values, 0, 3 * (size_t)n * sizeof(double));
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
    const double *values = blocks->values + 3 * first, *second = values + n, *third = second + n;
    if (rows_of_block(blocks, block) == 1)
        for (int k = 0; k < n; k++)
            y[columns[k]] += z[0] * values[k];
    else if (z[0] != 0 || z[1] != 0 || z[2] != 0)
        for (int k = 0; k < n; k++)
            y[columns[k]] = y[columns[k]] + z[0] * values[k] + z[1] * second[k] + z[2] * third[k];
}

void add_row_of_block(const FrictionBlocks *blocks, int row, double factor, double *y) {
    int block = block_of_row(blocks, row), first = blocks->first[block], n = blocks->first[block + 1] - first;
    const double *values = blocks->values + 3 * first + (row - first_row_of_block(blocks, block)) * n;
    for (int k = 0; k < n; k++)
        y[blocks->columns[first + k]] += factor * values[k];
}

void sum_of_rows(const FrictionBlocks *blocks, const double *z, double *y) {
    memset(y, 0, (size_t)blocks->n * sizeof(double));
    for (int block = 0; block < n_blocks(blocks); block++)
        add_block(blocks, block, z + first_row_of_block(blocks, block), y);
}

void rates_of_block(const FrictionBlocks *blocks, int block, const double *y, double *w) {
    int first = blocks->first[block], n = blocks->first[block + 1] - first;
    const int *columns = blocks->columns + first;
    const double *values = blocks->values + 3 * first;
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
    for (int block = 0; block < n_blocks(blocks); block++) {
        int n = blocks->first[block + 1] - blocks->first[block], size = rows_of_block(blocks, block);
        const double *values = blocks->values + 3 * blocks->first[block];
        for (int i = 0; i < size; i++)
            for (int j = 0; j < size; j++)
                own[3 * (first_row_of_block(blocks, block) + i) + j] = dot(n, values + i * n, values + j * n);
    }
}

void begin_matrix_of_blocks(FrictionBlocks *blocks, const int *is_taken, double shift, int is_symmetric) {
    begin_envelope(&blocks->matrix, blocks->n);
    for (int block = 0; block < n_blocks(blocks); block++)
        if (!is_taken || is_taken[block])
            widen_envelope(&blocks->matrix, blocks->first[block + 1] - blocks->first[block], blocks->columns + blocks->first[block]);
    clear_envelope(&blocks->matrix, shift);
    if (!is_symmetric)
        memset(blocks->upper, 0, (size_t)envelope_size(&blocks->matrix) * sizeof(double));
}

/* to [l] += the sum of factors[i] rows[i][l] over up to three rows, for l from `first` to end - 1 */
static void add_rows(int size, const double *factors, const double *rows, int stride, int first, int end, double *restrict to) {
    if (size == 1) {
        for (int l = first; l < end; l++)
            to[l] += factors[0] * rows[l];
        return;
    }
    const double *restrict second = rows + stride, *restrict third = second + stride;
    for (int l = first; l < end; l++)
        to[l] = to[l] + factors[0] * rows[l] + factors[1] * second[l] + factors[2] * third[l];
}

void add_to_matrix(FrictionBlocks *blocks, int block, const double *S, int is_symmetric) {
    int first = blocks->first[block], n = blocks->first[block + 1] - first, size = rows_of_block(blocks, block);
    const int *columns = blocks->columns + first;
    const double *values = blocks->values + 3 * first;
    double *products = blocks->products; /* S B^T */
    for (int i = 0; i < size; i++) {
        memset(products + i * n, 0, (size_t)n * sizeof(double));
        add_rows(size, S + 3 * i, values, n, 0, n, products + i * n);
    }

    /* by runs of columns that follow each other, such as those of a body */
    for (int run = 0, end; run < n; run = end) {
        for (end = run + 1; end < n && columns[end] - columns[run] == end - run;)
            end++;
        for (int k = run; k < n; k++) {
            double of_row[3], of_product[3];
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
