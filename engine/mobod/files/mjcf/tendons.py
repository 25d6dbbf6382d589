"""Fixed tendons."""

import numpy as np

from mobod.files.mjcf.reading import Reading
from mobod.files.robot.tendons import RobotTendon


def read_tendons(reading: Reading) -> tuple[RobotTendon, ...]:
    """The fixed tendons; a finding for each spatial one."""
    found = (_tendon(reading, t) for t in range(reading.m.ntendon))
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
    )


def _note_what_is_left_out(reading: Reading, t: int) -> None:
    m, shown = reading.m, reading.names.shown("tendon", t)
    low, high = m.tendon_range[t]
    what = {
        f"its range, from {low:g} to {high:g},": m.tendon_limited[t],
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
