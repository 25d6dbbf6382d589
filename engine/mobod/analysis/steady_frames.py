"""In which frames the linear system of a motion stays constant: found by looking along the motion."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, final

import numpy as np

from mobod.analysis.linear_in_frames import Frames, MotionAt, relative_change
from mobod.analysis.linearization import linearization
from mobod.analysis.on_constraints import copy_on_constraints
from mobod.analysis.vector_deviations import BODY, PARENT, DeviationFrame, Part, pose_and_rate
from mobod.errors import MobodError
from mobod.simulate import Simulation
from mobod.spatial import cross_matrix

FrameName = Literal["parent", "body", "steady"]

CONSTANT = 1e-6  # relative change of A that counts as none: integration errors add up to 1e-8
_ACCURACY, _MAX_STEPS = 1e-10, 100_000  # of the motion
_INSTANTS = (0.11, 0.29, 0.47, 0.68, 0.93)  # of the time looked at; no two are half a turn apart
_TIME_CONSTANTS = 2000.0  # of the fastest mode: a turn that takes more of them is not followed to its end
_GROWTH = 5.0  # natural logarithm of the growth of deviations that integration errors make
_SAME = 1e-9  # relative difference of rates of frames that are one
_FITS = 1e-4  # relative error of a rate of precession
_ROUNDS, _MOST_TRIALS = 3, 300  # of the search for a frame of each mobilizer


@final
@dataclass(frozen=True)
class SteadyFrames:
    """Frames in which A changes least along the motion.

    title     'parent', 'body', 'precession', ... or, where they differ, 'wheel: body, top: parent, position of top: ground'
    is_chosen whether they are the best ones, and not given
    change    of A within the time, relative; nan if the motion could not be followed
    duration  s
    turning   name of the body whose turn that is; '' if it is a part of a turn
    problem   why the motion could not be followed
    """

    frames: Frames
    title: str
    is_chosen: bool
    change: float
    duration: float
    turning: str = ""
    problem: str = ""

    @property
    def doubt(self) -> str:
        """A sentence if A does not stay constant; else ''."""
        of = f", one turn of '{self.turning}'," if self.turning else ""
        if self.problem:
            return (
                f"the motion of the next {self.duration:.3g} s{of} shows whether A stays constant, but cannot be followed: {self.problem} "
                f"A is that of this instant, in the frame '{self.title}'."
            )
        if self.change <= CONSTANT:
            return ""
        amount = f"by {100 * self.change:.3g} %" if np.isfinite(self.change) else "and even its states change"
        where = "in each frame; least" if self.is_chosen else "in this frame;"
        return (
            f"A changes along the motion {where} in the frame '{self.title}', {amount} within {self.duration:.3g} s{of} so its eigenvalues "
            "are those of this instant and need not show how deviations grow. If the motion should be steady, find_equilibrium(system, "
            "state, speeds=[...]) finds one."
        )


def steady_frames(start: MotionAt, name: FrameName) -> SteadyFrames:
    """Looks along the motion for one turn of the slowest orientation; for a shorter time if A has fast modes, or modes that grow much.

    name  'steady': find the frames; otherwise these are given, and their change is found
    """
    frame, is_chosen = BODY if name == "body" else PARENT, name == "steady"
    given, title = dict.fromkeys(start.parts, frame), frame.title
    if not start.turning:
        return SteadyFrames(given, title, is_chosen, 0.0, 0.0)
    slowest = min(start.turning, key=lambda index: start.turning[index])
    turn = 2 * np.pi / start.turning[slowest]
    poles = np.concatenate([np.linalg.eigvals(start.in_frames(dict.fromkeys(start.parts, each)).A) for each in (PARENT, BODY)])
    duration = min([turn, *_TIME_CONSTANTS / np.abs(poles[poles != 0]), *_GROWTH / poles.real[poles.real > 0]])
    of_turn = start.names([slowest])[0] if duration == turn else ""
    motion, problem = _along(start, duration)
    if problem:
        return SteadyFrames(given, title, is_chosen, np.nan, duration, of_turn, problem)
    search = _FrameSearch(motion)
    if not is_chosen:
        return SteadyFrames(given, title, is_chosen, search.tried(given)[1], duration, of_turn)
    frames, change = search.best()
    return SteadyFrames(frames, search.title(frames), is_chosen, change, duration, of_turn)


def _along(start: MotionAt, duration: float) -> tuple[list[MotionAt], str]:
    """The motion at some instants, or why it cannot be followed."""
    system, state = start.system, start.state
    backend = "compiled" if "compiled" in state.layout.native else "interpreted"
    motion = [start]
    try:
        with Simulation(system, accuracy=_ACCURACY, backend=backend, max_steps=_MAX_STEPS).start(state) as run:
            for part in _INSTANTS:
                run.step_to(state.time + part * duration)
                at = copy_on_constraints(system, run.state, "modes")
                motion.append(MotionAt(system, linearization(system, at, [], [], of_all_rates=True)))
                if run.terminated_by is not None:
                    return motion, f"event '{run.terminated_by}' ends it."
    except MobodError as error:
        return motion, str(error)
    return motion, ""


@final
class _FrameSearch:
    """Tries frames for the mobilizers whose deviations are vectors."""

    def __init__(self, motion: list[MotionAt]) -> None:
        self._motion = motion
        self._rate = min(motion[0].turning.values())  # a fast wheel does not hide what changes in a slow satellite
        self._trials = 0
        self._parts = motion[0].parts

    def best(self) -> tuple[Frames, float]:
        """One frame for all if there is one; otherwise one for each, improved in turn."""
        common = [*self._precessions(), *self._of_bodies()]
        of_parts = {part: self._distinct(part, [PARENT, BODY, *common]) for part in self._parts}
        is_steady = all(of_parts[index, "rotation"] for index in self._motion[0].turning)
        best = self._better(self.tried(dict.fromkeys(self._parts, PARENT)), dict.fromkeys(self._parts, BODY))
        for frame in common if is_steady else ():
            best = self._better(best, dict.fromkeys(self._parts, frame))
        for _ in range(_ROUNDS if is_steady and len(self._parts) > 1 else 0):
            before = best[1]
            for part, frames in of_parts.items():
                for frame in frames:
                    best = self._better(best, {**best[0], part: frame})
            if not best[1] < before:
                break
        return best

    def _better(self, best: tuple[Frames, float], frames: Frames) -> tuple[Frames, float]:
        """These frames if A changes less in them; not tried if it is constant in the others."""
        if best[1] <= CONSTANT or self._trials >= _MOST_TRIALS:
            return best
        found = self.tried(frames, best[1])
        return found if found[1] < best[1] else best

    def title(self, frames: Frames) -> str:
        titles = {part: frames.get(part, PARENT).title for part in self._parts}
        if len(set(titles.values())) == 1:
            return next(iter(titles.values()))
        shown: list[str] = []
        for (index, part), title in titles.items():
            name = self._motion[0].names([index])[0]
            if part == "position" and (titles.get((index, "rotation"), PARENT.title) != title):
                shown.append(f"position of {name}: {title}")
            elif part == "rotation":
                shown.append(f"{name}: {title}")
        return ", ".join(shown)

    def tried(self, frames: Frames, most: float = np.inf) -> tuple[Frames, float]:
        """most: a change that is large enough to end the trial"""
        self._trials += 1
        first = self._motion[0].in_frames(frames)
        names, change = [row.name for row in first.rows], 0.0
        for each in self._motion[1:]:
            try:
                change = max(change, relative_change(first, each.in_frames(frames, states=names), self._rate))
            except np.linalg.LinAlgError:  # these states are not independent later on
                change = np.inf
            if change >= most:
                break
        return frames, change

    def _precessions(self) -> list[DeviationFrame]:
        """Frames that turn at a constant rate in F as the velocities of a mobilizer do: V_dot = Omega x V, V_ddot = Omega x V_dot."""
        start, found = self._motion[0], list[DeviationFrame]()
        for index in dict.fromkeys(index for index, _ in self._parts):
            of_motion = start.motions[index]
            V_ddot = start.second_rate_of_V(index)
            for part in (slice(0, 3), slice(3, 6)):
                V, V_dot = of_motion.V[part], of_motion.V_dot[part]
                if not np.linalg.norm(V_dot) > CONSTANT * self._rate * np.linalg.norm(V):
                    continue
                rate = float(np.linalg.norm(V_dot) / np.linalg.norm(V)) if V.any() else self._rate  # so that both equations count
                matrix = -np.concatenate([cross_matrix(V), cross_matrix(V_dot) / rate])
                right = np.concatenate([V_dot, V_ddot[part] / rate])
                w = np.linalg.lstsq(matrix, right, rcond=_SAME)[0]
                if np.abs(matrix @ w - right).max() > _FITS * np.abs(right).max():
                    continue
                found.append(
                    DeviationFrame("precession", "P", "precession", index, (float(w[0]), float(w[1]), float(w[2])), start.state.time)
                )
        return found

    def _of_bodies(self) -> list[DeviationFrame]:
        """Ground's, and those of all bodies."""
        of_bodies = [DeviationFrame("of_body", each.name, f"body '{each.name}'", each.index) for each in self._motion[0].bodies]
        return [DeviationFrame("of_body", "G", "ground"), *of_bodies]

    def _distinct(self, part: tuple[int, Part], frames: Iterable[DeviationFrame]) -> list[DeviationFrame]:
        """Those that turn differently, seen from a mobilizer, and in which its angular velocity is constant if it is that of a rotation."""
        rates: list[np.ndarray] = []
        found: list[DeviationFrame] = []
        for frame in frames:
            of_instants = [pose_and_rate(each.tree, each.state, each.motions[part[0]], frame) for each in self._motion]
            rate = np.array([rate for _, rate in of_instants])
            w = np.array([R_FX.T @ each.motions[part[0]].w_FM for each, (R_FX, _) in zip(self._motion, of_instants, strict=True)])
            size = max(self._rate, float(np.abs(w).max()))
            is_steady = part[1] == "position" or np.abs(w - w[0]).max() <= _FITS * size
            if is_steady and not any(np.abs(rate - known).max() <= _SAME * size for known in rates):
                rates.append(rate)
                found.append(frame)
        return found
