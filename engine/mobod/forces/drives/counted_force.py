"""Forces on bodies that a DriveLimit counts beside drives, by their generalized force along the joint."""

# Decision: docs/decisions/187-drives.md

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

from mobod.errors import InputError
from mobod.forces.force import ForceOwner
from mobod.matter import Ground, MobilizedBody
from mobod.matter.dynamics.tree import Tree
from mobod.scalar import Array, Scalar
from mobod.scalar.slot import Slot
from mobod.scalar.sweep import Sweep
from mobod.spatial import cross
from mobod.system import Layout


class Wrench(NamedTuple):
    """What a force exerts on a body: function(*values of the inputs) is (6,) N m, N, about the origin of M, in Ground."""

    body: MobilizedBody | Ground
    function: Callable[..., Array]
    inputs: list[Slot]


@runtime_checkable
class CountedForce(Protocol):
    """A SiteServo or a ConstantForce."""

    name: str
    forces: ForceOwner

    @property
    def acted_bodies(self) -> list[MobilizedBody | Ground]:
        """The bodies that it acts on."""

    def wrenches(self, layout: Layout, tree: Tree) -> list[Wrench]:
        """On each of its bodies; the inputs are known after the rows of its `write_forces`."""


def counted_forces(given: object, forces: ForceOwner, owner: str) -> tuple[CountedForce, ...]:
    """The forces of a list. Raises InputError for others, and for those of another ForceSubsystem."""
    listed = tuple(given) if isinstance(given, (list, tuple)) else (given,)
    for each in listed:
        if not isinstance(each, CountedForce):
            raise InputError(f"{owner}: further forces that it counts are SiteServos and ConstantForces, in a list, not {each!r}.")
        if each.forces is not forces:
            raise InputError(f"{owner}: '{each.name}' belongs to another ForceSubsystem. Add it to that of the drives.")
    return listed


def write_counted(force: CountedForce, sweep: Sweep, layout: Layout, tree: Tree, body: MobilizedBody, speed: int, total: Slot) -> None:
    """Add the rows that add a force's generalized force along a speed, N or N m, to `total`."""
    s = tree.slots
    for wrench in force.wrenches(layout, tree):
        if carries(body, wrench.body):
            inputs = [tree.columns(s.H, body), s.p_GM[body.index], s.p_GM[wrench.body.index], *wrench.inputs]
            sweep.add(along_speed, inputs, [total], structure=(wrench.function, speed), adds=(0,))


def carries(body: MobilizedBody, carried: MobilizedBody | Ground) -> bool:
    """Whether the joint of a body moves another one, or the body itself."""
    while isinstance(carried, MobilizedBody) and carried is not body:
        carried = carried.parent
    return carried is body


def along_speed(wrench: Callable[..., Array], speed: int, H: Array, p_GM: Array, p_GM_acted: Array, *inputs: Array) -> Scalar:
    """N or N m: H^T F of one speed; p_GM (3,) m of the joint, p_GM_acted (3,) m of the body that F acts on."""
    F = wrench(*inputs)
    return H[:3, speed] @ (F[:3] + cross(p_GM_acted - p_GM, F[3:])) + H[3:, speed] @ F[3:]
