/* The independent parts of a problem of rows, such as contacts that share no body: each is gathered and solved apart, so that the cost
 * grows linearly with them.
 *
 * Two rows belong to one part if a speed takes part in both, directly or by further rows; the three rows of a contact belong together,
 * and moments with their contact. */
#ifndef MOBOD_INDEPENDENT_PARTS_H
#define MOBOD_INDEPENDENT_PARTS_H

#include "sparse_rows.h"

#include <stddef.h>

/* the columns in which a row may differ from 0 */
typedef struct {
    int n;
    const int *runs; /* [n][2] ranges of columns: first, count */
    int column;      /* a further one; -1: none */
} RowPattern;

/* A problem as complementarity.h describes it, and with contacts as friction_program.h does. */
typedef struct {
    int n, m, n_equations, n_boxes, n_contacts;
    const double *B;             /* [m][n] */
    const RowPattern *patterns;  /* [m] */
    const double *a, *size;      /* [m] */
    const double *lower, *upper; /* [n_boxes] bounds; NULL: zero, infinity */
    const double *mu, *slip;     /* [n_contacts], [n_contacts][2] */
    const int *is_moment;        /* [n_contacts] as in friction_program.h; NULL: none is */
    const double *start;         /* [m] may be NULL; and with it: */
    const double *now;           /* [m] see solve_sparse_program */
} RowProblem;

typedef struct {
    double *reals; /* workspace of the owner: reals_of_parts(n, m, n_contacts) for its largest problem */
    int *integers; /* integers_of_parts(n, m, n_contacts) */
    const RowProblem *whole;
    int n_parts;
    int *rows, *first_row;       /* [m], [n_parts + 1] the rows of one part after the other, each in the order of the whole */
    int *columns, *first_column; /* [n], [n_parts + 1] the same of columns */
    RowProblem part;             /* the one that was gathered last, and its places in the whole: */
    const int *row_of, *column_of;
    SparseRows entries; /* its rows, after gather_sparse_part */
    int *contact_of;    /* [n_contacts] */
    int *is_moment;     /* [n_contacts] of the part */
    int *roots, *part_of, *place;
    double *B, *a, *size, *lower, *upper, *start, *now, *mu, *slip; /* of the part */
} IndependentParts;

size_t reals_of_parts(int n, int m, int n_contacts);
size_t integers_of_parts(int n, int m, int n_contacts);

/* Find the parts of a problem, in the order of their first rows. A row that no speed moves belongs to the first part. */
void find_parts(IndependentParts *parts, const RowProblem *whole);

/* Gather a part into parts->part. */
void gather_part(IndependentParts *parts, int number);

/* The same with its rows in parts->entries instead of part.B. */
void gather_sparse_part(IndependentParts *parts, int number);

/* a row times y, and y += factor row, along the ranges of its pattern */
static inline double dot_along_pattern(const RowPattern *pattern, const double *row, const double *y) {
    double sum = 0;
    for (int i = 0; i < pattern->n; i++)
        for (int k = pattern->runs[2 * i]; k < pattern->runs[2 * i] + pattern->runs[2 * i + 1]; k++)
            sum += row[k] * y[k];
    return sum;
}

static inline void add_along_pattern(const RowPattern *pattern, double *y, double factor, const double *row) {
    for (int i = 0; i < pattern->n; i++)
        for (int k = pattern->runs[2 * i]; k < pattern->runs[2 * i] + pattern->runs[2 * i + 1]; k++)
            y[k] += factor * row[k];
}

#endif
