#include "friction_program.h"

#include "elementary.h"
#include "vectors.h"

#include <float.h>
#include <string.h>

static const double HELD = 1e-9;                        /* remaining length of a unit row below which the equations hold it */
static const double ROUND_OFF = 1.8189894035458565e-12; /* eps^(3/4): a row that is shorter than the longest by this is zero */
static const double CONSISTENT = 1e-6;                  /* a row that equations hold may contradict them by this much, relative */

/* the number of rows, rounded up to a multiple of four */
static int padded(int m) { return (m + 3) / 4 * 4; }

size_t friction_program_reals(int n, int m, int n_contacts) {
    size_t rows = (size_t)m, extended = (size_t)n + rows;
    return (2 * rows + 3) * extended + 11 * rows + 2 * extended + (size_t)n + (size_t)n_contacts + friction_rows_reals(m) +
           complementarity_reals(n + m, m);
}

size_t friction_program_integers(int n, int m, int n_contacts) {
    return (size_t)m + (size_t)n_contacts + friction_rows_integers(m) + complementarity_integers(n + m, m);
}

static void begin(FrictionProgram *program, int n, int m, int n_equations, int n_boxes) {
    double *next = program->reals;
    int *next_integer = program->integers, extended = n + m;
    program->n = n;
    program->m = m;
    program->n_equations = n_equations;
    program->n_boxes = n_boxes;
    program->n_contacts = (m - n_equations - n_boxes) / 3;
    program->multipliers = next;
    program->w = next += m;
    program->a = next += m;
    program->size = next += m;
    program->length = next += m;
    program->lower = next += m;
    program->upper = next += m;
    program->missed = next += m;
    program->whole = next += m;
    program->some_a = next += m;
    program->some_size = next += m;
    program->y = next += m;
    program->contact_residuals = next += n;
    program->y_fixed = next += program->n_contacts;
    program->work = next += extended;
    program->B = next += extended;
    program->turned = next += m * extended;
    program->complementarity.reals = next += padded(m) * extended;
    next += complementarity_reals(n + m, m);
    program->modes = next_integer;
    program->against = next_integer += program->n_contacts;
    program->complementarity.integers = next_integer += m;
    next_integer += complementarity_integers(n + m, m);
    begin_friction_rows(&program->rows, n_boxes, program->n_contacts, next, next_integer);
    memset(program->multipliers, 0, (size_t)m * sizeof(double));
    memset(program->missed, 0, (size_t)m * sizeof(double));
    program->n_against = program->rounds = program->newton_steps = program->iterations = program->sweeps = 0;
    program->violation = program->contradiction = program->residual = 0;
    program->worst_contact = -1;
}

static double bound(double given) { return fabs(given) >= DBL_MAX ? copysign(INFINITY, given) : given; }

/* copy the problem: a dimension for each row with compliance, lengths of rows, bounds; returns ROWS_SOLVED or ROWS_INVALID */
static int copy_rows(FrictionProgram *program, const double *B, const double *a, const double *size, const double *lower,
                     const double *upper, const double *mu, const double *compliance, const double *slip) {
    int n = program->n, m = program->m, extended = n, first_contact = program->n_equations + program->n_boxes;
    if (!all_finite(m, a) || (size && !all_finite(m, size)) || !all_finite(program->n_contacts, mu) ||
        (compliance && !all_finite(m, compliance)) || (slip && !all_finite(2 * program->n_contacts, slip)))
        return ROWS_INVALID;
    for (int i = 0; i < program->n_boxes; i++)
        if (!(lower[i] <= upper[i] && lower[i] < DBL_MAX && upper[i] > -DBL_MAX))
            return ROWS_INVALID;
    for (int i = 0; i < program->n_contacts; i++)
        if (mu[i] < 0)
            return ROWS_INVALID;
    for (int i = 0; compliance && i < m; i++) {
        if (compliance[i] < 0)
            return ROWS_INVALID;
        extended += compliance[i] > 0;
    }
    program->n_extended = extended;
    if (extended > n)
        memset(program->B, 0, (size_t)m * (size_t)extended * sizeof(double));
    double longest = 0;
    for (int i = 0, at = n; i < m; i++) {
        double *row = program->B + i * extended;
        memcpy(row, B + i * n, (size_t)n * sizeof(double));
        program->whole[i] = program->length[i] = norm(n, row);
        if (!isfinite(program->length[i]))
            return ROWS_INVALID;
        longest = fmax(longest, program->length[i]);
        if (compliance && compliance[i] > 0) {
            row[at++] = sqrt(compliance[i]);
            program->whole[i] = norm(extended, row);
        }
        program->a[i] = a[i];
        program->size[i] = fabs(size ? size[i] : a[i]);
    }

    /* one length for each contact, or the disk of friction became an ellipse */
    for (int k = first_contact; k < m; k += 3) {
        double *length = program->length + k;
        length[0] = length[1] = length[2] = fmax(length[0], fmax(length[1], length[2]));
    }
    program->least = fmax(ROUND_OFF * longest, DBL_MIN);

    /* an equation that no unknown moves is round-off, which has no size of its own: it contradicts if it is large beside the other rows */
    double largest_size = largest_number(program->size, m);
    for (int i = 0; i < m; i++)
        if (!(program->length[i] > program->least)) {
            program->length[i] = longest > program->least ? longest : 1;
            program->size[i] = i < program->n_equations ? largest_size : program->size[i];
        }
    program->given_lower = lower;
    program->given_upper = upper;
    program->rows.mu = mu;
    program->rows.slip = slip;
    return ROWS_SOLVED;
}

/* What a row adds to the size of the numbers in a: a normal that is open without multipliers counts only by its round-off, so that contacts
 * far away do not hide errors of others. */
static double size_of_row(const FrictionProgram *program, int i) {
    int first = program->n_equations + program->n_boxes, is_normal = i >= first && (i - first) % 3 == 0;
    return fmax(is_normal ? program->size[i] - fmax(program->a[i], 0) : program->size[i], 0) / program->length[i];
}

static double size_of_rows(const FrictionProgram *program) {
    double largest = 0;
    for (int i = 0; i < program->m; i++)
        largest = fmax(largest, size_of_row(program, i));
    return largest;
}

/* bounds of scaled rows, where numbers are divided by `unit` */
static void scale_bounds(FrictionProgram *program, double unit) {
    for (int i = 0; i < program->n_boxes; i++) {
        double factor = program->length[program->n_equations + i] / unit;
        program->rows.lower[i] = bound(program->given_lower[i]) * factor;
        program->rows.upper[i] = bound(program->given_upper[i]) * factor;
    }
}

/* y, w, residuals and modes, from the multipliers and the given rows */
static void judge(FrictionProgram *program) {
    int n = program->n, m = program->m, k = program->n_equations, extended = program->n_extended;
    FrictionRows *rows = &program->rows;
    double *y = program->work, *w = program->w;
    memset(y, 0, (size_t)extended * sizeof(double));
    for (int i = 0; i < m; i++)
        if (program->multipliers[i] != 0)
            add_multiple_apart(extended, y, program->multipliers[i], program->B + i * extended);
    memcpy(program->y, y, (size_t)n * sizeof(double));
    double scale = fmax(size_of_rows(program) + norm(n, y), DBL_MIN), largest = 0, largest_of_contacts = -1;
    for (int i = 0; i < m; i++) {
        w[i] = dot(extended, program->B + i * extended, y) + program->a[i];
        double rate = (w[i] - program->missed[i]) / program->length[i] / scale;
        if (i < k) {
            largest = fmax(largest, fabs(rate));
        } else {
            rows->z[i - k] = program->multipliers[i] * program->length[i] / scale;
            rows->w[i - k] = rate;
        }
    }
    scale_bounds(program, scale);
    natural_map(rows, rows->z, rows->w, rows->r);
    largest = fmax(largest, largest_number(rows->r, program->n_boxes));
    for (int i = 0; i < program->n_contacts; i++) {
        double residual = program->contact_residuals[i] = largest_number(rows->r + program->n_boxes + 3 * i, 3);
        if (residual > largest_of_contacts) {
            largest_of_contacts = residual;
            program->worst_contact = i;
        }
        program->modes[i] = (int)friction_mode(rows, i);
    }
    largest = fmax(fmax(largest, largest_of_contacts), DBL_EPSILON * largest_number(rows->z, rows->m));
    program->residual = isfinite(scale) && all_finite(m, w) && all_finite(rows->m, rows->r) ? largest : INFINITY;
}

/* solve the equations alone; y_fixed is their y */
static int solve_equations(FrictionProgram *program) {
    int extended = program->n_extended, k = program->n_equations;
    Complementarity *solved = &program->complementarity;
    memset(program->y_fixed, 0, (size_t)extended * sizeof(double));
    if (k == 0)
        return ROWS_SOLVED;
    int outcome = solve_rows_unchecked(solved, extended, k, k, program->B, program->a, program->size, NULL, NULL, 0);
    program->contradiction = solved->contradiction;
    program->violation = solved->violation;
    program->n_against = solved->n_against;
    memcpy(program->against, solved->against, (size_t)solved->n_against * sizeof(int));
    if (outcome != ROWS_SOLVED)
        return outcome;
    memcpy(program->y_fixed, solved->y, (size_t)extended * sizeof(double));
    for (int i = 0; i < k; i++)
        program->missed[i] = solved->missed[i] * solved->length[i];
    return ROWS_SOLVED;
}

/* v becomes Q^T v: its first entries, one for each independent equation, lie in the space of the equations, the others are orthogonal */
static void turn(const FrictionProgram *program, double *v) {
    const Factors *factors = &program->complementarity.equations;
    int n = program->n_extended;
    for (int i = 0; program->n_equations > 0 && i < factors->rank; i++)
        reflect(n - i, factors->rows + i * n + i, factors->tau[i], v + i);
}

static int n_fixed(const FrictionProgram *program) { return program->n_equations > 0 ? program->complementarity.equations.rank : 0; }

/* A row that the equations hold: w is `rate` whatever the multipliers are. Returns whether that is no contradiction. */
static int accept_held(FrictionProgram *program, int row, double rate) {
    int box = row - program->n_equations, contact_row = box - program->n_boxes;
    double allowed = CONSISTENT * (program->size[row] + program->length[row] * norm(program->n_extended, program->y_fixed));
    if (fabs(rate) <= allowed) {
        program->missed[row] = rate;
        return 1;
    }
    if (contact_row < 0 ? isfinite(bound(rate > 0 ? program->given_lower[box] : program->given_upper[box]))
                        : rate > 0 || contact_row % 3 != 0)
        return 1;
    program->against[program->n_against++] = row;
    program->violation = fabs(rate);
    return 0;
}

/* A [i][j] = dot product of rows i and j, which are the columns of S [n][stride], with zeros beyond m. Four of them at a time. */
static void find_products(int m, int n, int stride, const double *S, double *A) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j += 4) {
            double sums[4] = {0, 0, 0, 0};
            for (int k = 0; k < n; k++) {
                const double *row = S + k * stride + j;
                double entry = S[k * stride + i];
                sums[0] += entry * row[0];
                sums[1] += entry * row[1];
                sums[2] += entry * row[2];
                sums[3] += entry * row[3];
            }
            for (int l = 0; l < 4 && j + l <= i; l++)
                A[i * m + j + l] = A[(j + l) * m + i] = sums[l];
        }
}

/* Take the equations out of the other rows, and scale those. *unit is the size of the numbers, by which they are divided. */
static int reduce_rows(FrictionProgram *program, double *unit) {
    int n = program->n_extended, k = program->n_equations, fixed = n_fixed(program);
    FrictionRows *rows = &program->rows;
    double size = size_of_rows(program) + norm(n, program->y_fixed), forced = 0;
    for (int i = 0; i < program->n_boxes; i++)
        forced += fabs(fmin(fmax(0, program->given_lower[i]), program->given_upper[i])) * program->length[k + i];
    *unit = size + forced > DBL_MIN ? size + forced : 1;
    rows->size = size / *unit;
    scale_bounds(program, *unit);
    double *row = program->work;
    int stride = padded(rows->m);
    memset(program->turned, 0, (size_t)n * (size_t)stride * sizeof(double));
    for (int i = 0; i < rows->m; i++) {
        double rate = program->a[k + i], length = program->length[k + i];
        memcpy(row, program->B + (k + i) * n, (size_t)n * sizeof(double));
        if (k > 0)
            rate += dot(n, row, program->y_fixed);
        double left = program->whole[k + i];
        if (fixed > 0) {
            turn(program, row);
            left = norm(n - fixed, row + fixed);
        }
        if (left <= fmax(HELD * program->whole[k + i], program->least)) {
            memset(row + fixed, 0, (size_t)(n - fixed) * sizeof(double));
            if (!accept_held(program, k + i, rate))
                return ROWS_CONTRADICT;
            rate -= program->missed[k + i];
        }
        for (int j = 0; j < n; j++)
            program->turned[j * stride + i] = row[j] / length;
        rows->a[i] = rate / length / *unit;
    }
    find_products(rows->m, n - fixed, stride, program->turned + fixed * stride, rows->A);
    return ROWS_SOLVED;
}

/* the multipliers of all rows as given, from those of the scaled ones */
static void restore_multipliers(FrictionProgram *program, const double *z, double unit) {
    int n = program->n_extended, k = program->n_equations, fixed = n_fixed(program);
    const Factors *factors = &program->complementarity.equations;
    double *needed = program->work;
    for (int i = 0; i < program->rows.m; i++)
        program->multipliers[k + i] = z[i] * unit / program->length[k + i];
    if (fixed == 0)
        return;

    /* R x = what is missing of y_fixed, in the space of the equations */
    memcpy(needed, program->y_fixed, (size_t)n * sizeof(double));
    turn(program, needed);
    for (int j = 0; j < fixed; j++)
        needed[j] -= unit * dot(program->rows.m, program->turned + j * padded(program->rows.m), z);
    for (int i = fixed - 1; i >= 0; i--) {
        const double *column = factors->rows + i * n;
        int row = factors->order[i];
        needed[i] /= column[i];
        add_multiple_apart(i, needed, -needed[i], column);
        program->multipliers[row] = needed[i] * factors->scale[row] / program->complementarity.length[row];
    }
}

/* Without friction the tangents have no part: equations, boxes and normals. */
static int solve_without_friction(FrictionProgram *program) {
    int n = program->n_extended, k = program->n_equations, first = k + program->n_boxes, taken = first + program->n_contacts;
    double *B = program->turned;
    Complementarity *solved = &program->complementarity;
    for (int i = 0; i < taken; i++) {
        int row = i < first ? i : first + 3 * (i - first);
        memcpy(B + i * n, program->B + row * n, (size_t)n * sizeof(double));
        program->some_a[i] = program->a[row];
        program->some_size[i] = program->size[row];
        program->lower[i] = i < k ? 0 : i < first ? program->given_lower[i - k] : 0;
        program->upper[i] = i < k ? 0 : i < first ? program->given_upper[i - k] : INFINITY;
    }
    int outcome =
        solve_complementarity(solved, n, taken, k, B, program->some_a, program->some_size, program->lower + k, program->upper + k, 0);
    program->contradiction = solved->contradiction;
    program->violation = solved->violation;
    program->n_against = solved->n_against;
    for (int i = 0; i < solved->n_against; i++)
        program->against[i] = solved->against[i] < first ? solved->against[i] : first + 3 * (solved->against[i] - first);
    if (outcome == ROWS_INVALID)
        return outcome;
    for (int i = 0; i < taken; i++) {
        int row = i < first ? i : first + 3 * (i - first);
        program->multipliers[row] = solved->multipliers[i];
        program->missed[row] = solved->missed[i] * solved->length[i];
    }
    judge(program);
    return outcome;
}

int solve_friction_program(FrictionProgram *program, int n, int m, int n_equations, int n_boxes, const double *B, const double *a,
                           const double *size, const double *lower, const double *upper, const double *mu, const double *start,
                           const double *compliance, const double *slip) {
    begin(program, n, m, n_equations, n_boxes);
    int outcome = copy_rows(program, B, a, size, lower, upper, mu, compliance, slip), has_friction = 0;
    if (outcome != ROWS_SOLVED || (start && !all_finite(m, start)))
        return ROWS_INVALID;
    for (int i = 0; i < program->n_contacts; i++)
        has_friction = has_friction || mu[i] > 0;
    if (!has_friction)
        return solve_without_friction(program);

    double unit;
    outcome = solve_equations(program);
    if (outcome == ROWS_SOLVED)
        outcome = reduce_rows(program, &unit);
    if (outcome != ROWS_SOLVED)
        return outcome;
    for (int i = 0; i < program->rows.m; i++)
        program->rows.z[i] = start ? start[n_equations + i] * program->length[n_equations + i] / unit : 0;
    search_multipliers(&program->rows, start != NULL);
    program->rounds = program->rows.rounds;
    program->newton_steps = program->rows.newton_steps;
    program->iterations = program->rows.iterations;
    program->sweeps = program->rows.sweeps;
    restore_multipliers(program, program->rows.best, unit);
    judge(program);
    return is_certified(program->residual) ? ROWS_SOLVED : ROWS_NOT_CERTIFIED;
}

double friction_residual(FrictionProgram *program, int n, int m, int n_equations, int n_boxes, const double *B, const double *a,
                         const double *size, const double *lower, const double *upper, const double *mu, const double *compliance,
                         const double *slip, const double *z) {
    begin(program, n, m, n_equations, n_boxes);
    if (copy_rows(program, B, a, size, lower, upper, mu, compliance, slip) != ROWS_SOLVED || !all_finite(m, z))
        return INFINITY;
    memcpy(program->multipliers, z, (size_t)m * sizeof(double));
    judge(program);
    return program->residual;
}
