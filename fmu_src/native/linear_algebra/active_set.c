#include "active_set.h"

#include "elementary.h"
#include "vectors.h"

#include <string.h>

static const double MET = 1e-10;         /* a row that is violated by less counts as satisfied */
static const double PARALLEL = 1e-7;     /* a dependent row may contradict others by this much, by round-off */
static const double CONSTANT = 1e-12;    /* a multiplier that changes by less, relative to another one, counts as constant */
static const double CANCELLATION = 1e-4; /* times MET: 50 eps */
static const double BEYOND = 1e-9;       /* a multiplier may exceed its bound by this much, relative to the largest multiplier */
static const double TIE = 1e-10;         /* of rows that are equal up to this, the first is taken */

size_t active_set_reals(int n, int m) {
    size_t unknowns = (size_t)n, rows = (size_t)m;
    return 2 * unknowns * unknowns + 8 * unknowns + 3 * rows;
}

size_t active_set_integers(int n, int m) { return 3 * (size_t)n + 1 + (size_t)m; }

static void begin(ActiveSet *set, int n, int m) {
    double *next = set->reals;
    int *next_integer = set->integers;
    set->z = next;
    set->z_before = next += m;
    set->excess = next += m;
    set->y = next += m;
    set->y_before = next += n;
    set->d = next += n;
    set->v = next += n;
    set->r = next += n;
    set->room = next += n;
    set->bound = next += n;
    set->at_edge = next += n;
    set->Q = next += n;
    set->R = next + n * n;
    set->held = next_integer;
    set->held_before = next_integer += n;
    set->against = next_integer += n;
    set->is_skipped = next_integer + n + 1;
    set->n_held = set->n_against = set->n_steps = 0;
    set->violation = 0;
}

double scale_of_rows(const ActiveSet *set, const UnitRows *rows) {
    double largest = 0, sum = 0;
    for (int i = 0; i < rows->m; i++)
        if (set->z[i] != 0) {
            largest = fmax(largest, rows->size[i]);
            sum += fabs(set->z[i]);
        }
    return sqrt(dot(rows->n, set->y, set->y)) + largest + CANCELLATION * sum;
}

/* column = Q d + v, v orthogonal to Q: Gram-Schmidt, twice */
static void split(ActiveSet *set, int n, const double *column) {
    memcpy(set->v, column, (size_t)n * sizeof(double));
    memset(set->d, 0, (size_t)n * sizeof(double));
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < set->n_held; i++) {
            double along = dot(n, set->Q + i * n, set->v);
            set->d[i] += along;
            add_multiple(n, set->v, -along, set->Q + i * n);
        }
}

/* make the row active whose column was split */
static void activate(ActiveSet *set, int n, int row) {
    int k = set->n_held++;
    double length = sqrt(dot(n, set->v, set->v));
    for (int i = 0; i < n; i++)
        set->Q[k * n + i] = set->v[i] / length;
    memcpy(set->R + k * n, set->d, (size_t)k * sizeof(double));
    set->R[k * n + k] = length;
    set->held[k] = row;
}

/* make these independent rows active, and no others */
static void activate_all(ActiveSet *set, const UnitRows *rows, int n_held, const int *held) {
    set->n_held = 0;
    for (int i = 0; i < n_held; i++) {
        split(set, rows->n, rows->B + held[i] * rows->n);
        activate(set, rows->n, held[i]);
    }
}

/* deactivate the active row at place `at`: the columns of R after it move up, and rotations make them triangular again */
static void deactivate(ActiveSet *set, int n, int at) {
    int last = --set->n_held;
    for (int j = at; j < last; j++) {
        memcpy(set->R + j * n, set->R + (j + 1) * n, (size_t)(j + 2) * sizeof(double));
        set->held[j] = set->held[j + 1];
    }
    for (int i = at; i < last; i++) {
        double *diagonal = set->R + i * n + i, radius = mobod_hypot(diagonal[0], diagonal[1]);
        double cosine = diagonal[0] / radius, sine = diagonal[1] / radius;
        for (int j = i; j < last; j++) {
            double *entry = set->R + j * n + i, upper = entry[0], lower = entry[1];
            entry[0] = cosine * upper + sine * lower;
            entry[1] = cosine * lower - sine * upper;
        }
        double *q = set->Q + i * n, *next = q + n;
        for (int j = 0; j < n; j++) {
            double first = q[j], second = next[j];
            q[j] = cosine * first + sine * second;
            next[j] = cosine * second - sine * first;
        }
    }
}

/* x of R x = b, in place */
static void solve_upper(const ActiveSet *set, int n, double *b) {
    for (int j = set->n_held - 1; j >= 0; j--) {
        b[j] /= set->R[j * n + j];
        add_multiple(j, b, -b[j], set->R + j * n);
    }
}

/* x of R^T x = b, in place */
static void solve_upper_transposed(const ActiveSet *set, int n, double *b) {
    for (int j = 0; j < set->n_held; j++)
        b[j] = (b[j] - dot(j, set->R + j * n, b)) / set->R[j * n + j];
}

static double between(double lower, double value, double upper) { return fmin(fmax(value, lower), upper); }

/* compute y and z again from the active rows and the multipliers at bounds, so that round-off does not accumulate */
static void refresh(ActiveSet *set, const UnitRows *rows) {
    int n = rows->n;
    double *y = set->at_edge, *along = set->d, *z = set->r, *inside = set->bound, largest = 0, beyond = 0;

    /* the part of multipliers at bounds */
    memset(set->excess, 0, (size_t)rows->m * sizeof(double));
    for (int i = 0; i < set->n_held; i++)
        set->excess[set->held[i]] = 1;
    memset(y, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < rows->m; i++)
        if (set->excess[i] == 0 && set->z[i] != 0)
            add_multiple(n, y, set->z[i], rows->B + i * n);

    /* and the remaining part, of the active rows */
    for (int i = 0; i < set->n_held; i++)
        along[i] = -rows->a[set->held[i]];
    solve_upper_transposed(set, n, along);
    for (int i = 0; i < set->n_held; i++)
        z[i] = along[i] -= dot(n, set->Q + i * n, y);
    solve_upper(set, n, z);
    for (int i = 0; i < set->n_held; i++) {
        inside[i] = between(rows->lower[set->held[i]], z[i], rows->upper[set->held[i]]);
        largest = fmax(largest, fabs(z[i]));
        beyond = fmax(beyond, fabs(z[i] - inside[i]));
    }
    if (beyond > BEYOND * largest)
        return;
    for (int i = 0; i < set->n_held; i++) {
        set->z[set->held[i]] = inside[i];
        add_multiple(n, y, along[i], set->Q + i * n);
    }
    memcpy(set->y, y, (size_t)n * sizeof(double));
}

static double free_part(const UnitRows *rows, int row, const double *y) { return dot(rows->n, rows->B + row * rows->n, y) + rows->a[row]; }

/* The most violated row, or -1. sign: the direction in which its multiplier must change; violation: by how much it is violated. */
static int most_violated(ActiveSet *set, const UnitRows *rows, int *sign, double *violation) {
    double scale = scale_of_rows(set, rows), largest = 0;
    for (int i = 0; i < rows->m; i++) {
        double w = free_part(rows, i, set->y), up = set->z[i] < rows->upper[i] ? -w : 0, down = set->z[i] > rows->lower[i] ? w : 0;
        int is_equation = isinf(rows->lower[i]) && isinf(rows->upper[i]);
        double excess = fmax(up, down);
        set->excess[i] = is_equation || set->is_skipped[i] || excess <= MET * (rows->size[i] + scale) ? 0 : up > 0 ? excess : -excess;
    }
    for (int i = 0; i < set->n_held; i++)
        set->excess[set->held[i]] = 0;
    for (int i = 0; i < rows->m; i++)
        largest = fmax(largest, fabs(set->excess[i]));
    if (!(largest > 0))
        return -1;
    int row = 0;
    while (fabs(set->excess[row]) < (1 - TIE) * largest)
        row++;
    *sign = set->excess[row] > 0 ? 1 : -1;
    *violation = fabs(set->excess[row]);
    return row;
}

/* how far the multiplier of each active row can change at its rate, -sign r, and the bound that limits it */
static double find_room(ActiveSet *set, const UnitRows *rows, int sign) {
    double least = INFINITY;
    for (int i = 0; i < set->n_held; i++) {
        int row = set->held[i];
        double rate = -sign * set->r[i];
        set->bound[i] = rate > 0 ? rows->upper[row] : rows->lower[row];
        int moves = fabs(rate) > CONSTANT && !isinf(set->bound[i]);
        set->room[i] = moves ? fmax(0, (set->bound[i] - set->z[row]) / rate) : INFINITY;
        least = fmin(least, set->room[i]);
    }
    return least;
}

enum { ENTERED, BLOCKED, CYCLING };
enum { MOST_STEPS_OF_A_ROW = 4 }; /* if they are bounded */

/* Change the multiplier of row p until the row is satisfied, or the multiplier reaches its bound. BLOCKED: neither is possible, and the
 * column of p is the combination `r` of the columns of active rows. */
static int add_row(ActiveSet *set, const UnitRows *rows, int p, int sign, double rank_tolerance) {
    int n = rows->n, m = rows->m;
    double *z = set->z;
    for (int turn = 0; turn <= m; turn++) {
        if (++set->n_steps > (set->is_bounded ? MOST_STEPS_OF_A_ROW : 50) * (m + 2))
            return CYCLING;
        split(set, n, rows->B + p * n);
        memcpy(set->r, set->d, (size_t)set->n_held * sizeof(double));
        solve_upper(set, n, set->r);
        double square = dot(n, set->v, set->v), violation = fmax(0, -sign * free_part(rows, p, set->y));

        /* the distances until the row is satisfied, its multiplier reaches its bound, or another multiplier reaches its bound */
        int is_independent = set->n_held < n && square > rank_tolerance * rank_tolerance;
        double to_be_met = is_independent ? violation / square : INFINITY;
        double own = sign > 0 ? rows->upper[p] - z[p] : z[p] - rows->lower[p];
        double step = fmin(fmin(to_be_met, own), find_room(set, rows, sign));
        if (isinf(step))
            return BLOCKED;
        int is_met = to_be_met <= (1 + TIE) * step;
        if (is_met)
            step = to_be_met;

        for (int i = 0; i < set->n_held; i++)
            z[set->held[i]] -= sign * step * set->r[i];
        z[p] += sign * step;
        if (is_independent)
            add_multiple(n, set->y, sign * step, set->v);
        if (is_met) {
            activate(set, n, p);
            return ENTERED;
        }
        if (step == own) {
            z[p] = sign > 0 ? rows->upper[p] : rows->lower[p];
            return ENTERED;
        }
        int first = -1;
        for (int i = 0; i < set->n_held; i++)
            if (set->room[i] <= (1 + TIE) * step && (first < 0 || set->held[i] < set->held[first]))
                first = i;
        z[set->held[first]] = set->bound[first];
        deactivate(set, n, first);
    }
    return CYCLING;
}

int solve_active_set(ActiveSet *set, const UnitRows *rows, int n_held, const int *held, double rank_tolerance) {
    size_t n = (size_t)rows->n, m = (size_t)rows->m;
    begin(set, rows->n, rows->m);
    for (int i = 0; i < rows->m; i++)
        set->z[i] = between(rows->lower[i], 0, rows->upper[i]);
    memset(set->y, 0, n * sizeof(double));
    memset(set->is_skipped, 0, m * sizeof(int));
    activate_all(set, rows, n_held, held);
    refresh(set, rows);

    int p, sign, n_before;
    double violation;
    while ((p = most_violated(set, rows, &sign, &violation)) >= 0) {
        double scale = scale_of_rows(set, rows);
        n_before = set->n_held;
        memcpy(set->held_before, set->held, (size_t)n_before * sizeof(int));
        memcpy(set->z_before, set->z, m * sizeof(double));
        memcpy(set->y_before, set->y, n * sizeof(double));

        int outcome = add_row(set, rows, p, sign, rank_tolerance);
        if (outcome == CYCLING)
            return ROWS_CYCLING;
        if (outcome == ENTERED) {
            memset(set->is_skipped, 0, m * sizeof(int));
            refresh(set, rows);
            continue;
        }

        /* the rows contradict each other */
        if (violation > PARALLEL * (rows->size[p] + scale)) {
            set->violation = violation;
            set->against[set->n_against++] = p;
            for (int i = 0; i < set->n_held; i++)
                if (fabs(set->r[i]) > MET)
                    set->against[set->n_against++] = set->held[i];
            return ROWS_CONTRADICT;
        }

        /* by round-off: restore the state before, and skip this row */
        memcpy(set->z, set->z_before, m * sizeof(double));
        memcpy(set->y, set->y_before, n * sizeof(double));
        activate_all(set, rows, n_before, set->held_before);
        set->is_skipped[p] = 1;
    }
    return ROWS_SOLVED;
}
