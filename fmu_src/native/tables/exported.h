/* The functions that a library exports. */
#ifndef MOBOD_EXPORTED_H
#define MOBOD_EXPORTED_H

#if defined _WIN32
#define MOBOD_API __declspec(dllexport)
#else
#define MOBOD_API __attribute__((visibility("default")))
#endif

#endif
