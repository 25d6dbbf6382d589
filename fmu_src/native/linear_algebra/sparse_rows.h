/* Rows of a matrix as lists of the entries that are not 0. */
#ifndef MOBOD_SPARSE_ROWS_H
#define MOBOD_SPARSE_ROWS_H

typedef struct {
    int m, n;
    int *first;     /* [m + 1] the entries of row i are those from first[i] to first[i + 1] - 1, in the order of columns */
    int *columns;   /* [first[m]] */
    double *values; /* [first[m]] */
} SparseRows;

/* begin with no rows, in n columns */
static inline void begin_sparse_rows(SparseRows *rows, int n) {
    rows->m = rows->first[0] = 0;
    rows->n = n;
}

/* end a row, whose entries have been written behind those of the rows before, up to the place `end` */
static inline void end_sparse_row(SparseRows *rows, int end) { rows->first[++rows->m] = end; }

/* a row times v [n]; two sums, since each waits for its last addition */
static inline double sparse_dot(const SparseRows *rows, int i, const double *v) {
    double even = 0, odd = 0;
    int k = rows->first[i], end = rows->first[i + 1];
    for (; k + 1 < end; k += 2) {
        even += rows->values[k] * v[rows->columns[k]];
        odd += rows->values[k + 1] * v[rows->columns[k + 1]];
    }
    if (k < end)
        even += rows->values[k] * v[rows->columns[k]];
    return even + odd;
}

/* v [n] += factor times a row */
static inline void add_sparse_multiple(const SparseRows *rows, int i, double factor, double *v) {
    for (int k = rows->first[i]; k < rows->first[i + 1]; k++)
        v[rows->columns[k]] += factor * rows->values[k];
}

#endif
