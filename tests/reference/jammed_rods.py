"""Rods whose tip cannot slide on (Painleve): the impact without collision at their start, in closed form."""

import warnings
from collections.abc import Mapping
from typing import Any

import mobod as mb
from tests.reference import contact_models as models

EXACT, COUNT = 1e-9, 0.5  # as in contact_motions.py

Found = dict[str, tuple[Any, Any, float]]  # quantity: mobod's, the file's, tolerance


def impact_without_collision(start: mb.State, rod: Any, tip: Any, case: Mapping[str, Any]) -> Found:
    """The impulse that stops the tip of a rod of mass 1 which could not slide on. It lies within the cone of friction, since the ratio of
    its tangential to its normal part is W_nn / W_nt, which is below mu where W_nn - mu W_nt < 0."""
    speeds, impulse = models.stopped_tip(case["half_length"], case["theta"], rod.u(start))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        results = mb.Simulation(start.system).run(start, 0.0)
    final = results.final_state
    start.system.realize(final)
    return {
        "warnings": (float(sum("could not slide on" in str(each.message) for each in caught)), 1.0, COUNT),
        "speeds": (rod.u(final), speeds, EXACT),
        "impulse": ([tip.impulses(final)[0], tip.friction_impulses(final)[0]], impulse, EXACT),
    }
