#define MOBOD_LANES MOBOD_WIDTH /* of this library */
#include "lanes_friction_rows.h"

#include "vectors.h"

#include <float.h>
#include <string.h>

void map_naturally(const FrictionInLanes *part, const Number *z, const Number *w, Number *r) {
    for (int i = 0; i < part->n_boxes; i++) {
        const Number x = z[i] - w[i];
        r[i] = number_where(number_less(x, part->lower[i]), z[i] - part->lower[i],
                            number_where(number_less(part->upper[i], x), z[i] - part->upper[i], w[i]));
    }
    for (int k = part->n_boxes; k < part->m; k += 3) {
        const Number mu = part->limit[part->row_of[k]], x[2] = {z[k + 1] - w[k + 1], z[k + 2] - w[k + 2]};
        const Number limit = mu * number_max(z[k] - w[k], NUMBER(0.0)), length = number_sqrt(x[0] * x[0] + x[1] * x[1]);
        const Number slips = number_less(limit, length);
        r[k] = number_min(z[k], w[k]);
        for (int i = 0; i < 2; i++)
            r[k + 1 + i] = number_where(slips, z[k + 1 + i] - limit / length * x[i], w[k + 1 + i]);
    }
}

void find_changes_of_part(const FrictionInLanes *part, const Number *dz, Number *dw) {
    const int m = part->m;
    memset(dw, 0, (size_t)m * sizeof(Number));
    for (int i = 0; i < m; i++)
        if (number_any(dz[i]))
            add_multiple_apart(m, dw, dz[i], part->A + i * m);
}

void find_rates_of_part(const FrictionInLanes *part, const Number *z, Number *w) {
    find_changes_of_part(part, z, w);
    for (int i = 0; i < part->m; i++)
        w[i] += part->a[i];
}

Number residual_of(FrictionInLanes *part, const Number *z, const Number *w) {
    const int m = part->m;
    Number square = NUMBER(0.0), largest = DBL_EPSILON * largest_number(z, m);
    map_naturally(part, z, w, part->r);
    for (int i = 0; i < m; i++)
        square += z[i] * (w[i] - part->a[i]);
    const Number scale = number_max(part->size + number_sqrt(number_max(square, NUMBER(0.0))), NUMBER(DBL_MIN));
    for (int i = 0; i < m; i++) {
        const Number own = number_abs(part->r[i]);
        largest = number_where(number_less_equal(own, largest), largest, own);
    }
    return number_where(number_is_finite(scale), largest / scale, NUMBER(INFINITY));
}

Number eliminate_symmetric(int n, Number *M, Number *b) {
    Number is_positive = NUMBER(1.0);
    for (int k = 0; k < n; k++) {
        const Number *row = M + k * n;
        is_positive = number_and(is_positive, number_less(NUMBER(0.0), row[k]));
        const Number inverse = 1.0 / row[k];
        for (int i = k + 1; i < n; i++) {
            const Number factor = row[i] * inverse;
            if (!number_any(factor))
                continue;
            add_multiple_apart(n - i, M + i * n + i, -factor, row + i);
            b[i] -= factor * b[k];
        }
    }
    for (int k = n - 1; k >= 0; k--)
        b[k] = (b[k] - dot(n - k - 1, M + k * n + k + 1, b + k + 1)) / M[k * n + k];
    return is_positive;
}
