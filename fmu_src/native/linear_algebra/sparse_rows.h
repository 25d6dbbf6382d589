/* Rows of a matrix as lists of the entries that are not 0. Sums have the same bits as those over all columns. */
#ifndef MOBOD_SPARSE_ROWS_H
#define MOBOD_SPARSE_ROWS_H

typedef struct {
    int m, n;
    int *first;     /* [m + 1] the entries of row i are those from first[i] to first[i + 1] - 1, in the order of columns */
    int *columns;   /* [first[m]] */
    double *values; /* [first[m]] */
} SparseRows;

/* begin with no rows, in n columns; then, for each row, add its entries and end it */
static inline void begin_sparse_rows(SparseRows *rows, int n) {
    rows->m = rows->first[0] = rows->first[1] = 0;
    rows->n = n;
}

static inline void add_sparse_entry(SparseRows *rows, int column, double value) {
    int at = rows->first[rows->m + 1]++;
    rows->columns[at] = column;
    rows->values[at] = value;
}

/* `first` must have a place for one row more than there will be */
static inline void end_sparse_row(SparseRows *rows) {
    rows->m++;
    rows->first[rows->m + 1] = rows->first[rows->m];
}

/* a row times v [n] */
static inline double sparse_dot(const SparseRows *rows, int i, const double *v) {
    double sum = 0;
    for (int k = rows->first[i]; k < rows->first[i + 1]; k++)
        sum += rows->values[k] * v[rows->columns[k]];
    return sum;
}

/* v [n] += factor times a row */
static inline void add_sparse_multiple(const SparseRows *rows, int i, double factor, double *v) {
    for (int k = rows->first[i]; k < rows->first[i + 1]; k++)
        v[rows->columns[k]] += factor * rows->values[k];
}

#endif
