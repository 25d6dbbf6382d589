/* the lines of walk.c, on a machine with an operating system */
#include <stdio.h>

void put_line(const char *text) { fputs(text, stdout); }
