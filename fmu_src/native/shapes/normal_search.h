/* The normal of two shapes, and where their cores are nearest to each other along it. */
#ifndef MOBOD_NORMAL_SEARCH_H
#define MOBOD_NORMAL_SEARCH_H

#include "convex_pair.h"

/* All in frame 1, and without rounding. */
typedef struct {
    double n[3];
    double d;
    double a[3], b[3]; /* the nearest points of core 1 and of core 2 */
    int on[2];         /* numbers of the features on which they lie */
    int has_edges;     /* whether they lie on an edge of each */
    double edge1[3];   /* its direction, length 1; n is edge1 x edge2 */
    double edge2[3];   /* the same in frame 2 */
    int face_of;       /* the shape, 1 or 2, that has a face along whose normal the shapes are as far apart, within round-off; 0: none */
    double face_normal[3]; /* from shape 1 to shape 2 */
} NearestCores;

/* the normal of a face is preferred to normals along which the shapes are farther apart, by less than this part of their size; the corners
 * of faces count as inside of each other within it, too */
#define PREFERRED_FACE 1e-9

/* Find the normal. n: a guess (3), of length 1; becomes the normal, or a direction along which the cores are far. `is_known`: whether it is
 * the last normal. Returns 0 if the cores are farther apart than `far`. */
int find_nearest_cores(ConvexPair *pair, double far, double *n, int is_known, NearestCores *nearest);

#endif
