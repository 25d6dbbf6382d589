"""An FMU in an own process (fmu_src/native/python/isolated.h): if it crashes, ends its process or never returns, the master goes on."""
