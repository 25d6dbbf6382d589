/* The factorisations of factor.h over Numbers: of one matrix, and of several side by side (lanes.h).
 *
 * Each lane has its own order of rows. The decisions that change the amount of work are made for all lanes at once: whether all rows are
 * finite, whether pivots are needed, the rank. If they differ between lanes, the result is FACTORS_DIFFER, and each matrix is factored
 * alone. */
#ifndef MOBOD_FACTOR_ARITHMETIC_H
#define MOBOD_FACTOR_ARITHMETIC_H

#include "factor.h"
#include "number.h"
#include "vectors.h"

#include <float.h>
#include <string.h>

#define ROW_ROUND_OFF 1.8189894035458565e-12 /* eps^(3/4), 2^-39 */
#define DIFFERENCE_PER_DISTANCE 10.0         /* how much dependent rows may differ, relative to the distance */
#define MOST_DIFFERENCE 1e-2                 /* rows that differ by more are independent, whatever the distance is */
#define LARGEST_DISTANCE 0.1                 /* rad or m: beyond it, the distance is not used */

static inline Number smaller_number(Number a, Number b) { return number_where(number_less_equal(a, b), a, b); }

/* see rank_tolerance_at_distance */
static inline Number tolerance_at_distance(int m, Number distance) {
    return number_max(NUMBER(sqrt(m * ROW_ROUND_OFF)), smaller_number(DIFFERENCE_PER_DISTANCE * distance, NUMBER(MOST_DIFFERENCE)));
}

/* see rank_tolerance_of_squares */
static inline Number tolerance_of_squares(int m, Number distance) {
    Number of_rows = tolerance_at_distance(m, number_where(number_less(NUMBER(LARGEST_DISTANCE), distance), NUMBER(0.0), distance));
    return of_rows * of_rows;
}

/* the least size of rows above round-off, if the largest row has size `largest` */
static inline Number least_size_for(Number largest) { return number_max(ROW_ROUND_OFF * largest, NUMBER(DBL_MIN)); }

/* the larger one of a distance and that of the error of a row; see distance_of_errors */
static inline Number farther(Number distance, Number error, Number size, Number least_size) {
    const Number further = number_max(distance, number_abs(error) / size);
    return number_where(number_less_equal(least_size, size), further, distance);
}

/* set the places of the parts of the workspace */
static inline void lay_out_factors(Factors *factors, int m, int n) {
    Number *next = factors->reals;
    factors->m = m;
    factors->n = n;
    factors->is_positive = 0;
    factors->scale = next;
    factors->tau = next += m;
    factors->null_tau = next += m;
    factors->norm = next += m;
    factors->work = next += 2 * m;
    factors->rows = next += m + n;
    factors->null = next + m * n;
}

static inline void begin_factors(Factors *factors, int m, int n) {
    lay_out_factors(factors, m, n);
    for (int i = 0; i < m; i++)
        factors->order[i] = INDEX(i);
}

/* Replace v by [beta, direction]: the reflection 1 - tau [1, direction] [1, direction]^T maps v to [beta, 0]. Returns tau.
 *
 * Source: Golub & Van Loan, Matrix Computations (2013), 5.1.3, with the sign that avoids cancellation */
static inline Number reflection(int n, Number *v) {
    Number rest = n > 1 ? norm(n - 1, v + 1) : NUMBER(0.0);
    const Number is_nothing = number_equal(rest, NUMBER(0.0));
    if (number_all(is_nothing))
        return NUMBER(0.0);
    Number beta = -number_copysign(number_sqrt(v[0] * v[0] + rest * rest), v[0]);
    Number tau = number_where(is_nothing, NUMBER(0.0), (beta - v[0]) / beta);
    Number divisor = number_where(is_nothing, NUMBER(1.0), v[0] - beta);
    for (int i = 1; i < n; i++)
        v[i] /= divisor;
    v[0] = number_where(is_nothing, v[0], beta);
    return tau;
}

/* Compute the scale of each row from its size in `norm`. Rows of round-off have the scale of the largest row. beside: the largest size of
 * rows that round-off is relative to too. */
static inline void scale_rows(Factors *factors, Number beside, Number *least_size) {
    const double tie = 1e-6; /* each row is taken as smaller than the one before it by this, so that ties are decided */
    const int m = factors->m;
    Number largest = number_max(beside, largest_number(factors->norm, m));
    *least_size = least_size_for(largest);
    const Number of_round_off = number_where(number_less_equal(*least_size, largest), largest, NUMBER(1.0));
    for (int i = 0; i < m; i++) {
        const Number counts = number_less_equal(*least_size, factors->norm[i]);
        Number size = number_where(counts, factors->norm[i], of_round_off);
        factors->scale[i] = 1.0 / (size * (1 + tie * i));
    }
}

/* swap rows in some lanes */
static inline void swap_rows(Factors *factors, Number is_swapped, int i, int j) {
    const int n = factors->n;
    const Index order = factors->order[i];
    Number *a = factors->rows + i * n, *b = factors->rows + j * n;
    for (int k = 0; k < n; k++) {
        const Number entry = a[k];
        a[k] = number_where(is_swapped, b[k], entry);
        b[k] = number_where(is_swapped, entry, b[k]);
    }
    factors->order[i] = index_where(is_swapped, factors->order[j], order);
    factors->order[j] = index_where(is_swapped, order, factors->order[j]);
}

/* Replace the norm `left` of the rest of a row by that without its entry `gone`. `reference` is the norm that was last computed.
 *
 * Source: Drmac & Bujanovic, On the failure of rank-revealing QR factorization software, ACM Trans. Math. Softw. 35 (2008) */
static inline void shorten_norm(Number *left, Number *reference, Number gone, int n, const Number *rest) {
    const double lost = 1.4901161193847656e-8; /* eps^(1/2): a squared norm that has decreased to this part is computed again */
    const Number is_nothing = number_equal(*left, NUMBER(0.0));
    if (number_all(is_nothing))
        return;
    Number ratio = gone / *left, part = number_max(NUMBER(0.0), 1.0 - ratio * ratio), of_reference = *left / *reference;
    const Number is_exact = number_or(is_nothing, number_less(NUMBER(lost), part * of_reference * of_reference));
    *left = number_where(is_nothing, *left, *left * number_sqrt(part));
    if (number_all(is_exact))
        return;
    const Number again = norm(n, rest);
    *left = number_where(is_exact, *left, again);
    *reference = number_where(is_exact, *reference, again);
}

/* ascending; equal amounts of work for all orders */
static inline void sort_indices(int n, Index *numbers) {
    for (int i = 1; i < n; i++)
        for (int at = i; at > 0; at--) {
            const Index a = numbers[at - 1], b = numbers[at];
            const Number is_sorted = index_less(a, b);
            numbers[at - 1] = index_where(is_sorted, a, b);
            numbers[at] = index_where(is_sorted, b, a);
        }
}

/* move the row with the longest rest to place k */
static inline void take_longest(Factors *factors, int k, Number *left, Number *reference) {
    Number size = left[k];
    Index longest = INDEX(k);
    for (int i = k + 1; i < factors->m; i++) {
        const Number is_longer = number_less(size, left[i]);
        size = number_where(is_longer, left[i], size);
        longest = index_where(is_longer, INDEX(i), longest);
    }
    for (int i = k + 1; i < factors->m; i++) {
        const Number is_it = index_is(longest, i);
        if (!number_any(is_it))
            continue;
        swap_rows(factors, is_it, k, i);
        left[i] = number_where(is_it, left[k], left[i]);
        reference[i] = number_where(is_it, reference[k], reference[i]);
    }
}

/* QR with column pivoting of the transposed `rows`, as far as the rank. Returns FACTORED or FACTORS_DIFFER. */
static inline int pivot(Factors *factors, Number tolerance) {
    const int m = factors->m, n = factors->n;
    Number *left = factors->norm, *reference = factors->norm + m, first = NUMBER(0.0);
    for (int i = 0; i < m; i++)
        left[i] = reference[i] = norm(n, factors->rows + i * n);

    int k = 0;
    for (; k < m && k < n; k++) {
        take_longest(factors, k, left, reference);

        /* stop if the rest of all rows counts as zero */
        Number *row = factors->rows + k * n;
        factors->tau[k] = reflection(n - k, row + k);
        if (k == 0)
            first = number_abs(row[0]);
        const Number counts = number_less(tolerance * first, number_abs(row[k]));
        if (!number_any(counts))
            break;
        if (!number_all(counts))
            return FACTORS_DIFFER;

        for (int i = k + 1; i < m; i++) {
            Number *other = factors->rows + i * n + k;
            reflect(n - k, row + k, factors->tau[k], other);
            shorten_norm(left + i, reference + i, other[0], n - k - 1, other + 1);
        }
    }
    factors->rank = k;
    factors->n_dependent = m - k;
    return FACTORED;
}

/* The vanishing combination of rows that contains the dependent row number `dependent`, by R11^T and R12^T; each entry times its weight.
 * NULL: weights of 1 */
static inline void find_null(Factors *factors, int dependent, const Number *weight) {
    const int m = factors->m, n = factors->n, rank = factors->rank;
    const Index *order = factors->order;
    Number *null = factors->null + dependent * m, *y = factors->work;

    memset(null, 0, (size_t)m * sizeof(Number));
    set_entry(null, order[rank + dependent], NUMBER(1.0));
    memcpy(y, factors->rows + (rank + dependent) * n, (size_t)rank * sizeof(Number));
    for (int i = rank - 1; i >= 0; i--) {
        const Number *row = factors->rows + i * n;
        y[i] /= row[i];
        add_multiple(i, y, -y[i], row);
        set_entry(null, order[i], -y[i]);
    }
    for (int i = 0; weight && i < m; i++)
        null[i] *= weight[i];
}

/* N, an orthonormal basis of the combinations of rows that vanish */
static inline void span_null(Factors *factors, const Number *weight) {
    const int m = factors->m;
    for (int i = 0; i < factors->n_dependent; i++) {
        Number *null = factors->null + i * m;
        find_null(factors, i, weight);
        for (int j = 0; j < i; j++)
            reflect(m - j, factors->null + j * m + j, factors->null_tau[j], null + j);
        factors->null_tau[i] = reflection(m - i, null + i);
    }
    sort_indices(factors->n_dependent, factors->order + factors->rank);
}

/* see factor_rows; beside: see scale_rows */
static inline int factor_any(Factors *factors, int m, int n, const Number *A, Number beside, Number tolerance) {
    begin_factors(factors, m, n);
    if (!all_finite(m * n, A))
        return FACTORS_NOT_FINITE;
    for (int i = 0; i < m; i++)
        factors->norm[i] = largest_number(A + i * n, n);
    Number least_size;
    scale_rows(factors, beside, &least_size);
    for (int i = 0; i < m; i++) {
        const Number counts = number_less_equal(least_size, factors->norm[i]);
        for (int j = 0; j < n; j++)
            factors->rows[i * n + j] = number_where(counts, factors->scale[i] * A[i * n + j], NUMBER(0.0));
    }
    if (pivot(factors, tolerance) != FACTORED)
        return FACTORS_DIFFER;
    span_null(factors, NULL);
    return FACTORED;
}

/* rows = S A S, from the lower triangle of A; rows and columns of round-off are zero */
static inline void scale_symmetric(Factors *factors, const Number *A, Number least_size) {
    const int m = factors->m;
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++) {
            const Number counts =
                number_and(number_less_equal(least_size, factors->norm[i]), number_less_equal(least_size, factors->norm[j]));
            Number entry = number_where(counts, factors->scale[i] * A[i * m + j] * factors->scale[j], NUMBER(0.0));
            factors->rows[i * m + j] = factors->rows[j * m + i] = entry;
        }
}

/* Whether pivoting would certainly find the rows of a scaled matrix of m rows to be independent, and Cholesky's factor is accurate.
 *
 * No diagonal entry of R is below the least singular value, which is 1 / |A^-1| >= 1 / trace(A^-1), since A is scaled. The first is at most
 * sqrt(m), since no entry of a matrix with unit diagonal exceeds 1. */
static inline Number are_independent(int m, Number trace_of_inverse, Number tolerance) {
    const double largest_inverse = 67108864; /* eps^(-1/2), 2^26 */
    return number_and(number_less_equal(trace_of_inverse, NUMBER(largest_inverse)),
                      number_less(trace_of_inverse * tolerance * sqrt(m), NUMBER(1.0)));
}

/* From the upper triangle of `rows`, compute Cholesky's factor in its place, and the inverse of the transposed factor in the lower triangle
 * and on the diagonal. Rows of round-off have a pivot of 1, and are 0 in the inverse. Returns whether the others are certainly
 * independent; the trace of the inverse is |W|_F^2. */
static inline Number invert_root(Factors *factors, Number least_size, Number tolerance) {
    const int m = factors->m;
    Number square = NUMBER(0.0), is_positive = NUMBER(1.0);
    for (int k = 0; k < m; k++) {
        Number *row = factors->rows + k * m;
        const Number counts = number_less_equal(least_size, factors->norm[k]);
        if (!number_any(counts)) {
            memset(row, 0, (size_t)(k + 1) * sizeof(Number)); /* all other entries of the row and of its column are 0 */
            continue;
        }
        row[k] = number_where(counts, row[k], NUMBER(1.0));
        is_positive = number_and(is_positive, number_less(NUMBER(0.0), row[k]));
        if (!number_any(is_positive))
            return is_positive;
        Number inverse = 1.0 / number_sqrt(row[k]);

        /* the row of the factor, subtracted from those below */
        for (int j = k + 1; j < m; j++)
            row[j] *= inverse;
        for (int i = k + 1; i < m; i++)
            add_multiple(m - i, factors->rows + i * m + i, -row[i], row + i);

        /* the row of the inverse */
        for (int j = 0; j < k; j++)
            row[j] = NUMBER(0.0);
        for (int i = 0; i < k; i++)
            add_multiple(i + 1, row, -factors->rows[i * m + k], factors->rows + i * m);
        for (int j = 0; j < k; j++)
            row[j] *= inverse;
        row[k] = number_where(counts, inverse, NUMBER(0.0));
        square += dot(k + 1, row, row);
    }
    return number_and(is_positive, are_independent(m, square, tolerance));
}

/* Set the rank to the number of rows above round-off. Returns FACTORED or FACTORS_DIFFER. */
static inline int count_rows(Factors *factors, Number least_size) {
    Number n = NUMBER(0.0);
    for (int i = 0; i < factors->m; i++)
        n += number_less_equal(least_size, factors->norm[i]);
    factors->rank = (int)FIRST_LANE(n);
    factors->n_dependent = factors->m - factors->rank;
    return number_all(number_equal(n, NUMBER(factors->rank))) ? FACTORED : FACTORS_DIFFER;
}

/* see factor_semidefinite; beside: see scale_rows */
static inline int factor_symmetric(Factors *factors, int m, const Number *A, Number beside, Number tolerance) {
    begin_factors(factors, m, m);
    Number largest = beside * beside;
    for (int i = 0; i < m; i++) {
        if (!all_finite(i + 1, A + i * m))
            return FACTORS_NOT_FINITE;
        largest = number_max(largest, number_abs(A[i * m + i]));
    }
    for (int i = 0; i < m; i++) {
        Number entry = A[i * m + i];
        if (number_any(number_less(entry, -ROW_ROUND_OFF * largest)))
            return FACTORS_NOT_SEMIDEFINITE;
        factors->norm[i] = number_sqrt(number_max(NUMBER(0.0), entry));
    }
    Number least_size;
    scale_rows(factors, beside, &least_size);
    scale_symmetric(factors, A, least_size);

    const Number is_positive = invert_root(factors, least_size, tolerance);
    if (number_all(is_positive)) {
        for (int i = 0; i < m; i++)
            for (int j = 0; j <= i; j++)
                factors->rows[i * m + j] *= factors->scale[j];
        factors->is_positive = 1;
        return count_rows(factors, least_size);
    }
    if (number_any(is_positive))
        return FACTORS_DIFFER;
    scale_symmetric(factors, A, least_size);
    if (pivot(factors, tolerance) != FACTORED)
        return FACTORS_DIFFER;

    /* scales relative to the largest one: only directions matter, and squares of the scales may overflow */
    Number *weight = factors->norm, largest_scale = largest_number(factors->scale, m);
    for (int i = 0; i < m; i++)
        weight[i] = factors->scale[i] / largest_scale;
    span_null(factors, weight);
    return FACTORED;
}

#endif
