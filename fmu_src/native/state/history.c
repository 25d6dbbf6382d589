#include "history.h"

#include "elementary.h"

#include <string.h>

/* the layout of the memory */
enum { COUNT, OLDEST, ENTRIES };

/* a whole number of the memory, below `end`; any other number, which only corrupted tables can contain, is read as 0 */
static int whole_number(double number, int end) { return number >= 0 && number < end ? (int)number : 0; }

int history_count(const History *history) { return whole_number(history->memory[COUNT], history->capacity + 1); }

size_t history_size(const History *history) { return ENTRIES + (size_t)history->capacity * (size_t)(1 + 2 * history->n); }

double *history_entry(const History *history, int i) {
    int place = (whole_number(history->memory[OLDEST], history->capacity) + i) % history->capacity;
    return history->memory + ENTRIES + (size_t)place * (size_t)(1 + 2 * history->n);
}

int history_record(const History *history, const double *entry) {
    int count = history_count(history);
    if (count == history->capacity)
        return 0;
    history->memory[COUNT] = count + 1;
    memcpy(history_entry(history, count), entry, (size_t)(1 + 2 * history->n) * sizeof(double));
    return 1;
}

void history_forget_before(const History *history, double time) {
    while (history_count(history) > 1 && history_entry(history, 1)[0] <= time) {
        history->memory[OLDEST] = (whole_number(history->memory[OLDEST], history->capacity) + 1) % history->capacity;
        history->memory[COUNT]--;
    }
}

void history_forget_after(const History *history, double time) {
    while (history_count(history) && history_entry(history, history_count(history) - 1)[0] > time)
        history->memory[COUNT]--;
}

void history_forget_newest(const History *history) { history->memory[COUNT]--; }

void history_forget(const History *history) { history->memory[COUNT] = history->memory[OLDEST] = 0; }

void history_move_newest(const History *history, double time) {
    int count = history_count(history);
    double newest = count ? history_entry(history, count - 1)[0] : 0;
    for (int i = count - 1; i >= 0 && history_entry(history, i)[0] == newest; i--)
        history_entry(history, i)[0] = time;
}

int history_has_start(const History *history) {
    return history_count(history) > 1 && history_entry(history, 0)[0] == history_entry(history, 1)[0];
}

int history_find(const History *history, double time) {
    int low = -1, high = history_count(history);
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (history_entry(history, middle)[0] <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}

Past history_at(const History *history, int found, double time, int which) {
    if (found >= 0 && found < history_count(history) - 1)
        return history_between(history->n, time, history_entry(history, found), history_entry(history, found + 1), which);
    if (found < 0 && !history_has_start(history))
        return (Past){NAN, NAN, NAN};
    const double *entry = history_entry(history, found < 0 ? 0 : found);
    return (Past){entry[1 + which], found < 0 ? 0 : entry[1 + history->n + which], 0};
}

Past history_between(int n, double time, const double *before, const double *after, int which) {
    int value = 1 + which, rate = 1 + n + which;
    double h = after[0] - before[0], s = (time - before[0]) / h;
    double change = after[value] - before[value], at_start = h * before[rate] - change, at_end = change - h * after[rate];
    return (Past){
        before[value] + s * (change + (1 - s) * ((1 - s) * at_start + s * at_end)),
        (change + (1 - s) * (1 - 3 * s) * at_start + s * (2 - 3 * s) * at_end) / h,
        ((6 * s - 4) * at_start + (2 - 6 * s) * at_end) / (h * h),
    };
}
