/* What the library of an FMU shows of its functions: FMI's alone. It takes the place of the runtime's own exported.h. */
#ifndef MOBOD_EXPORTED_H
#define MOBOD_EXPORTED_H

#define MOBOD_API

#endif
