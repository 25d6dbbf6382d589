/* Random calls with saved states: the same in each version of FMI. */
#include "random_calls.h"

enum { MOST_STRANGERS = 64 };
static struct {
    Session *owner;
    void *saved;
} strangers[MOST_STRANGERS];
static int n_strangers;

void add_stranger(Session *owner, void *saved) {
    if (n_strangers == MOST_STRANGERS)
        fail("too many strangers");
    strangers[n_strangers].owner = owner;
    strangers[n_strangers++].saved = saved;
}

void free_strangers(void) {
    while (n_strangers--) {
        Session *owner = strangers[n_strangers].owner;
        if (owner->functions->free_saved(owner->c, &strangers[n_strangers].saved) != STATUS_OK)
            fail("a state of a stranger cannot be freed");
        owner->functions->free_instance(owner->c);
        free(owner);
    }
}

static void **some_place(Session *session) { return one_in(50) ? NULL : session->kept + below(N_KEPT); }

static void *some_state(Session *session) {
    if (one_in(25) && n_strangers)
        return strangers[below((uint32_t)n_strangers)].saved;
    if (one_in(25)) {
        const size_t size = session->instance->state->size;
        char *damaged = room(session, size);
        memcpy(damaged, session->instance->state, size);
        damaged[below(3 * sizeof(uint64_t))] ^= (char)(1 << below(8)); /* the words by which it is known */
        return damaged;
    }
    return session->kept[below(N_KEPT)];
}

int keep_state(Session *session) {
    void **place = some_place(session);
    return session->functions->save(target(session), place);
}

int restore_state_(Session *session) {
    void *saved = some_state(session);
    return session->functions->restore(target(session), saved);
}

int free_state(Session *session) {
    void **place = some_place(session);
    int status = session->functions->free_saved(target(session), place);
    if (status == STATUS_OK && *place)
        fail("a freed state is not null");
    return status;
}

int measure_state(Session *session) {
    size_t size = 0;
    void *saved = some_state(session);
    int status = session->functions->size(target(session), saved, or_null(&size));
    note(session, &size, sizeof size);
    return status;
}

int serialize_state_(Session *session) {
    void *saved = session->kept[below(N_KEPT)];
    size_t size = 0;
    if (saved && session->instance->state->mode != MODE_INTERMEDIATE && session->functions->size(session->c, saved, &size) != STATUS_OK)
        fail("the size of a kept state");
    size = wrong_now_and_then(size);
    char *bytes = room(session, size);
    int status = session->functions->to_bytes(target(session), saved, or_null(bytes), size);
    note(session, bytes, size);
    if (status == STATUS_OK) {
        free(session->bytes);
        session->bytes = malloc(size);
        session->n_bytes = size;
        memcpy(session->bytes, bytes, size);
    }
    return status;
}

int deserialize_state_(Session *session) {
    size_t size = session->n_bytes ? wrong_now_and_then(session->n_bytes) : 0;
    const int is_damaged = size && one_in(4);
    char *bytes = room(session, size);
    if (session->n_bytes)
        memcpy(bytes, session->bytes, size < session->n_bytes ? size : session->n_bytes);
    if (is_damaged)
        bytes[below((uint32_t)size)] ^= (char)(1 << below(8));
    void **place = some_place(session);
    int status = session->functions->from_bytes(target(session), or_null(bytes), size, place);
    if (status == STATUS_OK && (is_damaged || size != session->n_bytes))
        fail("damaged bytes were taken");
    return status;
}

void free_kept(Session *session) {
    for (int i = 0; i < N_KEPT; i++)
        if (session->functions->free_saved(session->c, session->kept + i) != STATUS_OK)
            fail("a kept state cannot be freed");
    free(session->bytes);
    session->bytes = NULL;
    session->n_bytes = 0;
}
