"""segmented_beam: a beam of rigid segments with springs between them, for large deflections.

An element of length h with stiffness EI, GA_s, EA, GJ, condensed to the relative motion of its ends at its middle, where moments and shear
forces are independent:

    bending EI / h      twist GJ / h      stretch EA / h      shear 1 / (h^3 / (12 EI) + h / GA_s)

A joint in the middle of each of n elements has this stiffness; the rigid pieces between them carry the mass. Static deflections at the ends
of elements under loads there are those of the beam; frequencies are too low by a part that falls with n^2.

Source: Huston, Multibody dynamics including the effects of flexibility and compliance, Computers and Structures 14 (1981); Przemieniecki,
Theory of Matrix Structural Analysis (1968), ch. 5.
"""

from dataclasses import dataclass
from typing import final

import numpy as np

from mobod.errors import InputError
from mobod.flexible import Material, Section
from mobod.forces.mobility.mobility_linear_damper import MobilityLinearDamper
from mobod.forces.mobility.mobility_linear_spring import MobilityLinearSpring
from mobod.forces.subsystem import ForceSubsystem
from mobod.matter import Ground, MobilizedBody
from mobod.matter.mobilizers import Bushing, Gimbal, Weld
from mobod.spatial import Inertia, MassProperties, Transform
from mobod.spatial.checked import checked_size

_MOST_SEGMENTS = 500


@final
@dataclass(frozen=True, eq=False)
class SegmentedBeam:
    """The bodies of a segmented beam.

    bodies   the rigid pieces from the start to the end, one more than the elements. The origin of each but the first is its joint
    end      the last of them
    tip      (3,) m  the end of the beam in the frame of `end`
    """

    bodies: tuple[MobilizedBody, ...]
    tip: np.ndarray

    @property
    def end(self) -> MobilizedBody:
        """The last rigid piece."""
        return self.bodies[-1]


def segmented_beam(
    parent: MobilizedBody | Ground,
    length: float,
    section: Section,
    material: Material,
    *,
    segments: int = 8,
    X_PF: Transform | None = None,
    shear: bool = False,
    damping: float = 0.0,
    forces: ForceSubsystem | None = None,
    name: str = "beam",
) -> SegmentedBeam:
    """Add a straight beam of rigid segments to a parent, on which its start is clamped. Each segment bends little; the beam may bend far.

    length             m, along x of X_PF
    section, material  as of a FlexibleBeam: the section's y and z are those of X_PF
    segments           elements: the first frequency is too low by about 1 / segments^2
    X_PF               pose of the start of the beam in the parent's frame
    shear              whether it deforms in shear and stretches too: six coordinates an element, not three, and far higher frequencies
    damping            s  moments by rates of the coordinates, relative to the stiffness; a mode of omega has the damping ratio
                       damping omega / 2
    forces             to which the springs are added; default: those of the System, which are made if it has none
    name               the bodies are 'beam.s0', 'beam.s1', ...

    To put the start on another joint, give a massless body on this joint as the parent. Raises InputError.
    """
    if not isinstance(parent, (MobilizedBody, Ground)):
        raise InputError(f"segmented_beam: the parent is matter.ground or a mobilized body, not {type(parent).__name__}.")
    given: tuple[object, object] = section, material
    if not isinstance(given[0], Section) or not isinstance(given[1], Material):
        raise InputError("segmented_beam takes a parent, a length, a Section and a Material.")
    length, damping = checked_size(length, "segmented_beam: length", "m"), checked_size(damping, "segmented_beam: damping", "s")
    if not length > 0:
        raise InputError(f"segmented_beam: the length, {length:g} m, must be positive.")
    count: object = segments
    if not isinstance(count, int) or isinstance(count, bool) or not 1 <= count <= _MOST_SEGMENTS:
        raise InputError(f"segmented_beam: segments is a whole number from 1 to {_MOST_SEGMENTS}, not {segments!r}.")
    h = length / segments
    stiffness = _stiffness(section, material, h) if shear else _stiffness(section, material, h)[:3]
    forces = _forces_of(parent) if forces is None else forces
    bodies: list[MobilizedBody] = [Weld(parent, _piece(section, material, h / 2), X_PF, name=f"{name}.s0")]
    for k in range(1, segments + 1):
        X = Transform(p=[h / 2 if k == 1 else h, 0, 0])
        mass = _piece(section, material, h if k < segments else h / 2)
        body = (Bushing if shear else Gimbal)(bodies[-1], mass, X, name=f"{name}.s{k}")
        for coordinate, each in enumerate(stiffness):
            MobilityLinearSpring(forces, body, stiffness=each, coordinate=coordinate, name=f"{name}.s{k}.spring{coordinate + 1}")
            if damping:
                label = f"{name}.s{k}.damper{coordinate + 1}"
                MobilityLinearDamper(forces, body, damping=damping * each, speed=coordinate, name=label)
        bodies.append(body)
    return SegmentedBeam(tuple(bodies), np.array([h / 2, 0, 0]))


def _stiffness(section: Section, material: Material, h: float) -> list[float]:
    """Of twist, bending about y and about z, N m; of stretch and shear along y and z, N/m."""
    E, G, (along_y, along_z) = material.E, material.shear_modulus, section.shear
    turning = [G * section.J / h, E * section.Iy / h, E * section.Iz / h]
    sliding = [1 / (h**3 / (12 * E * I) + h / (part * G * section.A)) for I, part in ((section.Iz, along_y), (section.Iy, along_z))]
    return [*turning, E * section.A / h, *sliding]


def _piece(section: Section, material: Material, h: float) -> MassProperties:
    """Of a rigid piece along x from its origin."""
    rho, com = material.density, np.array([h / 2, 0, 0])
    mass = rho * section.A * h
    across = mass * h**2 / 12
    central = np.diag([rho * h * (section.Iy + section.Iz), rho * h * section.Iy + across, rho * h * section.Iz + across])
    return MassProperties(mass, com, Inertia(central).shifted(com, mass=mass))


def _forces_of(parent: MobilizedBody | Ground) -> ForceSubsystem:
    system = parent.matter.system
    found = [each for each in system.subsystems if isinstance(each, ForceSubsystem)]
    return found[0] if found else ForceSubsystem(system)  # type: ignore[arg-type] # the System of a matter is a MultibodySystem
