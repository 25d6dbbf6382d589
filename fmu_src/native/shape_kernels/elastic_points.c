#include "elastic_points.h"

#include "shape_features.h"
#include "space_vectors.h"

static const double LARGE = 8; /* depths: the length from which a side or a patch counts as a whole one */

static const double BLEND = 0.05; /* of the sum of two energies: the difference from which on the larger one counts alone */

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

/* the point of `found` beside a point */
static int closest_to(const ContactPoints *found, const ContactPoint *point) {
    int closest = 0;
    double least = (double)INFINITY;
    for (int i = 0; i < found->n; i++) {
        const double length = length_of_side(found->points + i, point);
        if (length < least) {
            least = length;
            closest = i;
        }
    }
    return closest;
}

/* Keep the points that have a share, and scale the shares so that together the points have Q. */
static void keep_shares(double Q, ContactPoints *found) {
    double of_kept = 0;
    int kept = 0;
    for (int i = 0; i < found->n; i++)
        if (found->points[i].share > 0)
            found->points[kept++] = found->points[i];
    found->n = kept;
    for (int i = 0; i < kept; i++)
        of_kept += found->points[i].share * depth_squared(found->points + i);
    for (int i = 0; i < kept && of_kept > 0; i++)
        found->points[i].share *= Q / of_kept;
}

double choose_elastic_points(const ConvexShape *shapes, ContactPoints *found) {
    const double share = fmax(share_of_point(shapes), share_of_point(shapes + 1)), of_nearest = share * found->d * found->d;
    double of_end = 0, depths[MOST_CONTACT_POINTS], of_side = 0;
    int first = 0;
    if (found->n == 0 || !(found->d < 0))
        return 0;
    const double of_area = largeness(found->width, -found->d), of_all = of_area * found->of_patch;
    for (int i = 0; i < found->n; i++) {
        depths[i] = depth_squared(found->points + i);
        found->points[i].share *= of_area;
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
    /* part of the patch; the rest has the side or the nearest point */
    const double of_other = fmax(of_side, of_nearest), width = BLEND * (of_all + of_other);
    const double part = fmin(1, fmax(0, (of_all - of_other) / (2 * width) + 0.5));
    const double Q = part * of_all + (1 - part) * of_other + part * (1 - part) * width;
    found->is_patch = part > 0 || of_side > of_nearest;
    if (!found->is_patch) {
        found->points[0] = found->nearest;
        found->points[0].share = share;
        found->n = 1;
        return Q;
    }
    for (int i = 0; i < found->n; i++)
        found->points[i].share *= part;
    if (of_side > of_nearest) {
        found->points[first].share += (1 - part) * of_end;
        found->points[first + 1 < found->n ? first + 1 : 0].share += (1 - part) * of_end;
    } else {
        found->points[closest_to(found, &found->nearest)].share += (1 - part) * share;
    }
    keep_shares(Q, found);
    return Q;
}
