/* Faces that are discs. All happens in the plane of the disc: points of the other feature are moved there along the normal of the face that
 * cuts. */
#include "clipping.h"

#include <stddef.h>

enum { MOST_NEWTON_STEPS = 12 };

static const double CROSSED = 1e-14; /* of the squared radius: where rims cross, within round-off */

typedef struct {
    double x, y;
} InPlane;

/* a point of the other feature in the coordinates of the disc, along the unit vector `along` */
static InPlane in_plane_of(const Feature *disc, const double *along, const double *point) {
    double from_center[3];
    subtract3(from_center, point, disc->origin);
    add3(from_center, -dot3(from_center, disc->normal) / dot3(along, disc->normal), along);
    InPlane found = {dot3(from_center, disc->u), dot3(from_center, disc->v)};
    return found;
}

static void on_disc(const Feature *disc, InPlane point, double *x) {
    copy3(x, disc->origin);
    add3(x, point.x, disc->u);
    add3(x, point.y, disc->v);
}

/* a point of the disc's plane moved along `along` to the plane of the feature */
static void onto_plane(const Feature *plane, const double *along, double *x) {
    double from_plane[3];
    subtract3(from_plane, x, plane->origin);
    add3(x, -dot3(from_plane, plane->normal) / dot3(along, plane->normal), along);
}

static double cross2(InPlane a, InPlane b) { return a.x * b.y - a.y * b.x; }

static InPlane difference(InPlane a, InPlane b) {
    InPlane found = {a.x - b.x, a.y - b.y};
    return found;
}

/* whether a point lies in a convex polygon, in either order of its corners */
static int is_inside(const InPlane *polygon, int n, InPlane point, double near) {
    int left = 1, right = 1;
    for (int k = 0; k < n; k++) {
        InPlane edge = difference(polygon[k + 1 < n ? k + 1 : 0], polygon[k]);
        double length = sqrt(edge.x * edge.x + edge.y * edge.y), side = cross2(edge, difference(point, polygon[k]));
        left &= side >= -near * length;
        right &= side <= near * length;
    }
    return left || right;
}

/* Sort around the middle, by the quarter and the slope of each direction, so that neighbours are neighbours. */
static void sort_around(const InPlane *places, CutCorner *corners, int n) {
    InPlane middle = {0, 0};
    double angle[MOST_CUT];
    for (int k = 0; k < n; k++) {
        middle.x += places[k].x / n;
        middle.y += places[k].y / n;
    }
    for (int k = 0; k < n; k++) {
        InPlane d = difference(places[k], middle);
        double size = fabs(d.x) + fabs(d.y), slope = size > 0 ? d.y / size : 0;
        angle[k] = d.x >= 0 ? slope : 2 - slope;
    }
    for (int k = 1; k < n; k++) {
        CutCorner corner = corners[k];
        double own = angle[k];
        int at = k;
        for (; at > 0 && angle[at - 1] > own; at--) {
            corners[at] = corners[at - 1];
            angle[at] = angle[at - 1];
        }
        corners[at] = corner;
        angle[at] = own;
    }
}

/* what is found, in the plane of the disc; `feature` is cut, and the corners lie on it */
typedef struct {
    const Feature *disc, *other;
    int disc_is_cut;
    const double *along;
    int n;
    InPlane places[MOST_CUT];
    CutCorner *corners;
} Part;

/* Add a point with its numbers on the disc and on the other feature. x: where it is on the other feature,
 * NULL: to find */
static void add_corner(Part *part, InPlane place, int on_disc_number, int on_other, const double *x) {
    CutCorner *corner = &part->corners[part->n];
    part->places[part->n++] = place;
    corner->side = corner->edge = -1;
    corner->share = 0;
    corner->own = part->disc_is_cut ? on_disc_number : on_other;
    corner->other = part->disc_is_cut ? on_other : on_disc_number;
    if (!part->disc_is_cut && x) {
        copy3(corner->x, x);
        return;
    }
    on_disc(part->disc, place, corner->x);
    if (!part->disc_is_cut)
        onto_plane(part->other, part->along, corner->x);
}

/* the corners of a polygon, a segment or a point that lie in the disc, and where edges cross its rim */
static void add_polygon(Part *part, const InPlane *polygon, double near) {
    const Feature *disc = part->disc, *other = part->other;
    double radius = disc->radius, reach = (radius + near) * (radius + near);
    int n_edges = other->n > 2 ? other->n : other->n - 1;
    for (int k = 0; k < other->n; k++) {
        InPlane a = polygon[k];
        double squared = a.x * a.x + a.y * a.y;
        if (squared <= reach)
            add_corner(part, a, disc->number, other->corners[k].number, other->corners[k].x);
        if (k >= n_edges)
            continue;
        /* |a + t edge| = radius */
        int next = k + 1 < other->n ? k + 1 : 0;
        InPlane edge = difference(polygon[next], a);
        double length = edge.x * edge.x + edge.y * edge.y, along = a.x * edge.x + a.y * edge.y;
        double discriminant = along * along - length * (squared - radius * radius);
        if (!(discriminant > 0) || !(length > 0))
            continue;
        for (int leaving = 0; leaving < 2; leaving++) {
            double t = ((leaving ? sqrt(discriminant) : -sqrt(discriminant)) - along) / length, x[3];
            InPlane end = leaving ? polygon[next] : a;
            if (!(t > 0 && t < 1) || end.x * end.x + end.y * end.y <= reach)
                continue;
            InPlane place = {a.x + t * edge.x, a.y + t * edge.y};
            for (int i = 0; i < 3; i++)
                x[i] = other->corners[k].x[i] + t * (other->corners[next].x[i] - other->corners[k].x[i]);
            add_corner(part, place, leaving ? disc->leaving : disc->entering, other->corners[k].edge, x);
        }
    }
    /* where the rim runs inside the polygon */
    if (other->n < 3)
        return;
    for (int k = 0; k < disc->n; k++) {
        InPlane place = in_plane_of(disc, part->along, disc->corners[k].x);
        if (is_inside(polygon, other->n, place, near))
            add_corner(part, place, disc->corners[k].number, other->number, NULL);
    }
}

/* The rim of the other disc in the plane of this one: place = center + y1 u + y2 v, where y1^2 + y2^2 = its radius^2. A circle, unless the
 * discs are tilted to each other. */
typedef struct {
    InPlane center, u, v;
} RimInPlane;

static RimInPlane rim_in_plane(const Feature *disc, const double *along, const Feature *other) {
    double x[3], y[3];
    subtract3(x, other->origin, other->u);
    subtract3(y, other->origin, other->v);
    RimInPlane rim;
    rim.center = in_plane_of(disc, along, other->origin);
    rim.u = difference(rim.center, in_plane_of(disc, along, x));
    rim.v = difference(rim.center, in_plane_of(disc, along, y));
    return rim;
}

/* From y where two circles would cross to where the rims do, by Newton's method. Returns 0 if they do not cross near there. */
static int find_crossing(const RimInPlane *rim, double r, double s, InPlane *y, InPlane *place) {
    for (int step = 0; step < MOST_NEWTON_STEPS; step++) {
        place->x = rim->center.x + y->x * rim->u.x + y->y * rim->v.x;
        place->y = rim->center.y + y->x * rim->u.y + y->y * rim->v.y;
        double off_own = y->x * y->x + y->y * y->y - s * s, off_disc = place->x * place->x + place->y * place->y - r * r;
        if (fabs(off_own) <= CROSSED * s * s && fabs(off_disc) <= CROSSED * r * r)
            return 1;
        InPlane of_disc = {place->x * rim->u.x + place->y * rim->u.y, place->x * rim->v.x + place->y * rim->v.y};
        double determinant = 4 * cross2(*y, of_disc);
        if (determinant == 0)
            return 0;
        InPlane step_of_y = {2 * (off_own * of_disc.y - off_disc * y->y) / determinant,
                             2 * (off_disc * y->x - off_own * of_disc.x) / determinant};
        *y = difference(*y, step_of_y);
    }
    return 0;
}

/* two discs: points of each rim inside the other one, and where the rims cross */
static void add_disc(Part *part, double near) {
    const Feature *disc = part->disc, *other = part->other;
    double r = disc->radius, s = other->radius, x[3];
    for (int k = 0; k < disc->n; k++) {
        copy3(x, disc->corners[k].x);
        onto_plane(other, part->along, x);
        subtract3(x, x, other->origin);
        if (dot3(x, x) <= (s + near) * (s + near))
            add_corner(part, in_plane_of(disc, part->along, disc->corners[k].x), disc->corners[k].number, other->number, NULL);
    }
    for (int k = 0; k < other->n; k++) {
        InPlane place = in_plane_of(disc, part->along, other->corners[k].x);
        if (place.x * place.x + place.y * place.y <= (r + near) * (r + near))
            add_corner(part, place, disc->number, other->corners[k].number, other->corners[k].x);
    }
    RimInPlane rim = rim_in_plane(disc, part->along, other);
    double squared = rim.center.x * rim.center.x + rim.center.y * rim.center.y, distance = sqrt(squared);
    double along = distance > 0 ? (squared + r * r - s * s) / (2 * distance) : r;
    if (!(r - fabs(along) > near))
        return;
    for (int side = 0; side < 2; side++) {
        double across = sqrt(r * r - along * along) * (side ? -1 : 1);
        InPlane place = {(along * rim.center.x - across * rim.center.y) / distance,
                         (along * rim.center.y + across * rim.center.x) / distance};
        InPlane from = difference(place, rim.center);
        /* in the coordinates of the other disc, whose u and v are nearly orthogonal here, and may be mirrored */
        InPlane y = {from.x * rim.u.x + from.y * rim.u.y, from.x * rim.v.x + from.y * rim.v.y};
        if (!find_crossing(&rim, r, s, &y, &place))
            continue;
        on_disc(other, y, x);
        add_corner(part, place, side ? disc->entering : disc->leaving, side ? other->entering : other->leaving, x);
    }
}

int cut_with_disc(const Feature *face, const Feature *feature, double near, CutCorner *out) {
    int disc_is_cut = face->kind != FEATURE_DISC;
    Part part = {.disc = disc_is_cut ? feature : face, .other = disc_is_cut ? face : feature, .disc_is_cut = disc_is_cut};
    part.along = face->normal;
    part.corners = out;
    if (part.other->kind == FEATURE_DISC) {
        add_disc(&part, near);
    } else {
        InPlane polygon[MOST_CORNERS];
        for (int k = 0; k < part.other->n; k++)
            polygon[k] = in_plane_of(part.disc, part.along, part.other->corners[k].x);
        add_polygon(&part, polygon, near);
    }
    sort_around(part.places, out, part.n);
    return part.n;
}
