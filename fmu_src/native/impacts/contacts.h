/* Unilateral rows under error control: which rows are active, and the impulses of impacts.
 *
 * When a distance falls to zero, all rows with distance zero impact at once. u+ is nearest to u, in the norm of M, among all speeds that
 * satisfy the bilateral rows and let no row approach: w+ >= -e w- (Newton), where e is 0 below the capture speed. Afterwards some rows are
 * at rest. Of these, the rows with a positive multiplier in the accelerations nearest to the free ones become active. The other rows are
 * free.
 *
 * A row at distance zero that separates, because of an earlier impact at the same time, takes no part. If an impact reverses its rate,
 * it impacts in the next round, at the same time. Rows that impact in turn between narrow limits do so ever faster. If the rates of such
 * a sequence repeat, multiplied by a factor below 1, the sequence is infinite and its rates tend to zero: all these rows come to rest.
 * This result does not depend on the time interval within which impacts count as simultaneous. If two or more rows approach at once
 * within a sequence, their order is not known, and the motion after it may depend on the order. MEMORY_N_AMBIGUOUS and
 * MEMORY_AMBIGUOUS_AT record such impacts.
 *
 * With IMPACTS_SEQUENTIAL impacts_in_turn.h resolves impacts instead.
 *
 * Source: Pfeiffer & Glocker, Multibody Dynamics with Unilateral Contacts (1996); Acary & Brogliato, Numerical Methods for Nonsmooth
 * Dynamical Systems (2008), ch. 8, event-driven schemes. */
#ifndef MOBOD_CONTACTS_H
#define MOBOD_CONTACTS_H

#include "contact_work.h"

/* Compute impacts, and determine the active rows. has_changed: whether y, or which rows are active, changed. Fails with CONTACT_OUTSIDE,
 * CONTACT_UNSOLVED or CONTACT_NOT_PROJECTED. */
Outcome resolve_contacts(const Model *model, State *state, ContactWork *work, int *has_changed, Integration *result);

/* Count an impact or a release of a row, or a change of friction. Returns -1 for an impact and 1 for a release. If they repeat too often
 * within a short time, the capture speed of the row is raised. If it cannot be raised any further, 0 is returned; so it is if they follow
 * each other so fast that time hardly advances, although bounces that become slower end. fall: how fast the witness fell, per s */
int count_contact_event(const Model *model, State *state, int event, double fall);

#endif
