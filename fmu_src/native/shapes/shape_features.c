#include "shape_features.h"

static const double FACING = 0.98,  /* cosine of the angle between a face's normal and a direction that it faces */
    BESIDE = 0.2;                   /* sine of the angle between an edge's normals and a direction that it faces */
static const double UPRIGHT = 1e-6; /* sine of the angle below which the lowest point of a rim is not determined */

/* numbers of features of a box: vertices from 0, edges from 8, faces from 20 */
static int box_edge(int vertex, int axis) {
    int first = vertex >> (axis + 1) % 3 & 1, second = vertex >> (axis + 2) % 3 & 1;
    return 8 + 4 * axis + 2 * first + second;
}

static int box_face(int axis, int is_negative) { return 20 + 2 * axis + is_negative; }

/* of a segment: its ends are 0 and 1; of cylinders and cones: a rim or a tip is 0 and 1, too */
enum { NUMBER_OF_SIDE = 2, NUMBER_OF_CAP = 3, NUMBER_OF_RIM = 5, NUMBER_OF_CROSSING = NUMBER_OF_RIM + 2 * RIM_POINTS };

/* numbers of features of a hull: vertices, then edges as the smaller vertex lists its neighbours, then faces */
static int hull_edge(const Hull *hull, int i, int j) {
    int least = i < j ? i : j, other = i < j ? j : i, k = hull->first_neighbour[least];
    while (k < hull->first_neighbour[least + 1] - 1 && hull->neighbours[k] != other)
        k++;
    return hull->n_vertices + k;
}

static int hull_face(const Hull *hull, int face) { return hull->n_vertices + hull->first_neighbour[hull->n_vertices] + face; }

static void set_corner(Feature *feature, const double *x, int number, int edge) {
    FeatureCorner *corner = &feature->corners[feature->n++];
    copy3(corner->x, x);
    corner->number = number;
    corner->edge = edge;
}

static void box_corner(const ConvexShape *box, int vertex, double *x) {
    for (int i = 0; i < 3; i++)
        x[i] = box_coordinate(box, vertex, i);
}

int faces_along(double part) { return fabs(part) > FACING; }

static int largest_axis(const double *m) {
    int axis = fabs(m[0]) > fabs(m[1]) ? 0 : 1;
    return fabs(m[2]) > fabs(m[axis]) ? 2 : axis;
}

static void feature_of_box(const ConvexShape *box, const double *m, Feature *feature) {
    int k = largest_axis(m), i = (k + 1) % 3, j = (k + 2) % 3, is_negative = m[k] < 0;
    double x[3];
    if (faces_along(m[k])) {
        feature->kind = FEATURE_FACE;
        feature->number = box_face(k, is_negative);
        feature->normal[k] = is_negative ? -1 : 1;
        /* counterclockwise about the outward normal: the other way round on the negative side */
        static const int signs[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
        for (int c = 0; c < 4; c++) {
            int here = is_negative ? 4 - c : c, next = is_negative ? here - 1 : here + 1;
            int vertex = is_negative << k | signs[here][0] << i | signs[here][1] << j;
            box_corner(box, vertex, x);
            set_corner(feature, x, vertex, box_edge(vertex, signs[here][0] != signs[next][0] ? i : j));
        }
        copy3(feature->origin, feature->corners[0].x);
        return;
    }
    int axis = fabs(m[i]) < fabs(m[j]) ? i : j, vertex = (m[0] < 0) | (m[1] < 0) << 1 | (m[2] < 0) << 2;
    int edge = box_edge(vertex, axis);
    box_corner(box, vertex, x);
    set_corner(feature, x, vertex, edge);
    feature->number = vertex;
    if (fabs(m[axis]) < BESIDE) {
        x[axis] = -x[axis];
        set_corner(feature, x, vertex ^ 1 << axis, edge);
        feature->kind = FEATURE_EDGE;
        feature->number = edge;
    }
}

/* Points of the rim at the end z, 45 degrees from each other; the first one is the farthest along m. */
static void set_disc(const ConvexShape *shape, const double *m, int end, Feature *feature) {
    double across = sqrt(m[0] * m[0] + m[1] * m[1]), half_root = 0.70710678118654752, turn = end ? 1 : -1;
    double x = across > UPRIGHT ? m[0] / across : 1, y = across > UPRIGHT ? m[1] / across : 0;
    feature->kind = FEATURE_DISC;
    feature->number = NUMBER_OF_CAP + end;
    feature->entering = NUMBER_OF_CROSSING + 2 * end;
    feature->leaving = feature->entering + 1;
    feature->radius = shape->lengths[0];
    set3(feature->normal, 0, 0, turn);
    set3(feature->origin, 0, 0, turn * shape->lengths[2]);
    set3(feature->u, 1, 0, 0);
    set3(feature->v, 0, turn, 0);
    for (int k = 0; k < RIM_POINTS; k++) {
        double point[3] = {feature->radius * x, feature->radius * y, feature->origin[2]}, turned = half_root * (x - turn * y);
        set_corner(feature, point, NUMBER_OF_RIM + RIM_POINTS * end + k, end);
        y = half_root * (y + turn * x);
        x = turned;
    }
}

/* the part along the axis of the outward normals of the side of a cone */
static double rise_of_side(const ConvexShape *cone) {
    double radius = cone->lengths[0], half_length = cone->lengths[2];
    return radius / sqrt(radius * radius + 4 * half_length * half_length);
}

/* The side is a line that faces along m, from the rim at the lower end to the upper one, or to the tip. */
static void feature_of_revolution(const ConvexShape *shape, const double *m, Feature *feature) {
    int is_cone = shape->core == CORE_CONE;
    double radius = shape->lengths[0], half_length = shape->lengths[2], across = sqrt(m[0] * m[0] + m[1] * m[1]);
    double rise = is_cone ? rise_of_side(shape) : 0;
    if (faces_along(m[2]) && (m[2] < 0 || !is_cone)) {
        set_disc(shape, m, m[2] > 0, feature);
    } else if (across > 0 && fabs(m[2] - rise) < BESIDE) {
        double x[3] = {radius * (m[0] / across), radius * (m[1] / across), -half_length};
        feature->kind = FEATURE_EDGE;
        feature->number = NUMBER_OF_SIDE;
        set_corner(feature, x, 0, NUMBER_OF_SIDE);
        if (is_cone)
            set3(x, 0, 0, half_length);
        x[2] = half_length;
        set_corner(feature, x, 1, NUMBER_OF_SIDE);
    }
}

static void feature_of_hull(const Hull *hull, const double *m, int vertex, Feature *feature) {
    int face = face_along(hull, m, vertex);
    const double *normal = hull->normals + 3 * face;
    if (dot3(normal, m) > FACING) {
        int first = hull->first_corner[face], n = hull->first_corner[face + 1] - first, taken = n < MOST_CORNERS ? n : MOST_CORNERS;
        const int *corners = hull->corners + first;
        feature->kind = FEATURE_FACE;
        feature->number = hull_face(hull, face);
        copy3(feature->normal, normal);
        for (int k = 0; k < taken; k++) {
            int here = (int)((long long)k * n / taken), next = here + 1 < n ? here + 1 : 0;
            set_corner(feature, hull->vertices + 3 * corners[here], corners[here], hull_edge(hull, corners[here], corners[next]));
        }
        copy3(feature->origin, feature->corners[0].x);
        return;
    }
    const double *x = hull->vertices + 3 * vertex;
    double least = BESIDE, edge[3];
    int other = -1;
    for (int k = hull->first_neighbour[vertex]; k < hull->first_neighbour[vertex + 1]; k++) {
        subtract3(edge, x, hull->vertices + 3 * hull->neighbours[k]);
        double drop = dot3(edge, m) / length3(edge);
        if (drop < least) {
            least = drop;
            other = hull->neighbours[k];
        }
    }
    if (other < 0)
        return;
    feature->kind = FEATURE_EDGE;
    feature->number = hull_edge(hull, vertex, other);
    set_corner(feature, x, vertex, feature->number);
    set_corner(feature, hull->vertices + 3 * other, other, feature->number);
}

int take_all_corners(const ConvexShape *shape, Feature *feature) {
    double x[3];
    if (shape->core != CORE_BOX && shape->core != CORE_SEGMENT)
        return 0;
    feature->n = 0;
    for (int vertex = 0; vertex < (shape->core == CORE_BOX ? 8 : 2); vertex++) {
        box_corner(shape, vertex, x);
        if (shape->core == CORE_SEGMENT)
            set3(x, 0, 0, vertex ? shape->lengths[2] : -shape->lengths[2]);
        set_corner(feature, x, vertex, vertex);
    }
    return 1;
}

void feature_along(const ConvexShape *shape, const double *m, int vertex, Feature *feature) {
    feature->kind = FEATURE_POINT;
    feature->n = feature->number = 0;
    set3(feature->normal, 0, 0, 0);
    switch (shape->core) {
    case CORE_BOX:
        feature_of_box(shape, m, feature);
        break;
    case CORE_CYLINDER:
    case CORE_CONE:
        feature_of_revolution(shape, m, feature);
        break;
    case CORE_SEGMENT:
        if (fabs(m[2]) < BESIDE) {
            feature->kind = FEATURE_EDGE;
            feature->number = NUMBER_OF_SIDE;
            for (int end = 0; end < 2; end++)
                set_corner(feature, (double[]){0, 0, end ? shape->lengths[2] : -shape->lengths[2]}, end, NUMBER_OF_SIDE);
        }
        break;
    case CORE_HULL:
        feature_of_hull(shape->hull, m, vertex, feature);
        break;
    case CORE_HALF_SPACE:
        feature->kind = FEATURE_PLANE;
        set3(feature->normal, 0, 0, 1);
        set3(feature->origin, 0, 0, 0);
        break;
    case CORE_POINT:
    case CORE_ELLIPSOID:
    case CORE_TERRAIN:
        break;
    }
    if (feature->kind == FEATURE_POINT && !feature->n) {
        double x[3];
        support_point(shape, m, &vertex, x);
        feature->number = shape->core == CORE_POINT || shape->core == CORE_ELLIPSOID ? 0 : vertex;
        set_corner(feature, x, feature->number, feature->number);
    }
    copy3(feature->own_normal, feature->normal);
}

void feature_to_frame_1(const ConvexPair *pair, Feature *feature) {
    double x[3];
    for (int k = 0; k < feature->n; k++) {
        from_frame_2(pair, feature->corners[k].x, x);
        copy3(feature->corners[k].x, x);
    }
    if (!is_flat(feature))
        return;
    rotate3(feature->normal, pair->R, feature->own_normal);
    from_frame_2(pair, feature->origin, x);
    copy3(feature->origin, x);
    if (feature->kind == FEATURE_DISC) {
        rotate3(x, pair->R, feature->u);
        copy3(feature->u, x);
        rotate3(x, pair->R, feature->v);
        copy3(feature->v, x);
    }
}

int normal_of_face_along(const ConvexShape *shape, const double *m, int vertex, double *normal) {
    set3(normal, 0, 0, 1);
    switch (shape->core) {
    case CORE_BOX: {
        int k = largest_axis(m);
        set3(normal, 0, 0, 0);
        normal[k] = m[k] < 0 ? -1 : 1;
        return 1;
    }
    case CORE_CYLINDER:
        normal[2] = m[2] < 0 ? -1 : 1;
        return 1;
    case CORE_CONE:
        normal[2] = -1;
        return 1;
    case CORE_HULL:
        copy3(normal, shape->hull->normals + 3 * face_along(shape->hull, m, vertex));
        return 1;
    case CORE_HALF_SPACE:
        return 1;
    case CORE_POINT:
    case CORE_SEGMENT:
    case CORE_ELLIPSOID:
    case CORE_TERRAIN:
        break;
    }
    return 0;
}

/* three vertices of a box are on the face whose axis all of them share; of a hull the first face at a vertex that has the others */
static int face_spanned(const ConvexShape *shape, int n, const int *vertices) {
    if (shape->core == CORE_BOX) {
        int differ = 0, axis = 2;
        for (int k = 1; k < n; k++)
            differ |= vertices[0] ^ vertices[k];
        for (int i = 0; i < 3; i++)
            if (!(differ >> i & 1))
                axis = i;
        return box_face(axis, vertices[0] >> axis & 1);
    }
    const Hull *hull = shape->hull;
    for (int at = hull->first_neighbour[vertices[0]]; at < hull->first_neighbour[vertices[0] + 1]; at++) {
        int found = 0, face = hull->faces[at];
        for (int k = hull->first_corner[face]; k < hull->first_corner[face + 1]; k++)
            for (int i = 0; i < n; i++)
                found += hull->corners[k] == vertices[i];
        if (found == n)
            return hull_face(hull, face);
    }
    return hull_face(hull, hull->faces[hull->first_neighbour[vertices[0]]]);
}

int number_spanned(const ConvexShape *shape, int n, const int *vertices) {
    if (shape->core == CORE_POINT || shape->core == CORE_ELLIPSOID || shape->core == CORE_HALF_SPACE)
        return 0;
    if (n == 1)
        return vertices[0];
    if (shape->core != CORE_BOX && shape->core != CORE_HULL)
        return NUMBER_OF_SIDE;
    if (n == 2) {
        int differ = vertices[0] ^ vertices[1];
        if (shape->core == CORE_HULL)
            return hull_edge(shape->hull, vertices[0], vertices[1]);
        if (differ == 1 || differ == 2 || differ == 4)
            return box_edge(vertices[0], differ / 2);
    }
    return face_spanned(shape, n, vertices);
}

int is_off_edges(const ConvexShape *shape, int number) {
    switch (shape->core) {
    case CORE_BOX:
        return number >= box_face(0, 0);
    case CORE_HULL:
        return number >= hull_face(shape->hull, 0);
    default:
        return 1;
    }
}
