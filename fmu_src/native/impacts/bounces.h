/* The bounces of single rows at impacts under error control, and the rounds of impacts at one time. */
#ifndef MOBOD_BOUNCES_H
#define MOBOD_BOUNCES_H

#include "contact_work.h"

/* SAME_RATIO: relative; of rates of two rounds whose ratios are equal. MOST_ROUNDS: of impacts at one time */
static const double SAME_RATIO = 1e-9;
enum { MOST_ROUNDS = 1000 };

/* the memory of the event of a row, event_table.h */
double *memory_of_contact(const Model *model, State *state, const Contact *contact);

/* rows that are slower approach by round-off */
double rate_noise(const Model *model, const State *state, const Contact *contact);

/* A row that impacts more slowly does not bounce. This ends sequences of bounces, and rocking from one row to another. */
double capture_speed(const Model *model, State *state, const Contact *contact, double speed);

/* the rate up to which a row is at rest, or is captured */
double slowest_impact(const Model *model, State *state, const Contact *contact);

/* The rate after a bounce of a row (its number among the unilateral rows) that approaches with a speed. A late impact counts once. */
double bounce_of(const Model *model, State *state, ContactWork *work, int contact, double speed);

/* whether impacts of a mask [contacts] of rows are resolved by impacts_in_turn.h; with restitutions of 0 both laws are the same */
int are_in_turn(const Model *model, const State *state, const int *mask);

/* Whether the rates equal those of an earlier round times a factor below 1. Then all later rounds repeat with that factor without end,
 * and the rates tend to zero. */
int is_repeated(int n, const double *rates, const double *earlier_rates);

/* Record at the event of a row that the motion may depend on the order of impacts. */
void note_ambiguous(const Model *model, State *state, const Contact *contact);

/* Record at the event of a row that it had an impact without collision. */
void note_sliding_impact(const Model *model, State *state, const Contact *contact);

/* Store the impulses of all rows of the constraints in work->touching, from work->impulses. */
void note_impulses_of_impacts(const Model *model, State *state, const ContactWork *work);

#endif
