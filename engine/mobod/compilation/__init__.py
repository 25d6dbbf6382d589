"""Generation of C code from a System, and compilation to a shared library."""
