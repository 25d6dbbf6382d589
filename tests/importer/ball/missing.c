/* Functions of FMI 2.0 that every FMU must have, and that nobody calls here. Each returns fmi2Error. */
#define MISSING(NAME)                                                                                                                      \
    int NAME(void) { return 3; }
MISSING(fmi2CancelStep)
MISSING(fmi2DeSerializeFMUstate)
MISSING(fmi2FreeFMUstate)
MISSING(fmi2GetBoolean)
MISSING(fmi2GetDirectionalDerivative)
MISSING(fmi2GetFMUstate)
MISSING(fmi2GetIntegerStatus)
MISSING(fmi2GetRealOutputDerivatives)
MISSING(fmi2GetStatus)
MISSING(fmi2GetString)
MISSING(fmi2GetStringStatus)
MISSING(fmi2SerializeFMUstate)
MISSING(fmi2SerializedFMUstateSize)
MISSING(fmi2SetBoolean)
MISSING(fmi2SetDebugLogging)
MISSING(fmi2SetFMUstate)
