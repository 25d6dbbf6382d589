#include "envelope.h"

#include "elementary.h"
#include "vectors.h"

#include <string.h>

static const double LEAST_PIVOT = 1e-14; /* of LU, relative to the entry of the diagonal */

/* sums [4] += the products of four numbers: four sums, since each waits for its last addition */
static inline void add_four_products(double *sums, const double *a, const double *b) {
    sums[0] += a[0] * b[0];
    sums[1] += a[1] * b[1];
    sums[2] += a[2] * b[2];
    sums[3] += a[3] * b[3];
}

static double dot_of_four(int n, const double *a, const double *b) {
    double sums[4] = {0, 0, 0, 0};
    int i = 0;
    for (; i + 3 < n; i += 4)
        add_four_products(sums, a + i, b + i);
    for (; i < n; i++)
        sums[0] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

/* the same of two pairs at once */
static inline void two_dots_of_four(int n, const double *a, const double *b, const double *c, const double *d, double *ab, double *cd) {
    double sums[4] = {0, 0, 0, 0}, others[4] = {0, 0, 0, 0};
    int i = 0;
    for (; i + 3 < n; i += 4) {
        add_four_products(sums, a + i, b + i);
        add_four_products(others, c + i, d + i);
    }
    for (; i < n; i++) {
        sums[0] += a[i] * b[i];
        others[0] += c[i] * d[i];
    }
    *ab = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    *cd = (others[0] + others[1]) + (others[2] + others[3]);
}

void begin_envelope(Envelope *matrix, int n) {
    matrix->n = n;
    for (int i = 0; i < n; i++)
        matrix->first[i] = i;
}

void widen_envelope(Envelope *matrix, int n_columns, const int *columns) {
    for (int k = 0; k < n_columns; k++)
        if (columns[0] < matrix->first[columns[k]])
            matrix->first[columns[k]] = columns[0];
}

void clear_envelope(Envelope *matrix, double shift) {
    int size = 0;
    for (int i = 0; i < matrix->n; i++) {
        matrix->start[i] = size;
        size += i - matrix->first[i] + 1;
    }
    memset(matrix->entries, 0, (size_t)size * sizeof(double));
    for (int i = 0; i < matrix->n; i++)
        envelope_row(matrix, i)[i] = shift;
}

void set_envelope(Envelope *matrix, const SparseRows *rows, const int *is_taken, double shift) {
    begin_envelope(matrix, rows->n);
    for (int r = 0; r < rows->m; r++)
        if (is_taken[r])
            widen_envelope(matrix, rows->first[r + 1] - rows->first[r], rows->columns + rows->first[r]);
    clear_envelope(matrix, shift);
    for (int r = 0; r < rows->m; r++)
        for (int k = rows->first[r]; is_taken[r] && k < rows->first[r + 1]; k++) {
            double *row = envelope_row(matrix, rows->columns[k]), value = rows->values[k];
            for (int l = rows->first[r]; l <= k; l++)
                row[rows->columns[l]] += value * rows->values[l];
        }
}

int factor_envelope(Envelope *matrix) {
    for (int i = 0; i < matrix->n; i++) {
        double *row = envelope_row(matrix, i), left = row[i];
        for (int j = matrix->first[i]; j < i; j++) {
            const double *other = envelope_row(matrix, j);
            int from = matrix->first[i] > matrix->first[j] ? matrix->first[i] : matrix->first[j];
            row[j] = (row[j] - dot_of_four(j - from, row + from, other + from)) * other[j];
            left -= row[j] * row[j];
        }
        if (!(left > 0))
            return 0;
        row[i] = 1 / sqrt(left);
    }
    return 1;
}

void solve_envelope(const Envelope *factor, double *x) {
    for (int i = 0; i < factor->n; i++) {
        const double *row = envelope_row(factor, i);
        int from = factor->first[i];
        x[i] = (x[i] - dot_of_four(i - from, row + from, x + from)) * row[i];
    }
    for (int i = factor->n - 1; i >= 0; i--) {
        const double *row = envelope_row(factor, i);
        int from = factor->first[i];
        x[i] *= row[i];
        add_multiple_apart(i - from, x + from, -x[i], row + from);
    }
}

/* entries (i, j) and (j, i) of the factors, after those before j in row and column i */
static inline void factor_pair(const Envelope *lower, double *upper, int i, int j) {
    double *row = envelope_row(lower, i), *column = upper_column(lower, upper, i), of_column, of_row;
    const double *other = envelope_row(lower, j), *other_column = upper_column(lower, upper, j);
    const int from = lower->first[i] > lower->first[j] ? lower->first[i] : lower->first[j];
    two_dots_of_four(j - from, other + from, column + from, row + from, other_column + from, &of_column, &of_row);
    column[j] -= of_column;
    row[j] = (row[j] - of_row) * other[j];
}

int factor_envelope_lu(Envelope *lower, double *upper) {
    for (int group = 0, end; group < lower->n; group = end) {
        const int first = lower->first[group];
        for (end = group + 1; end < lower->n && lower->first[end] == first;)
            end++;

        /* rows that begin in the same column do not wait for each other before the first of them */
        for (int j = first; j < group; j++)
            for (int i = group; i < end; i++)
                factor_pair(lower, upper, i, j);
        for (int i = group; i < end; i++) {
            double *row = envelope_row(lower, i), *column = upper_column(lower, upper, i), given = row[i];
            for (int j = group; j < i; j++)
                factor_pair(lower, upper, i, j);
            double left = given - dot_of_four(i - first, row + first, column + first);
            if (!(fabs(left) > LEAST_PIVOT * fabs(given)))
                return 0;
            row[i] = 1 / left;
        }
    }
    return 1;
}

void solve_envelope_lu(const Envelope *lower, double *upper, double *x) {
    for (int i = 0; i < lower->n; i++) {
        int from = lower->first[i];
        x[i] -= dot_of_four(i - from, envelope_row(lower, i) + from, x + from);
    }
    for (int i = lower->n - 1; i >= 0; i--) {
        int from = lower->first[i];
        x[i] *= envelope_row(lower, i)[i];
        add_multiple_apart(i - from, x + from, -x[i], upper_column(lower, upper, i) + from);
    }
}
