#include "friction_judge.h"

#include "elementary.h"
#include "vectors.h"

#include <float.h>
#include <string.h>

double friction_bound(double given) { return fabs(given) >= DBL_MAX ? copysign(INFINITY, given) : given; }

/* What a row adds to the size of the numbers in a: a normal that is open without multipliers counts only by its round-off, so that contacts
 * far away do not hide errors of others. */
static double size_of_row(const FrictionProgram *program, int i) {
    int first = program->n_equations + program->n_boxes, is_normal = i >= first && (i - first) % 3 == 0;
    return fmax(is_normal ? program->size[i] - fmax(program->a[i], 0) : program->size[i], 0) / program->length[i];
}

double size_of_rows(const FrictionProgram *program) {
    double largest = 0;
    for (int i = 0; i < program->m; i++)
        largest = fmax(largest, size_of_row(program, i));
    return largest;
}

void scale_entries(FrictionProgram *program) {
    double *values = program->scaled.values;
    program->scaled = program->entries;
    program->scaled.values = values;
    for (int i = 0; i < program->m; i++) {
        double factor = 1 / program->length[i];
        for (int k = program->entries.first[i]; k < program->entries.first[i + 1]; k++)
            values[k] = factor * program->entries.values[k];
    }
}

void scale_bounds(FrictionProgram *program, double unit) {
    for (int i = 0; i < program->n_boxes; i++) {
        double factor = program->length[program->n_equations + i] / unit;
        program->rows.lower[i] = friction_bound(program->given_lower[i]) * factor;
        program->rows.upper[i] = friction_bound(program->given_upper[i]) * factor;
    }
}

void judge(FrictionProgram *program) {
    int n = program->n, m = program->m, k = program->n_equations, extended = program->n_extended;
    FrictionRows *rows = &program->rows;
    double *y = program->work, *w = program->w;
    memset(y, 0, (size_t)extended * sizeof(double));
    for (int i = 0; i < m; i++)
        if (program->multipliers[i] != 0)
            add_sparse_multiple(&program->entries, i, program->multipliers[i], y);
    memcpy(program->y, y, (size_t)n * sizeof(double));
    double scale = program->scale = fmax(size_of_rows(program) + norm(n, y), DBL_MIN), largest = 0, largest_of_contacts = -1;
    for (int i = 0; i < m; i++) {
        w[i] = sparse_dot(&program->entries, i, y) + program->a[i];
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
