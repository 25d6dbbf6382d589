#include "independent_parts.h"

#include <string.h>

size_t reals_of_parts(int n, int m, int n_contacts) { return (size_t)m * (size_t)n + 6 * (size_t)m + 3 * (size_t)n_contacts; }

size_t integers_of_parts(int n, int m, int n_contacts) {
    return 6 * (size_t)m + 3 * (size_t)n + 2 * (size_t)n_contacts + 4 + (size_t)m * (size_t)n;
}

static void place_memory(IndependentParts *parts, int n, int m, int n_contacts) {
    parts->B = parts->reals;
    parts->a = parts->B + (size_t)m * (size_t)n;
    parts->size = parts->a + m;
    parts->lower = parts->size + m;
    parts->upper = parts->lower + m;
    parts->start = parts->upper + m;
    parts->now = parts->start + m;
    parts->mu = parts->now + m;
    parts->slip = parts->mu + n_contacts;
    parts->rows = parts->integers;
    parts->first_row = parts->rows + m;
    parts->roots = parts->first_row + m + 1;
    parts->part_of = parts->roots + m;
    parts->first_column = parts->part_of + m;
    parts->columns = parts->first_column + m + 1;
    parts->place = parts->columns + n;
    parts->contact_of = parts->place + 2 * n;
    parts->entries.values = parts->B; /* a part is gathered in one of both forms */
    parts->is_moment = parts->contact_of + n_contacts;
    parts->entries.first = parts->is_moment + n_contacts;
    parts->entries.columns = parts->entries.first + m + 1;
}

/* the row that stands for those that are joined with this one: the first of them */
static int root_of(int *roots, int row) {
    while (roots[row] != row)
        row = roots[row] = roots[roots[row]];
    return row;
}

static void join(int *roots, int one, int other) {
    one = root_of(roots, one);
    other = root_of(roots, other);
    roots[one > other ? one : other] = one > other ? other : one;
}

/* the number of the contact that a row belongs to; -1: none */
static int contact_of_row(const RowProblem *problem, int row) {
    int first = problem->n_equations + problem->n_boxes;
    return row < first ? -1 : (row - first) / 3;
}

/* whether a row belongs to the same contact as the row before it, or to a moment of that contact */
static int continues_contact(const RowProblem *problem, int row) {
    int contact = contact_of_row(problem, row), before = row > 0 ? contact_of_row(problem, row - 1) : -1;
    return contact >= 0 && before >= 0 && (contact == before || (problem->is_moment && problem->is_moment[contact]));
}

/* Join a row with those that share a column in which it is not 0; owners [n]: a row of each column, -1: none. Returns whether the row has
 * such a column. */
static int join_by_columns(const RowProblem *problem, int row, int *roots, int *owners) {
    const RowPattern *pattern = problem->patterns + row;
    const double *values = problem->B + (size_t)row * (size_t)problem->n;
    int any = 0;
    for (int i = 0; i <= pattern->n; i++) {
        int first = i < pattern->n ? pattern->runs[2 * i] : pattern->column, count = i < pattern->n ? pattern->runs[2 * i + 1] : first >= 0;
        for (int k = first; k < first + count; k++) {
            if (values[k] == 0)
                continue;
            if (owners[k] < 0)
                owners[k] = row;
            else if (roots[row] != roots[owners[k]]) /* else they are joined */
                join(roots, row, owners[k]);
            any = 1;
        }
    }
    return any;
}

/* From the numbers of the parts of n items, -1: none, make the list of the items of each part. */
static void list_by_part(int n, const int *part_of, int n_parts, int *items, int *first) {
    memset(first, 0, (size_t)(n_parts + 1) * sizeof(int));
    for (int i = 0; i < n; i++)
        if (part_of[i] >= 0)
            first[part_of[i] + 1]++;
    for (int p = 0; p < n_parts; p++)
        first[p + 1] += first[p];
    for (int i = 0; i < n; i++) /* first becomes the end of each part */
        if (part_of[i] >= 0)
            items[first[part_of[i]]++] = i;
    for (int p = n_parts; p > 0; p--)
        first[p] = first[p - 1];
    first[0] = 0;
}

void find_parts(IndependentParts *parts, const RowProblem *whole) {
    int n = whole->n, m = whole->m, first_moved = -1;
    place_memory(parts, n, m, whole->n_contacts);
    int *roots = parts->roots, *part_of = parts->part_of, *owners = parts->place + n;
    parts->whole = whole;
    for (int k = 0; k < n; k++)
        owners[k] = -1;
    for (int i = 0; i < m; i++) {
        roots[i] = i;
        part_of[i] = join_by_columns(whole, i, roots, owners); /* for now: whether anything moves the row */
        if (continues_contact(whole, i))
            join(roots, i, i - 1);
        first_moved = first_moved < 0 && part_of[i] ? i : first_moved;
    }
    for (int i = 0; i < m; i++) /* with the other rows of its contact */
        if (part_of[i])
            part_of[root_of(roots, i)] = 1;
    for (int i = 0; i < m; i++)
        if (!part_of[root_of(roots, i)])
            join(roots, i, first_moved < 0 ? 0 : first_moved);
    parts->n_parts = 0;
    for (int i = 0; i < m; i++) {
        int root = root_of(roots, i);
        part_of[i] = root == i ? parts->n_parts++ : part_of[root];
    }
    for (int k = 0; k < n; k++)
        owners[k] = owners[k] < 0 ? -1 : part_of[owners[k]];
    list_by_part(m, part_of, parts->n_parts, parts->rows, parts->first_row);
    list_by_part(n, owners, parts->n_parts, parts->columns, parts->first_column);
    for (int p = 0; p < parts->n_parts; p++)
        for (int k = parts->first_column[p]; k < parts->first_column[p + 1]; k++)
            parts->place[parts->columns[k]] = k - parts->first_column[p];
}

static void copy_entries(const IndependentParts *parts, int row, double *values) {
    const RowPattern *pattern = parts->whole->patterns + row;
    const double *given = parts->whole->B + (size_t)row * (size_t)parts->whole->n;
    for (int i = 0; i < pattern->n; i++)
        for (int k = pattern->runs[2 * i]; k < pattern->runs[2 * i] + pattern->runs[2 * i + 1]; k++)
            if (given[k] != 0)
                values[parts->place[k]] = given[k];
    if (pattern->column >= 0 && given[pattern->column] != 0)
        values[parts->place[pattern->column]] = given[pattern->column];
}

/* add the entries of a row to those of the part, in the order of columns */
static void add_entries(IndependentParts *parts, int row) {
    const RowPattern *pattern = parts->whole->patterns + row;
    const double *given = parts->whole->B + (size_t)row * (size_t)parts->whole->n;
    const int *place = parts->place;
    int *columns = parts->entries.columns, at = parts->entries.first[parts->entries.m];
    double *values = parts->entries.values;
    for (int i = 0; i <= pattern->n; i++) {
        int first = i < pattern->n ? pattern->runs[2 * i] : pattern->column, count = i < pattern->n ? pattern->runs[2 * i + 1] : first >= 0;
        for (int k = first; k < first + count; k++)
            if (given[k] != 0) {
                columns[at] = place[k];
                values[at++] = given[k];
            }
    }
    end_sparse_row(&parts->entries, at);
}

/* add a row of the whole to the part, without its entries */
static void add_row(IndependentParts *parts, int row) {
    const RowProblem *whole = parts->whole;
    RowProblem *part = &parts->part;
    int at = part->m++, contact = contact_of_row(whole, row), box = row - whole->n_equations;
    parts->a[at] = whole->a[row];
    parts->size[at] = whole->size[row];
    if (whole->start) {
        parts->start[at] = whole->start[row];
        parts->now[at] = whole->now[row];
    }
    if (row < whole->n_equations) {
        part->n_equations++;
    } else if (contact < 0) {
        if (whole->lower)
            parts->lower[part->n_boxes] = whole->lower[box];
        if (whole->upper)
            parts->upper[part->n_boxes] = whole->upper[box];
        part->n_boxes++;
    } else if ((row - whole->n_equations - whole->n_boxes) % 3 == 0) {
        parts->mu[part->n_contacts] = whole->mu[contact];
        if (whole->is_moment)
            parts->is_moment[part->n_contacts] = whole->is_moment[contact];
        memcpy(parts->slip + 2 * part->n_contacts, whole->slip + 2 * contact, 2 * sizeof(double));
        parts->contact_of[part->n_contacts++] = contact;
    }
}

/* Begin with a part. Returns whether it is the whole, which needs no copies. */
static int begin_part(IndependentParts *parts, int number) {
    const RowProblem *whole = parts->whole;
    int m = parts->first_row[number + 1] - parts->first_row[number], n = parts->first_column[number + 1] - parts->first_column[number];
    parts->row_of = parts->rows + parts->first_row[number];
    parts->column_of = parts->columns + parts->first_column[number];
    if (m == whole->m && (n == whole->n || n == 0)) {
        parts->part = *whole;
        for (int i = 0; i < whole->n_contacts; i++)
            parts->contact_of[i] = i;
        for (int k = 0; k < whole->n && n == 0; k++)
            parts->columns[k] = k;
        return 1;
    }
    parts->part = (RowProblem){.n = n,
                               .B = parts->B,
                               .a = parts->a,
                               .size = parts->size,
                               .lower = whole->lower ? parts->lower : NULL,
                               .upper = whole->upper ? parts->upper : NULL,
                               .mu = parts->mu,
                               .start = whole->start ? parts->start : NULL,
                               .now = whole->start ? parts->now : NULL,
                               .slip = parts->slip,
                               .is_moment = whole->is_moment ? parts->is_moment : NULL};
    for (int i = 0; i < m; i++)
        add_row(parts, parts->row_of[i]);
    return 0;
}

void gather_part(IndependentParts *parts, int number) {
    if (begin_part(parts, number))
        return;
    int m = parts->part.m, n = parts->part.n;
    memset(parts->B, 0, (size_t)m * (size_t)n * sizeof(double));
    for (int i = 0; i < m; i++)
        copy_entries(parts, parts->row_of[i], parts->B + (size_t)i * (size_t)n);
}

void gather_sparse_part(IndependentParts *parts, int number) {
    begin_part(parts, number);
    parts->part.B = NULL;
    begin_sparse_rows(&parts->entries, parts->part.n);
    for (int i = 0; i < parts->part.m; i++)
        add_entries(parts, parts->row_of[i]);
}
