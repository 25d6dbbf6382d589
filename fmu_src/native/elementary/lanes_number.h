/* Numbers with several lanes: vectors of gcc and clang. Included by number.h. */
#ifndef MOBOD_LANES_NUMBER_H
#define MOBOD_LANES_NUMBER_H

#include "elementary.h"

/* in each lane all bits 1, or 0 */
typedef Index Mask;

/* also of a Number, which stays as it is */
#define NUMBER(x) ((x) - (Number){0})
#define NUMBERS(pointer) ((Number *)(pointer))
#define FIRST_LANE(x) ((x)[0])

static inline Number number_of_mask(Mask mask) { return (Number)(mask & (Mask)NUMBER(1.0)); }
/* a where the mask is all ones, b where it is 0 */
static inline Number number_chosen(Mask mask, Number a, Number b) { return (Number)(((Mask)a & mask) | ((Mask)b & ~mask)); }

/* one bit for each lane of the mask, the lowest for the first one */
#define ALL_LANES ((1 << MOBOD_LANES) - 1)
static inline int bits_of_lanes(Mask mask) {
#if MOBOD_LANES == 2 && defined(__SSE2__)
    return __builtin_ia32_movmskpd((Number)mask);
#elif MOBOD_LANES == 4 && defined(__AVX__)
    return __builtin_ia32_movmskpd256((Number)mask);
#elif MOBOD_LANES == 8 && defined(__AVX512F__)
    typedef long long Words __attribute__((vector_size(64)));
    return (uint8_t)__builtin_ia32_cmpq512_mask((Words)mask, (Words){0}, 4, -1);
#else
    int bits = 0;
    for (int lane = 0; lane < MOBOD_LANES; lane++)
        bits |= (int)(mask[lane] & 1) << lane;
    return bits;
#endif
}
/* whether any lane of the mask is set */
static inline int any_lane(Mask mask) { return bits_of_lanes(mask) != 0; }
/* whether all are */
static inline int all_lanes(Mask mask) { return bits_of_lanes(mask) == ALL_LANES; }

/* whether a condition holds in all lanes, or in any */
static inline int number_all(Number condition) { return all_lanes(condition != 0.0); }
static inline int number_any(Number condition) { return any_lane(condition != 0.0); }

static inline Number number_less(Number a, Number b) { return number_of_mask(a < b); }
static inline Number number_less_equal(Number a, Number b) { return number_of_mask(a <= b); }
static inline Number number_equal(Number a, Number b) { return number_of_mask(a == b); }
static inline Number number_not_equal(Number a, Number b) { return number_of_mask(a != b); }
/* each condition as a Number first: for masks of two conditions, gcc leaves the vectors where there is SSE2 alone */
static inline Number number_and(Number a, Number b) { return (Number)((Mask)number_of_mask(a != 0.0) & (Mask)number_of_mask(b != 0.0)); }
static inline Number number_or(Number a, Number b) { return (Number)((Mask)number_of_mask(a != 0.0) | (Mask)number_of_mask(b != 0.0)); }
static inline Number number_not(Number a) { return number_of_mask(a == 0.0); }
static inline Number number_where(Number condition, Number a, Number b) { return number_chosen(condition != 0.0, a, b); }
static inline Number number_sign(Number a) { return number_chosen(a > 0.0, NUMBER(1.0), number_chosen(a < 0.0, NUMBER(-1.0), a)); }
static inline Number number_max(Number a, Number b) { return number_chosen((a >= b) | (b != b), a, b); }
static inline Number number_min(Number a, Number b) { return number_chosen((a <= b) | (b != b), a, b); }
static inline Number number_abs(Number a) { return (Number)((Mask)a & INT64_MAX); }

static inline Number number_is_finite(Number a) { return number_equal(a - a, NUMBER(0.0)); }

#define INDEX(i) ((int64_t)(i) - (Index){0})
static inline Index index_where(Number condition, Index a, Index b) {
    const Mask mask = condition != 0.0;
    return (a & mask) | (b & ~mask);
}
static inline Number index_is(Index a, int i) { return number_of_mask(a == (int64_t)i); }
static inline Number index_less(Index a, Index b) { return number_of_mask(a < b); }
static inline Index index_of(Number condition) { return (condition != 0.0) & 1; }
static inline Number entry_at(const Number *values, Index at) {
    Number result = {0};
    for (int lane = 0; lane < MOBOD_LANES; lane++)
        result[lane] = values[at[lane]][lane];
    return result;
}
static inline void set_entry(Number *values, Index at, Number value) {
    for (int lane = 0; lane < MOBOD_LANES; lane++)
        values[at[lane]][lane] = value[lane];
}

/* b's sign */
static inline Number number_copysign(Number a, Number b) { return (Number)(((Mask)a & INT64_MAX) | ((Mask)b & INT64_MIN)); }

/* as mobod_floor */
static inline Number number_floor(Number x) {
    Number size = number_abs(x), nearest = number_copysign((size + 0x1p52) - 0x1p52, x);
    Number below = number_copysign(number_chosen(nearest > x, nearest - 1.0, nearest), x);
    return number_chosen(size < 0x1p52, below, x);
}

/* one instruction; only clang has a function for vectors of each width */
static inline Number number_sqrt(Number x) {
#if defined(__clang__)
    return __builtin_elementwise_sqrt(x);
#elif MOBOD_LANES == 2 && defined(__SSE2__)
    return __builtin_ia32_sqrtpd(x);
#elif MOBOD_LANES == 4 && defined(__AVX__)
    return __builtin_ia32_sqrtpd256(x);
#elif MOBOD_LANES == 8 && defined(__AVX512F__)
    return __builtin_ia32_sqrtpd512_mask(x, x, -1, 4);
#else
    for (int lane = 0; lane < MOBOD_LANES; lane++)
        x[lane] = mobod_sqrt(x[lane]);
    return x;
#endif
}

/* of lanes_elementary.c */
Number number_pow(Number x, Number y);
Number number_atan2(Number y, Number x);
Number number_exp(Number x);
Number number_log(Number x);
void number_sincos(Number x, Number *sine, Number *cosine);
Number number_sin(Number x);
Number number_cos(Number x);
Number number_tan(Number x);
Number number_asin(Number x);
Number number_acos(Number x);
Number number_atan(Number x);
Number number_sinh(Number x);
Number number_cosh(Number x);
Number number_tanh(Number x);

/* functions of tables, which a file defines that uses them */
#define number_interval(table, n, x) number_from_table(mobod_interval, table, n, x)
#define number_lookup(table, n, x) number_from_table(mobod_lookup, table, n, x)
static inline Number number_from_table(double (*function)(const double *, int, double), const double *table, int n, Number x) {
    for (int lane = 0; lane < MOBOD_LANES; lane++)
        x[lane] = function(table, n, x[lane]);
    return x;
}

#endif
