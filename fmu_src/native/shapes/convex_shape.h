/* Convex shapes, each in a frame of its own. Lengths in m.
 *
 * A shape is a core and a ball that is swept over it: a ball is a point and its radius, a capsule a segment and its radius. Any core may
 * have a rounding. */
#ifndef MOBOD_CONVEX_SHAPE_H
#define MOBOD_CONVEX_SHAPE_H

/* the kinds, and the numbers of which each is made, in this order */
typedef enum {
    SHAPE_BALL,        /* radius */
    SHAPE_CAPSULE,     /* radius, half_length: the centers of its half balls are at z = -half_length and half_length */
    SHAPE_BOX,         /* half_lengths (3) */
    SHAPE_ROUNDED_BOX, /* half_lengths (3) of the box, radius of the ball that is swept over it */
    SHAPE_CYLINDER,    /* radius, half_length; about z */
    SHAPE_CONE,        /* radius, half_length; about z, its base at z = -half_length, its tip at half_length */
    SHAPE_ELLIPSOID,   /* radii (3) */
    SHAPE_HULL,        /* none; a table */
    SHAPE_HALF_SPACE,  /* none; all that has z < 0 */
    SHAPE_TERRAIN,     /* none; triangles, see terrain_points.h. Not convex: no shape of find_contact_points */
    N_SHAPE_KINDS
} ShapeKind;

enum { MOST_SHAPE_NUMBERS = 4 };

/* A convex hull: its corners, and its faces, whose corners are counterclockwise as seen from outside. Constant. */
typedef struct {
    int n_vertices, n_faces;
    const double *vertices;     /* [n_vertices][3] */
    const int *first_neighbour; /* [n_vertices + 1] what lies at vertex i is from here to before that of vertex i + 1 */
    const int *neighbours;      /* [first_neighbour[n_vertices]] vertices that share an edge with it */
    const int *faces;           /* [first_neighbour[n_vertices]] faces that meet at it, as many as edges */
    const int *first_corner;    /* [n_faces + 1] the corners of face f are those from here to before those of face f + 1 */
    const int *corners;         /* [first_corner[n_faces]] vertices */
    const double *normals;      /* [n_faces][3] outward, of length 1 */
    double size;                /* m, distance of its farthest vertex from its origin */
} Hull;

/* what a core is; SHAPE_BALL is a point, SHAPE_CAPSULE a segment, SHAPE_ROUNDED_BOX a box */
typedef enum {
    CORE_POINT,
    CORE_SEGMENT,
    CORE_BOX,
    CORE_CYLINDER,
    CORE_CONE,
    CORE_ELLIPSOID,
    CORE_HULL,
    CORE_HALF_SPACE,
    CORE_TERRAIN
} CoreKind;

typedef struct {
    CoreKind core;
    double lengths[3]; /* half lengths; cylinder and cone: radius, radius, half length; segment: 0, 0, half length; radii */
    double rounding;   /* radius of the ball that is swept over the core */
    double size;       /* radius of a ball about the origin that holds the shape; infinite for half-spaces and terrain */
    const Hull *hull;  /* of a hull */
} ConvexShape;

/* the number of numbers of which a kind of shape is made */
int shape_numbers(ShapeKind kind);

/* The shape that has these numbers [shape_numbers(kind)]; hull: of a SHAPE_HULL, NULL for other kinds */
ConvexShape convex_shape(ShapeKind kind, const double *numbers, const Hull *hull);

#endif
