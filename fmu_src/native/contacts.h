/* What becomes of unilateral rows: which are held, and the impulses of impacts.
 *
 * Twin of engine/mobod/simulate/contacts.py, where the method and its sources stand. */
#ifndef MOBOD_CONTACTS_H
#define MOBOD_CONTACTS_H

#include "unilateral_rows.h"

/* Have impacts happen, and decide which rows are held; has_changed: whether that changed y or its rate. Fails with CONTACT_OUTSIDE,
 * CONTACT_UNSOLVED or CONTACT_NOT_PROJECTED. */
Outcome resolve_contacts(const Model *model, State *state, ContactWork *work, int *has_changed, Integration *result);

/* An impact (-1) or a release (1): where they follow each other without end the capture speed is raised, and in the end 0 is returned. */
int count_contact(const Model *model, State *state, const Contact *contact);

/* How far below zero a free row that lies there at rest may come to be before it counts; 0 for others. */
double rest_noise(const Model *model, const State *state, const Contact *contact, double distance, double rate);

#endif
