#include "merged_points.h"

#include "space_vectors.h"

void merge_point(MergedPoints *merged, const MergedPoint *point) {
    for (int k = 0; k < merged->n; k++) {
        MergedPoint *other = &merged->points[k];
        if (other->point.on[0] != point->point.on[0] || other->point.on[1] != point->point.on[1])
            continue;
        if (point->point.d < other->point.d)
            *other = *point;
        return;
    }
    if (merged->n == MOST_MERGED)
        keep_points(merged, KEPT_WHEN_FULL);
    merged->points[merged->n++] = *point;
}

/* how much a point counts: 1 of the deepest one, 0 at the end of the reach */
static double weight_of(const MergedPoints *merged, int k, double deepest) {
    return (merged->reach - merged->points[k].point.d + 1e-3 * merged->size) / (merged->reach - deepest + 1e-3 * merged->size);
}

void keep_points(MergedPoints *merged, int most) {
    double apart[MOST_MERGED];
    int is_kept[MOST_MERGED] = {0}, newest = 0, kept = 0;
    if (merged->n <= most)
        return;
    for (int k = 0; k < merged->n; k++) {
        apart[k] = (double)INFINITY;
        if (merged->points[k].point.d < merged->points[newest].point.d)
            newest = k;
    }
    const double deepest = merged->points[newest].point.d;
    for (int count = 0; count < most && newest >= 0; count++) {
        double best = -1, between[3];
        int next = -1;
        is_kept[newest] = 1;
        for (int k = 0; k < merged->n; k++) {
            subtract3(between, merged->points[k].point.a, merged->points[newest].point.a);
            apart[k] = fmin(apart[k], length3(between));
            double value = apart[k] * weight_of(merged, k, deepest);
            if (!is_kept[k] && value > best) {
                best = value;
                next = k;
            }
        }
        newest = next;
    }
    for (int k = 0; k < merged->n; k++)
        if (is_kept[k])
            merged->points[kept++] = merged->points[k];
    merged->n = kept;
}
