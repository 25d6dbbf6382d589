"""A mechanism as data, from which its program is written: elements can be left out, put in another order, and given in other units.

A program is Python text. It calls the joint of body 3 `joint3` and the body `body3`: both are one object of mobod, unless the tree has
another root (`rerooted`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

import mobod as mb
from mobod.spatial.rotation import to_quaternion
from mobod.system.units import si_exponents

HEADER = """import numpy as np

import mobod as mb
from mobod import contact, functions, measures
from mobod.spatial import from_quaternion
"""
OWN = "from tests.meetings.own_elements import *\n"
FRAME = "mb.Transform(from_quaternion({%s_R}), {%s_p})"
MODAL = "modal"  # the unit kg^(1/2) m of modal coordinates, for `Units`
RIGID = "mb.MassProperties({mass}, {com}, {inertia})"
OWN_NAMES = ("Own", "ball_on", "coupling_joint", "lattice", "height_mesh")


@dataclass(frozen=True)
class Units:
    """How many of the units are one kg, one m and one s."""

    kg: float = 1.0
    m: float = 1.0
    s: float = 1.0

    def factor(self, unit: str) -> float:
        """What a number in SI units is multiplied with. Angles stay in radians."""
        if unit.startswith(MODAL):  # of shapes with a modal mass of 1; System.variables give it the unit 1
            return self.kg**0.5 * self.m * self.factor(f"1{unit.removeprefix(MODAL)}")
        exponents = si_exponents(unit)
        return float(np.prod([getattr(self, base) ** exponent for base, exponent in exponents.items() if base not in ("rad", "A")]))


SI = Units()


@dataclass(frozen=True)
class Quantity:
    """A number, or nested tuples of numbers, with their unit; `unit` may be a tuple, with that of each number."""

    numbers: Any
    unit: str | tuple[str, ...]

    def text(self, units: Units) -> str:
        return repr(_scaled(self.numbers, self.unit, units))


def _scaled(numbers: Any, unit: str | tuple[str, ...], units: Units) -> Any:
    if isinstance(numbers, tuple):
        of_each = unit if isinstance(unit, tuple) else (unit,) * len(numbers)
        return tuple(_scaled(number, each, units) for number, each in zip(numbers, of_each, strict=True))
    assert isinstance(unit, str)
    return numbers * units.factor(unit)


def frame(name: str, X: mb.Transform) -> dict[str, Quantity]:
    """The numbers of {name_R} and {name_p}."""
    quaternion = to_quaternion(X.R)
    return {f"{name}_R": quantity(quaternion, "1"), f"{name}_p": quantity(X.p, "m")}


def quantity(numbers: Any, unit: str | tuple[str, ...]) -> Quantity:
    return Quantity(_plain(numbers), unit)


def _plain(numbers: Any) -> Any:
    listed = np.asarray(numbers, dtype=float).tolist()
    return _tuples(listed)


def _tuples(listed: Any) -> Any:
    return tuple(map(_tuples, listed)) if isinstance(listed, list) else listed


@dataclass(frozen=True)
class Element:
    """kind: for the table; needs: names of the elements without which it cannot be

    text, start  of Python, with the names of numbers in braces. `start` is executed after `state` exists
    has_units    whether all its numbers have units, so that it can be given in others
    """

    kind: str
    name: str
    text: str
    numbers: Mapping[str, Quantity] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    start: str = ""
    has_units: bool = True
    is_recorded: bool = True

    def lines(self, units: Units) -> str:
        return self._filled(self.text, units)

    def start_lines(self, units: Units) -> str:
        return self._filled(self.start, units)

    def _filled(self, text: str, units: Units) -> str:
        return text.format(**{name: each.text(units) for name, each in self.numbers.items()}) if text else ""


@dataclass(frozen=True)
class Body:
    """A body, and the joint that carries it.

    joint         text of what makes a mobilizer, such as 'mb.Pin'; with braces for its numbers
    options       more arguments, as text
    parent        number of its parent; 0 is Ground
    q, u          at the start
    content       text of what moves with it; its numbers are mass, com, inertia and those of `numbers`
    eta, eta_dot  modal coordinates and their rates at the start, of a flexible body
    interface     of its parent, which it is attached to if this is flexible
    """

    number: int
    kind: str
    joint: str
    parent: int
    mass: Quantity
    com: Quantity
    inertia: Quantity
    X_PF: mb.Transform
    X_BM: mb.Transform
    q: Quantity
    u: Quantity
    options: str = ""
    numbers: Mapping[str, Quantity] = field(default_factory=dict)
    is_reversed: bool = False
    has_units: bool = True
    content: str = RIGID
    eta: Quantity | None = None
    eta_dot: Quantity | None = None
    interface: str = ""

    @property
    def is_flexible(self) -> bool:
        return self.content != RIGID

    @property
    def name(self) -> str:
        return f"body{self.number}"

    @property
    def needs(self) -> tuple[str, ...]:
        return (f"body{self.parent}",) if self.parent else ()

    def element(self, *, joint: int | None = None) -> Element:
        """joint: number of the joint, if the tree has another root"""
        joint = self.number if joint is None else joint
        numbers = {"mass": self.mass, "com": self.com, "inertia": self.inertia, **frame("X_PF", self.X_PF), **frame("X_BM", self.X_BM)}
        numbers |= {"q": self.q, "u": self.u, **self.numbers}
        frames = f"X_PF={FRAME % ('X_PF', 'X_PF')}"
        if not self.is_flexible:  # its frame M is at its inboard interface
            frames += f",\n    X_BM={FRAME % ('X_BM', 'X_BM')}"
        is_reversed = ", reversed=True" if self.is_reversed else ""
        parent = f"body{self.parent}" + (f'.interface("{self.interface}")' if self.interface else "")
        text = (
            f"mass{self.number} = {self.content}\n"
            f"body{self.number} = joint{joint} = {self.joint}(\n    {parent}, mass{self.number}, "
            f'{_extra(self.options, first=True)}{frames}{_extra(self.options, first=False)}{is_reversed}, name="joint{joint}"\n)'
        )
        start = f"joint{joint}.set_q(state, {{q}})\njoint{joint}.set_u(state, {{u}})" if self.q.numbers else ""
        if self.eta is not None and self.eta_dot is not None:
            numbers |= {"eta": self.eta, "eta_dot": self.eta_dot}
            start += f"\njoint{joint}.set_eta(state, {{eta}})\njoint{joint}.set_eta_dot(state, {{eta_dot}})"
        return Element(self.kind, self.name, text, numbers, self.needs, start.strip(), self.has_units)


def _extra(options: str, *, first: bool) -> str:
    """Options that begin with '=' are an argument before the frames."""
    if options.startswith("=") != first or not options:
        return ""
    return f"{options[1:]}, " if first else f", {options}"


@dataclass(frozen=True)
class Mechanism:
    """bodies before elements; `duration` in s; `ground` text of the body 0"""

    name: str
    bodies: tuple[Body, ...]
    elements: tuple[Element, ...]
    duration: float = 0.5
    joints: Mapping[int, int] = field(default_factory=dict)  # number of a body -> of the joint that carries it, if it is another one
    ground: str = "matter.ground"

    @cached_property
    def parts(self) -> tuple[Element, ...]:
        return (*(each.element(joint=self.joints.get(each.number)) for each in self.bodies), *self.elements)

    @property
    def kinds(self) -> list[str]:
        """Of all elements and joints, and how these are, for the table."""
        marks = ("flexible body",) if any(each.is_flexible for each in self.bodies) else ()
        return sorted({*(each.kind for each in self.parts), *marks})

    @property
    def has_units(self) -> bool:
        return all(each.has_units for each in self.parts)

    @property
    def is_recorded(self) -> bool:
        return all(each.is_recorded for each in self.parts)

    def program(self, units: Units = SI) -> str:
        """A function `mechanism` that returns the System and its State."""
        parts = self.parts
        lines = [
            f'system = mb.MultibodySystem("{self.name}")',
            "matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)",
            f"body0 = {self.ground}",
            *(each.lines(units) for each in parts),
            "state = system.realize_topology()",
            *filter(None, (each.start_lines(units) for each in parts)),
            "return system, state",
        ]
        indented = "\n".join(lines).replace("\n", "\n    ")
        own = OWN if any(each in indented for each in OWN_NAMES) else ""
        return f"{HEADER}{own}\n\ndef mechanism():\n    {indented}\n"

    def build(self, units: Units = SI) -> tuple[mb.MultibodySystem, mb.State]:
        names: dict[str, Any] = {}
        exec(compile(self.program(units), self.name, "exec"), names)
        system, state = names["mechanism"]()
        return system, state

    def without(self, name: str) -> "Mechanism":
        """Without an element and all that need it."""
        left = {name}
        for each in (*self.bodies, *self.elements):
            if not left.isdisjoint(each.needs):
                left.add(each.name)
        return replace(
            self,
            bodies=tuple(each for each in self.bodies if each.name not in left),
            elements=tuple(each for each in self.elements if each.name not in left),
        )

    def reordered(self, rng: np.random.Generator) -> "Mechanism":
        """Declared in another order in which all that an element needs comes before it."""
        return replace(self, bodies=_ordered(self.bodies, rng), elements=_ordered(self.elements, rng))

    def rerooted(self, number: int) -> "Mechanism":
        """The same motion, with a tree that has this body, rather than an ancestor on a Free joint, as its root: the joints on the path
        between them are reversed. The coordinates of all other joints stay.
        """
        of = {each.number: each for each in self.bodies}
        path = [of[number]]
        while path[-1].parent:
            path.append(of[path[-1].parent])
        assert path[-1].kind == "Free"
        system, state = self.build()
        system.realize(state, mb.Stage.VELOCITY)
        moved = system.matter.body(f"joint{number}")
        X, V = moved.X_GB(state), moved.V_GB(state)
        root = path[-1]
        # the frames of the free joint: at the body's own origin, so that q is its pose
        made = {
            number: replace(
                of[number], kind=root.kind, joint=root.joint, options=root.options, numbers=root.numbers, parent=0, is_reversed=False,
                X_PF=mb.Transform(), X_BM=mb.Transform(), q=quantity([*to_quaternion(X.R), *X.p], root.q.unit), u=quantity(V, root.u.unit),
            )
        }  # fmt: skip
        joints = {number: root.number}
        for child, parent in pairwise(path):
            made[parent.number] = replace(
                of[parent.number], kind=child.kind, joint=child.joint, options=child.options, numbers=child.numbers, parent=child.number,
                is_reversed=not child.is_reversed, X_PF=child.X_BM, X_BM=child.X_PF, q=child.q, u=child.u, has_units=child.has_units,
            )  # fmt: skip
            joints[parent.number] = child.number
        changed = [made.get(each.number, each) for each in self.bodies]
        return replace(self, bodies=_ordered(changed, None), joints=joints)


def _ordered(parts: Sequence[Any], rng: np.random.Generator | None) -> tuple[Any, ...]:
    """In a random order, or that of the list, except that all that an element needs comes before it."""
    left, done, names = list(parts), [], {each.name for each in parts}
    while left:
        ready = [each for each in left if not names.intersection(each.needs) - {other.name for other in done}]
        done.append(ready[0 if rng is None else int(rng.integers(len(ready)))])
        left.remove(done[-1])
    return tuple(done)
