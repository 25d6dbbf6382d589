#include "table_parts.h"

int are_in_w(const Checks *checks, int at, int64_t n) { return at >= 0 && n >= 0 && n <= checks->n_w && at <= checks->n_w - n; }

int overlap(int a, int b, int n) { return a < b + n && b < a + n; }

int has_items(const Checks *checks, const void *items, int64_t n) {
    return n >= 0 && (uint64_t)n <= (uint64_t)items_from(checks->blob, items);
}
