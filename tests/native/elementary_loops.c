/* The elementary functions over arrays, for tests: each by its number, from two arrays of arguments. */
#include "elementary.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(_WIN32)
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

static double sine_of_both(double x) {
    double sine, cosine;
    mobod_sincos(x, &sine, &cosine);
    return sine;
}

static double cosine_of_both(double x) {
    double sine, cosine;
    mobod_sincos(x, &sine, &cosine);
    return cosine;
}

static double (*const of_one[])(double) = {
    mobod_sin,  mobod_cos,  mobod_tan,    mobod_asin,     mobod_acos,  mobod_atan, mobod_exp,        mobod_log,        mobod_sinh,
    mobod_cosh, mobod_tanh, sine_of_both, cosine_of_both, mobod_floor, mobod_ceil, mobod_next_above, mobod_next_below, mobod_sqrt,
};
static double (*const of_two[])(double, double) = {mobod_atan2, mobod_pow, mobod_hypot, mobod_fmax, mobod_fmin, mobod_copysign};

/* functions of two arguments have numbers from 100 on */
EXPORT void apply(int function, int n, const double *x, const double *y, double *result) {
    for (int i = 0; i < n; i++)
        result[i] = function < 100 ? of_one[function](x[i]) : of_two[function - 100](x[i], y[i]);
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
