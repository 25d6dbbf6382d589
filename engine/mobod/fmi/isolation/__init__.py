"""An FMU in a process of its own (fmu_src/native/isolated.h): it can crash, end its process or never return without harm to the master."""
