#include "isolated_memory.h"

#include <stdlib.h>

static const double SLICE = 0.1;                       /* s  of sleep */
static const double SHORTEST = 2e-6, LONGEST = 300e-6; /* s  in a loop */

static void pause_processor(void) {
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ __volatile__("yield");
#endif
}

static int has_turn(const Side *side) { return (__atomic_load_n(&side->memory->turn, __ATOMIC_SEQ_CST) & 1) == (uint32_t)side->is_child; }

/* Wait in a loop, for as long as it was of use lately: in vain where the other side needs much time, or has no processor of its own. */
static int loop_until_turn(Side *side) {
    double start = seconds_now();
    do {
        for (int i = 0; i < 50; i++) {
            if (has_turn(side)) {
                side->patience = LONGEST;
                return 1;
            }
            pause_processor();
        }
    } while (seconds_now() - start < side->patience);
    side->patience = side->patience / 2 > SHORTEST ? side->patience / 2 : SHORTEST;
    return 0;
}

int wait_for_turn(Side *side) {
    if (side->end != SIDE_WAITS)
        return 0;
    if (loop_until_turn(side))
        return 1;
    uint32_t *sleeps = &side->memory->sleeps[side->is_child];
    double late = side->time_limit > 0 ? seconds_now() + side->time_limit : 0;
    for (;;) {
        __atomic_store_n(sleeps, 1, __ATOMIC_SEQ_CST);
        if (has_turn(side))
            break;
        SideEnd end = sleep_a_little(side, SLICE);
        if (end == SIDE_WAITS && !has_turn(side) && side->is_interrupted && side->is_interrupted(side->user))
            end = SIDE_IS_INTERRUPTED;
        if (end == SIDE_WAITS && late > 0 && seconds_now() > late)
            end = SIDE_IS_TOO_LATE;
        if (end == SIDE_HAS_ENDED && has_turn(side)) /* it answered before */
            break;
        if (end != SIDE_WAITS) {
            side->end = end;
            return 0;
        }
    }
    __atomic_store_n(sleeps, 0, __ATOMIC_SEQ_CST);
    return 1;
}

static void give_turn(const Side *side) {
    __atomic_add_fetch(&side->memory->turn, 1, __ATOMIC_SEQ_CST);
    if (__atomic_exchange_n(&side->memory->sleeps[!side->is_child], 0, __ATOMIC_SEQ_CST))
        wake(side);
}

int pass_turn(Side *side) {
    if (side->end != SIDE_WAITS)
        return 0;
    give_turn(side);
    return wait_for_turn(side);
}

Side *side_of_child;

size_t isolated_memory_size(void) { return sizeof(SharedMemory); }

Side *isolated_open(void *memory, int is_child, intptr_t wakes_me, intptr_t wakes_other, intptr_t process, intptr_t output) {
    Side *side = calloc(1, sizeof *side);
    if (side) {
        side->memory = memory;
        side->is_child = is_child;
        side->wakes_me = wakes_me;
        side->wakes_other = wakes_other;
        side->process = process;
        side->output = output;
        side->patience = LONGEST;
        if (is_child)
            side_of_child = side;
    }
    return side;
}

void isolated_close(Side *side) {
    free(side->received);
    free(side->printed);
    free(side);
}
