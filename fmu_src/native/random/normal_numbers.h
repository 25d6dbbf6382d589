/* Numbers of the standard normal distribution, each a function of integers: the same bits on every machine. */
#ifndef MOBOD_NORMAL_NUMBERS_H
#define MOBOD_NORMAL_NUMBERS_H

/* what draw_normal_numbers reads: whole numbers as doubles */
typedef enum {
    DRAW_SEED,   /* 0 to 2^32 - 1 */
    DRAW_SAMPLE, /* the number of the sample, which may be negative */
    DRAW_NAME_HIGH,
    DRAW_NAME_LOW, /* 0 to 2^32 - 1: a hash of the name of the element */
    SIZE_OF_DRAW
} Draw;

/* Set n numbers. They are independent of those of any other seed, sample or name. Numbers that are not whole, or out of range, count as 0.
 *
 * draw  [SIZE_OF_DRAW]
 *
 * Method: two uniform numbers of 52 bits, from the four words of a block of Philox, give two normal ones (Box and Muller, Ann. Math. Stat.
 * 29 (1958)). The largest size is 8.6. */
void draw_normal_numbers(const double *draw, int n, double *normal);

#endif
