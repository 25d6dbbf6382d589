"""Checks that do what an FMU may do to its process."""

import os
import signal
import time

from mobod.acceptance.report import Result


def crash(subject, monitor):
    monitor.note("fmi2DoStep from 0.3 s")
    os.kill(os.getpid(), signal.SIGSEGV)


def end(subject, monitor):
    monitor.note("fmi2Terminate")
    os._exit(0)


def fail(subject, monitor):
    raise RuntimeError("not the FMU's fault")


def hang(subject, monitor):
    monitor.note("fmi2DoStep from 0.5 s")
    print("waiting", flush=True)
    time.sleep(1000)


def pass_by(subject, monitor):
    return Result(notes=[f"{subject.path.name} was seen"])
