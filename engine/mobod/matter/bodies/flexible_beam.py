"""FlexibleBeam: a beam that bends and twists; a straight one stiffens when it turns."""

from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from mobod.arguments.real_numbers import real_numbers
from mobod.errors import InputError, UnsupportedError
from mobod.flexible.beam_line import BeamLine
from mobod.flexible.beams import MOST_STIFFENED, BeamMesh, beam_modal_data
from mobod.flexible.modal_data import MOST_MODES
from mobod.flexible.sections import Material, Section, SectionsAlong
from mobod.flexible.static_correction import KINDS
from mobod.matter.bodies.flexible_body import FlexibleBody
from mobod.spatial.checked import checked_size

_MOST_ELEMENTS = 500  # their eigenvectors take seconds
_AXES = ("x", "y", "z")
_SHORTEST = 1e-9  # piece of a line, relative to its longest one


@final
class FlexibleBeam(FlexibleBody):
    """A beam with the interfaces 'start', which is inboard, and 'end'.

        steel = mb.Material(E=2.1e11, nu=0.3, density=7850)
        blade = mb.Weld(hub, mb.FlexibleBeam(2.0, mb.Section.rectangle(0.08, 0.01), steel, modes=4), name="blade")
        hook = mb.FlexibleBeam(points=[[0, 0, 0], [0.4, 0, 0], [0.4, 0.3, 0]], section=mb.Section.circle(0.01), material=steel)

    length                m, from the origin of the body along its axis
    points                (k, 3) m  in its place: a line of straight pieces from the first to the last point, in the body's frame. Corners
                          are rigid
    section               Section; or several: of a `length` at equal distances from the start to the end, of `points` one for each.
                          Between them radii of gyration change linearly, as in cones and tapered rectangles
    material              Material
    elements              of the mesh, Timoshenko beams with rotary inertia; each piece of a line has one at least
    modes                 how many of the lowest modes of the beam clamped at its start are kept; default: 6, or all `below`
    below                 Hz: only modes with lower frequencies
    static_correction     'forces': further shapes, with which static deflections under forces on the interfaces are those of all elements;
                          'loads': under forces and moments. They are faster than the modes. Default: none
    axis                  'x', 'y' or 'z' of the body. The section's y and z are the next axes of the body: with axis 'x' y and z, with
                          'y' z and x. On points they are turned by the shortest rotations: of this axis to the first piece, then from
                          piece to piece
    at                    fractions of the length with further interfaces 'at0', 'at1', ...
    damping_ratio         () or (n,)  part of the critical damping of the modes; tunable
    shear                 whether the beam deforms in shear
    geometric_stiffening  True: displacements are exact to second order, so that rotation stiffens and loads along the beam stiffen or
                          soften bending; at most 12 modes, of a straight beam none of them along it. Default: of straight beams, and of
                          those with corners that have at most 12 modes
    frame                 'inboard': shapes are relative to the start. 'mean': to the mean axes, with the modes of the free beam; for
                          mobilizers with six degrees of freedom

    The inertia follows the deformation; with stiffening it is that of 12 mass points, or 16 of more than 8 modes, with corners a few more.
    Deflections should stay
    below a tenth of the length; mb.segmented_beam has no such limit.
    """

    def __init__(
        self,
        length: float | None = None,
        section: Section | Sequence[Section] | None = None,
        material: Material | None = None,
        *,
        points: ArrayLike | None = None,
        elements: int = 16,
        modes: int | None = None,
        below: float | None = None,
        static_correction: str | None = None,
        axis: str = "x",
        at: Sequence[float] = (),
        damping_ratio: ArrayLike = 0.0,
        shear: bool = True,
        geometric_stiffening: bool | None = None,
        frame: str = "inboard",
    ):
        given: object = material
        if not isinstance(given, Material):
            raise InputError("FlexibleBeam takes a length, a Section and a Material: mb.FlexibleBeam(2.0, mb.Section.circle(0.02), steel).")
        if axis not in _AXES:
            raise InputError(f"FlexibleBeam: axis is 'x', 'y' or 'z', not {axis!r}.")
        counts: tuple[tuple[str, object, int], ...] = (("elements", elements, 2), ("modes", 6 if modes is None else modes, 1))
        for name, count, least in counts:
            if not isinstance(count, int) or isinstance(count, bool) or count < least:
                raise InputError(f"FlexibleBeam: {name} is a whole number from {least} on, not {count!r}.")
        if elements > _MOST_ELEMENTS:
            raise InputError(f"FlexibleBeam: {elements} elements; there are at most {_MOST_ELEMENTS}. 16 give the lowest six modes.")
        if below is not None and not below > 0:
            raise InputError(f"FlexibleBeam: below, {below:g} Hz, must be positive.")
        if geometric_stiffening not in (None, True, False):
            raise InputError(f"FlexibleBeam: geometric_stiffening is True, False, or left out, not {geometric_stiffening!r}.")
        if static_correction not in KINDS:
            raise InputError(f"FlexibleBeam: static_correction is 'forces', 'loads', or left out, not {static_correction!r}.")
        fractions = real_numbers(at, "FlexibleBeam: at")
        if fractions.ndim != 1 or not ((fractions > 0) & (fractions < 1)).all():
            raise InputError(f"FlexibleBeam: at has fractions of the length, above 0 and below 1, not {at!r}.")
        ends = _checked_points(length, points, axis)
        line = BeamLine.through(ends, axis)
        sections = _checked_sections(section, len(ends) if length is None else None)
        self.length, self.points = float(line.stations[-1]), None if points is None else ends
        self.section = sections[0] if isinstance(section, Section) else sections
        self.material, self.elements, self.shear = given, elements, bool(shear)
        self.modes, self.below, self.axis, self.at = modes, below, axis, tuple(float(fraction) for fraction in at)
        self.frame, self.static_correction = frame, static_correction
        if frame not in ("inboard", "mean"):
            raise InputError(f"FlexibleBeam: frame is 'inboard' or 'mean', not {frame!r}.")
        stations = line.stations if points is not None else np.linspace(0, self.length, len(sections))
        along = SectionsAlong(stations, sections)
        beam = BeamMesh(line, along, given, elements, has_shear=bool(shear))
        is_mean = frame == "mean"
        modal = beam_modal_data(
            beam, modes, below, at, stiffened=geometric_stiffening, is_mean=is_mean, static_correction=static_correction
        )
        stiffened = modal.has_second_shapes
        most = MOST_STIFFENED if stiffened else MOST_MODES
        if modal.n > most:
            raise UnsupportedError(
                f"FlexibleBeam: {modal.n} modes; with geometric_stiffening={stiffened} there are at most {most} for now. "
                + (
                    "The shapes of the static correction count. Give fewer modes."
                    if static_correction
                    else f"Give modes={most} or a lower `below`."
                )
            )
        super().__init__(modal, damping_ratio=damping_ratio, inertia="full", geometric_stiffening=stiffened)


def _checked_points(length: float | None, points: ArrayLike | None, axis: str) -> np.ndarray:
    """(k, 3) m: the ends of the straight pieces."""
    if (length is None) == (points is None):
        raise InputError("FlexibleBeam: give a length, or points, one of them.")
    if points is None:
        size = checked_size(length, "FlexibleBeam: length", "m")
        if not size > 0:
            raise InputError(f"FlexibleBeam: the length, {size:g} m, must be positive.")
        return np.outer([0, size], np.eye(3)["xyz".index(axis)])
    found = real_numbers(points, "FlexibleBeam: points")
    if found.ndim != 2 or found.shape[1] != 3 or not 2 <= len(found) <= _MOST_ELEMENTS + 1 or not np.isfinite(found).all():
        raise InputError(
            f"FlexibleBeam: points has shape {found.shape}. Finite positions of shape (k, 3), from 2 to {_MOST_ELEMENTS + 1}, are needed."
        )
    lengths = np.linalg.norm(np.diff(found, axis=0), axis=1)
    if lengths.min() < _SHORTEST * lengths.max() or not lengths.max() > 0:
        k = int(np.argmin(lengths))
        raise InputError(f"FlexibleBeam: points {k} and {k + 1} are the same, {found[k].tolist()} m. A piece between them needs a length.")
    return found.copy()


def _checked_sections(given: object, n_points: int | None) -> list[Section]:
    if isinstance(given, Section):
        return [given]
    if not isinstance(given, Sequence) or len(given) < 2 or not all(isinstance(each, Section) for each in given):
        raise InputError(
            "FlexibleBeam takes a length, a Section and a Material: mb.FlexibleBeam(2.0, mb.Section.circle(0.02), steel). "
            "A section that changes is two or more of them."
        )
    if n_points is not None and len(given) != n_points:
        raise InputError(f"FlexibleBeam: {len(given)} sections for {n_points} points. Give one for all, or one for each point.")
    return list(given)
