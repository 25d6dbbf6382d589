"""FlexibleBeam: a straight beam of uniform section that bends, twists, and stiffens when it turns."""

from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import ArrayLike

from mobod.errors import InputError, UnsupportedError
from mobod.flexible.beams import MOST_STIFFENED, StraightBeam, beam_modal_data
from mobod.flexible.modal_data import MOST_MODES
from mobod.flexible.sections import Material, Section
from mobod.matter.bodies.flexible_body import FlexibleBody
from mobod.spatial.checked import checked_size

_MOST_ELEMENTS = 500  # their eigenvectors take seconds
_AXES = {"x": np.eye(3), "y": np.array([[0.0, 0, 1], [1, 0, 0], [0, 1, 0]]), "z": np.array([[0.0, 1, 0], [0, 0, 1], [1, 0, 0]])}


@final
class FlexibleBeam(FlexibleBody):
    """A straight beam with the interfaces 'start', which is inboard, and 'end'.

        steel = mb.Material(E=2.1e11, nu=0.3, density=7850)
        blade = mb.Weld(hub, mb.FlexibleBeam(2.0, mb.Section.rectangle(0.08, 0.01), steel, modes=4), name="blade")

    length                m, from the origin of the body along its axis
    section, material     Section, Material. The section's y and z are the next axes of the body: with axis 'x' y and z, with 'y' z and x
    elements              of the mesh, Timoshenko beams with rotary inertia
    modes                 how many of the lowest modes of the beam clamped at its start are kept; default: 6, or all `below`
    below                 Hz: only modes with lower frequencies
    axis                  'x', 'y' or 'z' of the body
    at                    fractions of the length with further interfaces 'at0', 'at1', ...
    damping_ratio         () or (n,)  part of the critical damping of the modes; tunable
    shear                 whether the beam deforms in shear
    geometric_stiffening  True: displacements are exact to second order, so that rotation stiffens and loads along the beam stiffen or
                          soften bending; at most 12 modes, none of them along the beam

    The inertia follows the deformation, by 12 mass points, or 16 of more than 8 modes. Deflections should stay below a
    tenth of the length; mb.segmented_beam has no such limit.
    """

    def __init__(
        self,
        length: float,
        section: Section,
        material: Material,
        *,
        elements: int = 16,
        modes: int | None = None,
        below: float | None = None,
        axis: str = "x",
        at: Sequence[float] = (),
        damping_ratio: ArrayLike = 0.0,
        shear: bool = True,
        geometric_stiffening: bool = True,
    ):
        length = checked_size(length, "FlexibleBeam: length", "m")
        given: tuple[object, object] = section, material
        if not isinstance(given[0], Section) or not isinstance(given[1], Material):
            raise InputError("FlexibleBeam takes a length, a Section and a Material: mb.FlexibleBeam(2.0, mb.Section.circle(0.02), steel).")
        if axis not in _AXES:
            raise InputError(f"FlexibleBeam: axis is 'x', 'y' or 'z', not {axis!r}.")
        counts: tuple[tuple[str, object, int], ...] = (("elements", elements, 2), ("modes", 6 if modes is None else modes, 1))
        for name, count, least in counts:
            if not isinstance(count, int) or isinstance(count, bool) or count < least:
                raise InputError(f"FlexibleBeam: {name} is a whole number from {least} on, not {count!r}.")
        if elements > _MOST_ELEMENTS:
            raise InputError(f"FlexibleBeam: {elements} elements; there are at most {_MOST_ELEMENTS}. 16 give the lowest six modes.")
        if not length > 0 or (below is not None and not below > 0):
            raise InputError(f"FlexibleBeam: the length, {length:g} m, and below must be positive.")
        if any(not 0 < fraction < 1 for fraction in at):
            raise InputError(f"FlexibleBeam: at has fractions of the length, above 0 and below 1, not {list(at)}.")
        self.length, self.section, self.material, self.elements, self.shear = length, section, material, elements, bool(shear)
        self.modes, self.below, self.axis, self.at = modes, below, axis, tuple(float(fraction) for fraction in at)
        beam = StraightBeam(length, section, material, elements, bool(shear))
        modal = beam_modal_data(beam, modes, below, at, _AXES[axis], stiffened=geometric_stiffening)
        most = MOST_STIFFENED if geometric_stiffening else MOST_MODES
        if modal.n > most:
            raise UnsupportedError(
                f"FlexibleBeam: {modal.n} modes; with geometric_stiffening={geometric_stiffening} there are at most {most} for now. "
                f"Give modes={most} or a lower `below`."
            )
        super().__init__(modal, damping_ratio=damping_ratio, inertia="full", geometric_stiffening=geometric_stiffening)
