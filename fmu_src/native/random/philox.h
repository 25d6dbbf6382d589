/* Philox4x32-10: random bits from a key and a counter, without a state.
 *
 * The same key and counter give the same bits on every machine, in any order of calls. Passes all tests of TestU01's BigCrush.
 *
 * Source: Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy as 1, 2, 3, SC11 (2011), section 3.3. */
#ifndef MOBOD_PHILOX_H
#define MOBOD_PHILOX_H

#include <stdint.h>

typedef struct {
    uint32_t words[4];
} PhiloxBlock;

PhiloxBlock philox_4x32_10(PhiloxBlock counter, uint32_t key0, uint32_t key1);

#endif
