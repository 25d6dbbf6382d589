#include "blob.h"

#include "auto_updates.h"
#include "change_of_procedure.h"
#include "contact_pool.h"
#include "contact_slots.h"
#include "contact_table.h"
#include "delays.h"
#include "event_table.h"
#include "friction_table.h"
#include "gathered_bodies.h"
#include "interpreter.h"
#include "kernel_functions.h"
#include "matrix_steps.h"
#include "own_errors.h"
#include "pressed_pair.h"
#include "rows.h"
#include "scales.h"
#include "seen_terrain.h"
#include "shape_gap.h"
#include "state.h"
#include "table_fields.h"
#include "velocity_level.h"

#include <stdlib.h>
#include <string.h>

/* ---- the members of tables ---- */

typedef enum { IS_INT, IS_WORD, IS_BYTE, IS_REAL, IS_POINTER, IS_FUNCTION, IS_CONTEXT } Kind;

/* bytes of each kind in the blob */
static const size_t SIZES[] = {4, 4, 1, 8, 8, 4, 8};

static const struct {
    Kind kind;
    uint32_t type; /* of a pointer: the type of what it points to */
    size_t at;     /* in the structure */
} MEMBER_LIST[] = {
#define MEMBER(table, member, kind, type) {kind, type, offsetof(table, member)},
    MEMBERS_OF_TABLES
#undef MEMBER
};

/* the size of an item in memory; its members, none of numbers */
static const struct {
    size_t size;
    int first, n;
} TYPES[N_TYPES] = {[OF_TEXT] = {1, 0, 0},
                    [OF_INTS] = {sizeof(int), 0, 0},
                    [OF_WORDS] = {sizeof(uint32_t), 0, 0},
                    [OF_REALS] = {sizeof(double), 0, 0},
#define TABLE(table, first, n) [OF_##table] = {sizeof(table), first, n},
                    TABLES
#undef TABLE
};

/* ---- objects ---- */

typedef struct {
    uint32_t type, count;
    const unsigned char *from; /* its items in the blob */
    char *to;                  /* and in memory */
} Object;

struct Blob {
    Object *objects;
    uint32_t n_objects;
    char *memory;
    const Model *model;
    const Interface *interface;
};

enum { HEAD = 24, ROOTS = 12, OF_OBJECT = 8, ALIGNED = 16 };

static uint32_t word_at(const unsigned char *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t long_at(const unsigned char *p) { return word_at(p) | (uint64_t)word_at(p + 4) << 32; }

static size_t size_in_memory(uint32_t type) { return type & POINTERS ? sizeof(void *) : TYPES[type].size; }

static size_t size_in_blob(uint32_t type) {
    if (type & POINTERS)
        return SIZES[IS_POINTER];
    size_t size = TYPES[type].n ? 0 : TYPES[type].size;
    for (int i = 0; i < TYPES[type].n; i++)
        size += SIZES[MEMBER_LIST[TYPES[type].first + i].kind];
    return size;
}

/* Find the place of each object in the blob, and its future place in memory. */
static const char *find_objects(Blob *blob, const unsigned char *p, const unsigned char *end, size_t *memory) {
    *memory = 0;
    for (uint32_t i = 0; i < blob->n_objects; i++) {
        Object *object = blob->objects + i;
        if (end - p < OF_OBJECT)
            return "it is cut off";
        object->type = word_at(p);
        object->count = word_at(p + 4);
        object->from = p += OF_OBJECT;
        if ((object->type & ~(uint32_t)POINTERS) >= N_TYPES)
            return "a type that does not exist";
        const size_t size = size_in_blob(object->type);
        if (object->count > (size_t)(end - p) / size)
            return "it is cut off";
        p += object->count * size;
        if (object->type == OF_TEXT && (object->count == 0 || p[-1] != '\0'))
            return "a text without an end";
        object->to = blob->memory ? blob->memory + *memory : NULL;
        *memory += ((object->count ? object->count : 1) * size_in_memory(object->type) + ALIGNED - 1) / ALIGNED * ALIGNED;
    }
    return p == end ? NULL : "there are bytes after its last object";
}

/* ---- items ---- */

/* the item with this number of the object with this number; NULL, with a fault, if it is not of this type or not before object `before` */
static void *item_at(const Blob *blob, uint32_t before, uint32_t type, uint32_t number, uint32_t item, const char **fault) {
    if (number == 0 && item == 0 && type != OF_TEXT)
        return NULL;
    const Object *object = blob->objects + (number - 1);
    if (number == 0 || number > before || object->type != type || item >= (object->count ? object->count : 1)) {
        *fault = "a pointer to an item that does not exist";
        return NULL;
    }
    return object->to + item * size_in_memory(type);
}

static const KernelName *function_at(const Blob *blob, uint32_t before, uint32_t number, const char **fault) {
    const char *name = item_at(blob, before, OF_TEXT, number, 0, fault);
    const KernelName *function = name ? kernel_of_name(name) : NULL;
    if (!function)
        *fault = "a function that does not exist";
    return function;
}

static uint32_t type_of_context(ContextType context) {
    switch (context) {
    case CONTEXT_PROGRAM:
        return OF_Program;
    case CONTEXT_ROWS:
        return OF_RowTable;
    case CONTEXT_DELAY:
        return OF_Delay;
    case CONTEXT_GATHER:
        return OF_GatherTable;
    case CONTEXT_PRODUCT:
        return OF_MatrixProduct;
    case CONTEXT_INVERSE:
        return OF_SumInverse;
    case CONTEXT_PRESSED:
        return OF_PressedPair;
    case CONTEXT_GAP:
        return OF_ShapeGap;
    case CONTEXT_SEEN:
        return OF_SeenTerrain;
    default:
        return OF_ChangeOfProcedure;
    }
}

/* a structure, member by member */
static void read_table(const Blob *blob, uint32_t before, const unsigned char *p, char *to, const char **fault) {
    const uint32_t type = blob->objects[before].type;
    const KernelName *function = NULL; /* the last one: its context follows */
    for (int i = TYPES[type].first; i < TYPES[type].first + TYPES[type].n && !*fault; i++) {
        const Kind kind = MEMBER_LIST[i].kind;
        char *const place = to + MEMBER_LIST[i].at;
        const uint32_t word = kind == IS_BYTE ? *p : word_at(p);
        if (kind == IS_INT) {
            memcpy(place, &(int){(int)(int32_t)word}, sizeof(int));
        } else if (kind == IS_WORD) {
            memcpy(place, &word, sizeof word);
        } else if (kind == IS_BYTE) {
            *(unsigned char *)place = (unsigned char)word;
        } else if (kind == IS_REAL) {
            memcpy(place, &(uint64_t){long_at(p)}, sizeof(double));
        } else if (kind == IS_FUNCTION) {
            function = word ? function_at(blob, before, word, fault) : NULL;
            memcpy(place, &(KernelFunction *){function ? function->function : NULL}, sizeof(KernelFunction *));
        } else if (kind == IS_POINTER || (function && function->context != CONTEXT_NONE)) {
            const uint32_t target = kind == IS_POINTER ? MEMBER_LIST[i].type : type_of_context(function->context);
            memcpy(place, &(void *){item_at(blob, before, target, word, word_at(p + 4), fault)}, sizeof(void *));
        }
        p += SIZES[kind];
    }
}

static void read_items(const Blob *blob, uint32_t number, const char **fault) {
    const Object *object = blob->objects + number;
    const size_t in_blob = size_in_blob(object->type), in_memory = size_in_memory(object->type);
    for (uint32_t i = 0; i < object->count && !*fault; i++) {
        const unsigned char *const p = object->from + i * in_blob;
        char *const to = object->to + i * in_memory;
        if (object->type & POINTERS) {
            const uint32_t target = object->type & ~(uint32_t)POINTERS;
            memcpy(to, &(void *){item_at(blob, number, target, word_at(p), word_at(p + 4), fault)}, sizeof(void *));
        } else if (TYPES[object->type].n) {
            read_table(blob, number, p, to, fault);
        } else if (object->type == OF_TEXT) {
            *to = (char)*p;
        } else if (object->type == OF_REALS) {
            memcpy(to, &(uint64_t){long_at(p)}, sizeof(double));
        } else {
            memcpy(to, &(uint32_t){word_at(p)}, sizeof(uint32_t));
        }
    }
}

/* ---- all of it ---- */

static const char *fill(Blob *blob, const unsigned char *bytes, size_t size) {
    const unsigned char *const objects = bytes + HEAD + ROOTS, *const end = bytes + size;
    size_t memory;
    const char *fault = find_objects(blob, objects, end, &memory); /* how much memory */
    if (fault)
        return fault;
    if (!(blob->memory = calloc(memory ? memory : 1, 1)))
        return "there is no memory for it";
    find_objects(blob, objects, end, &memory);
    for (uint32_t i = 0; i < blob->n_objects && !fault; i++)
        read_items(blob, i, &fault);
    if (fault)
        return fault;
    blob->model = item_at(blob, blob->n_objects, OF_Model, word_at(bytes + HEAD + 4), 0, &fault);
    blob->interface = item_at(blob, blob->n_objects, OF_Interface, word_at(bytes + HEAD + 8), 0, &fault);
    if (!blob->model || !blob->interface)
        return "there is no model";
    return NULL;
}

Blob *blob_of_bytes(const char *bytes, size_t size, const char **fault) {
    static const char MAGIC[] = {'m', 'o', 'b', 'o', 'd', 't', 'a', 'b'};
    const unsigned char *const p = (const unsigned char *)bytes;
    *fault = NULL;
    if (size < HEAD + ROOTS || memcmp(bytes, MAGIC, sizeof MAGIC) != 0)
        *fault = "they are not the tables of a model";
    else if (long_at(p + 8) != BLOB_FORMAT)
        *fault = "they were written by another version of mobod";
    else if (long_at(p + 16) != hash_of_bytes(bytes + HEAD, size - HEAD))
        *fault = "they were changed after they were written";
    else if (word_at(p + HEAD) > size / OF_OBJECT)
        *fault = "they are cut off";
    if (*fault)
        return NULL;
    Blob *blob = calloc(1, sizeof *blob);
    if (!blob)
        return NULL;
    blob->n_objects = word_at(p + HEAD);
    blob->objects = calloc(blob->n_objects + 1u, sizeof *blob->objects);
    *fault = blob->objects ? fill(blob, p, size) : "there is no memory for them";
    if (!*fault)
        return blob;
    free_blob(blob);
    return NULL;
}

void free_blob(Blob *blob) {
    if (!blob)
        return;
    free(blob->objects);
    free(blob->memory);
    free(blob);
}

const Model *model_of_blob(const Blob *blob) { return blob->model; }

const Interface *interface_of_blob(const Blob *blob) { return blob->interface; }

size_t items_from(const Blob *blob, const void *item) {
    if (!item)
        return 0;
    uint32_t first = 0, n = blob->n_objects; /* the last object that does not begin after the item */
    while (n > 1) {
        const uint32_t half = n / 2;
        if ((const char *)item >= blob->objects[first + half].to) {
            first += half;
            n -= half;
        } else {
            n = half;
        }
    }
    const Object *object = blob->objects + first;
    const size_t before = (size_t)((const char *)item - object->to) / size_in_memory(object->type);
    return object->count - before;
}
