#include "factor.h"

#include "elementary.h"
#include "vectors.h"

#include <float.h>
#include <string.h>

static const double ROUND_OFF = 1.8189894035458565e-12; /* eps^(3/4), 2^-39 */
static const double TIE = 1e-6;                 /* each row is taken as smaller than the one before it by this, so that ties are decided */
static const double LARGEST_INVERSE = 67108864; /* eps^(-1/2), 2^26 */
static const double DIFFERENCE_PER_DISTANCE = 10; /* how much dependent rows may differ, relative to the distance */
static const double MOST_DIFFERENCE = 1e-2;       /* rows that differ by more are independent, whatever the distance is */
static const double FAR = 0.1;                    /* rad or m: beyond it, the distance is not used */
static const double LOST = 1.4901161193847656e-8; /* eps^(1/2): a squared norm that has decreased to this part is computed again */

size_t factor_reals(int m, int n) {
    size_t rows = (size_t)m, unknowns = (size_t)n;
    return rows * unknowns + rows * rows + 6 * rows + unknowns;
}

double rank_tolerance(int m) { return m * ROUND_OFF; }

double rank_tolerance_at_distance(int m, double distance) {
    return fmax(sqrt(rank_tolerance(m)), fmin(DIFFERENCE_PER_DISTANCE * distance, MOST_DIFFERENCE));
}

double rank_tolerance_of_squares(int m, double distance) {
    double of_rows = rank_tolerance_at_distance(m, distance > FAR ? 0 : distance);
    return of_rows * of_rows;
}

/* a row's size */
static double largest_entry(int n, const double *row) {
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(row[i]));
    return largest;
}

/* the least size of rows above round-off, if the largest row has size `largest` */
static double least_size_for(double largest) { return fmax(ROUND_OFF * largest, DBL_MIN); }

double distance_of_errors(int m, int n, const double *A, const double *errors) {
    double least_size = least_size_for(largest_entry(m * n, A)), distance = 0;
    for (int i = 0; i < m; i++) {
        double size = largest_entry(n, A + i * n);
        if (size >= least_size)
            distance = fmax(distance, fabs(errors[i]) / size);
    }
    return distance;
}

static void begin(Factors *factors, int m, int n) {
    double *next = factors->reals;
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
    for (int i = 0; i < m; i++)
        factors->order[i] = i;
}

/* Replace v by [beta, direction]: the reflection 1 - tau [1, direction] [1, direction]^T maps v to [beta, 0]. Returns tau.
 *
 * Source: Golub & Van Loan, Matrix Computations (2013), 5.1.3, with the sign that avoids cancellation */
static double reflection(int n, double *v) {
    double rest = n > 1 ? norm(n - 1, v + 1) : 0;
    if (rest == 0)
        return 0;
    double beta = -copysign(sqrt(v[0] * v[0] + rest * rest), v[0]);
    double tau = (beta - v[0]) / beta;
    double divisor = v[0] - beta;
    for (int i = 1; i < n; i++)
        v[i] /= divisor;
    v[0] = beta;
    return tau;
}

/* Compute the scale of each row from its size in `norm`. Rows of round-off have the scale of the largest row. Returns the number of the
 * others. */
static int scale_rows(Factors *factors, double *least_size) {
    int m = factors->m, n_counting = 0;
    double largest = 0;
    for (int i = 0; i < m; i++)
        largest = fmax(largest, factors->norm[i]);
    *least_size = least_size_for(largest);
    for (int i = 0; i < m; i++)
        n_counting += factors->norm[i] >= *least_size;
    for (int i = 0; i < m; i++) {
        double size = factors->norm[i] >= *least_size ? factors->norm[i] : n_counting ? largest : 1;
        factors->scale[i] = 1 / (size * (1 + TIE * i));
    }
    return n_counting;
}

static void swap_rows(Factors *factors, int i, int j) {
    int n = factors->n, order = factors->order[i];
    double *a = factors->rows + i * n, *b = factors->rows + j * n;
    for (int k = 0; k < n; k++) {
        double entry = a[k];
        a[k] = b[k];
        b[k] = entry;
    }
    factors->order[i] = factors->order[j];
    factors->order[j] = order;
}

/* The norm of the rest of a row, from the norm before its entry `gone` was removed. `reference` is the norm that was last computed.
 *
 * Source: Drmac & Bujanovic, On the failure of rank-revealing QR factorization software, ACM Trans. Math. Softw. 35 (2008) */
static double norm_of_rest(double before, double *reference, double gone, int n, const double *rest) {
    double ratio = gone / before, left = fmax(0, 1 - ratio * ratio), of_reference = before / *reference;
    if (left * of_reference * of_reference > LOST)
        return before * sqrt(left);
    return *reference = norm(n, rest);
}

static void sort(int n, int *numbers) {
    for (int i = 1; i < n; i++) {
        int number = numbers[i], at = i;
        for (; at > 0 && numbers[at - 1] > number; at--)
            numbers[at] = numbers[at - 1];
        numbers[at] = number;
    }
}

/* QR with column pivoting of the transposed `rows`, as far as the rank */
static void pivot(Factors *factors, double tolerance) {
    int m = factors->m, n = factors->n;
    double *left = factors->norm, *reference = factors->norm + m, first = 0;
    for (int i = 0; i < m; i++)
        left[i] = reference[i] = norm(n, factors->rows + i * n);

    int k = 0;
    for (; k < m && k < n; k++) {
        /* the row with the longest rest */
        int longest = k;
        for (int i = k + 1; i < m; i++)
            if (left[i] > left[longest])
                longest = i;
        double *row = factors->rows + k * n;
        if (longest != k) {
            swap_rows(factors, k, longest);
            left[longest] = left[k];
            reference[longest] = reference[k];
        }

        /* stop if the rest of all rows counts as zero */
        factors->tau[k] = reflection(n - k, row + k);
        if (k == 0)
            first = fabs(row[0]);
        if (!(fabs(row[k]) > tolerance * first))
            break;

        for (int i = k + 1; i < m; i++) {
            double *other = factors->rows + i * n + k;
            reflect(n - k, row + k, factors->tau[k], other);
            if (left[i] != 0)
                left[i] = norm_of_rest(left[i], reference + i, other[0], n - k - 1, other + 1);
        }
    }
    factors->rank = k;
    factors->n_dependent = m - k;
}

/* The vanishing combination of rows that contains the dependent row number `dependent`, by R11^T and R12^T; each entry times its weight.
 * NULL: weights of 1 */
static void find_null(Factors *factors, int dependent, const double *weight) {
    int m = factors->m, n = factors->n, rank = factors->rank;
    const int *order = factors->order;
    double *null = factors->null + dependent * m, *y = factors->work;

    memset(null, 0, (size_t)m * sizeof(double));
    null[order[rank + dependent]] = 1;
    memcpy(y, factors->rows + (rank + dependent) * n, (size_t)rank * sizeof(double));
    for (int i = rank - 1; i >= 0; i--) {
        const double *row = factors->rows + i * n;
        y[i] /= row[i];
        add_multiple(i, y, -y[i], row);
        null[order[i]] = -y[i];
    }
    for (int i = 0; weight && i < m; i++)
        null[i] *= weight[i];
}

/* N, an orthonormal basis of the combinations of rows that vanish */
static void span_null(Factors *factors, const double *weight) {
    int m = factors->m;
    for (int i = 0; i < factors->n_dependent; i++) {
        double *null = factors->null + i * m;
        find_null(factors, i, weight);
        for (int j = 0; j < i; j++)
            reflect(m - j, factors->null + j * m + j, factors->null_tau[j], null + j);
        factors->null_tau[i] = reflection(m - i, null + i);
    }
    sort(factors->n_dependent, factors->order + factors->rank);
}

int factor_rows(Factors *factors, int m, int n, const double *A, double tolerance) {
    begin(factors, m, n);
    if (!all_finite(m * n, A))
        return FACTORS_NOT_FINITE;

    for (int i = 0; i < m; i++)
        factors->norm[i] = largest_entry(n, A + i * n);
    double least_size;
    scale_rows(factors, &least_size);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            factors->rows[i * n + j] = factors->norm[i] >= least_size ? factors->scale[i] * A[i * n + j] : 0;
    pivot(factors, tolerance);
    span_null(factors, NULL);
    return FACTORED;
}

/* rows = S A S, from the lower triangle of A; rows and columns of round-off are zero */
static void scale_symmetric(Factors *factors, const double *A, double least_size) {
    int m = factors->m;
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++) {
            int counts = factors->norm[i] >= least_size && factors->norm[j] >= least_size;
            double entry = counts ? factors->scale[i] * A[i * m + j] * factors->scale[j] : 0;
            factors->rows[i * m + j] = factors->rows[j * m + i] = entry;
        }
}

/* From the upper triangle of `rows`, compute Cholesky's factor in its place, and the inverse of the transposed factor in the lower triangle
 * and on the diagonal. Returns 0 unless pivoting would certainly find full rank, and Cholesky's factor is accurate.
 *
 * No diagonal entry of R is below the least singular value, which is 1 / |A^-1| >= 1 / trace(A^-1) = 1 / |W|_F^2, since A is scaled. The
 * first is at most sqrt(m), since no entry of a matrix with unit diagonal exceeds 1. */
static int invert_root(Factors *factors, double tolerance) {
    int m = factors->m;
    double square = 0;
    for (int k = 0; k < m; k++) {
        double *row = factors->rows + k * m;
        if (!(row[k] > 0))
            return 0;
        double inverse = 1 / sqrt(row[k]);

        /* the row of the factor, subtracted from those below */
        for (int j = k + 1; j < m; j++)
            row[j] *= inverse;
        for (int i = k + 1; i < m; i++)
            add_multiple(m - i, factors->rows + i * m + i, -row[i], row + i);

        /* the row of the inverse */
        for (int j = 0; j < k; j++)
            row[j] = 0;
        for (int i = 0; i < k; i++)
            add_multiple(i + 1, row, -factors->rows[i * m + k], factors->rows + i * m);
        for (int j = 0; j < k; j++)
            row[j] *= inverse;
        row[k] = inverse;
        square += dot(k + 1, row, row);
    }
    return square <= LARGEST_INVERSE && square * tolerance * sqrt(m) < 1;
}

int factor_semidefinite(Factors *factors, int m, const double *A, double tolerance) {
    begin(factors, m, m);
    double largest = 0;
    for (int i = 0; i < m; i++) {
        if (!all_finite(i + 1, A + i * m))
            return FACTORS_NOT_FINITE;
        largest = fmax(largest, fabs(A[i * m + i]));
    }
    for (int i = 0; i < m; i++) {
        double entry = A[i * m + i];
        if (entry < -ROUND_OFF * largest)
            return FACTORS_NOT_SEMIDEFINITE;
        factors->norm[i] = sqrt(fmax(0, entry));
    }
    double least_size;
    int n_counting = scale_rows(factors, &least_size);
    scale_symmetric(factors, A, least_size);

    if (n_counting == m && invert_root(factors, tolerance)) {
        for (int i = 0; i < m; i++)
            for (int j = 0; j <= i; j++)
                factors->rows[i * m + j] *= factors->scale[j];
        factors->is_positive = 1;
        factors->rank = m;
        factors->n_dependent = 0;
        return FACTORED;
    }
    scale_symmetric(factors, A, least_size);
    pivot(factors, tolerance);

    /* scales relative to the largest one: only directions matter, and squares of the scales may overflow */
    double *weight = factors->norm, largest_scale = 0;
    for (int i = 0; i < m; i++)
        largest_scale = fmax(largest_scale, factors->scale[i]);
    for (int i = 0; i < m; i++)
        weight[i] = factors->scale[i] / largest_scale;
    span_null(factors, weight);
    return FACTORED;
}
