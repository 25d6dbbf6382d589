/* Recorded values of a quantity at past times, and interpolation between them. */
#ifndef MOBOD_HISTORY_H
#define MOBOD_HISTORY_H

#include <stddef.h>

/* A ring buffer of entries (time, values [n], rates [n]), in memory that the caller owns: memory [2 + capacity (1 + 2 n)]: number of
 * entries, index of the oldest, the entries. All zeros: empty. */
typedef struct {
    double *memory;
    int capacity, n;
} History;

int history_count(const History *history);
size_t history_size(const History *history); /* number of values in its memory */

/* the i-th entry, the oldest being 0 */
double *history_entry(const History *history, int i);

/* Add an entry whose time is not before the newest. Returns 0, and adds nothing, if the buffer is full. */
int history_record(const History *history, const double *entry);

/* Remove entries: those that are not needed for times from `time` on; those later than `time`; the newest one, which must exist; all. */
void history_forget_before(const History *history, double time);
void history_forget_after(const History *history, double time);
void history_forget_newest(const History *history);
void history_forget(const History *history);

/* change the time of the newest entry, if there is one, and of those before it at the same time: a jump stays one */
void history_move_newest(const History *history, double time);

/* whether no entry was removed since the start, which has two entries */
int history_has_start(const History *history);

/* the number of the last entry that is not later than `time`; -1 if all are later */
int history_find(const History *history, double time);

/* a value, its rate, and the rate of the rate */
typedef struct {
    double value, rate, bend;
} Past;

/* Entry `which` of the n values at a time; `found` is the result of history_find for it. After the newest entry: its value and rate.
 * Before the start of the record: the oldest value. Derivatives that are not known are 0. Values that were removed are NaN. The history
 * must not be empty. */
Past history_at(const History *history, int found, double time, int which);

/* the same between two entries (time, values, rates), by Hermite's cubic */
Past history_between(int n, double time, const double *before, const double *after, int which);

#endif
