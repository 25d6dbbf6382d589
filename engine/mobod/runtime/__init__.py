"""The C runtime in this process: compilers, the cache of compiled libraries, and the bindings of its functions."""
