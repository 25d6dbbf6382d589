/* The problem with friction of several lanes at once. Included by files that define MOBOD_LANES.
 *
 * Most problems end in the first methods of friction_search.c: the start is the solution or, where there are no more rows than dimensions,
 * all contacts that press stick, or some steps of Newton's method from the start find it. Lanes with the same rows try these at once, in
 * the same order of operations. All others are left to the scalar solver. */
#ifndef MOBOD_LANES_FRICTION_H
#define MOBOD_LANES_FRICTION_H

#include "lanes_velocity_level.h"

/* rows and entries of the largest problem that lanes solve, and rows of its largest part with a matrix of its rows; larger ones are solved
 * lane by lane */
enum { MOST_ROWS_IN_LANES = 256, MOST_ENTRIES_IN_LANES = 8192, MOST_ROWS_OF_A = 96 };
enum { MOST_ROWS_OF_NEWTON = 48 }; /* and of one for Newton's method */

/* Newton's method on a part. An unknown is in the place of a row: a single row, or of a contact that slips its normal and, in the place of
 * the first tangent, the change across the slip. */
typedef struct {
    Number is_single[MOST_ROWS_OF_NEWTON];
    Number slips[MOST_ROWS_OF_NEWTON];                       /* of the normal of a contact, and with it: */
    Number along[MOST_ROWS_OF_NEWTON][2];                    /* the tangents that follow from the normal */
    Number across[MOST_ROWS_OF_NEWTON][3];                   /* the factors of friction_newton.c of the change across */
    Number dz[MOST_ROWS_OF_NEWTON], dw[MOST_ROWS_OF_NEWTON]; /* the step */
    Number trial_w[MOST_ROWS_OF_NEWTON], diagonal[MOST_ROWS_OF_NEWTON], column[MOST_ROWS_OF_NEWTON];
    Number general_unknowns[MOST_ROWS_OF_NEWTON]; /* of lanes in which a contact slips */
    Number general[MOST_ROWS_OF_NEWTON * MOST_ROWS_OF_NEWTON];
} NewtonInLanes;

/* the rows of a problem are numbered as in ContactWork, those of one of its parts one after the other; friction_program.h and
 * friction_rows.h explain the names */
typedef struct FrictionInLanes {
    Number before[MOST_ROWS_IN_LANES], bound[MOST_ROWS_IN_LANES], bounce[MOST_ROWS_IN_LANES], noise[MOST_ROWS_IN_LANES];
    Number given_a[MOST_ROWS_IN_LANES], given_size[MOST_ROWS_IN_LANES], start[MOST_ROWS_IN_LANES], now[MOST_ROWS_IN_LANES];
    Number solution[MOST_ROWS_IN_LANES];
    Number limit[MOST_ROWS_IN_LANES]; /* of a box: the largest multiplier; of a normal: the coefficient */
    int is_joint[MOST_ROWS_IN_LANES]; /* of a box: the friction of a joint, which has both signs */

    /* of a part */
    int m, n_boxes, n_contacts;
    int row_of[MOST_ROWS_IN_LANES];
    int first[MOST_ROWS_IN_LANES + 1], columns[MOST_ENTRIES_IN_LANES];
    Number values[MOST_ENTRIES_IN_LANES], scaled[MOST_ENTRIES_IN_LANES];
    Number a[MOST_ROWS_IN_LANES], length[MOST_ROWS_IN_LANES], lower[MOST_ROWS_IN_LANES], upper[MOST_ROWS_IN_LANES];
    Number z[MOST_ROWS_IN_LANES], w[MOST_ROWS_IN_LANES], r[MOST_ROWS_IN_LANES], best[MOST_ROWS_IN_LANES], trial[MOST_ROWS_IN_LANES];
    Number unknowns[MOST_ROWS_IN_LANES];
    int place[MOST_ROWS_IN_LANES];
    Number size; /* FrictionRows.size */
    NewtonInLanes newton;
    Number A[MOST_ROWS_OF_A * MOST_ROWS_OF_A], M[MOST_ROWS_OF_A * MOST_ROWS_OF_A];
} FrictionInLanes;

/* Solve the problems of lanes [a mask], whose rows are listed in step->scalar for the lane `first`. B, chosen rows and rates are those of
 * `step`. Sets impulses, and in w the impulses and modes of friction, of the lanes that are solved, and returns their mask. */
int solve_friction_in_lanes(Lanes *lanes, StepInLanes *step, int mask, int first, int m);

#endif
