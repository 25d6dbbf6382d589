#include "message.h"

#include <stdarg.h>
#include <stdio.h>

void add(Message *message, const char *format, ...) {
    const size_t room = sizeof message->text - message->length;
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(message->text + message->length, room, format, arguments);
    va_end(arguments);
    if (length > 0)
        message->length += (size_t)length < room ? (size_t)length : room - 1;
}
