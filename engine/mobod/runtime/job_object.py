"""A job object of Windows: the processes in it end with the process that has its handle."""

import ctypes
from contextlib import ExitStack
from typing import Any, final

_EXTENDED_LIMITS = 9  # JobObjectExtendedLimitInformation
_KILL_ON_CLOSE = 0x2000  # JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE


@final
class ExtendedLimits(ctypes.Structure):
    """JOBOBJECT_EXTENDED_LIMIT_INFORMATION. Source: Microsoft, Win32 API, winnt.h."""

    _fields_ = [
        ("process_user_time", ctypes.c_int64),
        ("job_user_time", ctypes.c_int64),
        ("flags", ctypes.c_uint32),
        ("least_working_set", ctypes.c_size_t),
        ("most_working_set", ctypes.c_size_t),
        ("most_processes", ctypes.c_uint32),
        ("affinity", ctypes.c_size_t),
        ("priority_class", ctypes.c_uint32),
        ("scheduling_class", ctypes.c_uint32),
        ("io_counters", ctypes.c_uint64 * 6),
        ("process_memory", ctypes.c_size_t),
        ("job_memory", ctypes.c_size_t),
        ("peak_process_memory", ctypes.c_size_t),
        ("peak_job_memory", ctypes.c_size_t),
    ]


def end_with_this_process(process: int, resources: ExitStack) -> None:
    """Put a process, by its handle, into a job that ends with this process, with all that it starts from now on.

    resources: what ends them at once is put there. Raises OSError.
    """
    of_windows: Any = ctypes
    kernel = of_windows.WinDLL("kernel32", use_last_error=True)
    kernel.CreateJobObjectW.restype = ctypes.c_void_p
    number = kernel.CreateJobObjectW(None, None)
    if number is None:
        raise of_windows.WinError(of_windows.get_last_error())
    job = ctypes.c_void_p(number)
    resources.callback(kernel.CloseHandle, job)
    limits = ExtendedLimits(flags=_KILL_ON_CLOSE)
    is_set = kernel.SetInformationJobObject(job, _EXTENDED_LIMITS, ctypes.byref(limits), ctypes.sizeof(limits))
    if not is_set or not kernel.AssignProcessToJobObject(job, ctypes.c_void_p(process)):
        raise of_windows.WinError(of_windows.get_last_error())
