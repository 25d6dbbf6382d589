"""Models that the C runtime runs in this process, and their runs."""
