/* A limit of the time that a driver computes. It does not count the time in which other programs have the processor. */
#ifndef MOBOD_PROCESSOR_TIME_H
#define MOBOD_PROCESSOR_TIME_H

#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

enum { PROCESSOR_TIME_IS_UP = SIGPROF };

/* from now on; the signal ends the process, unless it has a handler */
static void limit_processor_time(int seconds) {
    const struct itimerval limit = {.it_value = {.tv_sec = seconds}};
    if (setitimer(ITIMER_PROF, &limit, NULL))
        abort();
}

#endif
