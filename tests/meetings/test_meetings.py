"""Random mechanisms with elements of every kind agree with themselves by each way of running them. build_scripts/meetings.py shows more."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from tests.meetings import meeting
from tests.meetings.constraints import CONSTRAINTS
from tests.meetings.contacts import CONTACTS
from tests.meetings.events import EVENTS, MEASURES, MOTIONS
from tests.meetings.forces import FORCES
from tests.meetings.generator import random_mechanism
from tests.meetings.joints import JOINTS
from tests.meetings.mechanism import SI, Units
from tests.meetings.meeting import PAIRS, meet, pairs_of
from tests.meetings.shrinking import as_program, smallest
from tests.meetings.verdict import AGREEMENT, DISAGREES, DisagreementError
from tests.meetings.within_tolerance import OTHER_UNITS

WITHOUT_FMU = ("run and steps", "lanes", "saved", "copied", "accuracies", "fixed steps", "order", "reversed", "two runs", "ensemble steps")


@pytest.mark.parametrize("seed", range(12))
def test_a_dozen_mechanisms_agree_with_themselves(seed):
    mechanism = random_mechanism(seed)
    for pair in pairs_of(seed, 2, WITHOUT_FMU):
        verdict = meet(pair, mechanism, seed)
        assert verdict.outcome != DISAGREES, f"{pair}: {verdict.why}"


@pytest.mark.slow
@pytest.mark.parametrize("hundred", range(10))
def test_a_thousand_mechanisms_agree_with_themselves(hundred):
    faults = []
    for seed in range(100 * hundred, 100 * (hundred + 1)):
        mechanism = random_mechanism(seed)
        for pair in pairs_of(seed, 3, PAIRS):
            verdict = meet(pair, mechanism, seed)
            if verdict.outcome == DISAGREES:
                faults.append(f"seed {seed}, {pair}: {verdict.why}")
    assert not faults, "\n".join(faults)


@pytest.mark.slow
def test_every_kind_of_element_is_drawn():
    drawn = set()
    for seed in range(400):
        drawn.update(random_mechanism(seed).kinds)
    kinds = {**JOINTS, **FORCES, **CONSTRAINTS, **MOTIONS, **EVENTS, **MEASURES}
    of_contacts = {name.partition(",")[0] for name in CONTACTS} - {"RigidContact of spheres"}
    assert {*kinds, *of_contacts, "Gravity"} == drawn


def test_the_smallest_mechanism_has_only_what_shows_the_disagreement(monkeypatch):
    def planted(mechanism, rng, folder):
        if {"Gravity", "Pin"} <= set(mechanism.kinds):
            raise DisagreementError("planted: a Pin falls")
        return AGREEMENT

    monkeypatch.setitem(meeting.PAIRS, "planted", planted)
    mechanism = next(each for each in map(random_mechanism, range(100)) if {"Gravity", "Pin"} <= set(each.kinds) and len(each.parts) > 5)
    found, verdict = smallest("planted", mechanism, 0, meet("planted", mechanism, 0))
    assert {"Gravity", "Pin"} <= set(found.kinds)
    for name in [each.name for each in found.parts]:
        assert not {"Gravity", "Pin"} <= set(found.without(name).kinds)
    names = {"__name__": "read"}
    exec(as_program("planted", found, 0, verdict), names)
    system, _ = names["mechanism"]()
    assert len(system.matter.bodies) == len(found.bodies)


def test_a_mechanism_in_other_units_has_scaled_accelerations():
    mechanism = next(each for each in map(random_mechanism, range(100)) if each.has_units and "Gravity" in each.kinds)
    system, state = mechanism.build()
    system.realize(state, mb.Stage.ACCELERATION)
    rates = [each for each in system.variables(state) if each.name.startswith("der(") and ".u" in each.name]
    for units in OTHER_UNITS.values():
        scaled, its_state = mechanism.build(units)
        scaled.realize(its_state, mb.Stage.ACCELERATION)
        for each in rates:
            factors = np.array([units.factor(each.unit(i)) for i in range(each.slot.size)])
            # round-off, which the rank of constraints decides in other units too
            assert_allclose(
                np.ravel(scaled.value(its_state, each.name)), factors * np.ravel(system.value(state, each)), rtol=1e-9, atol=1e-9
            )


def test_units_multiply_numbers_by_the_exponents_of_their_unit():
    assert Units(1e3, 1e3, 1e3).factor("N.m.s/rad") == pytest.approx(1e3 * 1e6 * 1e-3)
    assert SI.factor("N/m") == 1.0
