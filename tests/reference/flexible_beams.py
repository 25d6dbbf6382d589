"""Uniform beams (flex-ref/1: beam_frequencies, statics, rotating_beam, satellite) in closed form or by Ritz's method.

Frequencies and linear statics belong to the mesh of FlexibleBeam, which is reduced to modes. What rotates, buckles or flies has modes.
Large bending is that of segmented_beam.
"""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import linalg

import mobod as mb
from mobod.flexible.beam_line import BeamLine
from mobod.flexible.beams import BeamMesh
from mobod.flexible.sections import SectionsAlong
from tests.reference.models import CannotBuildError

Found = dict[str, tuple[Any, Any, float]]  # quantity: mobod's, the file's, tolerance relative to the largest entry
Case = Mapping[str, Any]

FREQUENCIES = 1e-3  # of the first COMPARED ones
COMPARED, ELEMENTS, OF_SECOND_ORDER = 3, 10, 80  # elements of bending; those of shear, stretch and torsion, whose error has order 2
MODES = 10  # of a rotating beam: four give 1e-3 up to a speed of 5
EXACT = 1e-9  # statics of a mesh: its nodes lie on the exact solution
BUCKLING, SATELLITE = 1e-3, 1e-4
SEGMENTS = 8
OF_POLYGON = 0.4 / SEGMENTS**2  # of the length, or of the angle: a beam of rigid segments
DIRECTIONS = "xyz"
NAMES = {"u": 0, "v": 1, "w": 2, "rot_x": 3, "rot_y": 4, "rot_z": 5}
# the freedoms of an end that a support takes away, of bending along y, of stretch and of torsion
HELD = {"clamped": {0, 1, 2, 3, 4, 5}, "pinned": {0, 1, 2, 3}, "guided": {0, 2, 3, 4, 5}, "sliding": {0, 2, 3, 4, 5}, "free": set[int]()}
SUPPORTS = {"cantilever": ("clamped", "free")}


def mesh(length: float, section: mb.Section, material: mb.Material, elements: int, *, shear: bool) -> BeamMesh:
    line = BeamLine.through(np.array([[0.0, 0, 0], [length, 0, 0]]), "x")
    return BeamMesh(line, SectionsAlong(np.array([0.0, 1.0]), [section]), material, elements, has_shear=shear)


def flat(EI: float, line_density: float, *, along: str = "y") -> tuple[mb.Section, mb.Material]:
    """A section and a material that bend along y, or z, alone, without rotary inertia; otherwise they are 1e6 times stiffer."""
    E, I = 1e12, EI / 1e12
    Iy, Iz = (1e6 * I, I) if along == "y" else (I, 1e6 * I)
    return mb.Section(A=1.0, Iy=Iy, Iz=Iz, J=1e6 * I), mb.Material(E=E, G=E, density=line_density)


def beam_frequencies(case: Case) -> Found:
    kind = case["kind"]
    if kind == "bending, Timoshenko":
        section = mb.Section(A=case["A"], Iy=case["I"], Iz=case["I"], J=2 * case["I"], shear=(case["kappa"], case["kappa"]))
        beam = mesh(case["L"], section, mb.Material(E=case["E"], G=case["G"], density=case["rho"]), OF_SECOND_ORDER, shear=True)
        return {"omega": _first(_squares(beam, case["ends"], (1, 5)), case["omega"])}
    if kind == "bending, Euler-Bernoulli":
        beam = mesh(1.0, *flat(1.0, 1.0), ELEMENTS, shear=False)
        return {"omega": _first(_squares(beam, case["ends"], (1, 5)), np.array(case["beta_L"]) ** 2)}
    if kind in ("axial", "torsion", "axial and torsion"):
        section, steel = mb.Section(A=2e-4, Iy=3e-8, Iz=1e-8, J=2e-8), mb.Material(E=7e10, G=2.6e10, density=2700.0)
        beam = mesh(1.3, section, steel, OF_SECOND_ORDER, shear=False)
        speeds = {"stretch": np.sqrt(7e10 / 2700), "torsion": np.sqrt(2.6e10 * 2e-8 / (2700 * 4e-8))}
        return {
            name: _first(_squares(beam, case["ends"], (freedom,)), np.array(case["factor"]) * speeds[name] / 1.3)
            for name, freedom in (("stretch", 0), ("torsion", 3))
        }
    raise CannotBuildError(f"frequencies of a beam of kind '{kind}'")


def _squares(beam: BeamMesh, ends: str, freedoms: tuple[int, ...]) -> np.ndarray:
    """Squares of the angular frequencies of motions in these freedoms of nodes, without rigid ones."""
    supports = SUPPORTS.get(ends, tuple(ends.split("_")))
    if len(supports) != 2 or not set(supports) <= HELD.keys():
        raise CannotBuildError(f"a beam with the ends '{ends}'")
    M, K = beam.matrices()
    last = len(beam.nodes) - 1
    held = {6 * node + freedom for node, support in zip((0, last), supports, strict=True) for freedom in HELD[support]}
    free = [6 * node + freedom for node in range(last + 1) for freedom in freedoms if 6 * node + freedom not in held]
    at = np.ix_(free, free)
    squares = linalg.eigh(K[at], M[at], eigvals_only=True)
    return np.asarray(squares[squares > 1e-6 * np.abs(squares).max() / len(free) ** 4])


def _first(squares: np.ndarray, expected: Any) -> tuple[np.ndarray, np.ndarray, float]:
    """Each relative to itself."""
    known = np.array(expected)[:COMPARED]
    return np.sqrt(squares[: len(known)]) / known, np.ones(len(known)), FREQUENCIES


def statics(case: Case) -> Found:
    load = case["load"]
    if load.startswith("elastica"):
        return _elastica(case)
    if load.startswith("buckling"):
        return {"P": (_critical_load(case), case["P"], BUCKLING)}
    if load.startswith(("tip force", "tip moment", "distributed")):
        return _linear(case)
    raise CannotBuildError(f"statics of a beam under '{load}'")


def _linear(case: Case) -> Found:
    """Displacement of the end; that by shear is the difference to a beam without it."""
    known = [name for name in NAMES if name in case]
    letter = re.search(r"\b([xyz])\b", case["load"].partition(" ")[2])
    axis = DIRECTIONS.index(letter.group(1)) if letter else next(NAMES[name] for name in known)
    section = mb.Section(A=case["A"], Iy=case["Iy"], Iz=case["Iz"], J=case["J"], shear=(case.get("kappa", 1.0),) * 2)
    material = mb.Material(E=case["E"], G=case["G"], density=1.0)
    tips = []
    for shear in (False, True):
        beam = mesh(case["L"], section, material, 4, shear=shear)
        _, K = beam.matrices()
        f = np.zeros(len(K)).reshape(-1, 6)
        if case["load"].startswith("distributed"):
            for element, h in enumerate(beam.h):
                f[element : element + 2, axis] += case["q"] * h / 2
                if axis:  # of the ends of a clamped element
                    turn, sign = (5, 1) if axis == 1 else (4, -1)
                    f[element : element + 2, turn] += sign * case["q"] * h**2 / 12 * np.array([1, -1])
        else:
            f[-1, axis + (3 if "moment" in case["load"] else 0)] = case["M"] if "moment" in case["load"] else case["F"]
        tips.append(np.linalg.solve(K[6:, 6:], f.ravel()[6:])[-6:])
    found: Found = {name: (tips[0][NAMES[name]], case[name], EXACT) for name in known}
    for name in (key for key in case if key.endswith("_shear")):
        entry = NAMES[name.removesuffix("_shear")]
        together = case[name.removesuffix("_shear")] + case[name]
        found[name] = tips[1][entry], together, EXACT
    return found


def _critical_load(case: Case) -> float:
    """The load at which the stiffness of a beam's modes is singular: it is linear in the load."""

    def stiffness(load: float) -> np.ndarray:
        system = mb.MultibodySystem()
        matter = mb.MatterSubsystem(system)
        discrete = mb.DiscreteForces(mb.ForceSubsystem(system), matter, name="load")
        soft = mb.FlexibleBeam(case["L"], *flat(EI, 1.0), shear=False, modes=4)
        body = mb.Weld(matter.ground, soft, name="beam")
        state = system.realize_topology()
        discrete.set_body_force(state, body.interface("end"), [0, 0, 0, -load, 0, 0])
        found = mb.inverse_dynamics_derivatives(system, state, np.zeros(4)).by_q
        return np.asarray((found + found.T) / 2)

    EI = case["E"] * min(case[each] for each in ("Iy", "Iz") if each in case)
    unit = EI / case["L"] ** 2
    K = stiffness(0.0)
    return float(unit / linalg.eigvalsh(K - stiffness(unit), K).max())


def _elastica(case: Case) -> Found:
    """Of rigid segments with springs, in the equilibrium near the one in the file."""
    length, section, material = 1.7, mb.Section.rectangle(0.02, 0.03), mb.Material(E=2.1e11, nu=0.3, density=7850)
    system = mb.MultibodySystem("beam")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    beam = mb.segmented_beam(matter.ground, length, section, material, segments=SEGMENTS)
    EI, is_moment = material.E * section.Iz, "moment" in case["load"]
    discrete = mb.DiscreteForces(forces, matter, name="moment")
    if not is_moment:
        mb.ConstantForce(forces, beam.end, force=[0, case["alpha"] * EI / length**2, 0], station=beam.tip, name="load")
    state = system.realize_topology()
    if is_moment:
        discrete.set_body_force(state, beam.end, [0, 0, case["tip_rotation"] * EI / length, 0, 0, 0])
    for body in beam.bodies[1:]:
        body.set_q(state, [0, 0, case["tip_rotation"] / SEGMENTS])
    equilibrium = mb.find_equilibrium(system, state)
    system.realize(equilibrium, mb.Stage.POSITION)
    X = beam.end.X_GB(equilibrium)
    turn = np.arctan2(X.R[1, 0], X.R[0, 0])
    turn += 2 * np.pi * np.round((case["tip_rotation"] - turn) / (2 * np.pi))
    tip = X.apply(beam.tip)[:2] / length - [case["tip_x_over_L"], case["tip_y_over_L"]]
    return {"tip": (tip, [0.0, 0.0], OF_POLYGON), "tip_rotation": (turn, case["tip_rotation"], OF_POLYGON)}


def rotating_beam(case: Case) -> Found:
    """Each relative to itself."""
    return {name: _first(_rotating_squares(case, along), case[name]) for name, along in (("flap", "z"), ("lag", "y"))}


def _rotating_squares(case: Case, along: str) -> np.ndarray:
    system = mb.MultibodySystem()
    matter = mb.MatterSubsystem(system)
    hub = mb.Pin(matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.eye(3)), name="hub")
    body = mb.FlexibleBeam(1.0, *flat(1.0, 1.0, along=along), shear=False, modes=MODES)
    mb.Weld(hub, body, mb.Transform(p=[case["hub"], 0, 0]), name="beam")
    mb.SteadyMotion(hub, case["speed"])
    state = system.realize_topology()
    by_q = mb.forward_dynamics_derivatives(system, state).by_q[1:, 1:]
    return np.sort(np.linalg.eigvals(-by_q).real)


def satellite(case: Case) -> Found:
    """A hub in the plane with two panels of six modes each."""
    free, clamped = (_satellite_frequencies(case, is_free=is_free) for is_free in (True, False))
    found: Found = {}
    for name, mine in (("symmetric", free), ("antisymmetric", free), ("clamped", clamped)):
        known = np.array(case[name])
        nearest = np.array([mine[np.abs(mine - each).argmin()] for each in known])
        found[name] = nearest / known, np.ones(len(known)), SATELLITE
    return found


def _satellite_frequencies(case: Case, *, is_free: bool) -> np.ndarray:
    system = mb.MultibodySystem()
    matter = mb.MatterSubsystem(system)
    mass = mb.MassProperties(case["hub_mass"], [0, 0, 0], np.diag([case["hub_inertia"]] * 3))
    hub = (mb.Planar if is_free else mb.Weld)(matter.ground, mass, name="hub")
    panel = mb.FlexibleBeam(case["panel_length"], *flat(case["EI"], case["rhoA"]), shear=False, modes=6, elements=16)
    for name, angle in (("right", 0.0), ("left", np.pi)):
        R = mb.spatial.rotation_z(angle)
        mb.Weld(hub, panel, mb.Transform(R, R @ [case["hub_half_width"], 0, 0]), name=name)
    return np.asarray(system.modes(system.realize_topology()).frequencies)
