#include "envelope.h"

#include "elementary.h"
#include "vectors.h"

#include <string.h>

/* entry (i, j) of row i is at row[j], for columns j from first[i] on */
static inline double *row_of(const Envelope *matrix, int i) { return matrix->entries + matrix->start[i] - matrix->first[i]; }

void set_envelope(Envelope *matrix, const SparseRows *rows, const int *is_taken, double shift) {
    int n = matrix->n = rows->n;
    for (int i = 0; i < n; i++)
        matrix->first[i] = i;
    for (int r = 0; r < rows->m; r++)
        for (int k = rows->first[r]; is_taken[r] && k < rows->first[r + 1]; k++)
            if (rows->columns[rows->first[r]] < matrix->first[rows->columns[k]])
                matrix->first[rows->columns[k]] = rows->columns[rows->first[r]];
    int size = 0;
    for (int i = 0; i < n; i++) {
        matrix->start[i] = size;
        size += i - matrix->first[i] + 1;
    }

    memset(matrix->entries, 0, (size_t)size * sizeof(double));
    for (int i = 0; i < n; i++)
        row_of(matrix, i)[i] = shift;
    for (int r = 0; r < rows->m; r++)
        for (int k = rows->first[r]; is_taken[r] && k < rows->first[r + 1]; k++) {
            double *row = row_of(matrix, rows->columns[k]), value = rows->values[k];
            for (int l = rows->first[r]; l <= k; l++)
                row[rows->columns[l]] += value * rows->values[l];
        }
}

int factor_envelope(Envelope *matrix) {
    for (int i = 0; i < matrix->n; i++) {
        double *row = row_of(matrix, i), left = row[i];
        for (int j = matrix->first[i]; j < i; j++) {
            const double *other = row_of(matrix, j);
            int from = matrix->first[i] > matrix->first[j] ? matrix->first[i] : matrix->first[j];
            row[j] = (row[j] - dot(j - from, row + from, other + from)) * other[j];
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
        const double *row = row_of(factor, i);
        int from = factor->first[i];
        x[i] = (x[i] - dot(i - from, row + from, x + from)) * row[i];
    }
    for (int i = factor->n - 1; i >= 0; i--) {
        const double *row = row_of(factor, i);
        int from = factor->first[i];
        x[i] *= row[i];
        add_multiple_apart(i - from, x + from, -x[i], row + from);
    }
}
