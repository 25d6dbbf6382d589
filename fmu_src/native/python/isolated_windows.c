/* How a side waits on Windows: for an event, or the end of the other process. */
#include "isolated_memory.h"

#if defined _WIN32

#include <windows.h>

double seconds_now(void) {
    LARGE_INTEGER now, frequency;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&frequency);
    return (double)now.QuadPart / (double)frequency.QuadPart;
}

void yield_processor(void) { SwitchToThread(); }

void wake(const Side *side) { SetEvent((HANDLE)side->wakes_other); }

void read_output(Side *side) {
    char text[4096];
    DWORD waiting = 0, n = 0;
    while (side->output != -1 && PeekNamedPipe((HANDLE)side->output, NULL, 0, NULL, &waiting, NULL) && waiting > 0 &&
           ReadFile((HANDLE)side->output, text, waiting < sizeof text ? waiting : sizeof text, &n, NULL) && n > 0)
        keep_printed(side, text, n);
}

/* A pipe cannot be waited for, so a master looks often whether the child has printed. */
SideEnd sleep_a_little(Side *side, double seconds) {
    HANDLE ends[2] = {(HANDLE)side->wakes_me, (HANDLE)side->process};
    DWORD slice = side->output != -1 ? 10 : (DWORD)(1e3 * seconds);
    DWORD found = WaitForMultipleObjects(2, ends, FALSE, slice);
    read_output(side);
    return found == WAIT_OBJECT_0 + 1 || found == WAIT_FAILED ? SIDE_HAS_ENDED : SIDE_WAITS;
}

void isolated_wait_for_end(const Side *side) { WaitForSingleObject((HANDLE)side->process, INFINITE); }

#endif
