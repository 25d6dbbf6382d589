/* The elementary functions of Numbers with several lanes over arrays, for tests: each by its number, from two arrays of arguments. */
#include "number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

static Number sine_of_both(Number x) {
    Number sine, cosine;
    number_sincos(x, &sine, &cosine);
    return sine;
}

static Number cosine_of_both(Number x) {
    Number sine, cosine;
    number_sincos(x, &sine, &cosine);
    return cosine;
}

static Number (*const of_one[])(Number) = {
    number_sin,  number_cos,  number_tan,  number_asin,  number_acos,    number_atan,  number_exp,  number_log,
    number_sinh, number_cosh, number_tanh, sine_of_both, cosine_of_both, number_floor, number_sqrt,
};
static Number (*const of_two[])(Number, Number) = {number_atan2, number_pow, number_copysign};

/* n: a multiple of the number of lanes; functions of two arguments have numbers from 100 on */
EXPORT void apply(int function, int n, const double *x, const double *y, double *result) {
    for (int i = 0; i < n; i += MOBOD_LANES) {
        Number a, b, c;
        memcpy(&a, x + i, sizeof a);
        memcpy(&b, y + i, sizeof b);
        c = function < 100 ? of_one[function](a) : of_two[function - 100](a, b);
        memcpy(result + i, &c, sizeof c);
    }
}

/* of masks with each pattern of lanes, bit i for lane i */
EXPORT int masks_are_read_right(void) {
    for (int pattern = 0; pattern < 1 << MOBOD_LANES; pattern++) {
        Number x;
        for (int lane = 0; lane < MOBOD_LANES; lane++)
            x[lane] = pattern >> lane & 1;
        if (any_lane(x > 0.5) != (pattern != 0) || all_lanes(x > 0.5) != (pattern == (1 << MOBOD_LANES) - 1))
            return 0;
    }
    return 1;
}

#ifdef AS_PROGRAM
/* blocks on standard input: function and n as int, then x and y; the results follow on standard output */
int main(void) {
    int head[2];
    while (fread(head, sizeof(int), 2, stdin) == 2) {
        size_t n = (size_t)head[1];
        double *numbers = malloc(3 * n * sizeof(double));
        if (!numbers || fread(numbers, sizeof(double), 2 * n, stdin) != 2 * n)
            return 1;
        apply(head[0], head[1], numbers, numbers + n, numbers + 2 * n);
        fwrite(numbers + 2 * n, sizeof(double), n, stdout);
        free(numbers);
    }
    return 0;
}
#endif
