/* Random calls of the functions of FMI, and what is checked after each. All that is random follows from `random_state`. */
#ifndef MOBOD_RANDOM_CALLS_H
#define MOBOD_RANDOM_CALLS_H

#include "instance.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { N_KEPT = 3, MOST_ROOMS = 128, N_STATUSES = 5 };

/* the functions of a version of FMI that every sequence needs; they return the status */
typedef struct {
    int (*save)(void *c, void **saved);
    int (*restore)(void *c, void *saved);
    int (*free_saved)(void *c, void **saved);
    int (*size)(void *c, void *saved, size_t *size);
    int (*to_bytes)(void *c, void *saved, char *bytes, size_t size);
    int (*from_bytes)(void *c, const char *bytes, size_t size, void **saved);
    int (*initialize)(void *c); /* up to the mode after initialization */
    int (*set_whole)(void *c, unsigned reference, int value);
    void (*free_instance)(void *c);
} Functions;

/* how an instance for co-simulation is made */
typedef struct {
    int may_return_early, is_called_back;
    int sets_input; /* the value reference of an input that is set within steps; -1: none */
} Options;

/* an instance whose functions are called */
typedef struct Session {
    const Functions *functions;
    void *c;            /* the instance, */
    Instance *instance; /* and what it is */
    int is_fmi3;
    Options options;
    int n_messages[N_STATUSES]; /* logged in the present call, by status */
    int is_null;                /* the present call is that of no instance */
    uint64_t hash;              /* of all that was returned */
    void *kept[N_KEPT];         /* saved states; NULL: none */
    char *bytes;                /* of the last state that was serialized */
    size_t n_bytes;
    void *probe; /* the saved state by which the session is compared */
    void *rooms[MOST_ROOMS];
    int n_rooms;
} Session;

typedef struct {
    const char *name;
    int (*run)(Session *session);
    unsigned co_simulation, model_exchange; /* the modes in which it is legal */
    int weight;
    int only_reads;
} RandomCall;

extern const RandomCall calls_of_fmi2[], calls_of_fmi3[]; /* end with a NULL name */
extern const Functions functions_of_fmi2, functions_of_fmi3;

/* NULL, if the model has no such interface; is_logging: whether messages are shown */
void *instantiate_fmi2(Session *session, const char *resources, const char *token, InterfaceType type, int is_logging);
void *instantiate_fmi3(Session *session, const char *resources, const char *token, InterfaceType type, int is_logging);

/* ---------------------------------------------------------------------------------------------------------------------- the sequence */

extern uint64_t random_state;
extern const char *present; /* what is under way, for messages */

uint32_t below(uint32_t n);
int one_in(uint32_t n);
double real_between(double least, double greatest);
double odd_real(void); /* not a number, infinite, huge, tiny, zero, negative */

void fail(const char *what);

/* a random call, and the checks after it; `inside`: in the callback of an intermediate update */
void make_call(Session *session, int inside);

/* the bytes of the present state, and how many; the caller frees them */
char *snapshot(Session *session, size_t *size);

/* --------------------------------------------------------------------------------------------------------------------- the arguments */

/* memory of exactly this size, with known content, until the call ends */
void *room(Session *session, size_t size);
void free_rooms(Session *session, int n_to_keep);

/* the instance; now and then none */
void *target(Session *session);

void *or_null(void *pointer);
void note(Session *session, const void *bytes, size_t size);

/* value references of variables of a type, and room for their values; now and then they are wrong */
typedef struct {
    unsigned *references;
    size_t n, n_values;
    double *reals; /* [n_values] values to set */
} Values;
Values some_values(Session *session, Type type, int to_set);

double time_now(const Session *session);
double next_time(const Session *session);
double some_step(void);
int n_states(const Session *session);
int n_indicators(const Session *session);
/* states near the present ones */
double *some_states(Session *session);
size_t wrong_now_and_then(size_t n);

/* --------------------------------------------------------------------------------------------------------------------- saved states */

/* calls with a kept state, one of another instance, a damaged one, or none */
int keep_state(Session *session);
int restore_state_(Session *session);
int free_state(Session *session);
int measure_state(Session *session);
int serialize_state_(Session *session);
int deserialize_state_(Session *session);
void free_kept(Session *session);

/* the states of other instances, which own their sessions */
void add_stranger(Session *owner, void *saved);
void free_strangers(void);

#endif
