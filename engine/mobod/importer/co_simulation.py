"""Co-simulation of one FMU: it integrates, from one communication point to the next."""

import ctypes
from collections.abc import Callable
from time import perf_counter
from typing import final

import numpy as np

from mobod.errors import FmuError, FmuFileError, InputError
from mobod.fmi.discarded_step import discard_message, has_ended, last_successful_time
from mobod.fmi.loaded_fmu import is_discard
from mobod.importer.driver import InputDriver
from mobod.importer.instance import FmuInstance
from mobod.importer.recorder import RowRecorder


@final
class CoSimulation:
    """Steps of an initialized instance.

    points    (m,)  s   communication points
    reported  (m,)      whether a row is recorded there
    step            s   of the steps that are not shortened; some FMUs accept no other

    steps               taken so far
    seconds             that the FMU needed for them
    """

    def __init__(self, instance: FmuInstance, points: np.ndarray, reported: np.ndarray, step: float) -> None:
        self.points = points
        self.reported = reported
        self.step = step
        self.steps = 0
        self.seconds = 0.0
        self.evaluations: int | None = None  # only the FMU knows
        self._instance = instance

    def run(self, inputs: InputDriver, recorder: RowRecorder, progress: Callable[[float, float], object] | None) -> str | None:
        """Run to the last point. Inputs are set at the start of each step; an FMU that can interpolate them also gets their slopes.

        Returns the name of the FMU if it ended the run, or None.
        """
        recorder.record(float(self.points[0]))
        last = float(self.points[-1])
        for k, (start, end) in enumerate(zip(self.points[:-1].tolist(), self.points[1:].tolist(), strict=True)):
            if inputs.interpolates:
                inputs.set_slopes(start, end)
            size = end - start
            before = perf_counter()
            ended = self._advance(start, self.step if abs(size - self.step) <= 1e-9 * self.step else size)
            self.seconds += perf_counter() - before
            self.steps += 1
            time = end if ended is None else ended
            self._instance.time = time
            if ended is None:
                is_last = k == len(self.points) - 2
                inputs.set_continuous(time, before=is_last)  # outputs at this point are those of the inputs at this point
                inputs.set_held(time)
            if ended is not None or self.reported[k + 1]:
                recorder.record(time)
            if progress is not None:
                progress(time, last)
            if ended is not None:
                return self._instance.model.name
        return None

    def _advance(self, start: float, step: float) -> float | None:
        """Take a step. Returns the time at which the FMU ended the simulation, or None."""
        return self._step_2(start, step) if self._instance.fmi_version == "2" else self._step_3(start, step)

    def _step_2(self, start: float, step: float) -> float | None:
        try:
            self._instance.call("DoStep", start, step, True)
        except FmuError as error:
            if not is_discard(error):
                raise
            reached = last_successful_time(self._instance, start, start + step)
            if not has_ended(self._instance):
                raise self._instance.failure("fmi2DoStep", discard_message(start, start + step, reached)) from error
            return start if reached is None else reached
        return None

    def _step_3(self, start: float, step: float) -> float | None:
        needs_event, ends, is_early = ctypes.c_bool(), ctypes.c_bool(), ctypes.c_bool()
        reached = ctypes.c_double(start)
        said = [ctypes.byref(each) for each in (needs_event, ends, is_early, reached)]
        self._instance.call("DoStep", start, step, True, *said)
        if ends.value:
            return min(max(reached.value, start), start + step)
        if is_early.value:
            raise self._instance.failure("fmi3DoStep", f"returned early, at {reached.value:.12g} s, which it was not allowed to")
        return None


def communication_points(
    start: float, stop: float, step: float, every: float, breaks: np.ndarray, *, is_rigid: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Communication points, and which of them are reported.

    start, stop  s   of the run
    step         s
    every        s   interval of the reports, a whole number of steps
    breaks       s   further points, unless the FMU requires steps of constant size
    is_rigid         whether it does

    Raises InputError.
    """
    count, per_report = round((stop - start) / step), round(every / step)
    is_even = abs(start + count * step - stop) <= 1e-9 * step * max(count, 1) and count > 0
    if is_rigid and not is_even:
        raise InputError(
            f"the FMU requires steps of constant size, but the run of {stop - start:.12g} s is no whole number of steps of {step:.12g} s. "
            "Choose another --until or --step."
        )
    full = count if is_even else int((stop - start) / step)
    points = start + np.arange(full + 1) * step
    if not is_even:
        points = np.append(points, stop)
    points[-1] = stop
    reported = np.arange(len(points)) % per_report == 0
    reported[-1] = True
    if not is_rigid:
        inner = breaks[(breaks > start) & (breaks < stop)]
        near = np.abs(points[np.clip(np.searchsorted(points, inner), 1, len(points) - 1)[:, None] - [[1, 0]]] - inner[:, None])
        inner = inner[near.min(axis=1) > 1e-9 * step] if len(inner) else inner
        order = np.argsort(np.append(points, inner), kind="stable")
        # without --report-every each communication point is reported
        reported = np.append(reported, np.full(len(inner), per_report == 1))[order]
        points = np.append(points, inner)[order]
    return points, reported


def fixed_step_of(instance_capabilities: dict[str, bool | float | str]) -> float | None:
    """s: the FMU's own fixed step, of which communication steps must be multiples; None if it has none."""
    size = instance_capabilities.get("fixedInternalStepSize")
    if size is None:
        return None
    if isinstance(size, (bool, str)) or not size > 0:
        raise FmuFileError(f"the FMU declares the fixedInternalStepSize {size!r}, which is no positive number.")
    return float(size)
