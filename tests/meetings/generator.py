"""Random mechanisms with every kind of element, small ones: faults are where parts meet, and are read from few elements."""

import warnings
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

import mobod as mb
from tests.meetings.constraints import CONSTRAINTS
from tests.meetings.contacts import CONTACTS
from tests.meetings.draft import Draft, NothingToDrawError
from tests.meetings.events import EVENTS, MEASURES, MOTIONS
from tests.meetings.flexible import SEGMENTS, draw_flexible_body
from tests.meetings.forces import FORCES, GRAVITY, DrawElement
from tests.meetings.joints import draw_body
from tests.meetings.mechanism import Element, Mechanism
from tests.meetings.sensors import SENSORS
from tests.meetings.slots import SLOTS
from tests.meetings.terrain import ON_GROUND, SMOOTH

TOUCHING = (CONTACTS, SMOOTH, SLOTS, ON_GROUND)
NAMED = (CONSTRAINTS, *TOUCHING)


def random_mechanism(seed: int) -> Mechanism:
    """One to four bodies, forces, and of each further group of elements none to two. Constraints hold at the start. Odd seeds have neat
    numbers (see Draft).
    """
    rng = np.random.default_rng(seed)
    draft = Draft(Mechanism(f"mechanism {seed}", (), ()), rng, is_neat=bool(seed % 2))
    if rng.random() < 0.15:
        draft.add(Element("Euler angles", "angles", "matter.set_uses_euler_angles_by_default(True)"))
    if rng.random() < 0.15:  # a free tree, which can have another root
        draw_body(draft, "Free", 0)
        for number in range(1, int(rng.integers(2, 4))):
            draw_body(draft, parent=number)
    else:
        for _ in range(rng.integers(1, 5)):
            draw_body(draft)
    if rng.random() < 0.15:
        draw_flexible_body(draft)
    if not any(each.q.numbers for each in draft.mechanism.bodies):
        draw_body(draft, "Pin")
    if rng.random() < 0.8:
        draft.add(GRAVITY(draft, "gravity"))
    groups: list[tuple[Mapping[str, DrawElement], int, float]] = [
        (FORCES, int(rng.integers(0, 4)), 1.0),
        (MOTIONS, 1, 0.25),
        (CONSTRAINTS, int(rng.integers(1, 3)), 0.45),
        (SEGMENTS, 1, 0.08),
        (CONTACTS, int(rng.integers(1, 3)), 0.5),
        (SMOOTH, 1, 0.1),
        (MEASURES, 3, 0.3),
        (SENSORS, 3, 0.3),
        (EVENTS, int(rng.integers(1, 3)), 0.35),
        (SLOTS, 2, 0.15),  # few: a mechanism with them or the next runs at velocity level alone
        (ON_GROUND, 1, 0.15),
    ]
    for number, (kinds, count, chance) in enumerate(groups):
        if rng.random() < chance:
            _draw_some(draft, kinds, count, in_order=kinds in (MEASURES, SENSORS))
        if kinds is MOTIONS and draft.mechanism.elements:
            _start_on_motions(draft)
        if kinds is CONSTRAINTS:
            _project_start(draft)
        assert number < len(groups)
    return draft.mechanism


def _draw_some(draft: Draft, kinds: Mapping[str, DrawElement], count: int, *, in_order: bool) -> None:
    rng = draft.rng
    names = list(kinds)
    if in_order:
        chosen = [names[0], *(names[i] for i in sorted(rng.choice(np.arange(1, len(names)), size=count, replace=False)))]
    else:
        chosen = [names[int(i)] for i in rng.integers(len(names), size=count)]
    for kind in chosen:
        name = f"e{len(draft.mechanism.elements)}"
        try:
            element = kinds[kind](draft, name)
            if kinds in NAMED and f"{name} = " not in element.text and "set_limits" not in element.text:  # a handler can disable it
                first, newline, last = element.text.rpartition("\nmb.")
                text = f"{first}\n{name} = mb.{last}" if newline else f"{name} = {element.text}"
                element = replace(element, text=text)
            draft.add(element)
        except NothingToDrawError:
            continue
        if kinds in TOUCHING:
            draft.leave_out_if_refused(name)


def _start_on_motions(draft: Draft) -> None:
    """Take the coordinates and speeds that known motions give at the start."""
    system, state = draft.mechanism.build()
    system.realize(state, mb.Stage.VELOCITY)
    draft.set_start(system, state)


def _project_start(draft: Draft) -> None:
    """Take speeds that satisfy the constraints; leave the last constraints out while there are none."""
    while True:
        system, state = draft.mechanism.build()
        if not system.matter.constraints:
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", mb.MobodWarning)
            try:
                draft.set_start(system, mb.Assembler(system, 1e-12).assemble(state))
            except mb.MobodError:
                last = [each for each in draft.mechanism.elements if each.kind in CONSTRAINTS][-1]
                draft.mechanism = draft.mechanism.without(last.name)
                draft.__dict__.pop("built", None)
                continue
            return
