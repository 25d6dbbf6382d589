"""Motions of elastic rods (flex-ref/1: pendulum, slider_crank, four_bar, spin_up) of other programs' nonlinear beams, with modes.

A file may begin at a later time: runs begin at 0, in the position and with the velocities of the rigid mechanism.
"""

import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import mobod as mb
from tests.reference.flexible_beams import flat

Found = dict[str, tuple[Any, Any, float]]  # quantity: mobod's, the file's, tolerance relative to the largest entry
Case = Mapping[str, Any]

ACCURACY = 1e-7
OF_MODES = 1.2  # times the stated error of modes
OF_ROD, OF_RIGID = 1e-3, 1e-6  # of a rod's length; m
SPUN_UP, OF_THIRD_ORDER = 2e-3, 1.5  # m; times (v / L)^2 v: shapes of second order leave out the third


def elastic_rod(length: float, parameters: Case, modes: int) -> mb.FlexibleBeam:
    """A beam with an interface at its middle, and damping in proportion to its stiffness."""
    section, material = flat(parameters["EI"], parameters["rhoA"])
    options: dict[str, Any] = {"shear": False, "at": [0.5], "modes": modes}
    frequencies = 2 * np.pi * mb.FlexibleBeam(length, section, material, **options).modal.frequencies
    return mb.FlexibleBeam(length, section, material, damping_ratio=parameters.get("beta", 0.0) * frequencies / 2, **options)


def numbers_at(times: Sequence[float], state: mb.State, names: Sequence[str], accuracy: float = ACCURACY) -> np.ndarray:
    """(times, numbers) of variables in a run from time 0. Warnings that modes bend or turn too far belong to the comparison."""
    rows = []
    with warnings.catch_warnings(), mb.Simulation(state.system, accuracy=accuracy).start(state) as run:
        warnings.simplefilter("ignore", mb.MobodWarning)
        shown = run.variables(*names)
        for time in times:
            run.step_to(time)
            rows.append(np.array(shown.get()))
    return np.array(rows)


def paths(times: Sequence[float], state: mb.State, frames: Sequence[Any]) -> np.ndarray:
    """(times, 2 frames) m: x and y of the frames' origins."""
    found = numbers_at(times, state, [f"{frame.name}.p_GB" for frame in frames])
    return found.reshape(len(found), len(frames), 3)[:, :, :2].reshape(len(found), -1)


def pendulum(case: Case) -> Found:
    """Shapes of second order: within the stated error of their theory for each number of modes that has one."""
    parameters, known = case["parameters"], np.array(case["mid_tip_xy"])
    found: Found = {}
    for modes, error in zip(case.get("modal_n", []), case.get("modal_largest_difference", []), strict=True):
        system = mb.MultibodySystem("pendulum")
        matter = mb.MatterSubsystem(system)
        mb.Gravity(mb.ForceSubsystem(system), matter, vector=[0, -parameters["g"], 0])
        beam = mb.Pin(matter.ground, elastic_rod(parameters["L"], parameters, modes), name="beam")
        mine = paths(case["times"], system.realize_topology(), [beam.interface("at0"), beam.interface("end")])
        found[f"mid_tip_xy, {modes} modes"] = mine - known, 0 * known, OF_MODES * error
    return found


def driven(parameters: Case) -> tuple[mb.MultibodySystem, mb.Pin]:
    """(system, crank): a crank from Ground's origin at constant speed."""
    system = mb.MultibodySystem("driven")
    matter = mb.MatterSubsystem(system)
    if parameters["g"]:
        mb.Gravity(mb.ForceSubsystem(system), matter, vector=[0, -parameters["g"], 0])
    crank = mb.Pin(matter.ground, mb.MassProperties.point(0.1, [0, 0, 0]), name="crank")
    mb.SteadyMotion(crank, parameters["omega"])
    return system, crank


def _of_rod(case: Case, rod: mb.Pin, state: mb.State) -> Found:
    """The crank's tip, and the distances of the rod's middle and end in lengths of the rod."""
    known = np.array(case["xy"])
    mine = paths(case["times"], state, [rod, rod.interface("at0"), rod.interface("end")])
    distances = np.linalg.norm((mine - known).reshape(-1, 3, 2), axis=2) / case["parameters"]["rod"]
    return {
        "xy, crank tip": (mine[:, :2] - known[:, :2], 0 * known[:, :2], OF_RIGID),
        "xy, middle of the rod": (distances[:, 1], 0 * distances[:, 1], OF_ROD),
        "xy, end of the rod": (distances[:, 2], 0 * distances[:, 2], OF_ROD),
    }


def slider_crank(case: Case) -> Found:
    """4 modes; the rod deflects by 1.5 % of its length."""
    parameters = case["parameters"]
    system, crank = driven(parameters)
    rod = mb.Pin(crank, elastic_rod(parameters["rod"], parameters, 4), mb.Transform(p=[parameters["crank"], 0, 0]), name="rod")
    slider = mb.Weld(rod.interface("end"), mb.MassProperties.point(parameters["slider_mass"], [0, 0, 0]), name="slider")
    mb.PointInPlane(system.matter.ground, [0, 1, 0], 0.0, slider, [0, 0, 0], name="guide")
    state = system.realize_topology()
    # the rod lies along the crank, and its end has no speed along y
    rod.set_u(state, -parameters["omega"] * (1 + parameters["crank"] / parameters["rod"]))
    return _of_rod(case, rod, state)


def four_bar(case: Case) -> Found:
    """8 modes: 4 give the coupler's first frequency to 0.2 % alone."""
    parameters = case["parameters"]
    system, crank = driven(parameters)
    tip, pivot = np.array([parameters["crank"], 0.0]), np.array(parameters["rocker_pivot"])
    # the coupler's end, which lies to the left of the line from the tip to the pivot
    base = np.linalg.norm(pivot - tip)
    ahead = (pivot - tip) / base
    x = (parameters["rod"] ** 2 - parameters["rocker"] ** 2 + base**2) / (2 * base)
    end = tip + x * ahead + np.sqrt(parameters["rod"] ** 2 - x**2) * np.array([-ahead[1], ahead[0]])
    along, arm = end - tip, end - pivot
    rod = mb.Pin(crank, elastic_rod(parameters["rod"], parameters, 8), mb.Transform(p=[*tip, 0]), name="rod")
    inertia = mb.MassProperties(1.0, np.zeros(3), parameters["rocker_inertia"] * np.eye(3))
    rocker = mb.Pin(system.matter.ground, inertia, mb.Transform(p=[*pivot, 0]), name="rocker")
    mb.BallConstraint(rocker, [parameters["rocker"], 0, 0], rod.interface("end"), [0, 0, 0], name="joint")
    # angular velocities of the rigid mechanism: those of the rod and the rocker give its end the same velocity
    turned = np.array([[-along[1], arm[1]], [along[0], -arm[0]]])
    rates = np.linalg.solve(turned, [0, -parameters["omega"] * parameters["crank"]])
    state = system.realize_topology()
    rod.set_q(state, np.arctan2(along[1], along[0]))
    rod.set_u(state, rates[0] - parameters["omega"])
    rocker.set_q(state, np.arctan2(arm[1], arm[0]))
    rocker.set_u(state, rates[1])
    return _of_rod(case, rod, state)


def spin_up(case: Case) -> Found:
    """The tip in the rotating frame, 4 modes, m; 2.2e-3 of 0.57 with any number of them."""
    parameters = case["parameters"]
    rise, speed = parameters["rise"], parameters["speed"]
    t = np.linspace(0, 1.05 * parameters["end"], 400)
    rising = speed * (t**2 / (2 * rise) + rise / (4 * np.pi**2) * (np.cos(2 * np.pi * t / rise) - 1))
    spun = mb.functions.Spline.fit(t, np.where(t < rise, rising, speed * (t - rise / 2)), degree=5)
    system = mb.MultibodySystem("spun")
    section, material = flat(parameters["EI"], parameters["rhoA"])
    body = mb.FlexibleBeam(parameters["L"], section, material, shear=False, modes=4)
    beam = mb.Pin(mb.MatterSubsystem(system).ground, body, name="beam")
    mb.FunctionMotion(beam, [spun], level="position")
    mine = numbers_at(case["times"], system.realize_topology(), ["beam.end.deflection"], 1e-6)[:, 3:5]
    largest = np.abs(case["tip_u_v"])[:, 1].max()
    of_theory = OF_THIRD_ORDER * (largest / parameters["L"]) ** 2 * largest
    return {"tip_u_v": (mine - case["tip_u_v"], 0 * mine, max(SPUN_UP, of_theory))}
