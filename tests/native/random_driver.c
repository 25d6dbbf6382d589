/* prints the bits of normal numbers of several seeds, samples and names, a number a line */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "normal_numbers.h"

int main(void) {
    for (int sample = 0; sample < 200; sample++) {
        const double draw[4] = {7.0 * sample, sample - 20.0, 4660.0 + sample, 22136.0};
        double normal[7];
        draw_normal_numbers(draw, 7, normal);
        for (int i = 0; i < 7; i++) {
            uint64_t bits;
            memcpy(&bits, &normal[i], sizeof bits);
            printf("%016" PRIx64 "\n", bits);
        }
    }
    return 0;
}
