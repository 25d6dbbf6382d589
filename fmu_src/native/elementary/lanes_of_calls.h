/* Numbers whose lanes are calls of a sweep: several calls of one kind on one State, side by side.
 *
 * The entries of an array lie one after the other in each call. Two of them at a time are read and written for all calls. An entry that is
 * read beside a needed one may be any number of the State, or of the few behind it. */
#ifndef MOBOD_LANES_OF_CALLS_H
#define MOBOD_LANES_OF_CALLS_H

#include "number.h"

/* an argument or a result of each call */
typedef struct {
    double *of[MOBOD_LANES];
} Calls;

/* DO(lane), for each in order */
#if MOBOD_LANES == 2
#define FOR_LANES(DO) (DO(0), DO(1))
#elif MOBOD_LANES == 4
#define FOR_LANES(DO) (DO(0), DO(1), DO(2), DO(3))
#else
#define FOR_LANES(DO) (DO(0), DO(1), DO(2), DO(3), DO(4), DO(5), DO(6), DO(7))
#endif

/* The same pointer, of which the compiler does not know how it was computed. Otherwise gcc takes four times as long. */
static inline double *hidden(double *pointer) {
    __asm__("" : "+r"(pointer));
    return pointer;
}

/* from the places of the first call; n: number of the places of a call */
static inline Calls calls_at(double *w, const int *at, int n) {
    Calls calls;
#define AT(lane) (calls.of[lane] = hidden(w + at[(lane) * n]))
    FOR_LANES(AT);
    return calls;
}

static inline Number entry_of_calls(const Calls *x, int k) {
    Number a = {0};
#define READ(lane) (a[lane] = x->of[lane][k])
    FOR_LANES(READ);
    return a;
}

static inline void set_entry_of_calls(const Calls *y, int k, Number a) {
#define SET(lane) (y->of[lane][k] = a[lane])
    FOR_LANES(SET);
}

/* adds the first call's number first: several calls may add to one sum */
static inline void add_entry_of_calls(const Calls *y, int k, Number a) {
#define ADD(lane) (y->of[lane][k] += a[lane])
    FOR_LANES(ADD);
}

#ifdef __has_builtin
#if __has_builtin(__builtin_shufflevector)
#define MOBOD_SHUFFLES
#endif
#endif

#if defined(MOBOD_SHUFFLES) && MOBOD_LANES <= 4

/* two entries of a call */
typedef double Pair __attribute__((vector_size(16), aligned(8), may_alias));

#define PAIR(x, lane, k) (*(Pair *)((x)->of[lane] + (k)))

/* DO(lane, what the call gets of two entries), for each in order */
#if MOBOD_LANES == 2
#define FIRST_OF_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 2)
#define SECOND_OF_PAIRS(a, b) __builtin_shufflevector(a, b, 1, 3)
#define FOR_PAIRS(DO, even, odd) (DO(0, even), DO(1, odd))
#else
#define FIRST_OF_PAIRS(a, b) __builtin_shufflevector(a, b, 0, 4, 2, 6)
#define SECOND_OF_PAIRS(a, b) __builtin_shufflevector(a, b, 1, 5, 3, 7)
#define LOW(a) __builtin_shufflevector(a, a, 0, 1)
#if defined(__AVX__) && !defined(__clang__)
#define HIGH(a) ((Pair)__builtin_ia32_vextractf128_pd256(a, 1)) /* gcc makes more of a shuffle */
#else
#define HIGH(a) __builtin_shufflevector(a, a, 2, 3)
#endif
#define FOR_PAIRS(DO, even, odd) (DO(0, LOW(even)), DO(1, LOW(odd)), DO(2, HIGH(even)), DO(3, HIGH(odd)))
#endif

/* the entries k and k + 1 */
static inline void entries_of_calls(const Calls *x, int k, Number *a, Number *b) {
#if MOBOD_LANES == 2
    const Number even = PAIR(x, 0, k), odd = PAIR(x, 1, k);
#else
    const Number even = __builtin_shufflevector(PAIR(x, 0, k), PAIR(x, 2, k), 0, 1, 2, 3);
    const Number odd = __builtin_shufflevector(PAIR(x, 1, k), PAIR(x, 3, k), 0, 1, 2, 3);
#endif
    *a = FIRST_OF_PAIRS(even, odd);
    *b = SECOND_OF_PAIRS(even, odd);
}

static inline void set_entries_of_calls(const Calls *y, int k, Number a, Number b) {
    const Number even = FIRST_OF_PAIRS(a, b), odd = SECOND_OF_PAIRS(a, b);
#define SET_PAIR(lane, pair) (PAIR(y, lane, k) = pair)
    FOR_PAIRS(SET_PAIR, even, odd);
}

static inline void add_entries_of_calls(const Calls *y, int k, Number a, Number b) {
    const Number even = FIRST_OF_PAIRS(a, b), odd = SECOND_OF_PAIRS(a, b);
#define ADD_PAIR(lane, pair) (PAIR(y, lane, k) += pair)
    FOR_PAIRS(ADD_PAIR, even, odd);
}

#else

static inline void entries_of_calls(const Calls *x, int k, Number *a, Number *b) {
    *a = entry_of_calls(x, k);
    *b = entry_of_calls(x, k + 1);
}

static inline void set_entries_of_calls(const Calls *y, int k, Number a, Number b) {
    set_entry_of_calls(y, k, a);
    set_entry_of_calls(y, k + 1, b);
}

static inline void add_entries_of_calls(const Calls *y, int k, Number a, Number b) {
    add_entry_of_calls(y, k, a);
    add_entry_of_calls(y, k + 1, b);
}

#endif

#endif
