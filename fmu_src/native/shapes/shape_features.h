/* The features of shapes: the face, edge or point of a core that faces in a direction. Features have numbers. */
#ifndef MOBOD_SHAPE_FEATURES_H
#define MOBOD_SHAPE_FEATURES_H

#include "convex_pair.h"

enum { MOST_CORNERS = 64, RIM_POINTS = 8 };

typedef enum { FEATURE_POINT, FEATURE_EDGE, FEATURE_FACE, FEATURE_DISC, FEATURE_PLANE } FeatureKind;

typedef struct {
    double x[3];
    int number;   /* of the vertex */
    int edge;     /* number of the edge to the next corner */
    double share; /* see set_own_shares; 1 where it is not set */
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

/* whether a face counts as facing a direction, from the part of the direction along its normal or against it */
int faces_along(double part);

static inline int is_flat(const Feature *feature) { return feature->kind >= FEATURE_FACE; }

/* How the corners of an elastic patch share its stiffness.
 *
 * A face that lies flat has 1: each of its corners has the half of the outline that ends there, relative to the outline. An edge and a
 * corner have what they have of the face beside them that faces the other shape most, so that nothing changes where a face is tilted: an
 * edge of a box has 1/2, a corner 1/4. The side of a cylinder, a cone and a capsule has 1/2 at each end; a cap of the first two has
 * eight corners of 1/8 as long as it is a face, within 11 degrees, and between both poses the share of the rim over a face changes
 * smoothly. A ball and an ellipsoid have 1. Where neither feature is a face, shares are multiplied: the point at which two edges of boxes
 * cross has 1/4, as the corner of the faces there.
 *
 * Other shares of corners are constant, so that elastic energy is kept where they press. */

/* Set the shares of an edge or a point that faces along m, in the frame of the shape. vertex: of a hull, its support point along m;
 * over_face: it is over a face of the other shape */
void set_own_shares(const ConvexShape *shape, const double *m, int vertex, int over_face, Feature *feature);

/* The share of a lone point of the rim of a cylinder or a cone that faces along m, in the frame of the shape; slope: its derivative by
 * m[2]. Of others, and on the side and the cap, the slope is 0. */
double share_of_rim(const ConvexShape *shape, const double *m, double *slope);

/* the sum of the shares of a feature; 1 of a face */
double share_of_feature(const Feature *feature);

#endif
