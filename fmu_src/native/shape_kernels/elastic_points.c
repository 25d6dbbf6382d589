#include "elastic_points.h"

#include "shape_features.h"
#include "space_vectors.h"

static const double LARGE = 8; /* depths: the length from which a side or a patch counts as a whole one */

static double depth_squared(const ContactPoint *point) { return point->d < 0 ? point->d * point->d : 0; }

/* what the nearest points have of the stiffness */
static double share_of_point(const ConvexShape *shape) {
    switch (shape->core) {
    case CORE_BOX:
    case CORE_HULL:
    case CORE_CYLINDER:
    case CORE_CONE:
        return 0.25;
    case CORE_SEGMENT:
        return 0.5;
    default:
        return 1;
    }
}

/* from 0 to 1: how large a length of a patch is in depths */
static double largeness(double length, double depth) {
    const double t = fmin(1, length / (LARGE * depth));
    return t * t * (3 - 2 * t);
}

/* the length of the side from one point to the next */
static double length_of_side(const ContactPoint *from, const ContactPoint *to) {
    double side[3];
    subtract3(side, to->a, from->a);
    return length3(side);
}

/* whether two points of the outline of two faces lie on an edge of one of them; not on a rim */
static int is_side(const ConvexShape *shapes, const ContactPoint *from, const ContactPoint *to) {
    for (int k = 0; k < 2; k++)
        if (!is_off_edges(shapes + k, from->on[k]) && !is_off_edges(shapes + k, to->on[k]))
            return 1;
    return 0;
}

double choose_elastic_points(const ConvexShape *shapes, ContactPoints *found) {
    const double share = fmax(share_of_point(shapes), share_of_point(shapes + 1));
    double of_end = 0;
    double depths[MOST_CONTACT_POINTS], of_all = 0, of_side = 0, of_nearest = share * found->d * found->d;
    int first = 0;
    if (found->n == 0 || !(found->d < 0))
        return 0;
    const double of_area = largeness(found->width, -found->d);
    for (int i = 0; i < found->n; i++) {
        depths[i] = depth_squared(found->points + i);
        found->points[i].share *= of_area;
        of_all += found->points[i].share * depths[i];
    }
    for (int i = 0; i < found->n && found->n > 1; i++) {
        const int next = i + 1 < found->n ? i + 1 : 0;
        const double side = length_of_side(found->points + i, found->points + next);
        if (found->points[i].share > 0 && !is_side(shapes, found->points + i, found->points + next))
            continue;
        const double weight = found->end_share * found->facing * (1 + largeness(side, -found->d)) / 2;
        if (weight * (depths[i] + depths[next]) > of_side) {
            of_side = weight * (depths[i] + depths[next]);
            of_end = weight;
            first = i;
        }
    }
    found->is_patch = fmax(of_all, of_side) > of_nearest;
    if (of_all > fmax(of_nearest, of_side))
        return of_all;
    const int has_side = found->is_patch;
    const ContactPoint ends[2] = {found->points[first], found->points[first + 1 < found->n ? first + 1 : 0]};
    found->points[0] = has_side ? ends[0] : found->nearest;
    found->points[1] = ends[1];
    found->n = 1 + has_side;
    for (int i = 0; i < found->n; i++)
        found->points[i].share = has_side ? of_end : share;
    return has_side ? of_side : of_nearest;
}
