/* Random changes of the words of a file of tables. All that is random follows from `random_state`. */
#ifndef MOBOD_RANDOM_WORDS_H
#define MOBOD_RANDOM_WORDS_H

#include <stdint.h>
#include <string.h>

enum { HEAD = 24, ROOTS = 12 }; /* bytes of the head of the file, which a checksum ends, and of the counts that follow */

static uint64_t random_state;

/* Marsaglia's xorshift */
static uint32_t below(uint32_t n) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 32) % n;
}

static uint32_t word_at(const char *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* another word of them, a small one, a neighbour, a large one, a bit turned; size: at least HEAD + ROOTS */
static void change(char *bytes, size_t size) {
    static const uint32_t LARGE[] = {0x7fffffff, 0x80000000, 0xffffffff, 0x7fffff00, 1000000};
    char *place = bytes + HEAD + below((uint32_t)(size - HEAD - 4));
    if (below(4))
        place -= (place - bytes) % 4; /* most members begin there, or one or two bytes beside */
    uint32_t word = word_at(place);
    switch (below(6)) {
    case 0:
        word = word_at(bytes + HEAD + below((uint32_t)(size - HEAD - 4)));
        break;
    case 1:
        word = below(40);
        break;
    case 2:
        word += below(2) ? 1 : (uint32_t)-1;
        break;
    case 3:
        word = LARGE[below(5)];
        break;
    case 4:
        word = below(3000);
        break;
    default:
        word ^= (uint32_t)1 << below(32);
    }
    memcpy(place, &word, sizeof word);
}

#endif
