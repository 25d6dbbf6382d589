/* Pools of slots: many shapes share a number of slots (contact_slots.h), which is enough for those that touch, not for all pairs.
 *
 * Once a step the runtime finds the pairs of shapes that may be near each other, by boxes around the shapes which are sorted along an axis,
 * and their points of contact. A slot belongs to the pair that has a point there: its rows act on the bodies of this pair
 * (RowBlock.choice), with the friction of this pair. A point of a feature that had a slot keeps it, with its impulses.
 *
 * Where more points are near than there are slots, those within a margin alone, which are farther away than the shapes can come in two
 * steps at their speeds, are left out. */
#ifndef MOBOD_CONTACT_POOL_H
#define MOBOD_CONTACT_POOL_H

#include "contact_slots.h"
#include "contact_table.h"
#include "outcome.h"

/* the numbers of a slot in w after those of SlotNumber, whose points and axes are in the frames of bodies here: the coefficients of
 * friction of its pair */
typedef enum { POOLED_FRICTION = SLOT_SIZE, POOLED_SIZE = POOLED_FRICTION + 5 } PooledNumber;

/* Bounds of a shape, in w: its center; radius of a ball and half lengths of a box in the axes of Ground, which it may reach within a step
 */
typedef enum { BALL_RADIUS = 3, BOX_HALF_LENGTHS, POOL_BOUNDS = BOX_HALF_LENGTHS + 3 } PoolBounds;

/* offsets into w */
typedef struct SlotPool {
    const char *name;
    int first, n;                    /* slots: rows in the table of contacts */
    int first_friction, n_frictions; /* that belong to these rows */
    int enabled;                     /* a flag of the constraint */
    int slots;                       /* [n][POOLED_SIZE] */
    int choices;                     /* [n] RowBlock.choice of the rows of a slot: 0 or first_path + its pair */
    int first_path;
    int features; /* [n][2] numbers of the feature in each slot, see ContactPoint */
    int n_shapes;
    const SlotShape *shapes;
    int n_pairs;
    const int *pairs;   /* [n_pairs][3] numbers of the shapes, and of their friction */
    const int *pair_of; /* [n_shapes][n_shapes] number of the pair; -1: these do not touch */
    int n_frictions_of_pairs, n_coefficients;
    int coefficients; /* [n_coefficients][n_frictions_of_pairs] static, dynamic, viscous; torsional and rolling if there are any */
    int hints;        /* [n_pairs][N_HINT] of contact_points.h */
    int lying;        /* [n_shapes][POOL_LYING] at the end of the last step */
    int idle, n_idle; /* flags of computed values, see Spare of sweep.h and GatherTable */
    int order;        /* [n_shapes] along the axis of the last step */
    int bounds;       /* temporary: [n_shapes][POOL_BOUNDS] */
    int waiting;      /* temporary: [n][POOLED_SIZE + 3] points without a slot */
    int is_taken;     /* temporary: [n] */
    int most_points;  /* the largest number of points that were near in a step */
} SlotPool;

/* how a shape lies: its pose in Ground, and its numbers */
enum { POOL_LYING = 12 + MOST_SHAPE_NUMBERS };

static inline int n_pools(const Model *model) { return model->contacts ? model->contacts->n_pools : 0; }

/* As decide_slots, decide_changed_slots, reset_changed_pairs and remember_pairs of contact_slots.h. The first two fail with
 * CONTACT_POOL_FULL if more points can be reached than there are slots; the value is their number. */
Outcome decide_pools(const Model *model, State *state, double h, const double *tolerances, Integration *result);
Outcome decide_changed_pools(const Model *model, State *state, double h, const double *tolerances, Integration *result);
int reset_changed_pools(const Model *model, State *state);
void remember_pools(const Model *model, State *state);

#endif
