/* Numbers that threads share, and how a thread waits for others; see exchange_help. */
#ifndef MOBOD_EXCHANGE_THREADS_H
#define MOBOD_EXCHANGE_THREADS_H

#include "exchange.h"

#if defined _WIN32
__declspec(dllimport) int __stdcall SwitchToThread(void);
#else
#include <sched.h>
#endif

/* take the next step that a thread may take, if there is one; returns whether there was */
int exchange_take_ticket(ExchangePlan *plan);

static inline int load_int(const int *number) { return __atomic_load_n(number, __ATOMIC_ACQUIRE); }
static inline void store_int(int *number, int value) { __atomic_store_n(number, value, __ATOMIC_RELEASE); }
static inline void add_int(int *number, int value) { __atomic_fetch_add(number, value, __ATOMIC_ACQ_REL); }
static inline int64_t load_ticket(const int64_t *ticket) { return __atomic_load_n(ticket, __ATOMIC_ACQUIRE); }
static inline void store_ticket(int64_t *ticket, int64_t value) { __atomic_store_n(ticket, value, __ATOMIC_RELEASE); }
static inline int64_t next_ticket(int64_t *ticket) { return __atomic_fetch_add(ticket, 1, __ATOMIC_ACQ_REL); }

/* Spin for some microseconds, then let other threads use the core. */
static inline void wait_a_little(int spins) {
    if (spins < 2000) {
#if defined __x86_64__
        __builtin_ia32_pause();
#endif
        return;
    }
#if defined _WIN32
    SwitchToThread();
#else
    sched_yield();
#endif
}

#endif
