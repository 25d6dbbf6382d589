"""Impacts of several contacts at one time (data/geometry/impacts.json), by both laws, under error control and in fixed steps."""

from collections.abc import Mapping
from typing import Any

import numpy as np

import mobod as mb
from mobod.contact import Box, HalfSpace
from tests.reference.models import check_keys
from tests.reference.rows_of_balls import row_of_balls, speeds_of, started

Found = dict[str, tuple[Any, Any, float]]  # quantity: mobod's, the file's, tolerance

EXACT = 1e-9  # relative to the largest speed
GRAVITY, STEP = 9.81, 1e-3
LAWS = {"simultaneous_newton": "simultaneous", "sequential": "sequential"}
SCHEMES: dict[str, dict[str, Any]] = {
    "error control": {},
    "fixed steps": {"integrator": "velocity_level", "step": STEP},
    "fixed steps, rows at the begin": {"integrator": "velocity_level", "step": STEP, "constraints_at": "begin"},
}


def after(start: mb.State, until: float, **options: Any) -> mb.State:
    """The State after the impacts at the start."""
    return mb.Simulation(start.system, backend="interpreted", **options).run(start, until).final_state


def chain_of_balls(case: Mapping[str, Any]) -> Found:
    """hertz_springs, linear_springs are of another law, of compliant contacts; rounds counts a step of its program."""
    needed = "name masses speeds restitution sequential rounds simultaneous_newton energy_before energy_sequential energy_simultaneous"
    check_keys(case, frozenset(needed.split()), "a row of balls", frozenset({"hertz_springs", "linear_springs"}))
    system, balls, _ = row_of_balls(case["masses"], case["restitution"])
    start, masses = started(system, balls, case["speeds"]), np.array(case["masses"])
    found: Found = {}
    fastest, before = max(map(abs, case["speeds"])), case["energy_before"]  # to which errors of balls that stop are relative
    for name, law in LAWS.items():
        for scheme, options in SCHEMES.items():
            speeds = np.array(speeds_of(after(start, STEP, impacts=law, **options), balls))
            found[f"speeds, {law}, {scheme}"] = [fastest, *speeds], [fastest, *case[name]], EXACT
            energy = 0.5 * masses @ speeds**2
            found[f"energy, {law}, {scheme}"] = [before, energy], [before, case[f"energy_{law}"]], EXACT
    return found


def rocking_block(case: Mapping[str, Any]) -> Found:
    """A block on four corners, which turns about the edge on the left; the other edge hits."""
    needed = "half_width half_height speed_ratio formula corner_1_lifts friction_over_normal rests"
    check_keys(case, frozenset(needed.split()), "a block that rocks")
    a, b, m, rate = case["half_width"], case["half_height"], 1.7, 0.8
    system = mb.MultibodySystem("block")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=GRAVITY)
    half_lengths = np.array([a, 0.3, b])
    box = mb.MassProperties(m, [0, 0, 0], mb.Inertia.box(mass=m, size=2 * half_lengths))
    block = mb.Free(matter.ground, box, name="block")
    mu = 2 * case["friction_over_normal"]
    mb.RigidContact(matter.ground, HalfSpace(), block, Box(half_lengths), static_friction=mu, name="contact")
    block.set_default_q([1, 0, 0, 0, 0, 0, b])
    start = system.realize_topology()
    block.set_u(start, [0, rate, 0, rate * b, 0, -rate * a])
    found: Found = {"the formula": (1 - 1.5 * a**2 / (a**2 + b**2), case["formula"], EXACT)}
    for law in LAWS.values():
        u = block.u(after(start, 0.0, impacts=law))
        expected = rate * case["speed_ratio"]
        found[f"spin, {law}"] = u[:3], [0, expected, 0], EXACT
        found[f"speed, {law}"] = u[3:], [expected * b, 0, expected * a], EXACT
    return found


FAMILIES = {"chain_of_balls": chain_of_balls, "rocking_block": rocking_block}
