#include "logging.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    unsigned bits;
    Status status;
} categories[] = {
    {"logStatusError", LOG_ERROR, STATUS_ERROR},
    {"logStatusDiscard", LOG_DISCARD, STATUS_DISCARD},
    {"logSteps", LOG_STEPS, STATUS_OK},
    {"logStatusWarning", LOG_WARNING, STATUS_WARNING},
    {"logAll", LOG_ALL, STATUS_OK},
};
enum { ERROR_CATEGORY, DISCARD_CATEGORY, STEPS_CATEGORY, WARNING_CATEGORY, N_CATEGORIES = sizeof categories / sizeof categories[0] };

/* a message that is too long is cut */
#define MESSAGE_SIZE 1024

static Status show_message(const Instance *instance, int category, const char *format, va_list arguments) {
    if (instance->importer.log_message && instance->log_categories) {
        char message[MESSAGE_SIZE];
        int length = snprintf(message, sizeof message, "%s: ", instance->call);
        vsnprintf(message + length, sizeof message - (size_t)length, format, arguments);
        instance->importer.log_message(&instance->importer, instance->name, categories[category].status, categories[category].name,
                                       message);
    }
    return categories[category].status;
}

static Status log_message(const Instance *instance, int category, const char *format, va_list arguments) {
    return logs(instance, categories[category].bits) ? show_message(instance, category, format, arguments) : categories[category].status;
}

Status log_error(const Instance *instance, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    Status status = log_message(instance, ERROR_CATEGORY, format, arguments);
    va_end(arguments);
    return status;
}

Status log_discard(const Instance *instance, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    Status status = log_message(instance, DISCARD_CATEGORY, format, arguments);
    va_end(arguments);
    return status;
}

Status log_failed_step(const Instance *instance, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    Status status = show_message(instance, DISCARD_CATEGORY, format, arguments);
    va_end(arguments);
    return status;
}

Status log_steps(const Instance *instance, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    Status status = log_message(instance, STEPS_CATEGORY, format, arguments);
    va_end(arguments);
    return status;
}

Status log_warning(const Instance *instance, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    Status status = log_message(instance, WARNING_CATEGORY, format, arguments);
    va_end(arguments);
    return status;
}

void log_error_to(const Importer *importer, const char *instance_name, const char *format, ...) {
    char message[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (importer->log_message)
        importer->log_message(importer, instance_name, STATUS_ERROR, categories[ERROR_CATEGORY].name, message);
}

/* the bits of categories; no names: all. Returns 0, after a message, if there is none of a name */
static int bits_of(const Instance *instance, size_t n_categories, const char *const *names, unsigned *bits) {
    if (n_categories && !names) {
        log_error(instance, "the categories are a null pointer.");
        return 0;
    }
    *bits = n_categories ? 0 : LOG_ALL;
    for (size_t i = 0; i < n_categories; i++) {
        int category = 0;
        while (category < N_CATEGORIES && (!names[i] || strcmp(names[i], categories[category].name) != 0))
            category++;
        if (category == N_CATEGORIES) {
            log_error(instance,
                      "there is no log category '%s'. There are logStatusError, logStatusWarning, logStatusDiscard, logSteps and logAll.",
                      names[i] ? names[i] : "(null)");
            return 0;
        }
        *bits |= categories[category].bits;
    }
    return 1;
}

Status set_logging(Instance *instance, int is_on, size_t n_categories, const char *const *names) {
    unsigned bits;
    if (!bits_of(instance, n_categories, names, &bits))
        return STATUS_ERROR;
    instance->log_categories = is_on ? bits | LOG_ALWAYS : LOG_ALWAYS;
    return STATUS_OK;
}

Status switch_logging(Instance *instance, int is_on, size_t n_categories, const char *const *names) {
    unsigned bits;
    if (!bits_of(instance, n_categories, names, &bits))
        return STATUS_ERROR;
    instance->log_categories = is_on ? instance->log_categories | bits : instance->log_categories & ~bits;
    return STATUS_OK;
}
