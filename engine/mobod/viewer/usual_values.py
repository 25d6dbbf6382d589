"""How large forces and motions of a mechanism usually are, so that a page can tell round-off from values."""

from math import sqrt

from mobod.matter import MatterSubsystem
from mobod.scene.default_shapes import size_of_mechanism
from mobod.scene.placement import Placement
from mobod.system import State
from mobod.viewer.contact_marks import weight_of

ROUND_OFF = 1e-12
"""Of the usual value: a page draws what is smaller as 0."""

_G = 9.81  # m/s2


def usual_values(matter: MatterSubsystem, state: State, placement: Placement) -> dict[str, float]:
    """By unit: for forces the weight of all bodies on the earth, for moments and energies this times the size, for motions those of a fall
    through the size. Needs stage POSITION.
    """
    size, weight = size_of_mechanism(matter, state, placement), weight_of(matter, state)
    if not (size > 0 and weight > 0):
        return {}
    rate = sqrt(_G / size)  # 1/s
    lengths = {"m": size, "m/s": size * rate, "m/s2": _G}
    angles = {"rad": 1.0, "rad/s": rate, "rad/s2": rate**2}
    return {"N": weight, "N.m": weight * size, "J": weight * size, "W": weight * size * rate, "N.s": weight / rate, **lengths, **angles}
