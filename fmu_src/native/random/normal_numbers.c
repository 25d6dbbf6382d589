#include "normal_numbers.h"

#include "elementary.h"
#include "philox.h"

static const double TWO_PI = 6.283185307179586;

/* a whole number as an integer; 0 if it is none */
static int64_t whole(double x) { return fabs(x) < 0x1p53 && floor(x) == x ? (int64_t)x : 0; }

/* the middle of one of 2^52 equal parts of the interval from 0 to 1, which is exact in a double */
static double uniform(uint32_t high, uint32_t low) {
    const uint64_t part = ((uint64_t)high << 32 | low) >> 12;
    return ((double)part + 0.5) * 0x1p-52;
}

void draw_normal_numbers(const double *draw, int n, double *normal) {
    const uint64_t sample = (uint64_t)whole(draw[DRAW_SAMPLE]);
    const uint32_t key0 = (uint32_t)whole(draw[DRAW_SEED]), key1 = (uint32_t)whole(draw[DRAW_NAME_HIGH]);
    PhiloxBlock counter = {{(uint32_t)sample, (uint32_t)(sample >> 32), 0, (uint32_t)whole(draw[DRAW_NAME_LOW])}};
    for (int i = 0; i < n; i += 2) {
        counter.words[2] = (uint32_t)i / 2;
        const PhiloxBlock bits = philox_4x32_10(counter, key0, key1);
        const double size = sqrt(-2 * mobod_log(uniform(bits.words[0], bits.words[1])));
        double sine, cosine;
        mobod_sincos(TWO_PI * uniform(bits.words[2], bits.words[3]), &sine, &cosine);
        normal[i] = size * cosine;
        if (i + 1 < n)
            normal[i + 1] = size * sine;
    }
}
