"""Equalities: constraints between bodies, sites, joints and fixed tendons. They are soft in MuJoCo, and rigid here."""

from collections.abc import Callable

import numpy as np
from numpy.polynomial import Polynomial

from mobod.files.mjcf.reading import Reading, pose
from mobod.files.mjcf.softness import softness
from mobod.files.robot.equalities import Connect, Equality, Follow, Hold, SumOfCoordinates
from mobod.spatial import Transform

KINDS = ("connect", "weld", "joint", "tendon", "flex", "distance")  # in the order of mujoco.mjtEq
SITE = 6  # mujoco.mjtObj.mjOBJ_SITE


def read_equalities(reading: Reading) -> tuple[Equality, ...]:
    """Those that mobod has; a finding for each other one, and one that they are soft in MuJoCo."""
    m, found, depths = reading.m, list[Equality](), list[float]()
    for e in range(m.neq):
        number = int(m.eq_type[e])
        kind = KINDS[number] if number < len(KINDS) else f"of type {number}"
        equality = _READ[kind](reading, e) if kind in _READ else f"is a {kind} equality, which mobod lacks"
        if isinstance(equality, str):
            reading.left_out("equality", f"equality {reading.names.shown('eq', e)} {equality}. It is left out.")
        else:
            found.append(equality)
            depths.append(softness(m.eq_solref[e], m.eq_solimp[e]).depth)
    if depths:
        reading.findings.note(
            "soft",
            f"{len(depths)} equalities are soft in MuJoCo, and give way by up to {max(depths):.2g} m or rad under an acceleration of 9.81 "
            "m/s^2 or rad/s^2. Here they are rigid.",
        )
    return tuple(found)


def _ends(reading: Reading, e: int) -> tuple[tuple[str, Transform], tuple[str, Transform]]:
    """Link and frame of both ends."""
    m, data = reading.m, reading.m.eq_data[e]
    one, other = int(m.eq_obj1id[e]), int(m.eq_obj2id[e])
    links = reading.names.links
    if int(m.eq_objtype[e]) == SITE:
        at = [(links[int(m.site_bodyid[s])], pose(m.site_pos[s], m.site_quat[s])) for s in (one, other)]
        return at[0], at[1]
    if KINDS[int(m.eq_type[e])] == "connect":
        return (links[one], Transform(p=np.array(data[:3]))), (links[other], Transform(p=np.array(data[3:6])))
    return (links[one], pose(data[3:6], data[6:10])), (links[other], Transform(p=np.array(data[:3])))


def _connect(reading: Reading, e: int) -> Equality:
    (one, X_1), (other, X_2) = _ends(reading, e)
    return Connect(name=reading.names.equalities[e], link1=one, p1=X_1.p, link2=other, p2=X_2.p, is_active=_is_active(reading, e))


def _weld(reading: Reading, e: int) -> Equality:
    (one, X_1), (other, X_2) = _ends(reading, e)
    return Hold(name=reading.names.equalities[e], link1=one, X_1F=X_1, link2=other, X_2M=X_2, is_active=_is_active(reading, e))


def _joint(reading: Reading, e: int) -> Equality | str:
    """q1 - ref1 = p(q2 - ref2)"""
    m, data = reading.m, np.array(reading.m.eq_data[e][:5])
    one, other = int(m.eq_obj1id[e]), int(m.eq_obj2id[e])
    if not all(reading.has_one_coordinate(j) for j in (one, other) if j >= 0):
        return "is between joints without a single coordinate"
    ref1, names = float(m.qpos0[int(m.jnt_qposadr[one])]), reading.names
    coefficients = [ref1 + float(data[0])]
    if other >= 0:
        ref2 = float(m.qpos0[int(m.jnt_qposadr[other])])
        shifted = Polynomial(data)(Polynomial([-ref2, 1.0])) + ref1
        coefficients = [float(c) for c in shifted.coef]
        while len(coefficients) > 2 and coefficients[-1] == 0:
            coefficients.pop()
    return Follow(
        name=names.equalities[e],
        joint=names.joints[one],
        leader=names.joints[other] if other >= 0 else None,
        coefficients=tuple(coefficients),
        is_active=_is_active(reading, e),
    )


def _tendon(reading: Reading, e: int) -> Equality | str:
    """L1 - L1_0 = p(L2 - L2_0), for a straight line p"""
    m, data = reading.m, np.array(reading.m.eq_data[e][:5])
    one, other = int(m.eq_obj1id[e]), int(m.eq_obj2id[e])
    first, second = reading.tendon_terms(one), [] if other < 0 else reading.tendon_terms(other)
    if first is None or second is None:
        return "is of a spatial tendon"
    if data[2:].any() and other >= 0:
        return "is a polynomial of lengths of tendons, which mobod lacks"
    slope = float(data[1]) if other >= 0 else 0.0
    constant = -float(m.tendon_length0[one]) - float(data[0]) + (slope * float(m.tendon_length0[other]) if other >= 0 else 0.0)
    terms: dict[str, float] = {}
    for factor, of_tendon in ((1.0, first), (-slope, second)):
        for j, c in of_tendon:
            name = reading.names.joints[j]
            terms[name] = terms.get(name, 0.0) + factor * c
    terms = {name: c for name, c in terms.items() if c}
    if not terms:
        return "has no joints"
    return SumOfCoordinates(
        name=reading.names.equalities[e],
        joints=tuple(terms),
        coefficients=tuple(terms.values()),
        constant=constant,
        is_active=_is_active(reading, e),
    )


def _is_active(reading: Reading, e: int) -> bool:
    return bool(reading.m.eq_active0[e])


_READ: dict[str, Callable[[Reading, int], Equality | str]] = {"connect": _connect, "weld": _weld, "joint": _joint, "tendon": _tendon}
