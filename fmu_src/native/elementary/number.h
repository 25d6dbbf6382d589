/* The numbers of kernels, and the operations of recorded code on them.
 *
 * Number is double. If MOBOD_LANES is defined as 2, 4 or 8, it is a vector with one number in each lane, for kernels that are called on
 * several States side by side. A lane of a result depends on the same lane of the operands alone, and has the same bits as the operation
 * on doubles. A condition is 1 or 0, in each lane; any number other than 0 is true, NaN too. */
#ifndef MOBOD_NUMBER_H
#define MOBOD_NUMBER_H

#include "elementary.h"
#include "number_type.h"

#ifdef MOBOD_LANES
#include "lanes_number.h"
#else

/* a Number from a literal */
#define NUMBER(x) (x)
/* the number in the first lane */
#define FIRST_LANE(x) (x)
/* Numbers at a pointer to doubles */
#define NUMBERS(pointer) (pointer)

static inline Number number_less(Number a, Number b) { return a < b; }
static inline Number number_less_equal(Number a, Number b) { return a <= b; }
static inline Number number_equal(Number a, Number b) { return a == b; }
static inline Number number_not_equal(Number a, Number b) { return a != b; }
static inline Number number_and(Number a, Number b) { return a != 0 && b != 0; }
static inline Number number_or(Number a, Number b) { return a != 0 || b != 0; }
static inline Number number_not(Number a) { return a == 0; }
static inline Number number_where(Number condition, Number a, Number b) { return condition != 0 ? a : b; }
static inline Number number_sign(Number a) { return a > 0 ? 1.0 : a < 0 ? -1.0 : a; }

/* whether a condition holds in all lanes, or in any */
static inline int number_all(Number condition) { return condition != 0; }
static inline int number_any(Number condition) { return condition != 0; }
static inline Number number_max(Number a, Number b) { return mobod_fmax(a, b); }
static inline Number number_min(Number a, Number b) { return mobod_fmin(a, b); }

static inline Number number_is_finite(Number a) { return isfinite(a) != 0; }

/* entries of arrays by their number, in each lane another one */
#define INDEX(i) (i)
static inline Index index_where(Number condition, Index a, Index b) { return condition != 0 ? a : b; }
static inline Number index_is(Index a, int i) { return a == i; }
static inline Number index_less(Index a, Index b) { return a < b; }
/* a condition as 1 or 0 */
static inline Index index_of(Number condition) { return condition != 0; }
static inline Number entry_at(const Number *values, Index at) { return values[at]; }
static inline void set_entry(Number *values, Index at, Number value) { values[at] = value; }

#define number_abs(x) mobod_fabs(x)
#define number_copysign(x, sign) mobod_copysign(x, sign)
#define number_floor(x) mobod_floor(x)
#define number_sqrt(x) mobod_sqrt(x)
#define number_pow(x, y) mobod_pow(x, y)
#define number_atan2(y, x) mobod_atan2(y, x)
#define number_exp(x) mobod_exp(x)
#define number_log(x) mobod_log(x)
#define number_sincos(x, sine, cosine) mobod_sincos(x, sine, cosine)
#define number_sin(x) mobod_sin(x)
#define number_cos(x) mobod_cos(x)
#define number_tan(x) mobod_tan(x)
#define number_asin(x) mobod_asin(x)
#define number_acos(x) mobod_acos(x)
#define number_atan(x) mobod_atan(x)
#define number_sinh(x) mobod_sinh(x)
#define number_cosh(x) mobod_cosh(x)
#define number_tanh(x) mobod_tanh(x)
/* functions of tables, which a file defines that uses them */
#define number_interval(table, n, x) mobod_interval(table, n, x)
#define number_lookup(table, n, x) mobod_lookup(table, n, x)

#endif

#endif
