/* Tolerances of the first methods of friction_search.c, which several lanes try at once too (lanes_friction_part.c). */
#ifndef MOBOD_FRICTION_TOLERANCES_H
#define MOBOD_FRICTION_TOLERANCES_H

/* Residuals. GOOD: at which the search ends, and of a start without mean forces that is a solution. STARTS: of a start with the mean forces
 * of the last step where all stick: a larger one is worth a new solution, or errors of many steps would add up. CHANGES: the same of
 * changes of rates by these forces. */
static const double GOOD = 1e-10, STARTS = 4e-14, CHANGES = 1e-14;
static const double NEARLY_GOOD = 1e-9;                 /* by dimensions: residual at which a search ends that improves it no more */
static const double SOLVED = 1e-12;                     /* residual at which Newton's method ends */
static const double HOLDS = 1 - 1e-9;                   /* part of the limit of friction above which a contact may slip */
static const double LEAST_EPSILON = 1e-9;               /* of Newton's methods */
static const double ROUND_OFF = 1.8189894035458565e-12; /* eps^(3/4): a row that is shorter than the longest by this is zero */

/* Newton's method */
static const double SHORTEST = 1e-3;     /* part of a step */
static const double DECREASE = 1e-4;     /* of the squared norm, by a whole step */
static const double PART_OF_NORM = 1e-3; /* epsilon relative to the norm of the natural map */
static const double LARGEST_EPSILON = 1.0;
enum { FIRST_STEPS = 6 }; /* from a start */

#endif
