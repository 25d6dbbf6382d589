/* What becomes of unilateral rows: which are held, and the impulses of impacts.
 *
 * Where a distance has fallen to zero all rows that are there impact at once: u+ is nearest to u, as M measures, of all that keep the
 * bilateral rows and leave no row approaching, w+ >= -e w- (Newton), e being 0 below the capture speed. Of the rows that are at rest then
 * the ones that must push are held: those with a multiplier in the accelerations nearest to the free ones. The others are free.
 *
 * A row that is there but leaves, because an earlier impact has set it going, takes no part. If the impact turns it back it is met next, at
 * the same time, and so on: rows that strike in turn between narrow limits do so ever faster. Where the rates of such a sequence repeat
 * themselves, smaller by a factor, it has no end, and nothing is left of them: all these rows come to rest. That does not depend on how
 * near to each other the impacts are when they count as being at one time. Where two rows or more approach at once within a sequence their
 * order is not known, and it may decide on the motion that follows: MEMORY_N_AMBIGUOUS and MEMORY_AMBIGUOUS_AT note it.
 *
 * Source: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts (1996); Acary & Brogliato, Numerical Methods for Nonsmooth
 * Dynamical Systems (2008), ch. 8, event-driven schemes. */
#ifndef MOBOD_CONTACTS_H
#define MOBOD_CONTACTS_H

#include "unilateral_rows.h"

/* Have impacts happen, and decide which rows are held; has_changed: whether that changed y or its rate. Fails with CONTACT_OUTSIDE,
 * CONTACT_UNSOLVED or CONTACT_NOT_PROJECTED. */
Outcome resolve_contacts(const Model *model, State *state, ContactWork *work, int *has_changed, Integration *result);

/* An impact (-1) or a release (1): where they follow each other without end the capture speed is raised, and in the end 0 is returned. */
int count_contact_event(const Model *model, State *state, const Contact *contact);

/* The first ambiguous impacts after *time of those noted in w that are not in `before`, an earlier w: their time, and the names of the
 * rows, quoted and separated by commas, cut to `size`. Returns 0 if there are none. */
int next_ambiguous_impacts(const Model *model, const double *before, const double *w, double *time, char *names, size_t size);

/* How far below zero a free row that lies there at rest may come to be before it counts; 0 for others. */
double rest_noise(const Model *model, const State *state, const Contact *contact, double distance, double rate);

#endif
