/* Faces that are discs. All happens in the plane of the disc: points of the other feature are moved there along the normal of the face that
 * cuts. */
#include "clipping.h"

#include <stddef.h>

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

/* add a point with its numbers on the disc and on the other feature; x: where it is on the other feature, NULL: to find */
static void add_corner(Part *part, InPlane place, int on_disc_number, int on_other, const double *x) {
    CutCorner *corner = &part->corners[part->n];
    part->places[part->n++] = place;
    corner->side = corner->edge = -1;
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

/* two discs: points of each rim inside the other one, and where the rims cross */
static void add_disc(Part *part, double near) {
    const Feature *disc = part->disc, *other = part->other;
    InPlane center = in_plane_of(disc, part->along, other->origin);
    double r = disc->radius, s = other->radius, squared = center.x * center.x + center.y * center.y, distance = sqrt(squared);
    for (int k = 0; k < disc->n; k++) {
        InPlane place = in_plane_of(disc, part->along, disc->corners[k].x), d = difference(place, center);
        if (d.x * d.x + d.y * d.y <= (s + near) * (s + near))
            add_corner(part, place, disc->corners[k].number, other->number, NULL);
    }
    for (int k = 0; k < other->n; k++) {
        InPlane place = in_plane_of(disc, part->along, other->corners[k].x);
        if (place.x * place.x + place.y * place.y <= (r + near) * (r + near))
            add_corner(part, place, disc->number, other->corners[k].number, other->corners[k].x);
    }
    double along = distance > 0 ? (squared + r * r - s * s) / (2 * distance) : r;
    if (!(r - fabs(along) > near))
        return;
    for (int side = 0; side < 2; side++) {
        double across = sqrt(r * r - along * along) * (side ? -1 : 1);
        InPlane place = {(along * center.x - across * center.y) / distance, (along * center.y + across * center.x) / distance};
        add_corner(part, place, side ? disc->entering : disc->leaving, side ? other->entering : other->leaving, NULL);
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
