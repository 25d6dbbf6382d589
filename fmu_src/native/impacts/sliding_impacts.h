/* Impacts without collision: sliding contacts for which no accelerations exist (Painleve's paradox).
 *
 * Per unit of its normal force a contact that slides may be accelerated into its bound: W_nn - mu W_nt < 0, with W = G M^-1 G^T. Then no
 * force keeps it there while it slides on, but impulses stop or turn the slip at once. Of the speeds v = h a + W z of Moreau's inelastic
 * impact after a time h of the free accelerations a, these are the limit h -> 0, if that is not z = 0. The contact that jams approaches
 * with the size of the terms of its acceleration, since where the paradox begins a tends to zero too. With two values of h that have nearly
 * the same impulses, the limit is extrapolated.
 *
 * Source: Genot & Brogliato, New results on Painleve paradoxes (1999); Moreau, Unilateral contact and dry friction in finite freedom
 * dynamics (1988). */
#ifndef MOBOD_SLIDING_IMPACTS_H
#define MOBOD_SLIDING_IMPACTS_H

#include "contact_work.h"

/* find_modes_and_stop, with such an impact where it finds no accelerations, or first of all if work->jammed says so. Impacts take
 * work->touching, and remove the contacts that separate from it. Fails as find_modes does, if there is no such impact. */
Outcome find_modes_or_impacts(const Model *model, State *state, ContactWork *work, Integration *result);

#endif
