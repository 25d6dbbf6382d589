#include "philox.h"

enum { ROUNDS = 10 };

/* the multipliers of a round, and what is added to the key between two rounds: the golden ratio and the square root of 3, less 1 */
static const uint32_t MULTIPLIER0 = 0xD2511F53u, MULTIPLIER1 = 0xCD9E8D57u, WEYL0 = 0x9E3779B9u, WEYL1 = 0xBB67AE85u;

PhiloxBlock philox_4x32_10(PhiloxBlock counter, uint32_t key0, uint32_t key1) {
    PhiloxBlock block = counter;
    uint32_t *c = block.words;
    for (int round = 0; round < ROUNDS; round++) {
        const uint64_t product0 = (uint64_t)MULTIPLIER0 * c[0], product1 = (uint64_t)MULTIPLIER1 * c[2];
        c[0] = (uint32_t)(product1 >> 32) ^ c[1] ^ key0;
        c[2] = (uint32_t)(product0 >> 32) ^ c[3] ^ key1;
        c[1] = (uint32_t)product1;
        c[3] = (uint32_t)product0;
        key0 += WEYL0;
        key1 += WEYL1;
    }
    return block;
}
