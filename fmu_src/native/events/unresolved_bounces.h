/* Contacts of a model that an importer integrates (model exchange).
 *
 * An importer's first step after an event may be longer than the flight of a bounce that dies out. A linear interpolation of this step
 * falls below zero at once, so that the importer finds a root where the distance still rises. Such a bounce is undone: from then on the
 * contact rests. */
#ifndef MOBOD_UNRESOLVED_BOUNCES_H
#define MOBOD_UNRESOLVED_BOUNCES_H

#include "event_work.h"

/* Before event mode changes the State: set the directions of slips that have turned, and MEMORY_CROSSED of contacts and friction whose
 * event indicators are not above zero. The removal of drift may lift their values by more than they have fallen. Stores the distances of
 * contacts, for note_drift_of_contacts; returns 0 if there are none. */
int note_crossings_of_importer(const Model *model, State *state, EventWork *work);

/* Whether there are such crossings. The impacts are then processed with the events of their contacts. */
int has_noted_crossings(const Model *model, const State *state);

/* Whether the indicator of a contact or of friction falls to zero within the time to which importers locate roots. An importer that
 * stops shortly before a root enters event mode there. Values and rates of witnesses are those of the State. */
int crosses_at_once(const Model *model, State *state, const EventWork *work, int witness);

/* After the removal of drift: set ContactWork.drift to how far it has lowered the distances since then, and to how far contacts may lie
 * below zero without an event. */
void note_drift_of_contacts(const Model *model, State *state, EventWork *work);
void forget_drift_of_contacts(const Model *model, EventWork *work);

/* Remove, by an impulse, the rates of free contacts that have crossed zero although they rise. Contacts that slip have the friction of this
 * impulse, as they had that of the bounce. The State is realized to ACCELERATION, and work->rates are those of the witnesses. */
Outcome take_back_bounces(const Model *model, State *state, EventWork *work, Integration *result);

/* How far the witness of an event may lie below zero and still count as zero, if its value is zero except for round-off; 0 for other
 * witnesses. An importer does not find the roots of an indicator that is zero when a step begins. */
double noise_for_importer(const Model *model, const State *state, int event, double value);

/* The same for a contact that was free and at rest at zero after the last event and is free again after this one, and for a slip that began
 * at zero and goes on: the errors of the importer's steps have caused the event. The witness may lie further below zero than before: the
 * first steps after an event are of low order, and their errors, which the tolerance of the FMU does not tell, would be events without end.
 * 0 for other witnesses.
 * Decision: docs/decisions/233-widths-of-importers.md */
double wider_noise_for_importer(const Model *model, State *state, const EventWork *work, int witness);

#endif
