#include "manifold.h"

#include "clipping.h"

static const double MERGED = 1e-7;         /* of the size: points that are nearer to each other are one */
static const double PARALLEL = 1e-3;       /* sine of the angle between edges that touch along a line */
static const double NEARLY_PARALLEL = 0.1; /* the same of elastic edges */
static const double AT_REST = 1e-9;        /* of the size: how much deeper the point between two edges may be than their ends */

static const double OF_EDGE = 0.25, OF_SIDE = 0.5; /* the part of an elastic pair's stiffness that an end of an edge has, or of a side */

/* falls smoothly from 1 to 0, from x = `from` to `to` */
static double fading(double x, double from, double to) {
    const double t = fmin(1, fmax(0, (x - to) / (from - to)));
    return t * t * (3 - 2 * t);
}

/* of the cosine of the angle between two normals: 1 up to 6 degrees, 0 from 11 degrees on, where a feature is no face */
static double facing_by(double cosine) { return fading(cosine, 0.995, 0.982); }

/* what each end of an edge has of the stiffness of an elastic pair */
static double share_of_end(const ConvexShape *shape) { return shape->core == CORE_BOX || shape->core == CORE_HULL ? OF_EDGE : OF_SIDE; }

/* of an edge over a face: the same by the sine of the angle between them */
static double facing_of_edge(const Feature *face, const Feature *edge) {
    double along[3];
    subtract3(along, edge->corners[1].x, edge->corners[0].x);
    return fading(fabs(dot3(along, face->normal)) / length3(along), 0.1, 0.19);
}

/* the feature of a shape that faces along n, in frame 1; over_plane: with all corners that a box or a segment has */
static void feature_of_shape(ConvexPair *pair, int of, const double *n, int over_plane, Feature *feature) {
    double m[3], x[3];
    copy3(m, n);
    if (of == 2)
        rotate_back3(m, pair->R, n);
    int *vertex = of == 1 ? &pair->vertex1 : &pair->vertex2;
    const ConvexShape *shape = of == 1 ? pair->shape1 : pair->shape2;
    support_point(shape, m, vertex, x);
    feature_along(shape, m, *vertex, feature);
    if (over_plane)
        take_all_corners(shape, feature);
    if (of == 2)
        feature_to_frame_1(pair, feature);
}

/* a point of the other core at a depth over a face of shape `face_of` */
static ContactPoint point_over_face(const ConvexPair *pair, const Feature *face, int face_of, const CutCorner *corner) {
    double r_face = face_of == 1 ? pair->shape1->rounding : pair->shape2->rounding, r_other = pair->rounding - r_face;
    double on_face[3], on_other[3];
    ContactPoint result = {0}, *point = &result;
    copy3(on_other, corner->x);
    add3(on_other, -r_other, face->normal);
    copy3(on_face, corner->x);
    add3(on_face, r_face - corner->depth, face->normal);
    point->kind = face_of == 1 ? POINT_ON_FACE_OF_1 : POINT_ON_FACE_OF_2;
    copy3(point->a, face_of == 1 ? on_face : on_other);
    to_frame_2(pair, face_of == 1 ? on_other : on_face, point->b);
    scale3(point->m, face_of == 1 ? 1 : -1, face->own_normal);
    set3(point->e, 0, 0, 0);
    point->d = corner->depth - pair->rounding;
    point->share = corner->share;
    point->on[face_of - 1] = corner->other;
    point->on[2 - face_of] = corner->own;
    return result;
}

/* the point of the other core that is deepest over the plane of a face, at the height d */
static ContactPoint nearest_over_face(const ConvexPair *pair, const Feature *face, int face_of, const double *lowest, double d) {
    CutCorner corner = {.depth = d, .own = face_of == 1 ? pair->vertex2 : pair->vertex1, .other = face->number};
    copy3(corner.x, lowest);
    return point_over_face(pair, face, face_of, &corner);
}

/* the points over a face, of corners of the other feature whose depths are known */
static void add_points_over_face(const ConvexPair *pair, const Feature *face, const Feature *other, int face_of, CutCorner *corners, int n,
                                 double reach, ContactPoints *found) {
    int kept = 0;
    if (found->with_shares && is_flat(other)) {
        found->width = set_outline_shares(corners, n);
        found->end_share = OF_EDGE;
        const double facing = found->facing * facing_by(-dot3(face->normal, other->normal));
        for (int k = 0; k < n; k++)
            corners[k].share *= facing;
    } else if (found->with_shares && other->kind == FEATURE_EDGE) {
        found->end_share = share_of_end(face_of == 1 ? pair->shape2 : pair->shape1);
        found->facing *= facing_of_edge(face, other);
    }
    for (int k = 0; k < n; k++)
        if (found->with_shares || corners[k].depth - pair->rounding <= reach)
            corners[kept++] = corners[k];
    kept = reduce_corners(corners, kept, MERGED * pair->size, MOST_CONTACT_POINTS);
    for (int k = 0; k < kept; k++)
        found->points[found->n++] = point_over_face(pair, face, face_of, &corners[k]);
}

FaceOutcome find_points_on_face(ConvexPair *pair, int of, const double *n, double reach, int must, ContactPoints *found) {
    Feature face, other;
    CutCorner corners[MOST_CUT];
    double back[3], lowest[3], from_face[3], outward[3];
    scale3(outward, of == 1 ? 1 : -1, n);
    feature_of_shape(pair, of, outward, 0, &face);
    if (!is_flat(&face))
        return NOT_ON_FACE;
    /* the lowest point of the other core over the plane of the face */
    scale3(back, -1, face.normal);
    feature_of_shape(pair, 3 - of, back, face.kind == FEATURE_PLANE, &other);
    if (of == 1)
        support_of_2(pair, face.normal, lowest);
    else
        support_of_1(pair, back, lowest);
    subtract3(from_face, lowest, face.origin);
    double d = dot3(from_face, face.normal);
    scale3(found->normal, of == 1 ? 1 : -1, face.normal);
    found->d = d - pair->rounding;
    found->n = 0;
    found->facing = 1;
    if (d - pair->rounding > reach)
        return BEYOND_REACH;
    int count = cut_feature(&face, &other, PREFERRED_FACE * pair->size, corners);
    set_depths(&face, corners, count);
    if (!must && (!count || corners[deepest_corner(corners, count)].depth > d + PREFERRED_FACE * pair->size))
        return NOT_ON_FACE;
    add_points_over_face(pair, &face, &other, of, corners, count, reach, found);
    if (found->with_shares)
        found->nearest = nearest_over_face(pair, &face, of, lowest, d);
    return ON_FACE;
}

/* a point of each core, with the normal n in frame 1 and the depth along it */
static void set_point(const ConvexPair *pair, const double *R1, const double *n, const double *a, const double *b, ContactPoint *point) {
    double on2[3], between[3];
    subtract3(between, b, a);
    point->kind = POINT_FREE;
    point->d = dot3(between, n) - pair->rounding;
    copy3(point->a, a);
    add3(point->a, pair->shape1->rounding, n);
    copy3(on2, b);
    add3(on2, -pair->shape2->rounding, n);
    to_frame_2(pair, on2, point->b);
    rotate3(point->m, R1, n);
    set3(point->e, 0, 0, 0);
    point->share = 0;
}

/* the nearest points themselves */
static void set_nearest_point(const ConvexPair *pair, const NearestCores *nearest, const double *R1, ContactPoint *point) {
    set_point(pair, R1, nearest->n, nearest->a, nearest->b, point);
    point->on[0] = nearest->on[0];
    point->on[1] = nearest->on[1];
    if (nearest->has_edges && pair->rounding == 0) {
        point->kind = POINT_ON_EDGES;
        copy3(point->m, nearest->edge1);
        copy3(point->e, nearest->edge2);
    }
}

/* The common part of two edges that are parallel: the ends of it, on edge 2 with what is opposite on edge 1. Returns 0 if there is none. */
static int add_parallel_edges(const ConvexPair *pair, const Feature *edge1, const Feature *edge2, const NearestCores *nearest,
                              const double *R1, double reach, ContactPoints *found) {
    double along[3], other[3], across[3], from[3], x[3], on1[3];
    const double *origin = edge1->corners[0].x, *end = edge1->corners[1].x, *first = edge2->corners[0].x, *last = edge2->corners[1].x;
    subtract3(along, end, origin);
    subtract3(other, last, first);
    cross3(across, along, other);
    double length = dot3(along, along), slope = dot3(along, other);
    const double sine = sqrt(dot3(across, across) / (length * dot3(other, other)));
    if (sine > (found->with_shares ? NEARLY_PARALLEL : PARALLEL))
        return 0;
    found->facing = fading(sine, 0, NEARLY_PARALLEL);
    found->end_share = fmin(share_of_end(pair->shape1), share_of_end(pair->shape2));
    /* places on edge 1, from 0 to 1, of the ends of edge 2 */
    subtract3(from, first, origin);
    double start = dot3(from, along) / length, stop = start + slope / length;
    double least = fmax(0, fmin(start, stop)), most = fmin(1, fmax(start, stop));
    if (!((most - least) * sqrt(length) > MERGED * pair->size))
        return 0;
    for (int k = 0; k < 2; k++) {
        double place = k ? most : least, on_other = (place - start) / (stop - start);
        ContactPoint *point = &found->points[found->n];
        copy3(on1, origin);
        add3(on1, place, along);
        copy3(x, first);
        add3(x, on_other, other);
        set_point(pair, R1, nearest->n, on1, x, point);
        /* an end of edge 1 or else of edge 2 */
        int of_1 = place == (k ? 1 : 0);
        point->on[0] = of_1 ? edge1->corners[k].number : edge1->number;
        point->on[1] = of_1 ? edge2->number : edge2->corners[(stop > start) == k].number;
        found->n += found->with_shares || point->d <= reach;
    }
    return found->n;
}

/* A segment touches at two points: number_of_slots of engine/mobod/contact/slots.py has no more for it. */
static int most_points(const ConvexPair *pair) {
    return pair->shape1->core == CORE_SEGMENT || pair->shape2->core == CORE_SEGMENT ? 2 : MOST_CONTACT_POINTS;
}

/* Put the nearest point among the others: instead of that on the same features or in the same place, or of the one beside it if there are
 * `most`. */
static void include(ContactPoints *found, const ContactPoint *point, double near, int most) {
    int at = found->n, closest = 0;
    double least = (double)INFINITY, between[3];
    for (int k = 0; k < found->n; k++) {
        subtract3(between, found->points[k].a, point->a);
        if (dot3(between, between) < least) {
            least = dot3(between, between);
            closest = k;
        }
        if (found->points[k].on[0] == point->on[0] && found->points[k].on[1] == point->on[1])
            at = k;
    }
    if (at == found->n && (found->n == most || least <= near * near))
        at = closest;
    found->points[at] = *point;
    found->n += at == found->n;
}

void find_points_beside_faces(ConvexPair *pair, const NearestCores *nearest, const double *R1, double reach, ContactPoints *found) {
    Feature feature1, feature2;
    ContactPoint own;
    double back[3];
    scale3(back, -1, nearest->n);
    feature_of_shape(pair, 1, nearest->n, 0, &feature1);
    feature_of_shape(pair, 2, back, 0, &feature2);
    found->n = 0;
    copy3(found->normal, nearest->n);
    set_nearest_point(pair, nearest, R1, &own);
    found->nearest = own;
    found->d = own.d;
    found->facing = 1;
    if (feature1.kind == FEATURE_EDGE && feature2.kind == FEATURE_EDGE &&
        add_parallel_edges(pair, &feature1, &feature2, nearest, R1, reach, found)) {
        double least = found->points[0].d;
        for (int k = 1; k < found->n; k++)
            least = fmin(least, found->points[k].d);
        if (found->with_shares || least <= own.d + AT_REST * pair->size)
            return;
        /* the edges cross: their nearest points instead of the end beside them */
        if (found->n == 2) {
            double from[2], between[3];
            for (int k = 0; k < 2; k++) {
                subtract3(between, found->points[k].a, own.a);
                from[k] = dot3(between, between);
            }
            found->points[from[1] < from[0]] = own;
            return;
        }
    } else if ((is_flat(&feature1) && feature2.kind != FEATURE_POINT) || (is_flat(&feature2) && feature1.kind != FEATURE_POINT)) {
        /* what else of the faces, which are not parallel, is within reach */
        double towards1 = dot3(feature1.normal, nearest->n), towards2 = -dot3(feature2.normal, nearest->n);
        int second_first = pair->shape2->size > pair->shape1->size;
        double better = towards2 - towards1 + (second_first ? PREFERRED_FACE : -PREFERRED_FACE);
        int of = !is_flat(&feature1) || (is_flat(&feature2) && better > 0) ? 2 : 1;
        const Feature *face = of == 1 ? &feature1 : &feature2, *other = of == 1 ? &feature2 : &feature1;
        CutCorner corners[MOST_CUT];
        int count = cut_feature(face, other, PREFERRED_FACE * pair->size, corners);
        set_depths(face, corners, count);
        found->facing = facing_by(of == 1 ? towards1 : towards2);
        add_points_over_face(pair, face, other, of, corners, count, reach, found);
    }
    if (!found->with_shares || found->n == 0)
        include(found, &own, MERGED * pair->size, most_points(pair));
}
