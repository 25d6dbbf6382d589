#include "column_order.h"

#include <string.h>

/* the rows in which each column is */
typedef struct {
    int *first; /* [n + 1] */
    int *rows;  /* [entries] */
} RowsOfColumns;

static void list_rows(const SparseRows *rows, RowsOfColumns *of) {
    const int n = rows->n;
    memset(of->first, 0, ((size_t)n + 1) * sizeof(int));
    for (int k = 0; k < rows->first[rows->m]; k++)
        of->first[rows->columns[k] + 1]++;
    for (int i = 0; i < n; i++)
        of->first[i + 1] += of->first[i];
    for (int i = 0; i < rows->m; i++) /* first becomes the end of each list */
        for (int k = rows->first[i]; k < rows->first[i + 1]; k++)
            of->rows[of->first[rows->columns[k]]++] = i;
    for (int i = n; i > 0; i--)
        of->first[i] = of->first[i - 1];
    of->first[0] = 0;
}

/* Add the columns that are reached from one, with itself, to the n in `order`. is_done [m], is_seen [n]: masks of what has been reached.
 * Returns their number. */
static int reach(const SparseRows *rows, const RowsOfColumns *of, int start, int *order, int n, int *is_done, int *is_seen) {
    int next = n;
    order[n++] = start;
    is_seen[start] = 1;
    for (; next < n; next++)
        for (int i = of->first[order[next]]; i < of->first[order[next] + 1]; i++) {
            const int row = of->rows[i];
            if (is_done[row])
                continue;
            is_done[row] = 1;
            for (int k = rows->first[row]; k < rows->first[row + 1]; k++)
                if (!is_seen[rows->columns[k]]) {
                    is_seen[rows->columns[k]] = 1;
                    order[n++] = rows->columns[k];
                }
        }
    return n;
}

void order_columns(const SparseRows *rows, int *order, int *work) {
    const int n = rows->n;
    RowsOfColumns of = {work, work + 2 * n + 1 + rows->m};
    int *is_seen = work + n + 1, *is_done = is_seen + n, n_ordered = 0;
    list_rows(rows, &of);
    memset(is_seen, 0, (size_t)n * sizeof(int));
    memset(is_done, 0, (size_t)rows->m * sizeof(int));
    for (int i = 0; i < n; i++) {
        if (is_seen[i])
            continue;
        const int first = n_ordered, end = reach(rows, &of, i, order, first, is_done, is_seen), last = order[end - 1];

        /* the same from the column that was reached last */
        for (int k = first; k < end; k++) {
            is_seen[order[k]] = 0;
            for (int r = of.first[order[k]]; r < of.first[order[k] + 1]; r++)
                is_done[of.rows[r]] = 0;
        }
        n_ordered = reach(rows, &of, last, order, first, is_done, is_seen);
    }
    for (int i = 0; i < n / 2; i++) {
        const int kept = order[i];
        order[i] = order[n - 1 - i];
        order[n - 1 - i] = kept;
    }
}

void permute_columns(const SparseRows *rows, const int *order, int *place, SparseRows *to) {
    for (int i = 0; i < rows->n; i++)
        place[order[i]] = i;
    begin_sparse_rows(to, rows->n);
    for (int i = 0; i < rows->m; i++) {
        const int first = rows->first[i];
        for (int k = first; k < rows->first[i + 1]; k++) {
            const int column = place[rows->columns[k]];
            int at = k;
            for (; at > first && to->columns[at - 1] > column; at--) {
                to->columns[at] = to->columns[at - 1];
                to->values[at] = to->values[at - 1];
            }
            to->columns[at] = column;
            to->values[at] = rows->values[k];
        }
        end_sparse_row(to, rows->first[i + 1]);
    }
}
