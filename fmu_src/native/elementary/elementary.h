/* The mathematical functions of the runtime and of models: the same bits on every machine, from every compiler.

   They do not use libm, but only additions, multiplications, divisions, square roots and operations on bits, which IEEE 754 defines to the
   last bit. Compile with -ffp-contract=off -fno-math-errno: without fused operations, and with square roots as one instruction. Rounding
   must be to nearest. (-fno-builtin changes nothing: of the functions that the compiler knows, only those that copy memory are called.)

   Results are less than one unit in the last place from the exact value; infinities, zeros with their signs and domain errors as in C99,
   Annex F.9 (F.10 of C11). Every NaN that they return is the same one. Nothing sets errno.

   Largest errors found, in units in the last place, over millions of arguments of each kind: sin 0.89, cos 0.87, tan 0.67,
   asin 0.70, acos 0.66, atan 0.75, atan2 0.70, exp 0.80, log 0.87, pow 0.78, sinh 0.87, cosh 0.72, tanh 0.69, hypot 0.92. The methods are
   described at the top of each file. */
#ifndef MOBOD_ELEMENTARY_H
#define MOBOD_ELEMENTARY_H

#include <float.h>
#include <math.h>
#include <stdint.h>

/* C99 has it as a float, of which these compilers warn where doubles are meant; HUGE_VAL may stand for it */
#ifdef __GNUC__
#undef INFINITY
#define INFINITY __builtin_inf()
#endif

#if FLT_EVAL_METHOD == 2 || defined(__FAST_MATH__)
#error "compile for arithmetic of doubles: without x87 registers and without -ffast-math"
#endif

/* both of one argument, in one call; mobod_sin and mobod_cos return the same numbers */
void mobod_sincos(double x, double *sine, double *cosine);
double mobod_sin(double x);
double mobod_cos(double x);
double mobod_tan(double x);

double mobod_asin(double x);
double mobod_acos(double x);
double mobod_atan(double x);
double mobod_atan2(double y, double x);

double mobod_exp(double x);
double mobod_log(double x);
double mobod_pow(double x, double y);

double mobod_sinh(double x);
double mobod_cosh(double x);
double mobod_tanh(double x);

double mobod_hypot(double x, double y);

/* the square root, rounded correctly, without an instruction for it */
double mobod_integer_sqrt(double x);

/* the following functions are exact */

static inline uint64_t mobod_bits(double x) {
    union {
        double number;
        uint64_t bits;
    } same = {x};
    return same.bits;
}

static inline double mobod_double(uint64_t bits) {
    union {
        uint64_t bits;
        double number;
    } same = {bits};
    return same.number;
}

static inline double mobod_copysign(double x, double sign) {
    const uint64_t bit = UINT64_C(0x8000000000000000);
    return mobod_double((mobod_bits(x) & ~bit) | (mobod_bits(sign) & bit));
}

#if defined(__GNUC__)
static inline double mobod_fabs(double x) { return __builtin_fabs(x); }
/* without -fno-math-errno the compiler would call libm for negative numbers */
static inline double mobod_sqrt(double x) {
#if defined(MOBOD_OWN_SQRT) && MOBOD_OWN_SQRT /* bare.h */
    return mobod_integer_sqrt(x);
#elif !defined(__NO_MATH_ERRNO__) && defined(__x86_64__)
    double root;
    __asm__("sqrtsd %1, %0" : "=x"(root) : "x"(x));
    return root;
#elif !defined(__NO_MATH_ERRNO__) && defined(__aarch64__)
    double root;
    __asm__("fsqrt %d0, %d1" : "=w"(root) : "w"(x));
    return root;
#else
    return __builtin_sqrt(x);
#endif
}
#else
static inline double mobod_fabs(double x) { return mobod_copysign(x, 0.0); }
static inline double mobod_sqrt(double x) { return (sqrt)(x); }
#endif

/* round down to an integer; adding and subtracting 2^52 rounds to the nearest one */
static inline double mobod_floor(double x) {
    double size = mobod_fabs(x);
    if (!(size < 0x1p52))
        return x;
    double nearest = mobod_copysign((size + 0x1p52) - 0x1p52, x);
    return mobod_copysign(nearest > x ? nearest - 1 : nearest, x);
}

static inline double mobod_ceil(double x) { return -mobod_floor(-x); }

/* if one argument is NaN, the other one; a if both are equal, including zeros with different signs */
static inline double mobod_fmax(double a, double b) { return a >= b || b != b ? a : b; }
static inline double mobod_fmin(double a, double b) { return a <= b || b != b ? a : b; }

/* the next number above or below a finite number; for infinities, only towards zero */
static inline double mobod_next_above(double x) {
    if (x == 0)
        return mobod_double(1);
    if (!(x < (double)INFINITY))
        return x;
    return mobod_double(x > 0 ? mobod_bits(x) + 1 : mobod_bits(x) - 1);
}

static inline double mobod_next_below(double x) { return -mobod_next_above(-x); }

/* By their usual names, so that neither the runtime nor models call libm: not every processor has instructions for all of them. */
#undef fabs
#undef sqrt
#undef floor
#undef ceil
#undef copysign
#undef fmax
#undef fmin
#define fabs(x) mobod_fabs(x)
#define sqrt(x) mobod_sqrt(x)
#define floor(x) mobod_floor(x)
#define ceil(x) mobod_ceil(x)
#define copysign(x, sign) mobod_copysign(x, sign)
#define fmax(a, b) mobod_fmax(a, b)
#define fmin(a, b) mobod_fmin(a, b)

#endif
