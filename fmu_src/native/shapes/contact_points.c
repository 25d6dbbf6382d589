#include "contact_points.h"

#include "cold_starts.h"
#include "curvature.h"
#include "manifold.h"
#include "pair_steps.h"

static const double ABOUT_ONE = 1e-6; /* difference of the squared length of a hint's normal from 1 */
enum { FEW_STARTS = 5 };              /* of a search for the least depth beside the last normal */
static const double SEVERAL = 1e-2;   /* of the size, see ConvexPair.deep */
static const double DEEP = 1e-3;      /* of the size: deeper than this, the last normal may not be the best one */

void begin_pair(ConvexPair *pair, const ConvexShape *shape1, const Placement *X1, const ConvexShape *shape2, const Placement *X2) {
    double between[3], column[3], turned[3];
    pair->shape1 = shape1;
    pair->shape2 = shape2;
    for (int j = 0; j < 3; j++) {
        set3(column, X2->R[j], X2->R[3 + j], X2->R[6 + j]);
        rotate_back3(turned, X1->R, column);
        for (int i = 0; i < 3; i++)
            pair->R[3 * i + j] = turned[i];
    }
    subtract3(between, X2->p, X1->p);
    rotate_back3(pair->p, X1->R, between);
    pair->size = fmin(shape1->size, shape2->size);
    pair->rounding = shape1->rounding + shape2->rounding;
    pair->deep = SEVERAL * pair->size;
    pair->most_starts = MOST_STARTS;
}

/* the normal of a point in frame 1 */
static void normal_of_point(const ConvexPair *pair, const double *R1, const ContactPoint *point, double *n) {
    double edge[3];
    copy3(n, point->m);
    switch ((PointKind)point->kind) {
    case POINT_ABSENT:
    case POINT_ON_FACE_OF_1:
        break;
    case POINT_ON_FACE_OF_2:
        rotate3(n, pair->R, point->m);
        break;
    case POINT_ON_EDGES:
        rotate3(edge, pair->R, point->e);
        cross3(n, point->m, edge);
        normalize3(n);
        break;
    case POINT_FREE:
        rotate_back3(n, R1, point->m);
        break;
    }
}

/* The radius of curvature of each surface; a face has none but that of its rounding. */
static void set_radii(const ConvexPair *pair, const double *R1, const double *turning, ContactPoint *point) {
    double n[3], m2[3], core[3], turning2[3];
    normal_of_point(pair, R1, point, n);
    towards_1(pair, n, m2);
    rotate_back3(turning2, pair->R, turning);
    point->radius[0] = pair->shape1->rounding;
    point->radius[1] = pair->shape2->rounding;
    if (is_curved(pair->shape1) && point->kind != POINT_ON_FACE_OF_1) {
        copy3(core, point->a);
        add3(core, -pair->shape1->rounding, n);
        point->radius[0] += radius_of_core(pair->shape1, core, n, turning);
    }
    if (is_curved(pair->shape2) && point->kind != POINT_ON_FACE_OF_2) {
        copy3(core, point->b);
        add3(core, -pair->shape2->rounding, m2);
        point->radius[1] += radius_of_core(pair->shape2, core, m2, turning2);
    }
}

int finish_points(const ConvexPair *pair, const Placement *X1, const double *turning, ContactPoints *found) {
    double n[3];
    copy3(n, found->normal);
    rotate3(found->normal, X1->R, n);
    for (int k = 0; k < found->n; k++)
        set_radii(pair, X1->R, turning, &found->points[k]);
    return found->n;
}

/* whether shapes may overlap as much along normals far from each other, at small depths */
static int has_corners(const ConvexShape *shape) {
    return shape->core != CORE_POINT && shape->core != CORE_SEGMENT && shape->core != CORE_ELLIPSOID;
}

/* a number of a hint as that of a vertex; -1: there is no such vertex */
static int vertex_of(const ConvexShape *shape, double number) {
    int n = shape->hull ? shape->hull->n_vertices : 8;
    return number >= 0 && number < n ? (int)number : -1;
}

int read_vertices(const double *hint, ConvexPair *pair) {
    pair->vertex1 = vertex_of(pair->shape1, hint[3]);
    pair->vertex2 = vertex_of(pair->shape2, hint[4]);
    if (pair->vertex1 >= 0 && pair->vertex2 >= 0)
        return 1;
    pair->vertex1 = pair->vertex2 = 0;
    return 0;
}

/* The hint: the normal, two vertices, and whether they are set. Returns the latter. It may come from a file: without sense it is not set.
 */
static int read_hint(const double *hint, ConvexPair *pair, double *n) {
    int has_vertices = read_vertices(hint, pair);
    if (hint[5] == 1 && has_vertices && fabs(dot3(hint, hint) - 1) < ABOUT_ONE) {
        copy3(n, hint);
        return 1;
    }
    pair->vertex1 = pair->vertex2 = 0;
    copy3(n, pair->p);
    if (!(normalize3(n) > 0))
        set3(n, 0, 0, 1);
    return 0;
}

static void write_hint(double *hint, const ConvexPair *pair, const double *n) {
    copy3(hint, n);
    hint[3] = pair->vertex1;
    hint[4] = pair->vertex2;
    hint[5] = 1;
}

/* On a face that faces along the last normal n, as what is at rest mostly is; the larger shape's face first. `separation` is that along n:
 * where the shapes overlap, a face along which they overlap more is not the answer. Returns 0 if the normal must be searched for. */
static int try_faces(ConvexPair *pair, const double *n, double separation, double reach, ContactPoints *found) {
    int second_first = pair->shape2->size > pair->shape1->size;
    for (int trial = 0; trial < 2; trial++) {
        FaceOutcome outcome = find_points_on_face(pair, (trial == 1) != second_first ? 2 : 1, n, reach, 0, found);
        if (outcome != NOT_ON_FACE && found->d >= separation - PREFERRED_FACE * pair->size)
            return 1;
    }
    found->n = 0;
    return 0;
}

int find_contact_points(const ConvexShape *shape1, const Placement *X1, const ConvexShape *shape2, const Placement *X2, double reach,
                        double *hint, const double *turning, ContactPoints *found) {
    ConvexPair pair;
    NearestCores nearest;
    double n[3];
    found->n = 0;
    int plane_of = shape1->core == CORE_HALF_SPACE ? 1 : shape2->core == CORE_HALF_SPACE ? 2 : 0;
    if (plane_of && shape1->core == shape2->core)
        return 0;
    begin_pair(&pair, shape1, X1, shape2, X2);
    if (found->must_be_least && (has_corners(shape1) || has_corners(shape2))) {
        pair.deep = DEEP * pair.size;
        pair.most_starts = FEW_STARTS;
    }
    int is_known = read_hint(hint, &pair, n);
    /* over a half-space its normal is the normal */
    if (plane_of) {
        set3(n, 0, 0, 1);
        if (plane_of == 2)
            set3(n, -pair.R[2], -pair.R[5], -pair.R[8]);
        find_points_on_face(&pair, plane_of, n, reach, 1, found);
        write_hint(hint, &pair, n);
        return finish_points(&pair, X1, turning, found);
    }
    /* far by the balls that hold the shapes, or along the last normal */
    double together = shape1->size + shape2->size + reach;
    if (dot3(pair.p, pair.p) > together * together)
        return 0;
    if (is_known) {
        double separation = separation_along(&pair, n) - pair.rounding;
        if (separation > reach)
            return 0;
        if (separation > -DEEP * pair.size && try_faces(&pair, n, separation, reach, found)) {
            write_hint(hint, &pair, found->normal);
            return finish_points(&pair, X1, turning, found);
        }
    }
    int is_near = find_nearest_cores(&pair, reach + pair.rounding, n, is_known, &nearest);
    write_hint(hint, &pair, n);
    if (!is_near)
        return 0;
    if (nearest.face_of)
        find_points_on_face(&pair, nearest.face_of, nearest.face_normal, reach, 1, found);
    if (!found->n)
        find_points_beside_faces(&pair, &nearest, X1->R, reach, found);
    write_hint(hint, &pair, found->normal);
    return finish_points(&pair, X1, turning, found);
}
