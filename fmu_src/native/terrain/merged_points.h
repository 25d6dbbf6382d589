/* Contact points that were found one after another, of which few are kept. */
#ifndef MOBOD_MERGED_POINTS_H
#define MOBOD_MERGED_POINTS_H

#include "contact_points.h"

enum { MOST_MERGED = 96, KEPT_WHEN_FULL = 48 };

typedef struct {
    ContactPoint point;
    double normal[3]; /* in the frame of the terrain, out of it */
    int triangle;     /* on which it was found */
    double apart;     /* m, how far the shape and the triangle are apart along the normal */
} MergedPoint;

typedef struct {
    int n;
    double size;  /* m, of what touches */
    double reach; /* m, of the points */
    MergedPoint points[MOST_MERGED];
} MergedPoints;

/* Add a point. Of two points on the same features the deeper one remains. */
void merge_point(MergedPoints *merged, const MergedPoint *point);

/* Keep at most `most` points: the deepest one, then one after another the point that is farthest from all that are kept; points near the
 * end of the reach count as nearer. */
void keep_points(MergedPoints *merged, int most);

#endif
