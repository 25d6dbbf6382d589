#include "serialized_state.h"

#include "delays.h"
#include "elementary.h"

#include <float.h>
#include <string.h>

enum { WORD = 8 };                           /* bytes */
enum { FORMAT, TOKEN, N_WORDS, FIRST_WORD }; /* the first words */

/* ---- words ---- */

static void put_word(char *bytes, size_t number, uint64_t word) {
    for (int i = 0; i < WORD; i++)
        bytes[number * WORD + (size_t)i] = (char)(unsigned char)(word >> (8 * i) & 0xff);
}

static uint64_t word_at(const char *bytes, size_t number) {
    uint64_t word = 0;
    for (int i = 0; i < WORD; i++)
        word |= (uint64_t)(unsigned char)bytes[number * WORD + (size_t)i] << (8 * i);
    return word;
}

static void put_number(char *bytes, size_t number, double value) {
    uint64_t word;
    memcpy(&word, &value, sizeof word);
    put_word(bytes, number, word);
}

static double number_at(const char *bytes, size_t number) {
    uint64_t word = word_at(bytes, number);
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* ---- the numbers of State before w ---- */

typedef enum { IS_INT, IS_DOUBLE } FieldType;

/* a subnormal number: hosts may choose one */
#define LEAST_POSITIVE 5e-324

static const struct {
    size_t at;
    FieldType type;
    double least, greatest;
} fields[] = {
    {offsetof(State, interface_type), IS_INT, CO_SIMULATION, MODEL_EXCHANGE},
    {offsetof(State, mode), IS_INT, MODE_INSTANTIATED, MODE_INTERMEDIATE},
    {offsetof(State, pending), IS_INT, 0, ALL_PENDING},
    {offsetof(State, has_start), IS_INT, 0, 1},
    {offsetof(State, has_stop), IS_INT, 0, 1},
    {offsetof(State, was_set), IS_INT, 0, 1},
    {offsetof(State, integrator), IS_INT, INTEGRATOR_AUTO, N_INTEGRATORS - 1},
    {offsetof(State, impacts), IS_INT, IMPACTS_SIMULTANEOUS, IMPACTS_SEQUENTIAL},
    {offsetof(State, is_stiff), IS_INT, 0, 1},
    {offsetof(State, n_stiff), IS_INT, 0, MOST_PATIENCE},
    {offsetof(State, n_easy), IS_INT, 0, MOST_PATIENCE},
    {offsetof(State, patience), IS_INT, LEAST_PATIENCE, MOST_PATIENCE},
    {offsetof(State, n_careful), IS_INT, 0, CAREFUL_STEPS},
    {offsetof(State, is_bounded), IS_INT, 0, 1},
    {offsetof(State, n_parts), IS_INT, 0, INT32_MAX},
    {offsetof(State, stop_time), IS_DOUBLE, -DBL_MAX, DBL_MAX},
    {offsetof(State, experiment_tolerance), IS_DOUBLE, LEAST_TOLERANCE, 1},
    {offsetof(State, tolerance), IS_DOUBLE, LEAST_TOLERANCE, 1},
    {offsetof(State, constraint_tolerance), IS_DOUBLE, LEAST_POSITIVE, DBL_MAX},
    {offsetof(State, largest_step), IS_DOUBLE, LEAST_POSITIVE, INFINITY},
    {offsetof(State, fixed_step), IS_DOUBLE, 0, DBL_MAX},
    {offsetof(State, step_size), IS_DOUBLE, 0, DBL_MAX},
    {offsetof(State, steps_from), IS_DOUBLE, -DBL_MAX, DBL_MAX},
    {offsetof(State, error_before), IS_DOUBLE, 0, DBL_MAX},
    {offsetof(State, last_good_time), IS_DOUBLE, -DBL_MAX, DBL_MAX},
    {offsetof(State, event_time), IS_DOUBLE, -DBL_MAX, DBL_MAX},
    {offsetof(State, time_after_event), IS_DOUBLE, -DBL_MAX, DBL_MAX},
    {offsetof(State, completed_step), IS_DOUBLE, -DBL_MAX, DBL_MAX},
    {offsetof(State, part_end), IS_DOUBLE, -DBL_MAX, DBL_MAX},
    {offsetof(State, overrun), IS_DOUBLE, 0, DBL_MAX},
    {offsetof(State, late), IS_DOUBLE, 0, DBL_MAX},
    {offsetof(State, left[LEFT_LENGTH]), IS_DOUBLE, 0, DBL_MAX},
    {offsetof(State, left[LEFT_ANGLE]), IS_DOUBLE, 0, DBL_MAX},
    {offsetof(State, left[LEFT_SPEED]), IS_DOUBLE, 0, DBL_MAX},
    {offsetof(State, left[LEFT_ANGULAR_SPEED]), IS_DOUBLE, 0, DBL_MAX},
    {offsetof(State, left[LEFT_IMPULSE]), IS_DOUBLE, 0, DBL_MAX},
    {offsetof(State, jammed_steps), IS_DOUBLE, 0, DBL_MAX},
    {offsetof(State, first_jam), IS_DOUBLE, -DBL_MAX, DBL_MAX},
};
enum { N_FIELDS = sizeof fields / sizeof fields[0], N_INTS = 15 };

/* A new field of State stops the compilation here: add it to the table, or count it among those that reset_state sets:
 * format, token, size; realized, stopped; host, hooks, inputs. */
typedef char every_integer_is_saved_or_known[offsetof(State, stopped) == 8 * 3 + 4 * (N_INTS + 1) ? 1 : -1];
typedef char every_field_is_saved_or_known[sizeof(State) == 8 * 3 + 8 * ((N_INTS + 3) / 2) + 8 * (N_FIELDS - N_INTS + 3) ? 1 : -1];

static double field_of(const State *state, int i) {
    const char *at = (const char *)state + fields[i].at;
    int32_t whole;
    double real;
    memcpy(&whole, at, sizeof whole);
    if (fields[i].type == IS_INT)
        return whole;
    memcpy(&real, at, sizeof real);
    return real;
}

static void set_field(State *state, int i, double value) {
    char *at = (char *)state + fields[i].at;
    int32_t whole = fields[i].type == IS_INT ? (int32_t)value : 0;
    if (fields[i].type == IS_INT)
        memcpy(at, &whole, sizeof whole);
    else
        memcpy(at, &value, sizeof value);
}

/* ---- possible numbers ---- */

static int is_within(double value, int is_whole, double least, double greatest) {
    return value >= least && value <= greatest && (!is_whole || value == floor(value));
}

static int is_possible(double value, const SavedRange *range) {
    return range->kind == ANY_NUMBER || is_within(value, range->kind == WHOLE_NUMBER, range->least, range->greatest);
}

/* whether an instance of that type can be saved in this mode */
static int is_mode_of(int32_t interface_type, int32_t mode) {
    enum { ANY = MODE_INSTANTIATED | MODE_INITIALIZATION | MODE_TERMINATED | MODE_ERROR };
    static const unsigned modes[] = {[CO_SIMULATION] = ANY | MODE_STEP | MODE_STEP_FAILED,
                                     [CO_SIMULATION_WITH_EVENTS] = ANY | MODE_STEP | MODE_EVENT,
                                     [MODEL_EXCHANGE] = ANY | MODE_EVENT | MODE_CONTINUOUS};
    return (mode & (mode - 1)) == 0 && ((unsigned)mode & modes[interface_type]);
}

/* ---- all of it ---- */

static size_t n_saved(const Model *model) {
    size_t n = 0;
    for (int i = 0; i < model->saved->n; i++)
        n += (size_t)model->saved->ranges[i].count;
    return n;
}

/* with the checksum, which comes last */
static size_t n_words(const Model *model) { return FIRST_WORD + N_FIELDS + n_saved(model) + 1; }

size_t serialized_size(const Model *model) { return n_words(model) * WORD; }

void serialize_state(const State *state, const Model *model, char *bytes) {
    size_t next = FIRST_WORD, n = n_words(model);
    put_word(bytes, FORMAT, STATE_FORMAT);
    put_word(bytes, TOKEN, state->token);
    put_word(bytes, N_WORDS, n);
    for (int i = 0; i < N_FIELDS; i++)
        put_number(bytes, next++, field_of(state, i));
    for (int i = 0; i < model->saved->n; i++)
        for (int k = 0; k < model->saved->ranges[i].count; k++)
            put_number(bytes, next++, state->w[model->saved->ranges[i].first + k]);
    put_word(bytes, next, hash_of_bytes(bytes, (n - 1) * WORD));
}

const char *deserialize_state(const char *bytes, size_t size, const Model *model, const Interface *interface, State *state) {
    /* check that it is a complete state of this FMU */
    size_t next = FIRST_WORD, n = n_words(model);
    if (size < (FIRST_WORD + 1) * WORD)
        return "it is too short for a state";
    if (word_at(bytes, FORMAT) != STATE_FORMAT)
        return "it is not a state, or one of another version";
    reset_state(state, model, interface); /* computed values are not part of the bytes */
    if (word_at(bytes, TOKEN) != state->token)
        return "it is a state of another FMU";
    if (word_at(bytes, N_WORDS) != n || size != n * WORD)
        return "its size is not that of this FMU's states";
    if (word_at(bytes, n - 1) != hash_of_bytes(bytes, (n - 1) * WORD))
        return "it is damaged: its checksum is wrong";

    /* check that its numbers are possible in a state */
    for (int i = 0; i < N_FIELDS; i++) {
        double value = number_at(bytes, next++);
        if (!is_within(value, fields[i].type == IS_INT, fields[i].least, fields[i].greatest))
            return "it is damaged: it holds a number that no state can have";
        set_field(state, i, value);
    }
    for (int i = 0; i < model->saved->n; i++)
        for (int k = 0; k < model->saved->ranges[i].count; k++) {
            double value = number_at(bytes, next++);
            if (!is_possible(value, model->saved->ranges + i))
                return "it is damaged: it holds a number that no state can have";
            state->w[model->saved->ranges[i].first + k] = value;
        }
    if (!is_mode_of(state->interface_type, state->mode) || !delays_are_sound(model, state->w))
        return "it is damaged: its numbers contradict each other";
    return NULL;
}
