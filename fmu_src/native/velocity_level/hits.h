/* Rows that are hit in a fixed step at velocity level with its rows at the middle (velocity_level.h).
 *
 * Coordinates that move with the mean of the speeds at the start and at the end would go on for half a step into a row that is hit, and out
 * of it in the other half. So where a row is hit, coordinates move with the speeds of the start until the hit, and with those of the end
 * after it: the coordinates of all trees of bodies with which the row shares a part of the problem, which is one impact. A row that
 * bounces or stops is hit when its distance is zero; one that approaches so slowly that the law of restitution does not apply, at the start
 * of the step, since its rate at the end leads to zero. The first hit of a tree counts, so that no distance becomes negative.
 *
 * A row that approaches by less than HIT times the change of its rate in the step, or by round-off, is at rest: it may approach so by
 * errors of second order, and goes below zero by less than HIT h^2 / 2 times its acceleration. */
#ifndef MOBOD_HITS_H
#define MOBOD_HITS_H

#include "model.h"
#include "unilateral_rows.h"

/* the owner provides the memory */
typedef struct {
    int any;
    int *contacts;    /* [contacts] mask of the rows in these parts */
    double *before;   /* [n_joints] the part of the step before the hit; 1/2 where there is none */
    double *of_parts; /* [most_selected_rows] the same of the parts of the problem; INFINITY where there is none */
} Hits;

/* values of the contacts in a step */
typedef struct {
    const int *chosen;       /* mask of the rows of the problem */
    const double *distances; /* at the start, */
    const double *rates;
    const double *free;    /* rates at the end without impulses, */
    const double *target;  /* those required after bounces, */
    const double *slowest; /* and those that may be round-off */
    const double *turns;   /* [n_rows] impulses of impacts in turn; NULL: there are none */
} HitRows;

/* the parts of the last problem */
const IndependentParts *last_parts(const ContactWork *work);

/* with the solution of the last problem, of a step of h */
void find_hits(const Model *model, const ContactWork *work, HitRows rows, double h, Hits *hits);

/* Change the bodies' speeds u [nu] at the end to those with which coordinates move from the middle to the end. */
void change_speeds_of_hits(const Model *model, const Hits *hits, const double *u_start, double *u);

#endif
