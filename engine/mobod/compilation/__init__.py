"""From a System to C, and from C to a shared library."""
