/* pythonfmu's library, which lies beside this one. */
#ifndef MOBOD_LOADER_PYTHONFMU_H
#define MOBOD_LOADER_PYTHONFMU_H

#include "fmi2Functions.h"
#include "message.h"

#define PYTHONFMU_FUNCTIONS(EACH)                                                                                                          \
    EACH(Instantiate)                                                                                                                      \
    EACH(FreeInstance)                                                                                                                     \
    EACH(SetDebugLogging)                                                                                                                  \
    EACH(SetupExperiment)                                                                                                                  \
    EACH(EnterInitializationMode)                                                                                                          \
    EACH(ExitInitializationMode)                                                                                                           \
    EACH(Terminate)                                                                                                                        \
    EACH(Reset)                                                                                                                            \
    EACH(GetReal)                                                                                                                          \
    EACH(GetInteger)                                                                                                                       \
    EACH(GetBoolean)                                                                                                                       \
    EACH(GetString)                                                                                                                        \
    EACH(SetReal)                                                                                                                          \
    EACH(SetInteger)                                                                                                                       \
    EACH(SetBoolean)                                                                                                                       \
    EACH(SetString)                                                                                                                        \
    EACH(GetFMUstate)                                                                                                                      \
    EACH(SetFMUstate)                                                                                                                      \
    EACH(FreeFMUstate)                                                                                                                     \
    EACH(SerializedFMUstateSize)                                                                                                           \
    EACH(SerializeFMUstate)                                                                                                                \
    EACH(DeSerializeFMUstate)                                                                                                              \
    EACH(GetDirectionalDerivative)                                                                                                         \
    EACH(SetRealInputDerivatives)                                                                                                          \
    EACH(GetRealOutputDerivatives)                                                                                                         \
    EACH(DoStep)                                                                                                                           \
    EACH(CancelStep)                                                                                                                       \
    EACH(GetStatus)                                                                                                                        \
    EACH(GetRealStatus)                                                                                                                    \
    EACH(GetIntegerStatus)                                                                                                                 \
    EACH(GetBooleanStatus)                                                                                                                 \
    EACH(GetStringStatus)

/* its functions, by their names without fmi2 */
typedef struct {
#define FIELD(name) fmi2##name##TYPE *name;
    PYTHONFMU_FUNCTIONS(FIELD)
#undef FIELD
} Pythonfmu;

extern Pythonfmu pythonfmu;

/* open the library, unless it is open; returns 0, with a fault, if this is not possible */
int open_pythonfmu(Message *fault);
void close_pythonfmu(void);

#endif
