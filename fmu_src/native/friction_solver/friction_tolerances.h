/* Tolerances of the first methods of friction_search.c, which several lanes try at once too (lanes_friction.h). */
#ifndef MOBOD_FRICTION_TOLERANCES_H
#define MOBOD_FRICTION_TOLERANCES_H

static const double GOOD = 1e-10;                       /* residual at which the search ends */
static const double SOLVED = 1e-12;                     /* residual at which Newton's method ends */
static const double HOLDS = 1 - 1e-9;                   /* part of the limit of friction above which a contact may slip */
static const double LEAST_EPSILON = 1e-9;               /* of Newton's methods */
static const double ROUND_OFF = 1.8189894035458565e-12; /* eps^(3/4): a row that is shorter than the longest by this is zero */

#endif
