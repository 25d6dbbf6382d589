#include "cold_starts.h"

#include "gjk.h"

#include <stddef.h>

static const double SHIFT = 0.1,    /* of the size: how far the shapes are moved apart, beyond their overlap */
    SAME = 1e-15,                   /* 1 - cosine of directions that count as the same */
    LEAST_SHIFT = 1e-6, LESS = 0.5, /* of the size, and of a shift before: that of a second part of a climb */
    SMALL_GAIN = 1e-6,              /* of the size: where the second part begins */
    GAIN = 1e-14,                   /* of the size: a climb ends where f grows by less */
    SIMILAR = 0.95;                 /* cosine of directions of which one start is enough */

enum { MOST_CLIMBS = 50 };

/* the square of the distance of the nearest points of a simplex, across n */
static double squared_across(const Simplex *simplex, const double *n) {
    double a[3], b[3], ab[3];
    points_of_simplex(simplex, a, b);
    subtract3(ab, b, a);
    add3(ab, -dot3(n, ab), n);
    return dot3(ab, ab);
}

double climb_to_normal(ConvexPair *pair, double *n, Simplex *simplex) {
    /* until a search succeeds, the support points */
    SimplexVertex *first = &simplex->vertices[0];
    support_of_1(pair, n, first->a);
    support_of_2(pair, n, first->b);
    first->vertex1 = pair->vertex1;
    first->vertex2 = pair->vertex2;
    simplex->n = 1;
    simplex->weights[0] = 1;
    double best = separation_along(pair, n), apart = SHIFT * pair->size;
    for (int climb = 0; climb < MOST_CLIMBS; climb++) {
        double shift[3], next[3];
        Simplex trial;
        scale3(shift, apart + (best < 0 ? -best : 0), n);
        copy3(next, n);
        if (find_cores_apart(pair, shift, next, (double)INFINITY, &trial) != CORES_APART)
            break;
        normalize3(next);
        double separation = separation_along(pair, next), gain = separation - best;
        if (climb && gain < -GAIN * pair->size) {
            /* n is the best, to round-off; the simplex may be that of a shift along another direction */
            if (squared_across(&trial, n) < squared_across(simplex, n))
                *simplex = trial;
            break;
        }
        int is_same = 1 - dot3(n, next) <= SAME;
        *simplex = trial;
        copy3(n, next);
        best = separation;
        /* where corners overlap, n leaves what is no maximum by 1 + overlap / shift a climb: by little, until the shift is small as well */
        double less = fmax(-best, LEAST_SHIFT * pair->size);
        int has_less = best < 0 && less < LESS * apart;
        if (!is_same && (!climb || gain > (has_less ? SMALL_GAIN : GAIN) * pair->size))
            continue;
        if (!has_less)
            break;
        apart = less;
    }
    return best;
}

typedef struct {
    int n;
    double directions[MOST_STARTS][3], values[MOST_STARTS];
} Starts;

/* Keep a direction if it is one of the best; of similar ones the better. */
static void offer(ConvexPair *pair, Starts *starts, const double *direction) {
    double value = separation_along(pair, direction);
    int at = starts->n;
    for (int k = 0; k < starts->n; k++)
        if (dot3(starts->directions[k], direction) > SIMILAR) {
            if (value <= starts->values[k])
                return;
            at = k;
            break;
        }
    if (at == starts->n) {
        if (at < MOST_STARTS)
            starts->n++;
        else if (value > starts->values[at - 1])
            at--;
        else
            return;
    }
    for (; at > 0 && value > starts->values[at - 1]; at--) {
        starts->values[at] = starts->values[at - 1];
        copy3(starts->directions[at], starts->directions[at - 1]);
    }
    starts->values[at] = value;
    copy3(starts->directions[at], direction);
}

/* the normals of a hull; R turns them to frame 1, NULL: they are there */
static void offer_normals(ConvexPair *pair, Starts *starts, const Hull *hull, const double *R) {
    double n[3];
    for (int face = 0; face < hull->n_faces; face++) {
        const double *normal = hull->normals + 3 * face;
        if (R) {
            rotate3(n, R, normal);
            scale3(n, -1, n);
        }
        offer(pair, starts, R ? n : normal);
    }
}

/* the directions from the middle of a cube to its faces, edges and corners; R turns them to frame 1, NULL: they are there */
static void offer_cube(ConvexPair *pair, Starts *starts, const double *R) {
    double n[3], turned[3];
    for (int x = -1; x <= 1; x++)
        for (int y = -1; y <= 1; y++)
            for (int z = -1; z <= 1; z++) {
                set3(n, x, y, z);
                if (normalize3(n) == 0)
                    continue;
                if (R)
                    rotate3(turned, R, n);
                offer(pair, starts, R ? turned : n);
            }
}

static void find_starts(ConvexPair *pair, Starts *starts) {
    double direction[3];
    starts->n = 0;
    copy3(direction, pair->p);
    if (normalize3(direction) > 0)
        offer(pair, starts, direction);
    offer_cube(pair, starts, NULL);
    offer_cube(pair, starts, pair->R);
    if (pair->shape1->core == CORE_HULL)
        offer_normals(pair, starts, pair->shape1->hull, NULL);
    if (pair->shape2->core == CORE_HULL)
        offer_normals(pair, starts, pair->shape2->hull, pair->R);
}

double climb_from_starts(ConvexPair *pair, double *n, int is_known, double deep, int most, Simplex *simplex) {
    Starts starts;
    double best = -(double)INFINITY;
    if (is_known) {
        best = climb_to_normal(pair, n, simplex);
        if (best >= -deep)
            return best;
    }
    find_starts(pair, &starts);
    for (int k = 0; k < starts.n && k < most; k++) {
        Simplex trial;
        double separation = climb_to_normal(pair, starts.directions[k], &trial);
        if (separation > best) {
            best = separation;
            copy3(n, starts.directions[k]);
            *simplex = trial;
        }
    }
    return best;
}
