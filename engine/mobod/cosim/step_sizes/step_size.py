"""StepSize: the size of the next step, and whether steps can keep the tolerance at all."""

from dataclasses import dataclass
from math import sqrt
from typing import final

from mobod.errors import InputError, MobodWarning, StepSizeError

_PATIENCE = 10  # smallest steps with too large an error before a warning: a jump leaves fewer
_MOST = 100  # the same before the run ends
_CALM = 10  # steps within the tolerance after which those are forgotten
_NEAR = 10.0  # times the smallest step: the range that a run in trouble does not leave


@final
@dataclass(frozen=True)
class StepEstimate:
    """The estimated error of a step.

    what   it is the error of
    value  in this unit
    ratio  to what is tolerated
    """

    what: str
    value: float
    unit: str
    ratio: float

    def __str__(self) -> str:
        return f"{self.value:.3g}{f' {self.unit}' if self.unit else ''} ({self.ratio:.2g} times what is tolerated)"


@final
class StepSize:
    """The size of the next step, within bounds.

    first              s  size of the first step
    smallest, largest  s  None: a millionth, a hundred times the step of the master

    A smallest step that is given is one that the user accepts: too large errors at it are a warning. Otherwise they end the run, which
    would take practically for ever.
    """

    def __init__(self, step: float, smallest: float | None, largest: float | None, *, first: float | None = None) -> None:
        self.smallest = 1e-6 * step if smallest is None else smallest
        self.largest = 100 * step if largest is None else largest
        self.next = min(max(step if first is None else first, self.smallest), self.largest)
        self._is_accepted = smallest is not None
        self._bad = self._good = 0  # smallest steps with too large errors; steps in a row without
        self._larger: tuple[float, StepEstimate] | None = None  # a step from which the size fell, s, and its error
        self._has_warned = False

    def within(self, time: float, end: float) -> float:
        """The next step, s, shortened if the rest until the end would be shorter than half of it."""
        rest = end - time
        if self.next >= rest:
            return rest
        return rest / 2 if 1.5 * self.next > rest else self.next

    def change(self, taken: float, factor: float) -> None:
        """Change the next step to `factor` times the one that was taken. A shortened last step does not make the next one shorter."""
        wanted = taken * factor
        if factor >= 1 and taken < self.next:
            wanted = max(wanted, self.next)
        self.next = min(max(wanted, self.smallest), self.largest)

    def note(self, time: float, step: float, estimate: StepEstimate) -> None:
        """Take the error of a step, or of an attempt, from time to time + step, s. Warn, or raise StepSizeError, if many of the smallest
        size have too large ones.
        """
        is_bad = estimate.ratio > 1
        self._good = 0 if is_bad else self._good + 1
        if self._good == _CALM:
            self._bad = 0
        if step > _NEAR * self.smallest:
            if not is_bad or self._larger is None or self._larger[1].ratio <= 1:
                self._larger = step, estimate
        elif is_bad and step <= self.smallest:
            self._bad += 1
            message = f"co-simulation at {time:.9g} s: {self._described(estimate)}{self._advice(estimate)}"
            if self._is_accepted and self._bad == _PATIENCE and not self._has_warned:
                self._has_warned = True
                MobodWarning.warn(message)
            if not self._is_accepted and self._bad == _MOST:
                raise StepSizeError(message)

    def _described(self, estimate: StepEstimate) -> str:
        return f"{estimate.what} is {estimate} at the smallest step of {self.smallest:.3g} s"

    def _advice(self, estimate: StepEstimate) -> str:
        if self._larger is None:
            return ". Allow a smaller step by smallest=, or a larger error."
        step, larger = self._larger
        of = "" if larger.what == estimate.what else f"{larger.what} "
        before = f", and {of}was {larger} at one of {step:.3g} s"
        if estimate.ratio < larger.ratio * sqrt(self.smallest / step):
            return f"{before}. It falls with the step, but not enough: allow a smaller step by smallest=, or a larger error."
        return (
            f"{before}: it does not fall with the step as it should. A component there may delay, differentiate or switch by its steps, "
            "or compute with errors of its own. Use fixed steps, a larger tolerance, or smallest= a step at which this error is acceptable."
        )


def check_options(tolerance: float, smallest: float | None, largest: float | None) -> None:
    """Raise InputError for options of adaptive steps that cannot be used."""
    bounds = [each for each in (smallest, largest) if each is not None]
    if not tolerance > 0 or any(not each > 0 for each in bounds) or bounds != sorted(bounds):
        raise InputError(
            f"adaptive steps: tolerance {tolerance!r}, smallest {smallest!r} s, largest {largest!r} s. Give positive numbers, the smallest "
            "first."
        )
