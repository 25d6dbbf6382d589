/* The library of an FMU exports only the functions of FMI. This file replaces exported.h. */
#ifndef MOBOD_EXPORTED_H
#define MOBOD_EXPORTED_H

#define MOBOD_API

#endif
