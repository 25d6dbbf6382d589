"""Fixed tendons."""

import numpy as np

from mobod.files.mjcf.reading import Reading
from mobod.files.mjcf.softness import Softness, softness
from mobod.files.robot.tendons import RobotTendon, TendonRange


def read_tendons(reading: Reading) -> tuple[RobotTendon, ...]:
    """The fixed tendons; a finding for each spatial one."""
    found = [_tendon(reading, t) for t in range(reading.m.ntendon)]
    _note_soft_ranges(reading, [t for t, tendon in enumerate(found) if tendon is not None and tendon.range is not None])
    return tuple(tendon for tendon in found if tendon is not None)


def _tendon(reading: Reading, t: int) -> RobotTendon | None:
    m, terms = reading.m, reading.tendon_terms(t)
    if terms is None:
        reading.left_out("tendon", f"tendon {reading.names.shown('tendon', t)} is spatial. It is left out, with what acts on it.")
        return None
    _note_what_is_left_out(reading, t)
    rest = np.array(m.tendon_lengthspring[t])
    return RobotTendon(
        name=reading.names.tendons[t],
        joints=tuple(reading.names.joints[j] for j, _ in terms),
        coefficients=tuple(c for _, c in terms),
        unit="rad" if all(reading.joint_kind(j) == "hinge" for j, _ in terms) else "m",
        stiffness=0.0 if reading.is_off("spring") or reading.is_off("passive") else float(m.tendon_stiffness[t]),
        damping=0.0 if reading.is_off("damper") or reading.is_off("passive") else float(m.tendon_damping[t]),
        rest_low=float(rest[0]),
        rest_high=float(rest[1]),
        range=_range(reading, t),
    )


def _range(reading: Reading, t: int) -> TendonRange | None:
    m = reading.m
    if not m.tendon_limited[t] or reading.is_off("limit"):
        return None
    shown, (lower, upper) = reading.names.shown("tendon", t), map(float, m.tendon_range[t])
    if not lower < upper:
        reading.left_out("tendon", f"tendon {shown}: its range, from {lower:g} to {upper:g}, is empty. It is left out.")
        return None
    if m.tendon_margin[t]:
        reading.findings.note("margin", f"tendon {shown}: the margin of its range, {m.tendon_margin[t]:g}, is left out.")
    soft, mass = _softness(reading, t), 1 / max(float(m.tendon_invweight0[t]), 1e-15)
    return TendonRange(lower=lower, upper=upper, stiffness=mass * soft.stiffness, damping=mass * soft.damping)


def _softness(reading: Reading, t: int) -> Softness:
    return softness(reading.m.tendon_solref_lim[t], reading.m.tendon_solimp_lim[t])


def _note_soft_ranges(reading: Reading, limited: list[int]) -> None:
    """One finding for all."""
    if limited and reading.soft == "rigid":
        depth = max(_softness(reading, t).depth for t in limited)
        reading.findings.note(
            "soft",
            f"{len(limited)} tendons have soft ranges in MuJoCo, which give way by up to {depth:.2g} rad or m under an acceleration of "
            "9.81 rad/s^2 or m/s^2. Here they are rigid; soft='compliant' makes elastic stops of them.",
        )


def _note_what_is_left_out(reading: Reading, t: int) -> None:
    m, shown = reading.m, reading.names.shown("tendon", t)
    what = {
        f"its dry friction, {m.tendon_frictionloss[t]:g},": m.tendon_frictionloss[t],
        "its armature": reading.field("tendon_armature", t),
        "the range of its actuator forces": reading.field("tendon_actfrclimited", t),
        "the polynomial of its stiffness": reading.field("tendon_stiffnesspoly", t),
        "the polynomial of its damping": reading.field("tendon_dampingpoly", t),
        "the yield of its spring": reading.field("tendon_springyield", t),
    }
    for text, value in what.items():
        if np.any(value):
            reading.left_out("tendon", f"tendon {shown}: {text} is left out.")
