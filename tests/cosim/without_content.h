/* The functions of FMI 2.0 in which the FMUs of these tests have nothing to do. */
const char *fmi2GetTypesPlatform(void) { return fmi2TypesPlatform; }
const char *fmi2GetVersion(void) { return fmi2Version; }
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean a, size_t n, const fmi2String b[]) {
    return (void)c, (void)a, (void)n, (void)b, fmi2OK;
}
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Integer v[]) {
    return (void)c, (void)r, (void)n, (void)v, fmi2Error;
}
fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Integer v[]) {
    return (void)c, (void)r, (void)n, (void)v, fmi2Error;
}
fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference r[], size_t n, fmi2Boolean v[]) {
    return (void)c, (void)r, (void)n, (void)v, fmi2Error;
}
fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Boolean v[]) {
    return (void)c, (void)r, (void)n, (void)v, fmi2Error;
}
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference a[], size_t n, const fmi2ValueReference b[], size_t m,
                                        const fmi2Real d[], fmi2Real e[]) {
    return (void)c, (void)a, (void)n, (void)b, (void)m, (void)d, (void)e, fmi2Error;
}
fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Integer o[], const fmi2Real v[]) {
    return (void)c, (void)r, (void)n, (void)o, (void)v, fmi2Error;
}
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference r[], size_t n, const fmi2Integer o[], fmi2Real v[]) {
    return (void)c, (void)r, (void)n, (void)o, (void)v, fmi2Error;
}
fmi2Status fmi2CancelStep(fmi2Component c) { return (void)c, fmi2Error; }
fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind k, fmi2Status *v) { return (void)c, (void)k, (void)v, fmi2Discard; }
fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind k, fmi2Integer *v) { return (void)c, (void)k, (void)v, fmi2Discard; }
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind k, fmi2Boolean *v) { return (void)c, (void)k, (void)v, fmi2Discard; }
fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind k, fmi2String *v) { return (void)c, (void)k, (void)v, fmi2Discard; }
