/* The memory that a master and the child of an FMU share, and how a side waits for its turn. Only isolated*.c include it. */
#ifndef MOBOD_ISOLATED_MEMORY_H
#define MOBOD_ISOLATED_MEMORY_H

#include "isolated.h"

enum { AREA = 1 << 20, LOG_ROOM = 1 << 17, PRINTED_ROOM = 1 << 16, LONGEST_LINE = 8192 };
enum { MOST_SET = 1 << 17, MOST_READ = 1 << 17, N_READS = 4 };
enum { N_LOST = 16, LONGEST_LOST = 64 };

/* variables that are read together */
typedef struct {
    uint32_t n, n_values;
    int32_t status, is_known; /* whether the values are those of the present state and inputs */
    int32_t is_used;          /* whether they were read since the last step */
    uint64_t last_use;
    uint32_t references[MOST_READ];
    double values[MOST_READ];
} Read;

/* messages of a category that were overwritten before they were read */
typedef struct {
    char category[LONGEST_LOST];
    uint64_t n;
} Lost;

/* Memory that one side changes while the other one reads it lies in cache lines of its own. The log belongs to the child: threads of the
 * FMU may write it at any time. */
struct SharedMemory {
    uint32_t turn; /* the number of turns passed; even: the turn of the master */
    char apart[60];
    uint32_t sleeps[2]; /* whether the master, the child, must be woken */
    char apart_too[56];

    int32_t request, status;
    int32_t doing;    /* the function that the child called last */
    uint64_t n, here; /* bytes of a message in all, and in the area */
    char area[AREA];

    double time, step;  /* CHILD_STEP */
    double update_time; /* CHILD_UPDATE */
    int32_t keeps_no_state, needs_event, terminates, is_early;
    double reached;
    uint32_t n_set, n_set_values; /* values that wait to be set */
    uint32_t set[MOST_SET];
    double set_values[MOST_SET];
    uint32_t read; /* CHILD_GET */
    uint64_t n_uses;
    Read reads[N_READS];

    uint32_t log_is_taken;
    uint64_t log_first, log_end; /* bytes since the start */
    char log[LOG_ROOM];
    Lost lost[N_LOST]; /* the last one: all categories for which there was no room */
};

/* The side of a process that is a child. One FMU runs in it, whose callbacks find their side here. */
extern Side *side_of_child;

/* keep a message that the FMU logged, or that is for its log */
void keep_logged(SharedMemory *memory, int status, const char *category, const char *message);

/* Give the turn to the other side, and wait until it comes back. Returns 0 if it does not: see side->end. */
int pass_turn(Side *side);
/* wait for the turn */
int wait_for_turn(Side *side);

/* ---- isolated_steps.c ---- */

/* master: values that were read may have changed */
void forget_values(SharedMemory *memory);
/* child: do what is requested, other than a message */
void serve_step(Side *side);

/* ---- isolated_output.c ---- */

/* keep the last of what was printed */
void keep_printed(Side *side, const char *text, size_t size);

/* ---- POSIX or Windows ---- */

double seconds_now(void); /* since any time */
void yield_processor(void);
void wake(const Side *side);
/* Sleep until something happens, a signal too, at most the given time. SIDE_WAITS: look again */
SideEnd sleep_a_little(Side *side, double seconds);
/* read what the child has printed so far */
void read_output(Side *side);

#endif
