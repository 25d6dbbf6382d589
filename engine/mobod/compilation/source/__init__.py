"""The source of a model for the C runtime: its kernels and tables, as C code or bytes."""
