"""The ten stages, and the methods that are called when a State is realized."""

import pytest

import mobod as mb
from mobod.errors import DuplicateNameError, StateError
from mobod.system import Stage, System

FROM_INSTANCE = [Stage(number) for number in range(Stage.INSTANCE, Stage.REPORT + 1)]


def test_there_are_ten_stages_in_this_order():
    assert [stage.name for stage in Stage] == [
        "EMPTY",
        "TOPOLOGY",
        "MODEL",
        "INSTANCE",
        "TIME",
        "POSITION",
        "VELOCITY",
        "DYNAMICS",
        "ACCELERATION",
        "REPORT",
    ]


def test_each_stage_has_a_next_and_a_previous_one():
    for earlier, later in zip(list(Stage), list(Stage)[1:], strict=False):
        assert earlier < later
        assert (earlier.next(), later.previous()) == (later, earlier)


def test_the_default_state_is_at_model(system, make):
    make()
    assert system.realize_topology().stage == Stage.MODEL


def test_a_system_without_subsystems_has_an_empty_state(system):
    state = system.realize_topology()
    assert state.q.shape == state.u.shape == state.z.shape == (0,)


def test_each_hook_is_called_once_in_the_order_of_the_stages(system, make):
    subsystem = make()
    state = system.realize_topology()
    system.realize(state, Stage.REPORT)
    system.realize(state, Stage.REPORT)
    assert subsystem.log == [("scripted", stage) for stage in list(Stage)[1:]]


def test_a_stage_is_realized_for_all_subsystems_before_the_next(system, make):
    log = []
    make(name="first", log=log)
    make(name="second", log=log)
    state = system.realize_topology()
    log.clear()
    system.realize(state, Stage.POSITION)
    assert log == [(name, stage) for stage in (Stage.INSTANCE, Stage.TIME, Stage.POSITION) for name in ("first", "second")]


@pytest.mark.parametrize("wanted", FROM_INSTANCE)
def test_realizing_stops_at_the_requested_stage(system, make, wanted):
    subsystem = make()
    state = system.realize_topology()
    subsystem.log.clear()
    system.realize(state, wanted)
    assert state.stage == wanted
    assert [stage for _, stage in subsystem.log] == [stage for stage in FROM_INSTANCE if stage <= wanted]


def test_realizing_to_an_earlier_stage_does_nothing(system, make):
    subsystem = make()
    state = system.realize_topology()
    system.realize(state, Stage.VELOCITY)
    subsystem.log.clear()
    system.realize(state, Stage.TIME)
    assert subsystem.log == []
    assert state.stage == Stage.VELOCITY


@pytest.mark.parametrize(
    ("variable", "stage"),
    [("time", Stage.TIME), ("q", Stage.POSITION), ("u", Stage.VELOCITY), ("z", Stage.DYNAMICS), ("y", Stage.POSITION)],
)
def test_setting_a_continuous_variable_invalidates_its_stage(system, continuous, variable, stage):
    state = system.realize_topology()
    system.realize(state, Stage.REPORT)
    setattr(state, variable, getattr(state, variable))
    assert state.stage == stage.previous()

    continuous.log.clear()
    system.realize(state, Stage.REPORT)
    assert [each for _, each in continuous.log] == [each for each in FROM_INSTANCE if each >= stage]


def test_a_variable_of_a_later_stage_invalidates_no_earlier_stage(system, continuous):
    state = system.realize_topology()
    system.realize(state, Stage.POSITION)
    state.u = [2.0]
    assert state.stage == Stage.POSITION


def test_a_hook_may_read_what_earlier_subsystems_computed_at_its_stage(system, make):
    seen = []

    def allocate(subsystem, state):
        subsystem.entry = state.allocate_cache_entry(subsystem, "speed", Stage.VELOCITY, shape=(), computed_by=Stage.VELOCITY)

    first = make({"TOPOLOGY": allocate, "VELOCITY": lambda self, state: state.set_cached(self.entry, 3.25)}, name="first")
    make({"VELOCITY": lambda self, state: seen.append(float(state.cached(first.entry)))}, name="second")
    system.realize(system.realize_topology(), Stage.VELOCITY)
    assert seen == [3.25]


def test_a_failed_hook_leaves_the_state_at_the_previous_stage_and_can_be_repeated(system, make):
    def fail_once(subsystem, state):
        if not subsystem.failed:
            subsystem.failed = True
            raise RuntimeError("no")

    subsystem = make({"DYNAMICS": fail_once})
    subsystem.failed = False
    state = system.realize_topology()
    with pytest.raises(RuntimeError, match="no"):
        system.realize(state, Stage.REPORT)
    assert state.stage == Stage.VELOCITY
    system.realize(state, Stage.REPORT)
    assert state.stage == Stage.REPORT


def test_subsystems_have_unique_names(system, make):
    make(name="brain")
    with pytest.raises(DuplicateNameError, match="System 'clockwork' already has a subsystem named 'brain'"):
        make(name="brain")


def test_a_subsystem_knows_its_system_its_index_and_its_version(system, make):
    first, second = make(name="first"), make(name="second")
    assert (first.index, second.index) == (0, 1)
    assert first.system is second.system is system
    assert first.version


# States of another System, and of this one before its topology changed


def test_a_state_of_another_system_is_refused_with_both_names(system, make):
    make()
    other = System("sundial")
    make(to=other)
    with pytest.raises(StateError, match="a State of System 'sundial' was given to System 'clockwork'"):
        system.realize(other.realize_topology(), Stage.TIME)


def test_an_outdated_state_is_refused(system, make):
    subsystem = make()
    state = system.realize_topology()
    subsystem.invalidate_topology()
    for use in (system.realize, system.variables, system.realize_model):
        with pytest.raises(StateError, match="the topology of System 'clockwork' changed after this State was made"):
            use(state)
    system.realize(system.realize_topology())


def test_a_new_subsystem_is_a_change_of_topology(system, make):
    make(name="first")
    state = system.realize_topology()
    make(name="second")
    with pytest.raises(StateError, match="changed after this State was made"):
        system.realize(state)


def test_a_copy_of_an_outdated_state_is_refused_too(system, make):
    subsystem = make()
    copy = system.realize_topology().copy()
    subsystem.invalidate_topology()
    with pytest.raises(StateError, match="changed after this State was made"):
        system.realize(copy)


def test_a_partly_realized_stage_is_invalidated_with_the_previous_one(system, make):
    def fail(subsystem, state):
        raise ArithmeticError

    first, second = make(name="first"), make({"POSITION": fail}, name="second")
    state = system.realize_topology()
    with pytest.raises(ArithmeticError):
        system.realize(state, Stage.POSITION)
    assert (state.subsystem_stage(first.index), state.subsystem_stage(second.index)) == (Stage.POSITION, Stage.TIME)

    state.invalidate(Stage.POSITION)

    assert (state.subsystem_stage(first.index), state.subsystem_stage(second.index)) == (Stage.TIME, Stage.TIME)


def accelerations(reached, changes, how):
    """u_dot of a pendulum after changes of a State that was realized to a stage, and after changes of how it is evaluated."""
    system = mb.MultibodySystem("pendulum")
    matter = mb.MatterSubsystem(system)
    gravity = mb.Gravity(mb.ForceSubsystem(system), matter, down=[0.3, -1.0, 0.2], magnitude=9.81)
    arm = mb.Pin(matter.ground, mb.MassProperties.point(1.3, [0.2, -0.7, 0.1]), name="arm")
    state = system.realize_topology()
    arm.set_q(state, 0.4)
    system.realize(state, reached)
    system.as_text = how == "as text"
    for change in changes:
        {"q": lambda: arm.set_q(state, -1.1), "u": lambda: arm.set_u(state, 2.0), "g": lambda: gravity.set_magnitude(state, 3.7)}[change]()
    system.realize(state, mb.Stage.ACCELERATION)
    return state.u_dot.item(), gravity.num_evaluations


@pytest.mark.parametrize("how", ["interpreted", "as text"])
@pytest.mark.parametrize("changes", ["", "q", "u", "g", "ugq"])
def test_lazy_values_are_computed_again_where_their_stage_or_a_prerequisite_has_changed_and_only_there(changes, how):
    expected, _ = accelerations(mb.Stage.MODEL, changes, "interpreted")
    for reached in (mb.Stage.TIME, mb.Stage.POSITION, mb.Stage.VELOCITY, mb.Stage.DYNAMICS, mb.Stage.ACCELERATION):
        found, n_evaluations = accelerations(reached, changes, how)

        assert found == pytest.approx(expected, rel=1e-14)  # NumPy's norm rounds differently
        was_evaluated = reached >= mb.Stage.DYNAMICS  # forces are, there
        assert n_evaluations == was_evaluated + (not was_evaluated or "q" in changes or "g" in changes)
