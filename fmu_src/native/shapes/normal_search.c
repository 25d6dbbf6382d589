#include "normal_search.h"

#include "cold_starts.h"
#include "curved_normal.h"
#include "gjk.h"
#include "separating_axes.h"
#include "shape_features.h"

/* lengths in sizes. v / |v| is round-off where the vector v between the nearest points is short: polyhedra and curved shapes that are
 * nearer than this are moved apart; below TOUCHING v says nothing. */
static const double NEAR_POLYHEDRA = 1e-4, NEAR_CURVED = 1e-3, TOUCHING = 1e-9;
static const double PARALLEL = 1e-6, /* sine of the angle between edges that have no normal of their own */
    SAME_NORMAL = 1e-6;              /* 1 - cosine of the angle between a normal and that of the edges it belongs to */

/* the features on which the points of the simplex lie, and the directions of its edges */
static void describe(const ConvexPair *pair, const Simplex *simplex, NearestCores *nearest) {
    int of[2][4] = {{0}, {0}}, n[2] = {0, 0}, first[2] = {0, 0}, last[2] = {0, 0};
    for (int k = 0; k < simplex->n; k++)
        for (int shape = 0; shape < 2; shape++) {
            int vertex = shape ? simplex->vertices[k].vertex2 : simplex->vertices[k].vertex1, is_new = 1;
            for (int i = 0; i < n[shape]; i++)
                is_new &= of[shape][i] != vertex;
            if (!is_new)
                continue;
            if (!n[shape])
                first[shape] = k;
            last[shape] = k;
            of[shape][n[shape]++] = vertex;
        }
    nearest->on[0] = number_spanned(pair->shape1, n[0], of[0]);
    nearest->on[1] = number_spanned(pair->shape2, n[1], of[1]);
    nearest->has_edges = n[0] == 2 && n[1] == 2 && !is_curved(pair->shape1) && !is_curved(pair->shape2);
    if (!nearest->has_edges)
        return;
    double edge2[3];
    subtract3(nearest->edge1, simplex->vertices[last[0]].a, simplex->vertices[first[0]].a);
    subtract3(edge2, simplex->vertices[last[1]].b, simplex->vertices[first[1]].b);
    normalize3(nearest->edge1);
    normalize3(edge2);
    rotate_back3(nearest->edge2, pair->R, edge2);
}

/* The normal of two edges, exactly, unless they are parallel or are not those that touch. It has the sign of n. */
static void follow_edges(const ConvexPair *pair, NearestCores *nearest) {
    double edge2[3], n[3];
    rotate3(edge2, pair->R, nearest->edge2);
    cross3(n, nearest->edge1, edge2);
    double sine = normalize3(n), cosine = dot3(n, nearest->n);
    if (sine < PARALLEL || fabs(cosine) < 1 - SAME_NORMAL) {
        nearest->has_edges = 0;
        return;
    }
    if (cosine < 0) {
        scale3(nearest->edge1, -1, nearest->edge1);
        scale3(n, -1, n);
    }
    copy3(nearest->n, n);
}

/* The normal of a face, if the shapes are as far apart along it. The normals of the larger shape are tried first. */
static void find_face(ConvexPair *pair, NearestCores *nearest) {
    int second_first = pair->shape2->size > pair->shape1->size;
    for (int trial = 0; trial < 2; trial++) {
        int of = (trial == 1) != second_first ? 2 : 1;
        double m[3], normal[3];
        if (of == 1) {
            if (!normal_of_face_along(pair->shape1, nearest->n, pair->vertex1, normal))
                continue;
        } else {
            towards_1(pair, nearest->n, m);
            if (!normal_of_face_along(pair->shape2, m, pair->vertex2, m))
                continue;
            rotate3(normal, pair->R, m);
            scale3(normal, -1, normal);
        }
        if (separation_along(pair, normal) >= nearest->d - PREFERRED_FACE * pair->size) {
            copy3(nearest->face_normal, normal);
            nearest->face_of = of;
            return;
        }
    }
}

/* Two boxes that touch or overlap, or whose nearest points lie on the edges of the axis. Returns 0 if these must be searched for. */
static int use_box_axis(ConvexPair *pair, const BoxAxis *axis, NearestCores *nearest) {
    int is_touching = axis->d <= TOUCHING * pair->size;
    copy3(nearest->n, axis->n);
    nearest->d = axis->d;
    nearest->face_of = axis->face_of;
    copy3(nearest->face_normal, axis->n);
    nearest->has_edges = 0;
    if (axis->face_of && !is_touching)
        return 0;
    if (axis->face_of) { /* the points follow from the face; these are near them */
        support_of_1(pair, axis->n, nearest->a);
        support_of_2(pair, axis->n, nearest->b);
        nearest->on[0] = pair->vertex1;
        nearest->on[1] = pair->vertex2;
        return 1;
    }
    if (!points_of_box_edges(pair, axis, nearest->a, nearest->b) && !is_touching)
        return 0;
    int ends1[2] = {pair->vertex1, pair->vertex1 ^ 1 << axis->edge1}, ends2[2] = {pair->vertex2, pair->vertex2 ^ 1 << axis->edge2};
    nearest->on[0] = number_spanned(pair->shape1, 2, ends1);
    nearest->on[1] = number_spanned(pair->shape2, 2, ends2);
    nearest->has_edges = 1;
    set3(nearest->edge1, axis->edge1 == 0, axis->edge1 == 1, axis->edge1 == 2);
    set3(nearest->edge2, axis->edge2 == 0, axis->edge2 == 1, axis->edge2 == 2);
    follow_edges(pair, nearest);
    return 1;
}

/* The normal and the simplex of the nearest points by the searches; sets d. Returns 0 if the cores are far. */
static int search(ConvexPair *pair, double far, double *n, int is_known, double near, Simplex *simplex, double *d) {
    static const double no_shift[3] = {0, 0, 0};
    double v[3];
    copy3(v, n);
    Apartness apartness = find_cores_apart(pair, no_shift, v, far, simplex);
    double length = apartness == CORES_OVERLAP ? 0 : normalize3(v);
    if (length >= TOUCHING * pair->size)
        copy3(n, v);
    if (apartness == CORES_FAR)
        return 0;
    if (length < TOUCHING * pair->size)
        *d = climb_from_starts(pair, n, is_known, pair->deep, is_known ? pair->most_starts : MOST_STARTS, simplex);
    else if (length < near * pair->size)
        *d = climb_to_normal(pair, n, simplex);
    else
        *d = separation_along(pair, n);
    return 1;
}

/* The same for curved shapes: by Newton's method from the last normal; or from a short search; or by a long search where it fails. */
static int search_curved(ConvexPair *pair, double far, double *n, int is_known, Simplex *simplex, NearestCores *nearest) {
    if (is_known) {
        copy3(nearest->n, n);
        guess_simplex(pair, n, simplex);
        if (improve_curved_normal(pair, simplex, nearest->n, nearest->a, nearest->b)) {
            nearest->d = separation_along(pair, nearest->n);
            if (nearest->d >= -pair->deep)
                return 1;
        }
    }
    for (int trial = 0; trial < 2; trial++) {
        pair->gap = trial == 0 ? COARSE_GAP : FINE_GAP;
        if (!search(pair, far, n, is_known || trial, NEAR_CURVED, simplex, &nearest->d))
            return 0;
        copy3(nearest->n, n);
        points_of_simplex(simplex, nearest->a, nearest->b);
        if (improve_curved_normal(pair, simplex, nearest->n, nearest->a, nearest->b)) {
            nearest->d = separation_along(pair, nearest->n);
            return 1;
        }
    }
    return 1;
}

int find_nearest_cores(ConvexPair *pair, double far, double *n, int is_known, NearestCores *nearest) {
    BoxAxis axis;
    Simplex simplex;
    pair->gap = FINE_GAP;
    if (pair->shape1->core == CORE_BOX && pair->shape2->core == CORE_BOX) {
        if (!find_box_axis(pair, far, &axis))
            return 0;
        copy3(n, axis.n);
        if (use_box_axis(pair, &axis, nearest)) {
            copy3(n, nearest->n);
            return 1;
        }
    }
    nearest->face_of = 0;
    if (is_curved(pair->shape1) || is_curved(pair->shape2)) {
        if (!search_curved(pair, far, n, is_known, &simplex, nearest))
            return 0;
    } else {
        if (!search(pair, far, n, is_known, NEAR_POLYHEDRA, &simplex, &nearest->d))
            return 0;
        copy3(nearest->n, n);
        points_of_simplex(&simplex, nearest->a, nearest->b);
    }
    describe(pair, &simplex, nearest);
    if (nearest->has_edges)
        follow_edges(pair, nearest);
    nearest->d = separation_along(pair, nearest->n);
    find_face(pair, nearest);
    copy3(n, nearest->n);
    return nearest->d <= far;
}
