"""A02, N four-bar mechanism: N four-bars in a row. Where all bars are horizontal it has N + 1 degrees of freedom instead of one."""

from math import pi

import numpy as np

import mobod as mb

UNTIL = 10.0  # s
ACCEPTED = 0.1  # J
MEASURE = "largest change of the energy, J"


def build(n: int = 2) -> tuple[mb.MultibodySystem, mb.State]:
    """n + 1 upright cranks and n couplers of 1 m and 1 kg each. The published point B0, the top of the first crank, starts with 1 m/s.

    B0 is the origin of 'coupler0'.
    """
    system = mb.MultibodySystem("four_bars")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81)
    bar, top = mb.MassProperties(1.0, [0.5, 0, 0], np.diag([0, 1 / 3, 1 / 3])), [1, 0, 0]
    cranks = [mb.Pin(matter.ground, bar, X_PF=mb.Transform(p=[i, 0, 0]), name=f"crank{i}") for i in range(n + 1)]
    couplers = [mb.Pin(crank, bar, X_PF=mb.Transform(p=top), name=f"coupler{i}") for i, crank in enumerate(cranks[:-1])]
    for i, (coupler, crank) in enumerate(zip(couplers, cranks[1:], strict=True)):
        mb.PointOnLine(crank, [0, 0, 1], top, coupler, top, name=f"loop{i}")  # two equations suffice because the mechanism is planar
    state = system.realize_topology()
    for crank in cranks:
        crank.set_q(state, pi / 2)
        crank.set_u(state, -1.0)
    for coupler in couplers:
        coupler.set_q(state, -pi / 2)
        coupler.set_u(state, 1.0)
    return system, state


def error(results: mb.Results) -> float:
    return float(np.abs(results["energy"] - results["energy"][0]).max())
