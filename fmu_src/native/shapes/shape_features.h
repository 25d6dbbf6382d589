/* The features of shapes: the face, edge or point of a core that faces in a direction. Features have numbers. */
#ifndef MOBOD_SHAPE_FEATURES_H
#define MOBOD_SHAPE_FEATURES_H

#include "convex_pair.h"

enum { MOST_CORNERS = 64, RIM_POINTS = 8 };

typedef enum { FEATURE_POINT, FEATURE_EDGE, FEATURE_FACE, FEATURE_DISC, FEATURE_PLANE } FeatureKind;

typedef struct {
    double x[3];
    int number; /* of the vertex */
    int edge;   /* number of the edge to the next corner */
} FeatureCorner;

/* A point has one corner, an edge two, a face all of its corners, counterclockwise as seen from outside. Of a disc, the corners are points
 * of its rim, the first one farthest along the direction. A plane, of a half-space, has none. */
typedef struct {
    FeatureKind kind;
    int n;
    int number;                /* of the feature */
    double normal[3];          /* of faces, discs and planes: outward, length 1 */
    double own_normal[3];      /* the same in the frame of the shape */
    double origin[3];          /* a point of the plane of a face or a plane; the center of a disc */
    double u[3], v[3], radius; /* of a disc: u, v and the normal are a frame */
    int entering, leaving;     /* of a disc: numbers of the places where an edge crosses its rim */
    FeatureCorner corners[MOST_CORNERS];
} Feature;

/* The feature of a core that faces along m (length 1), in the frame of the shape. It is a face or a disc if its normal is within 11 degrees
 * of m, else an edge if m is within 11 degrees of its normals, else the support point.
 *
 * vertex  a hull's support point along m. Of a face with more than MOST_CORNERS corners, as many are taken at even intervals. */
void feature_along(const ConvexShape *shape, const double *m, int vertex, Feature *feature);

/* All corners of a box or of a segment, instead of those of the feature. Returns 0, and changes nothing, for other cores. */
int take_all_corners(const ConvexShape *shape, Feature *feature);

/* move a feature of shape 2 from its frame to that of shape 1 */
void feature_to_frame_1(const ConvexPair *pair, Feature *feature);

/* The outward normal, in the frame of the shape, of the face that faces along m most. Returns 0 if the core has no faces. */
int normal_of_face_along(const ConvexShape *shape, const double *m, int vertex, double *normal);

/* the number of the feature that some vertices of a core span: the vertex, an edge, or a face */
int number_spanned(const ConvexShape *shape, int n, const int *vertices);

/* whether a point with this number lies inside of a face, or on a rim: on no edge and no vertex */
int is_off_edges(const ConvexShape *shape, int number);

/* whether a face counts as facing a direction, from the part of the direction along its normal or against it */
int faces_along(double part);

static inline int is_flat(const Feature *feature) { return feature->kind >= FEATURE_FACE; }

#endif
