/* A network of components in this process: values pass from outputs to inputs, and all components take equal steps. Python makes the
 * tables once (engine/mobod/cosim/exchange); then one call goes over many communication points.
 *
 * Functions of FMUs are called directly, and so are those of Systems that need no host (Python). All other work is done by the host, in a
 * callback: the steps of other components, values that are not numbers of up to 53 bits, events, and errors. */
#ifndef MOBOD_EXCHANGE_H
#define MOBOD_EXCHANGE_H

#include "exported.h"
#include "stepwise.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* functions of FMI 2.0 and 3.0, where values are of any type */
typedef int Fmi2Transfer(void *component, const unsigned *references, size_t n, void *values);
typedef int Fmi3Transfer(void *component, const unsigned *references, size_t n, void *values, size_t n_values);
typedef int Fmi2DoStep(void *component, double time, double step, int is_final);
typedef int Fmi3DoStep(void *component, double time, double step, bool is_final, bool *needs_event, bool *ends, bool *is_early,
                       double *reached);

/* how the values of a transfer are stored */
typedef enum {
    STORED_FLOAT64,
    STORED_FLOAT32,
    STORED_INT8,
    STORED_UINT8,
    STORED_INT16,
    STORED_UINT16,
    STORED_INT32,
    STORED_UINT32,
    STORED_BOOL,
    STORED_BOOL_AS_INT, /* of FMI 2.0 */
} StoredType;

typedef struct {
    void *component;
    Fmi2DoStep *step2; /* at most one of these; none: the host takes its steps */
    Fmi3DoStep *step3;
    Simulation *simulation;
    Progress *progress; /* of the simulation */
    double next_event;  /* s; with FMI 3.0 the host takes a step that reaches this time */

    double *time; /* s, of the component, where the host reads it too; NULL: the host alone keeps it */

    /* the last step */
    int status; /* of FMI */
    bool needs_event, ends, is_early;
    double reached;
} ExchangeMember;

/* Numbers of a Simulation, which simulation_output reads, or simulation_set sets. Values that are out of bounds are set by the host, and
 * values that are not finite are read by it, because it words the errors. */
typedef struct {
    const int *offsets; /* [n] in w */
    int n_calls;        /* the others are of reading; see simulation_output */
    const KernelCalls *calls;
    double *scratch, *copy;
    int n_copied;
    int stage; /* these of writing */
    const double *least, *greatest;
} NumbersOfSimulation;

/* Variables of one type of a member, which one call reads or writes. */
typedef struct {
    int member;
    Fmi2Transfer *call2; /* at most one of these; none: the host transfers the values */
    Fmi3Transfer *call3;
    const NumbersOfSimulation *of_simulation;
    size_t n_references;
    const unsigned *references;
    int type; /* StoredType */
    int n;
    void *buffer;  /* [n] */
    const int *at; /* [n] read: places in `numbers`; written: in `values`. -1: none. NULL: the buffer is a part of `numbers` */
} Transfer;

/* In this order: values of connections are set, inputs are written, the host is called, members step, and outputs are read. */
typedef struct {
    int n_values;
    const int *values; /* [n_values] numbers of connections */
    int n_writes;
    const int *writes; /* [n_writes] numbers of transfers */
    int call;          /* number of a function of the host; -1: none */
    int n_steps;
    const int *steps; /* [n_steps] numbers of members; first those that may step at the same time, in threads */
    int n_beside;
    int n_reads;
    const int *reads;
} ExchangePhase;

/* status of a Simulation whose step is not complete, and of one whose step has not begun; statuses of FMI above 1 */
enum { STATUS_UNDER_WAY = 2, STATUS_OF_NO_MEMORY = 3 };

enum { NO_TICKET = 1 << 30 }; /* of the plan while no member may step in another thread */

/* A task of the host. The comments say what the number of a call means. */
typedef enum {
    HOST_TRANSFERS,       /* a transfer */
    HOST_CALLS,           /* the function with this number */
    HOST_STEPS,           /* the step of a member */
    HOST_JUDGES_STEP,     /* of a member: its status is not one of success, or it has stopped at an event or earlier */
    HOST_JUDGES_TRANSFER, /* a transfer: its status is not one of success */
    HOST_FINDS_NOT_FINITE /* a transfer: a value that was read is not finite */
} HostTask;

/* Returns 0; any other number ends the call of C. detail: the status, or the position of a value in its transfer */
typedef int HostOfExchange(void *host, int task, int number, int detail, double time, double step);

typedef struct {
    int n_members;
    ExchangeMember *members;
    const Transfer *transfers;
    double *numbers; /* outputs, as they are read */

    /* of connections: value = factor * number + shift */
    double *values;
    const int *from; /* places in `numbers` */
    const double *factors, *shifts;
    const int *is_plain; /* whether the number stays as it is */

    int n_phases;
    const ExchangePhase *phases;

    int n_columns;
    const int *columns; /* of rows: places in `numbers` */

    HostOfExchange *do_by_host;
    void *host;

    /* members that step at the same time: a ticket is a phase and the next of its steps; see exchange_help */
    int uses_threads;
    int64_t ticket;
    int n_finished, helpers_end;
    double time, step; /* s, of the steps under way */
} ExchangePlan;

/* Do the transfers of reading, and set the values of the phase's connections from the numbers that were read. Returns 0, or what the host
 * returned. */
MOBOD_API int exchange_read(ExchangePlan *plan, const ExchangePhase *phase);

/* Do the transfers of writing from `values`. */
MOBOD_API int exchange_write(ExchangePlan *plan, const ExchangePhase *phase);

/* Take n_steps steps of equal size from the communication points at `times`: all phases in their order, then a row of `rows`
 * [n_steps][n_columns]. Outputs were read before. Returns the number of complete steps: fewer if the host ends the call. */
MOBOD_API int exchange_advance(ExchangePlan *plan, int n_steps, const double *times, double step, double *rows);

/* Another thread steps members too, until exchange_advance ends. The bits are the same with any number of threads. */
MOBOD_API void exchange_help(ExchangePlan *plan);

#endif
