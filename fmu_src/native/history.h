/* What a quantity was at past times, and between them. */
#ifndef MOBOD_HISTORY_H
#define MOBOD_HISTORY_H

#include <stddef.h>

/* A ring of entries, each (time, values [n], rates [n]), in numbers that somebody else keeps:
 * memory [2 + capacity (1 + 2 n)]: how many entries there are, which is the oldest, the entries. All zeros: none. */
typedef struct {
    double *memory;
    int capacity, n;
} History;

int history_count(const History *history);
size_t history_size(const History *history); /* numbers of its memory */

/* the i-th entry, the oldest being 0 */
double *history_entry(const History *history, int i);

/* Adds an entry, of a time not before the newest; 0, and nothing is added, if there is no room. */
int history_record(const History *history, const double *entry);

/* drop the entries that nothing from that time on needs, those of later times, the newest, which there is, or all */
void history_forget_before(const History *history, double time);
void history_forget_after(const History *history, double time);
void history_forget_newest(const History *history);
void history_forget(const History *history);

/* give the newest entry, if there is one, another time */
void history_move_newest(const History *history, double time);

/* whether nothing was forgotten: the start has two entries */
int history_has_start(const History *history);

/* the number of the last entry that is not later; -1 if all are */
int history_find(const History *history, double time);

/* a value, its rate and the rate of that */
typedef struct {
    double value, rate, bend;
} Past;

/* Of one of the n values, `found` being what history_find said of the time. From the newest entry on its value and rate, before the start
 * of the record the oldest value; what is not said is 0. What was forgotten is NaN. Needs an entry. */
Past history_at(const History *history, int found, double time, int which);

/* the same between two entries (time, values, rates), by Hermite's cubic */
Past history_between(int n, double time, const double *before, const double *after, int which);

#endif
