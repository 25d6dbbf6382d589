"""The frames and rotations of flexible bodies and the depths of compliant contacts of which an FMU, or a page that runs a model, warns."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, final

from mobod.matter import MultibodySystem
from mobod.runtime.tables import Struct, StructArray
from mobod.simulate.deformation_checks import (
    FASTEST_SPIN,
    LARGEST_DEFLECTION,
    LARGEST_TURN,
    flexible_bodies,
    lowest_frequency,
    may_turn_fast,
    theory_of,
    watched_frames,
)
from mobod.simulate.depth_checks import LARGEST_DEPTH, offset_of_depth, pressed_contacts
from mobod.system import CatalogueVariable, Layout, System


@final
@dataclass(frozen=True)
class Deformation:
    """`Deformation` of model.h."""

    frame: str
    body: str
    theory: str
    at: int
    largest_turn: float
    largest_displacement: float


@final
@dataclass(frozen=True)
class Spin:
    """`Spin` of model.h."""

    body: str
    at: int
    scale_at: int
    first: float
    largest: float


@final
@dataclass(frozen=True)
class PressedDepth:
    """`PressedDepth` of model.h."""

    name: str
    at: int
    largest: float


@final
@dataclass(frozen=True)
class Warnings:
    """What the C runtime looks at."""

    deformations: tuple[Deformation, ...] = ()
    spins: tuple[Spin, ...] = ()
    depths: tuple[PressedDepth, ...] = ()

    def fields(self) -> dict[str, Any]:
        """Fields of `Interface` of model.h."""
        return {
            "n_deformations": len(self.deformations),
            "deformations": StructArray("Deformation", [Struct("Deformation", **asdict(each)) for each in self.deformations]),
            "n_spins": len(self.spins),
            "spins": StructArray("Spin", [Struct("Spin", **asdict(each)) for each in self.spins]),
            "n_depths": len(self.depths),
            "depths": StructArray("PressedDepth", [Struct("PressedDepth", **asdict(each)) for each in self.depths]),
        }

    @property
    def offsets(self) -> list[int]:
        """What they read of w."""
        of_frames = [at for each in self.deformations for at in range(each.at, each.at + 6)]
        of_frames += [at for each in self.depths for at in range(each.at, each.at + 2)]
        return of_frames + [at for each in self.spins for at in (*range(each.at, each.at + 3), each.scale_at)]


NO_WARNINGS = Warnings()


def warnings_of(system: System, layout: Layout, variables: Iterable[CatalogueVariable]) -> Warnings:
    """Of all flexible bodies and compliant contacts of the System; variables: its catalogue."""
    known = list(variables)
    return Warnings(deformations(system, known), spins(system, layout, known), depths(system, layout))


def depths(system: System, layout: Layout) -> tuple[PressedDepth, ...]:
    """Of the compliant contacts of convex shapes."""
    return tuple(PressedDepth(each.name, offset_of_depth(each, layout), LARGEST_DEPTH) for each in pressed_contacts(system))


def spins(system: System, layout: Layout, variables: Iterable[CatalogueVariable]) -> tuple[Spin, ...]:
    """Of the flexible bodies that must not turn fast."""
    slots = {each.name: each.slot for each in variables}
    found = []
    for body in flexible_bodies(system):
        if may_turn_fast(body):
            continue
        assert isinstance(system, MultibodySystem)
        assert body.flexible is not None
        at = system.matter.tree(layout).slots.V_GM[body.flexible.core.index].offset
        scale = slots[f"{body.name}.stiffness_scale"].offset
        found.append(Spin(body.name, at, scale, lowest_frequency(body), FASTEST_SPIN))
    return tuple(found)


def deformations(system: System, variables: Iterable[CatalogueVariable]) -> tuple[Deformation, ...]:
    """Of all flexible bodies of the System; variables: its catalogue."""
    slots = {each.name: each.slot for each in variables}
    found = []
    for body in flexible_bodies(system):
        assert body.flexible is not None
        size = body.flexible.data.modal.size
        for frame in watched_frames(body):
            at = slots[f"{frame.name}.deflection"].offset
            found.append(Deformation(frame.name, body.name, theory_of(body), at, LARGEST_TURN, LARGEST_DEFLECTION * size))
    return tuple(found)
