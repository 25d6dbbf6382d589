/* A message that is put together from parts. What is too long is cut. */
#ifndef MOBOD_LOADER_MESSAGE_H
#define MOBOD_LOADER_MESSAGE_H

#include <stddef.h>

enum { LONGEST_MESSAGE = 4000 };

/* {0} is the empty message */
typedef struct {
    size_t length;
    char text[LONGEST_MESSAGE];
} Message;

/* append text; the format is that of printf */
void add(Message *message, const char *format, ...);

#endif
