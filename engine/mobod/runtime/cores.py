"""The processor cores of this machine."""

import os


def usable_cores() -> int:
    """The number of cores that this process may use, at least 1."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
