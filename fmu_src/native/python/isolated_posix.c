/* How a side waits on Linux and macOS: on a pipe. The end of the other process closes it. */
#define _DEFAULT_SOURCE /* waitid, of Linux */
#define _DARWIN_C_SOURCE
#define _POSIX_C_SOURCE 200809L

#include "isolated_memory.h"

#if !defined _WIN32

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void yield_processor(void) { sched_yield(); }

void wake(const Side *side) {
    while (write((int)side->wakes_other, "", 1) < 0 && errno == EINTR) {
    }
}

void read_output(Side *side) {
    char text[4096];
    ssize_t n;
    while (side->output >= 0 && (n = read((int)side->output, text, sizeof text)) > 0)
        keep_printed(side, text, (size_t)n);
}

/* whether the child has ended, also where a process that it started keeps the pipe open; Python reads the cause later */
static int has_ended(const Side *side) {
    siginfo_t info = {0};
    return !side->is_child && waitid(P_PID, (id_t)side->process, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid != 0;
}

SideEnd sleep_a_little(Side *side, double seconds) {
    struct pollfd ends[2] = {{.fd = (int)side->wakes_me, .events = POLLIN}, {.fd = (int)side->output, .events = POLLIN}};
    int n = poll(ends, 2, (int)(1e3 * seconds)); /* it passes by a negative descriptor */
    if (n < 0)
        return errno == EINTR ? SIDE_WAITS : SIDE_HAS_ENDED;
    if (ends[1].revents & POLLIN)
        read_output(side);
    else if (ends[1].revents)
        side->output = -1;
    if (ends[0].revents & POLLIN) {
        char bytes[64];
        if (read((int)side->wakes_me, bytes, sizeof bytes) > 0)
            return SIDE_WAITS;
    }
    return ends[0].revents || (n == 0 && has_ended(side)) ? SIDE_HAS_ENDED : SIDE_WAITS;
}

void isolated_wait_for_end(const Side *side) {
    struct pollfd end = {.fd = (int)side->wakes_me};
    while (poll(&end, 1, -1) < 0 && errno == EINTR) {
    }
}

#endif
