/* The points at which two convex shapes touch, or are about to touch.
 *
 * The signed distance d of two shapes is the maximum over unit n of f(n) = min of n . x over shape 2 - max of n . x over shape 1. Its n is
 * the normal, from shape 1 to shape 2. Where they overlap, -d is the least translation that separates them.
 *
 * Decision: docs/decisions/200-convex-shapes.md
 *
 * No allocation and no state: what helps the next call is the hint. The only function of numbers is the square root, so results have the
 * same bits on every machine. */
#ifndef MOBOD_CONTACT_POINTS_H
#define MOBOD_CONTACT_POINTS_H

#include "convex_shape.h"

enum { MOST_CONTACT_POINTS = 8, N_HINT = 6 };

/* the pose of a shape's frame in Ground: a point x of the shape is at R x + p */
typedef struct {
    double R[9]; /* rows */
    double p[3]; /* m */
} Placement;

/* what the normal of a contact point follows */
typedef enum {
    POINT_ABSENT,
    POINT_ON_FACE_OF_1, /* a face of shape 1: n = R1 m */
    POINT_ON_FACE_OF_2, /* a face of shape 2: n = R2 m */
    POINT_ON_EDGES,     /* an edge of each: n = (R1 m) x (R2 e) / |(R1 m) x (R2 e)| */
    POINT_FREE          /* none: n = m, fixed in Ground */
} PointKind;

/* A contact point. n is the normal in Ground, from shape 1 to shape 2, for every kind. The distance of the point is
 * n . ((R2 b + p2) - (R1 a + p1)). */
typedef struct {
    int kind;    /* PointKind */
    double a[3]; /* m, on shape 1, in its frame */
    double b[3]; /* m, on shape 2, in its frame */
    double m[3]; /* length 1; POINT_ON_FACE_OF_1: in frame 1; POINT_ON_FACE_OF_2: in frame 2, into shape 2; POINT_ON_EDGES: direction of
                    the edge of shape 1 in frame 1; POINT_FREE: the normal in Ground */
    double e[3]; /* length 1, POINT_ON_EDGES: direction of the edge of shape 2 in frame 2; otherwise 0 */
    double radius[2]; /* m, of curvature of both surfaces there, in the direction in which they roll; 0 on corners, edges and faces. The
                         centers of curvature, a - radius n and b + radius n, move with the shapes, and so roll with them */
    double d;         /* m, its distance now */
    double share;     /* of points with_shares where two faces touch: see set_outline_shares; otherwise 0. Of terrain 1 */
    int on[2]; /* numbers of the vertex, edge or face of shape 1 and of shape 2 on which the point lies: the same point has the same pair
                  of numbers in the next step, and no two points of one call have the same pair */
} ContactPoint;

typedef struct {
    int with_shares;   /* set by the caller: the points of an elastic pair: all of the patch where the shapes overlap, also those that are
                          farther than `reach`, without the nearest points of the shapes. They have shares */
    int must_be_least; /* set by the caller: d must be the least depth from 1e-3 of the size on, not from 1e-2 on. Below that a depth which
                          was the least one before, and is a minimum among near directions, is good enough */
    int n;
    double d; /* m, the signed distance of the shapes. One of the points has it; of shapes that overlap others may be deeper by 2 % */
    double normal[3];     /* the normal in Ground */
    double facing;        /* with_shares: from 0 to 1, how well the feature faces the other one: 0 where it is about to be another one */
    double end_share;     /* with_shares: of each end of an edge or of a side of the patch */
    int is_patch;         /* set by choose_elastic_points: not the nearest points alone press */
    double width;         /* m, with_shares: of the patch of two faces, four times its area by its outline */
    ContactPoint nearest; /* with_shares: the nearest points, at the distance d. Not set on terrain */
    ContactPoint points[MOST_CONTACT_POINTS];
} ContactPoints;

/* Find the contact points whose distance is at most `reach` (m, not negative), at most 8. Returns their number, 0 if the shapes are farther
 * apart; then only `n` of the result is set.
 *
 * hint [N_HINT]  memory of the pair: the last normal (3) in frame 1, the last vertex of each shape (2), and 1 if they are set. All 0 at
 *                first. It decides which of several equal answers is found, so it belongs to the state of a run.
 * turning        (3) rad/s, angular velocity of shape 2 against shape 1 in frame 1, for the radii of the points
 *
 * Two half-spaces have no contact points. */
int find_contact_points(const ConvexShape *shape1, const Placement *X1, const ConvexShape *shape2, const Placement *X2, double reach,
                        double *hint, const double *turning, ContactPoints *found);

#endif
