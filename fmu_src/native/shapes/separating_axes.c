#include "separating_axes.h"

static const double PREFERRED = 1e-9; /* of the size: how much better an axis must be than one that is tried before it */
static const double PARALLEL = 1e-10; /* squared sine of edges that count as parallel: their faces separate as well */

/* keep the axis number `at` if its separation is better */
static void keep_better(BoxAxis *best, int *best_at, double *best_side, int at, double separation, double side, double preferred) {
    if (separation > best->d + preferred) {
        best->d = separation;
        *best_at = at;
        *best_side = side < 0 ? -1 : 1;
    }
}

int find_box_axis(const ConvexPair *pair, double far, BoxAxis *axis) {
    const double *a = pair->shape1->lengths, *b = pair->shape2->lengths, *t = pair->p, *R = pair->R;
    double B[9], t2[3], preferred = PREFERRED * pair->size, side = 1;
    int at = 0;
    rotate_back3(t2, R, t);
    for (int i = 0; i < 9; i++)
        B[i] = fabs(R[i]);
    axis->d = -(double)INFINITY;
    /* faces, of the larger box first */
    int second_first = pair->shape2->size > pair->shape1->size;
    for (int k = 0; k < 6; k++) {
        int i = k % 3, of_2 = (k >= 3) != second_first;
        double side_of_face = of_2 ? t2[i] : t[i];
        double separation = of_2 ? fabs(t2[i]) - b[i] - a[0] * B[i] - a[1] * B[3 + i] - a[2] * B[6 + i]
                                 : fabs(t[i]) - a[i] - b[0] * B[3 * i] - b[1] * B[3 * i + 1] - b[2] * B[3 * i + 2];
        if (separation > far)
            return 0;
        keep_better(axis, &at, &side, 3 * of_2 + i, separation, side_of_face, preferred);
    }
    /* normals to an edge of each: edge i of 1 is the unit vector i, edge j of 2 column j of R */
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int k = (i + 1) % 3, l = (i + 2) % 3, p = (j + 1) % 3, q = (j + 2) % 3;
            double squared_sine = R[3 * k + j] * R[3 * k + j] + R[3 * l + j] * R[3 * l + j];
            if (squared_sine < PARALLEL)
                continue;
            double along = t[l] * R[3 * k + j] - t[k] * R[3 * l + j];
            double extents = a[k] * B[3 * l + j] + a[l] * B[3 * k + j] + b[p] * B[3 * i + q] + b[q] * B[3 * i + p];
            double separation = (fabs(along) - extents) / sqrt(squared_sine);
            if (separation > far)
                return 0;
            keep_better(axis, &at, &side, 6 + 3 * i + j, separation, along, preferred);
        }
    axis->face_of = at < 3 ? 1 : at < 6 ? 2 : 0;
    axis->edge1 = at < 6 ? 0 : (at - 6) / 3;
    axis->edge2 = at < 6 ? 0 : (at - 6) % 3;
    double column[3] = {R[at % 3], R[3 + at % 3], R[6 + at % 3]}, unit[3] = {at == 0, at == 1, at == 2};
    if (axis->face_of) {
        scale3(axis->n, side, axis->face_of == 1 ? unit : column);
        return 1;
    }
    set3(unit, axis->edge1 == 0, axis->edge1 == 1, axis->edge1 == 2);
    set3(column, R[axis->edge2], R[3 + axis->edge2], R[6 + axis->edge2]);
    cross3(axis->n, unit, column);
    normalize3(axis->n);
    scale3(axis->n, side, axis->n);
    return 1;
}

/* Each line by its middle and direction; the vector between the points is normal to both. Source: Ericson (2005), 5.1.8. */
int points_of_box_edges(ConvexPair *pair, const BoxAxis *axis, double *a, double *b) {
    double middle2[3], x[3], m[3], r[3], along2[3];
    const double *R = pair->R;
    int i = axis->edge1, j = axis->edge2;
    support_of_1(pair, axis->n, a);
    a[i] = 0;
    towards_1(pair, axis->n, m);
    support_point(pair->shape2, m, &pair->vertex2, x);
    x[j] = 0;
    from_frame_2(pair, x, middle2);
    set3(along2, R[j], R[3 + j], R[6 + j]);
    subtract3(r, middle2, a);
    int k = (i + 1) % 3, l = (i + 2) % 3;
    double cosine = along2[i], squared_sine = along2[k] * along2[k] + along2[l] * along2[l], on1 = r[i], on2 = -dot3(r, along2);
    double s = (on1 + cosine * on2) / squared_sine, t = (on2 + cosine * on1) / squared_sine;
    a[i] = fmax(-pair->shape1->lengths[i], fmin(pair->shape1->lengths[i], s));
    x[j] = fmax(-pair->shape2->lengths[j], fmin(pair->shape2->lengths[j], t));
    from_frame_2(pair, x, b);
    return a[i] == s && x[j] == t;
}
