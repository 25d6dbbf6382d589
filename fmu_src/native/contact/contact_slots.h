/* Slots: the rows of pairs of convex shapes, whose features are too many to have a row each.
 *
 * A slot is a unilateral row and its friction, for one point of contact. Once a step, before its rows are evaluated, the runtime decides
 * where the points are (contact_points.h), and writes them into w, as constants of the recorded rows:
 *
 *     d = n . (X2 b - X1 a) - radius1 - radius2,   with the normal n of the point's kind.
 *
 * A slot whose point was there in the last step keeps its place, and with it its impulses and modes. Of the others these are 0. An absent
 * slot has no bound (is_bound), so that its row does not exist. The step, its correction of positions and its report have the same slots.
 *
 * engine/mobod/contact/slot_equations.py computes the rows. */
#ifndef MOBOD_CONTACT_SLOTS_H
#define MOBOD_CONTACT_SLOTS_H

#include "contact_points.h"
#include "model.h"
#include "state.h"
#include "terrain.h"

/* the numbers of a slot in w: the point on each shape in its frame, or the center of curvature of a round one, whose radius follows; the
 * normal or the edge of shape 1 (POINT_FREE: in Ground), and that of shape 2, each in its frame */
typedef enum {
    SLOT_KIND, /* PointKind */
    SLOT_POINT_1,
    SLOT_POINT_2 = SLOT_POINT_1 + 3,
    SLOT_AXIS_1 = SLOT_POINT_2 + 3,
    SLOT_AXIS_2 = SLOT_AXIS_1 + 3,
    SLOT_RADIUS_1 = SLOT_AXIS_2 + 3,
    SLOT_RADIUS_2,
    SLOT_SIZE
} SlotNumber;

/* the memory of a pair in w: the hint of contact_points.h; the pose of shape 2 in shape 1 at the end of the last step, and the numbers of
 * both shapes; then for each slot the numbers of its feature, [2], see ContactPoint */
typedef enum {
    PAIR_HINT,
    PAIR_POSE = N_HINT,
    PAIR_LENGTHS = PAIR_POSE + 12,
    PAIR_FEATURES = PAIR_LENGTHS + 2 * MOST_SHAPE_NUMBERS
} PairMemory;

/* a shape on a body; offsets into w */
typedef struct {
    int kind;               /* ShapeKind */
    int numbers;            /* of the shape, see ShapeKind */
    int frame;              /* [7] its quaternion and origin on the body */
    int R_GB, p_GB, V_GB;   /* of the body; -1: Ground */
    const Hull *hull;       /* NULL: it is none */
    const Terrain *terrain; /* NULL: it is none */
} SlotShape;

/* two shapes; offsets into w */
typedef struct SlotPair {
    int first, n;                    /* rows in the table of contacts */
    int first_friction, n_frictions; /* that belong to these rows */
    int enabled;                     /* a flag of the constraint */
    int slots;                       /* [n][SLOT_SIZE] */
    int memory;                      /* PairMemory */
    SlotShape shape1, shape2;
} SlotPair;

/* a shape, the pose of its frame in Ground, and its motion */
typedef struct {
    ConvexShape shape;
    Placement X;
    double w[3], v[3]; /* rad/s, and m/s of the shape's origin */
} PlacedShape;

/* points are found that would be reached within so many steps, since impulses speed bodies up */
enum { FAR_STEPS = 2 };

/* the rotation of a quaternion [4] of any length, scalar first */
void rotation_of_quaternion(const double *e, double *R);

PlacedShape placed_shape(const SlotShape *on, const double *w);

/* the frame of the second in that of the first */
Placement relative_placement(const Placement *X1, const Placement *X2);

/* how far apart points may be that are found; apart: of the origins of both shapes */
double reach_of(const PlacedShape *one, const PlacedShape *other, double apart, double h, double margin, double tolerance);

/* Set the numbers of a slot to a point, which is given with the frame of shape 1 in place of Ground. The points of slots are centers
 * of curvature, which do not move where a round shape rolls. */
void write_slot(double *slot, const ContactPoint *point, const PlacedShape *one, const double *R_12);

/* Forget what belongs to the last point of a slot, a row of the table of contacts: nothing presses or slips. engaged: the count of its row
 * from now on */
void forget_rows(const Model *model, State *state, int number, int first_friction, int n_frictions, double engaged);

/* whether a model has slots, and the name of the first contact with slots */
int has_slots(const Model *model);
const char *name_of_slots(const Model *model);

/* Decide all slots for a step of h, s. tolerances: [contacts]. w must be realized to VELOCITY, with no row active. Invalidates POSITION. */
void decide_slots(const Model *model, State *state, double h, const double *tolerances);

/* Mark as undecided the rows of pairs whose shapes lie otherwise than at the end of the last step, or have other numbers. Returns whether
 * there are any. w must be realized to POSITION. */
int reset_changed_pairs(const Model *model, State *state);

/* At the start of a run, or after a value was set: decide the slots of the pairs with undecided rows. Otherwise as decide_slots. */
void decide_changed_slots(const Model *model, State *state, double h, const double *tolerances);

/* At the end of a step, store how the shapes of each pair lie. w must be realized to POSITION. */
void remember_pairs(const Model *model, State *state);

#endif
