#include "patch_shares.h"

/* the share of a vertex in the outline of the face that faces along m most */
static double share_in_hull(const Hull *hull, const double *m, int support, int vertex) {
    const int face = face_along(hull, m, support), first = hull->first_corner[face], n = hull->first_corner[face + 1] - first;
    double outline = 0, own = 0, between[3];
    int is_there = 0;
    for (int k = 0; k < n; k++) {
        const int here = hull->corners[first + k], next = hull->corners[first + (k + 1 < n ? k + 1 : 0)];
        subtract3(between, hull->vertices + 3 * next, hull->vertices + 3 * here);
        const double side = length3(between);
        outline += side;
        if (here == vertex || next == vertex)
            own += side / 2;
        is_there |= here == vertex;
    }
    return is_there ? own / outline : 1.0 / n;
}

void set_own_shares(const ConvexShape *shape, const double *m, int vertex, Feature *feature) {
    if (is_flat(feature))
        return;
    for (int k = 0; k < feature->n; k++) {
        FeatureCorner *corner = &feature->corners[k];
        switch (shape->core) {
        case CORE_BOX:
            corner->share = 0.25;
            break;
        case CORE_HULL:
            corner->share = share_in_hull(shape->hull, m, vertex, corner->number);
            break;
        case CORE_SEGMENT:
        case CORE_CYLINDER:
        case CORE_CONE:
            corner->share = 0.5;
            break;
        default:
            break;
        }
    }
}

void set_outline_shares(CutCorner *corners, int n) {
    double between[3], outline = 0;
    for (int k = 0; k < n; k++)
        corners[k].share = 0;
    for (int k = 0; k < n; k++) {
        CutCorner *next = &corners[k + 1 < n ? k + 1 : 0];
        subtract3(between, next->x, corners[k].x);
        const double side = length3(between);
        corners[k].share += side / 2;
        next->share += side / 2;
        outline += side;
    }
    for (int k = 0; k < n; k++)
        corners[k].share = outline > 0 ? corners[k].share / outline : 1.0 / n;
}

double share_of_feature(const Feature *feature) {
    double sum = 0;
    if (is_flat(feature))
        return 1;
    for (int k = 0; k < feature->n; k++)
        sum += feature->corners[k].share;
    return sum;
}
