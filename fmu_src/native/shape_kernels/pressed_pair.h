/* The points at which two convex shapes, or one and terrain, press against each other: a procedure, whose results depend on the poses
 * alone. The forces at the points are recorded rows.
 *
 * What the points of two convex shapes have of the stiffness of the pair says elastic_points.h. The sum of weight times distance squared
 * is Q, and the forces, weight times distance along the normals, are the gradient of Q / 2, found by central differences where more than
 * the nearest points press: they turn the normals and move the arms a little. On terrain each point has the weight 1, as the corners of a
 * box on a half-space.
 *
 * Tangents and adjoints are central differences of the procedure, with rotations of STEP rad and translations of STEP sizes: the relative
 * error is about 1e-9. A point whose features are found on one side alone has the difference of that side.
 *
 * Frame A: the axes of Ground, the origin of body 1's frame M.
 *
 * Decision: docs/decisions/217-compliant-convex.md, docs/decisions/224-compliant-energy.md */
#ifndef MOBOD_PRESSED_PAIR_H
#define MOBOD_PRESSED_PAIR_H

#include "contact_points.h"
#include "kernel.h"
#include "terrain.h"

/* a shape on a body; offsets into w */
typedef struct {
    int kind;          /* ShapeKind */
    int numbers;       /* of the shape, see ShapeKind; of a hull and of terrain not read */
    int R_BS, p_BS;    /* [9], [3] its frame on the body */
    int R_GB, r, p_GM; /* [9], [3], [3] of the body: its rotation, its origin from that of its frame M, and the origin of M in Ground */
    const Hull *hull;  /* NULL: it is none */
    const Terrain *terrain; /* NULL: it is none */
} PressedShape;

/* after a hint of find_contact_points: the largest depth, relative to the size of the smaller shape, and in m */
enum { LARGEST_PART = N_HINT, LARGEST_DEPTH, SIZE_OF_PRESSED_HINT };

/* offsets into w */
typedef struct {
    int n; /* points that the pair may have, at most MOST_CONTACT_POINTS; what is not there has the distance DBL_MAX, and zeros */
    int hint, next_hint; /* [SIZE_OF_PRESSED_HINT] see find_contact_points: the one of the last step, and the one for the next step; then
                            the largest depth of steps until now, of two convex shapes */
    int distance;        /* [n] m, negative where the shapes overlap */
    int normal;          /* [n][3] in Ground, from shape 1 to shape 2 */
    int arm1, arm2;      /* [n][3] m, in Ground, from the origins of the frames M to the middle between both points */
    int patch;           /* [n][2] the weight of the point: its part of the stiffness, and 0 */
    PressedShape shape1, shape2;
} PressedPair;

KernelFunction run_pressed_pair, run_pressed_pair_tangent, run_pressed_pair_adjoint;

#endif
