"""Co-simulation of one FMU: it integrates, from one communication point to the next."""

from collections.abc import Callable
from time import perf_counter
from typing import final

import numpy as np

from mobod.errors import FmuFileError, InputError
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
            reached, _, ends = self._instance.step(start, self.step if abs(size - self.step) <= 1e-9 * self.step else size)
            self.seconds += perf_counter() - before
            self.steps += 1
            time = reached if ends else end
            self._instance.time = time
            if not ends:
                is_last = k == len(self.points) - 2
                inputs.set_continuous(time, before=is_last)  # outputs at this point are those of the inputs at this point
                inputs.set_held(time)
            if ends or self.reported[k + 1]:
                recorder.record(time)
            if progress is not None:
                progress(time, last)
            if ends:
                return self._instance.model.name
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
