/* Calls that are left if they take too long: the equations of a changed model, or from a changed state, may be as stiff as they like.
 *
 * Include it first: it selects POSIX's functions. */
#ifndef MOBOD_LATE_CALLS_H
#define MOBOD_LATE_CALLS_H

#define _XOPEN_SOURCE 700 /* sigaction, sigsetjmp, setitimer */

#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/time.h>

/* of processor time */
enum { MOST_MICROSECONDS = 100000 };

static sigjmp_buf when_late;
static volatile sig_atomic_t may_be_left; /* a call is under way that does not allocate memory */

static void leave(int signal_number) {
    (void)signal_number;
    if (may_be_left)
        siglongjmp(when_late, 1);
}

static void watch_for_late_calls(void) { sigaction(SIGVTALRM, &(struct sigaction){.sa_handler = leave}, NULL); }

/* Begin, or with 0 end. Between them, `sigsetjmp(when_late, 1)` returns 1 once a call is left. */
static void set_timer(long microseconds) {
    const struct itimerval timer = {.it_interval = {0, microseconds}, .it_value = {0, microseconds}};
    setitimer(ITIMER_VIRTUAL, &timer, NULL);
}

#endif
