/* Impacts of several rows at one time, one after another (IMPACTS_SEQUENTIAL).
 *
 * In each round all rows that approach bounce together, by Newton's law. Rows at rest and rows that separate take no part: they transmit
 * nothing in this round, and what the round makes approach bounces in the next one. So an impact passes along a row of balls from ball to
 * ball, as many leave as arrive, and the result is symmetric where the impact is. Rows with a restitution of 0 take part in every round:
 * without them a row of plastic balls would need as many rounds as its speeds take to become equal, and the result is the same. The
 * friction of the rows of a round acts in it. The rounds end when none approaches; where all that still approach are captured, in one
 * last problem of all rows at distance zero without bounces. Each round is one problem of impact.h, so that none adds energy.
 *
 * In fixed steps the rounds come before the problem of the step, with the rows that the step takes to zero. They change the speeds with
 * which the step begins, and no row of the step bounces.
 *
 * Source: generalised reflections: Smith, Kaufman, Vouga, Tamstorf, Grinspun, Reflections on simultaneous impact, ACM Trans. Graphics 31
 * (2012). */
#ifndef MOBOD_IMPACTS_IN_TURN_H
#define MOBOD_IMPACTS_IN_TURN_H

#include "contact_work.h"

/* Resolve the impacts of the rows in work->touching, and change the speeds. Fails as solve_unilateral does. */
Outcome solve_impacts_in_turn(const Model *model, State *state, ContactWork *work, Integration *result);

#endif
