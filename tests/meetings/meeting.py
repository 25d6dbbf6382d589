"""One pair of runs of one mechanism, with its verdict."""

import signal
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import Any

import numpy as np

from mobod.errors import MobodError
from tests.meetings.doors import DOORS
from tests.meetings.mechanism import Mechanism
from tests.meetings.mid_run import MID_RUN
from tests.meetings.moved_worlds import MOVED
from tests.meetings.page_in_node import IN_NODE, is_installed
from tests.meetings.same_bits import SAME_BITS
from tests.meetings.verdict import DISAGREES, DOES_NOT_APPLY, TOO_SLOW, DisagreementError, DoesNotApplyError, Verdict, named
from tests.meetings.within_tolerance import WITHIN_TOLERANCE
from tests.view.live_runtime import module

DRAWN = {**SAME_BITS, **WITHIN_TOLERANCE, **DOORS, **MID_RUN, **MOVED}
PAIRS = {**DRAWN, **IN_NODE}
COSTS = dict.fromkeys(PAIRS, 1.0) | {
    "compiled": 5.0,
    "CS 2.0": 2.0,
    "CS 3.0": 2.0,
    "saved FMU": 2.0,
    "exchange": 2.0,
    "doors": 2.0,
    "tangents": 2.0,
    "drawn": 2.0,
}
"""What a pair costs, relative to the cheapest."""
SECONDS = 20.0  # of processor time, for one pair of one mechanism


def pairs_of(seed: int, count: int, among: Sequence[str] = tuple(DRAWN)) -> list[str]:
    """Some pairs for the mechanism of a seed, cheap ones more often. `page` brings its script in node, where this is installed: what else
    is drawn does not depend on it.
    """
    weights = 1 / np.array([COSTS[each] for each in among])
    rng = np.random.default_rng([seed, 1])
    drawn = [str(each) for each in rng.choice(list(among), size=count, replace=False, p=weights / weights.sum())]
    return [*drawn, *IN_NODE] if "page" in drawn and is_installed() else drawn


class _TimeIsUp(BaseException):
    pass


def meet(pair: str, mechanism: Mechanism, seed: int, seconds: float = SECONDS) -> Verdict:
    """The verdict of a pair on a mechanism. seed: of what the pair draws, such as its integrator"""
    rng = np.random.default_rng([seed, *pair.encode()])
    if pair == "page":
        module()  # compiled once, which takes long
    with TemporaryDirectory(prefix="meeting_") as folder, _time_limit(seconds) as limit:
        try:
            verdict = _verdict(pair, mechanism, rng, Path(folder))
        except _TimeIsUp:
            return Verdict(TOO_SLOW)
    return Verdict(TOO_SLOW) if limit.is_over else verdict  # a callback of C reports it as an error of its own


def _verdict(pair: str, mechanism: Mechanism, rng: np.random.Generator, folder: Path) -> Verdict:
    try:
        return PAIRS[pair](mechanism, rng, folder)
    except DisagreementError as fault:
        return Verdict(DISAGREES, str(fault))
    except DoesNotApplyError as reason:
        return Verdict(DOES_NOT_APPLY, str(reason))
    except MobodError as error:
        return named(error)
    except Exception as error:  # neither a result nor a named error: a fault in any case
        last = traceback.extract_tb(error.__traceback__)[-1]
        return Verdict(DISAGREES, f"{type(error).__name__}: {error} ({last.filename.rpartition('/')[2]}:{last.lineno})")


@dataclass
class _Limit:
    is_over: bool = False


@contextmanager
def _time_limit(seconds: float) -> Iterator[_Limit]:
    limit = _Limit()

    def stop(number: int, where: FrameType | None) -> Any:
        limit.is_over = True
        raise _TimeIsUp

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield limit
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
