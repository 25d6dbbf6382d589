"""Random flexible bodies and beams: with modal coordinates on joints of every kind, and of rigid segments with springs."""

from dataclasses import replace

import numpy as np

from tests.meetings.draft import Draft, needs
from tests.meetings.forces import DrawElement
from tests.meetings.joints import JOINTS, draw_body
from tests.meetings.mechanism import FRAME, MODAL, Element, Quantity, frame, quantity

# soft ones: fast modes would cost many steps
_MATERIAL = "mb.Material(E={E}, nu=0.3, density={density})"
_WITHOUT = ("CouplingJoint", "Weld")  # has other arguments; is drawn rarely anyway, and leaves nothing that moves


def _beam(draft: Draft) -> tuple[str, dict[str, Quantity]]:
    numbers = {"length": quantity(draft.uniform(0.4, 0.8), "m"), **_of_section(draft)}
    at = draft.pick(["", ", at=[0.4]"])
    text = f"mb.FlexibleBeam({{length}}, mb.Section.rectangle({{width}}, {{height}}), {_MATERIAL}, modes={draft.pick([2, 3, 4])}"
    return f'{text}, axis="{draft.pick("xyz")}", damping_ratio=0.03{at})', numbers


def _bent_beam(draft: Draft) -> tuple[str, dict[str, Quantity]]:
    points = np.array([[0, 0, 0], [0.4, 0, 0], [0.4, draft.uniform(0.2, 0.4), draft.pick([0.0, 0.2])]])
    text = f"mb.FlexibleBeam(points={{points}}, section=mb.Section.rectangle({{width}}, {{height}}), material={_MATERIAL}, modes=3"
    return f"{text}, damping_ratio=0.03)", {"points": quantity(points, "m"), **_of_section(draft)}


def _of_section(draft: Draft) -> dict[str, Quantity]:
    numbers = {"width": quantity(draft.uniform(0.02, 0.03), "m"), "height": quantity(draft.uniform(0.035, 0.05), "m")}
    return numbers | {"E": quantity(draft.uniform(5e8, 2e9), "N/m2"), "density": quantity(draft.uniform(1500, 2500), "kg/m3")}


def _solid(draft: Draft) -> tuple[str, dict[str, Quantity]]:
    inertia = draft.pick(["core", "full"])
    numbers = {"size": quantity(draft.uniform(0.3, 0.6), "m"), "stiffness": quantity(draft.uniform(2e3, 5e3), "N/m")}
    numbers["mass"] = quantity(draft.uniform(1.0, 2.0), "kg")
    return f'mb.FlexibleBody(lattice({{size}}, {{mass}}, {{stiffness}}), damping_ratio=0.03, inertia="{inertia}")', numbers


def draw_flexible_body(draft: Draft) -> None:
    """A flexible body on a joint of any kind, deformed at the start, and a body on another of its interfaces."""
    kinds = [each for each in JOINTS if each not in _WITHOUT]
    weights = np.array([JOINTS[each].weight for each in kinds])
    kind = str(draft.rng.choice(kinds, p=weights / weights.sum()))
    make = draft.pick([_beam, _beam, _bent_beam, _solid])
    content, numbers = make(draft)
    draw_body(draft, kind, content=content, of_content=numbers)
    number = draft.n_bodies
    body = draft.body(number)
    n = len(body.eta(draft.built[1]))
    eta, eta_dot = quantity(draft.uniform(-0.01, 0.01, n), MODAL), quantity(draft.uniform(-0.2, 0.2, n), f"{MODAL}/s")
    draft.replace_last_body(replace(draft.mechanism.bodies[-1], eta=eta, eta_dot=eta_dot))
    modal = body.flexible.modal
    outer = [each for each in modal.interfaces if each != modal.inboard]
    draw_body(draft, parent=number, interface=str(draft.pick(outer)))


def _segments(draft: Draft, name: str) -> Element:
    body = int(draft.rng.integers(1 + draft.n_bodies))
    section = _of_section(draft)
    section["E"] = quantity(0.1 * np.array(section["E"].numbers), "N/m2")  # light segments have faster modes than the first ones of a beam
    numbers = {"length": quantity(draft.uniform(0.4, 0.8), "m"), **section, **frame("F", draft.frame())}
    numbers["damping"] = quantity(1e-4, "s")  # more would decay within a fraction of a fixed step
    text = (
        f"{name} = mb.segmented_beam(body{body}, {{length}}, mb.Section.rectangle({{width}}, {{height}}), {_MATERIAL},\n"
        f'    segments={draft.pick([2, 3])}, X_PF={FRAME % ("F", "F")}, damping={{damping}}, forces=forces, name="{name}")'
    )
    return Element("segmented_beam", name, text, numbers, needs(body))


SEGMENTS: dict[str, DrawElement] = {"segmented_beam": _segments}
