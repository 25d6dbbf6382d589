"""check_element: checks the laws for a user's element, and describes inconsistencies."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, final

import numpy as np

from mobod.errors import InputError
from mobod.forces import CustomForceSubsystem, Force
from mobod.functions import Function
from mobod.laws.constraint_laws import constraint_laws
from mobod.laws.force_laws import force_laws
from mobod.laws.mobilizer_laws import mobilizer_laws
from mobod.laws.random_states import random_state
from mobod.laws.recording_laws import recording_laws
from mobod.matter import Constraint, MobilizedBody, Motion
from mobod.system import CustomSubsystem, Stage, State, System
from mobod.system.measures import Measure

_NUMBER = re.compile(r"[-+]?\d[\d.e+-]*")
Element = Force | Constraint | MobilizedBody | Motion | Measure | CustomSubsystem | Function


@final
@dataclass(frozen=True)
class ElementCheck:
    """Result of check_element.

    problems  one message for each inconsistency; empty if the element is consistent
    laws      names of the laws that were checked
    n_states  number of States, or of arguments of a function, at which they were checked
    """

    element: str
    problems: tuple[str, ...]
    laws: tuple[str, ...]
    n_states: int

    @property
    def is_consistent(self) -> bool:
        """Whether no inconsistency was found."""
        return not self.problems

    def __str__(self) -> str:
        checked = f"{self.element}, at {self.n_states} states: {'; '.join(self.laws)}"
        if self.is_consistent:
            return f"{checked}. All hold."
        return "\n".join([f"{checked}.", *(f"- {problem}" for problem in self.problems)])


def check_element(element: Element, states: Sequence[Any] | None = None, *, n_states: int = 5, seed: int = 0) -> ElementCheck:
    """Check at random States whether an element obeys the laws of its kind.

    A force        its power is what its potential energy loses, less what it dissipates
    A constraint   rates given are derivatives of errors, forces given the transpose of these, acceleration errors linear
    A mobilizer    H is the derivative of the pose, Hdot that of H; q_dot is linear; poses that can be reached are found
    A function     derivatives given are those of the value; also of the functions that an element has
    Each of them, a motion, a measure and a subsystem: what is recorded gives the numbers that the same text gives of plain numbers

    states    where to check: States of the element's System, or arguments of a function; default: random ones
    n_states  number of random States
    seed      seed of the random numbers

    The element must belong to a System, alone or among others. Raises whatever the element raises, and InputError for anything that is no
    element.
    """
    rng = np.random.default_rng(seed)
    if isinstance(element, Function):
        return _check_function(element, states, n_states, rng)
    kind = _kind_of(element)
    system, laws = kind.system_of(element), [*kind.laws, "recorded = plain numbers"]
    problems: dict[str, str] = {}  # by their text without numbers, so that each is reported once for all States
    chosen = [random_state(system, rng) for _ in range(n_states)] if states is None else [state.copy() for state in states]
    for state in chosen:
        where = f"(at time {state.time:.6g} s, q = {np.array2string(state.q, precision=4)})"
        for problem in _problems(element, kind, state, rng):
            problems.setdefault(_NUMBER.sub("", problem), f"{problem} {where}")
    functions = _functions_of(element)
    for function in functions:
        for problem in _check_function(function, None, n_states, rng).problems:
            problems.setdefault(problem, problem)
    if functions:
        laws.append("derivatives of its functions")
    named = f"{kind.noun} '{element.name}' ({type(element).__name__})"
    return ElementCheck(named, tuple(problems.values()), tuple(laws), len(chosen))


def _problems(element: Element, kind: "_ElementKind", state: State, rng: np.random.Generator) -> Iterator[str]:
    system = kind.system_of(element)
    system.realize(state, Stage.DYNAMICS)
    yield from kind.problems(element, state, rng)
    yield from recording_laws(system, state)


def _check_function(function: Function, arguments: Sequence[Any] | None, n: int, rng: np.random.Generator) -> ElementCheck:
    if arguments is None:
        arguments = list(rng.normal(size=(n, function.argument_size)))
    problems: dict[str, str] = {}
    for x in arguments:
        try:
            function.check_derivatives(x)
        except InputError as error:
            problems.setdefault(_NUMBER.sub("", str(error)), str(error))
    return ElementCheck(str(function), tuple(problems.values()), ("derivatives = those of the value",), len(arguments))


def _functions_of(element: Element) -> list[Function]:
    """The functions among the fields of its equations, each once."""
    equations: Any = getattr(element, "equations", None)
    values = [getattr(equations, each.name) for each in fields(equations)] if is_dataclass(equations) else []
    flat = [each for value in values for each in (value if isinstance(value, tuple) else (value,))]
    return list(dict.fromkeys(each for each in flat if isinstance(each, Function)))


def _problems_of_mobilizer(body: MobilizedBody, state: State, rng: np.random.Generator) -> Iterator[str]:
    return mobilizer_laws(body.equations_in(state), np.array(body.q(state)), np.array(body.u(state)), rng)


def _problems_of_force(force: Force | CustomForceSubsystem, state: State, _rng: np.random.Generator) -> Iterator[str]:
    return force_laws(force, state)


@final
@dataclass(frozen=True)
class _ElementKind:
    """A kind of elements.

    noun       for messages
    system_of  the System of an element
    laws       their names, besides that of recording
    problems   where an element does not obey them, at a State that is realized to DYNAMICS
    """

    type: type
    noun: str
    system_of: Callable[[Any], System]
    laws: tuple[str, ...] = ()
    problems: Callable[[Any, State, np.random.Generator], Iterator[str]] = lambda *_: iter(())


_POWER = ("power = loss of potential energy - dissipation",)
_OF_CONSTRAINTS = ("rates = derivatives of errors", "forces = transpose", "linear in accelerations")
_OF_MOBILIZERS = (
    *("R is a rotation", "H = derivative of X", "Hdot = derivative of H"),
    *("q_dot linear in u", "speeds independent", "poses fitted"),
)
_KINDS = (  # the first one counts
    _ElementKind(Force, "force", lambda force: force.forces.system, _POWER, _problems_of_force),
    _ElementKind(Constraint, "constraint", lambda constraint: constraint.matter.system, _OF_CONSTRAINTS, constraint_laws),
    _ElementKind(MobilizedBody, "mobilizer", lambda body: body.matter.system, _OF_MOBILIZERS, _problems_of_mobilizer),
    _ElementKind(Motion, "motion", lambda motion: motion.body.matter.system),
    _ElementKind(Measure, "measure", lambda measure: measure.system),
    _ElementKind(CustomForceSubsystem, "subsystem", lambda subsystem: subsystem.system, _POWER, _problems_of_force),
    _ElementKind(CustomSubsystem, "subsystem", lambda subsystem: subsystem.system),
)


def _kind_of(element: Element) -> _ElementKind:
    found = next((each for each in _KINDS if isinstance(element, each.type)), None)
    if found is None:
        kinds = "a force, a constraint, a mobilized body, a motion, a measure, a custom subsystem or a function"
        raise InputError(f"check_element takes {kinds}, not {type(element).__name__}.")
    return found
