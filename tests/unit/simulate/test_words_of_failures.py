"""The words for each way in which a run can fail stand in C; they name the thing, its value and its unit."""

from re import search

import numpy as np
import pytest

import mobod as mb
from mobod import measures
from mobod.compilation.native.integration import Explanation, Integration, Outcome
from mobod.compilation.native.native_run import open_native
from mobod.compilation.source.model_source import start_values
from mobod.simulate.native_model import present_model
from mobod.system import Stage

VALUE = 0.0625  # of each failure


class Root(mb.CustomSubsystem):
    """An auto-update variable."""

    def realize_topology(self, state):
        self.left = state.allocate_auto_update_discrete_variable(self, "left", 1.5, Stage.DYNAMICS, update_depends_on=Stage.TIME)

    def realize_time(self, state):
        state.set_cached(self.left.update, np.sqrt(2.0 - state.time))


@pytest.fixture(scope="module")
def run():
    """A run of a System with a thing of each kind that can fail. The events are those of the contact, of its friction, and 'soften'."""
    system = mb.MultibodySystem("crate")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    body = mb.Free(matter.ground, mb.MassProperties(2.0, [0, 0, 0], mb.Inertia.box(mass=2.0, size=[0.4, 0.3, 0.2])), name="crate")
    mb.RigidContact(matter.ground, mb.contact.HalfSpace(), body, mb.contact.Sphere(0.2), static_friction=0.6, name="floor")
    spring = mb.TwoPointLinearSpring(forces, matter.ground, [0, 0, 2], body, [0, 0, 0], stiffness=30.0, rest_length=1.5, name="rope")
    measures.Delay(system, measures.Sinusoid(system, 2.0, 3.0, 0.1), 0.3, capacity=16, name="late")
    Root(system, "root")

    def soften(state, event):
        spring.set_stiffness(state, 0.5 * spring.stiffness(state))

    mb.PeriodicEventHandler.of(system, 1.0, soften, name="soften")
    state = system.realize_topology()
    with open_native(present_model(system, state), start_values(state), 1e-6, state=state) as opened:
        yield opened


def failure(run, outcome, event="soften"):
    """A failure at the first thing of its kind, or at an event."""
    events = [row.event.name for row in run.model.rows]
    of_event = Outcome.WITNESS_NOT_A_NUMBER <= outcome != Outcome.JOINT_JAMMED
    return Integration(
        outcome=outcome,
        n_steps=0,
        n_evaluations=0,
        methods=0,
        culprit=events.index(event) if of_event else 0,
        constraint=-1 if outcome == Outcome.CONTACT_OUTSIDE else 0,
        time=0.75,
        value=VALUE,
        step_size=0.001,
        is_at_event=False,
        has_changed=False,
        n_not_projected=0,
        not_projected_at=0.0,
    )


CONTACT, STATE, ROW = r"'floor\.point'", r"'crate\.q\[1\]'", r"'floor\.point'|'floor'"
NAMED = {
    Outcome.NOT_FINITE: STATE,
    Outcome.TOO_INACCURATE: rf"{STATE} is 0\.0625 times",
    Outcome.ZERO_QUATERNION: STATE,
    Outcome.NOT_PROJECTED: rf"{ROW}.* error of 0\.0625 remains",
    Outcome.MOVED_TOO_FAR: rf"{ROW}.*{STATE} by 0\.0625 after",  # a quaternion has no unit
    Outcome.HISTORY_FULL: r"'late' is full: it has 16 entries for 0\.3 s",
    Outcome.TOO_MANY_STEPS: rf"0\.001 s long; the error of {STATE}",
    Outcome.UPDATE_NOT_FINITE: r"'root\.left' is 0\.0625",
    Outcome.STEP_NOT_FINITE: STATE,
    Outcome.STEP_UNSOLVED: ROW,
    Outcome.WITNESS_NOT_A_NUMBER: "'soften'",
    Outcome.EVENT_CHATTERING: r"'soften' .* 0\.0625 s after",
    Outcome.HANDLER_NOT_FINITE: "'soften'",
    Outcome.HANDLER_OUT_OF_BOUNDS: r"'soften' .* 'rope\.stiffness' to 0\.0625 N/m, .* at least 0\.",
    Outcome.HANDLER_NOT_PROJECTED: rf"'soften' .*({ROW}), .* error of 0\.0625",
    Outcome.HANDLER_IMPULSE: rf"'soften' .*({ROW})",
    Outcome.HANDLER_SCHEDULES_PAST: r"'soften' .* 0\.0625 s",
    Outcome.CONTACT_OUTSIDE: rf"{CONTACT} .* 0\.0625 m,",
    Outcome.CONTACT_UNSOLVED: CONTACT,
    Outcome.CONTACT_NOT_PROJECTED: rf"({ROW}) .* 0\.0625 remains",
    Outcome.CONTACT_CHATTERING: CONTACT,
    Outcome.FRICTION_UNSOLVED: rf"6\.2e-02, .* {CONTACT}",
    Outcome.FRICTION_PARADOX: rf"{CONTACT} .* mu = 0\.0625 ",
    Outcome.CONTACT_POOL_FULL: rf"{CONTACT} is full",
    Outcome.CONTACT_LIES_FLAT: rf"{CONTACT} .* 0\.0625 rad",
    Outcome.JOINT_JAMMED: ROW,
}
WITHOUT_WORDS = {Outcome.INTEGRATED, Outcome.EVENT_STOPPED, Outcome.KERNEL_STOPPED}  # an error of Python or of a callback has the words


def test_each_outcome_has_words_in_c():
    assert set(Outcome) == set(NAMED) | WITHOUT_WORDS


@pytest.mark.parametrize("outcome", NAMED, ids=lambda outcome: outcome.name)
def test_the_words_name_the_thing_and_its_value_with_the_unit(outcome, run):
    of_contact = "floor" in NAMED[outcome] and outcome not in (Outcome.HANDLER_NOT_PROJECTED, Outcome.HANDLER_IMPULSE)

    words, explanation = run.cause(failure(run, outcome, "floor.point" if of_contact else "soften"))

    assert search(NAMED[outcome], words), words
    assert explanation == Explanation.EXPLAINED_BY_OUTCOME
    assert words.endswith(".")
    assert len({*words.split(". ")}) == len(words.split(". "))  # nothing is said twice
