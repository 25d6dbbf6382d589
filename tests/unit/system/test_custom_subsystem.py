"""Users' subsystems: recorded hooks, and the same hooks as plain Python; what each hook may read and set."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.compilation.source.model_source import generate
from mobod.errors import (
    DuplicateNameError,
    ElementError,
    InputError,
    RecordingError,
    StageError,
    StateError,
    UnknownNameError,
    UnsupportedError,
)
from mobod.scalar import where
from mobod.system import Stage, System
from mobod.system.subsystem import HOOKS


class Tank(mb.CustomSubsystem):
    """Two connected vessels with an inflow that depends on time, a valve, a pendulum in q and u, and values at every stage."""

    def realize_topology(self, state):
        self.valve = state.allocate_discrete_variable(self, "valve", 0.7, Stage.DYNAMICS, label=mb.Label(unit="1/s", minimum=0.0))
        self.is_open = state.allocate_discrete_variable(self, "open", True, Stage.INSTANCE)
        self.size = state.allocate_discrete_variable(self, "size", 2.0, Stage.INSTANCE, label=mb.Label(unit="m2", is_input=True))
        self.area = self.entry(state, "area", Stage.INSTANCE)
        self.filled = self.entry(state, "filled", Stage.TIME)
        self.height = self.entry(state, "height", Stage.POSITION)
        self.speed = self.entry(state, "speed", Stage.VELOCITY)
        self.flow = self.entry(state, "flow", Stage.DYNAMICS, shape=(2,))
        self.loss = self.entry(state, "loss", Stage.REPORT)
        self.doubled = state.allocate_cache_entry(
            self, "doubled", Stage.TIME, shape=(), prerequisites=[self.valve], compute=lambda state: 2 * state.get(self.valve) + state.time
        )

    def entry(self, state, name, stage, shape=()):
        return state.allocate_cache_entry(self, name, stage, shape=shape, computed_by=stage)

    def realize_model(self, state):
        state.allocate_z(self, [1.5, 0.2], "levels", label=mb.Label(unit="m"))
        state.allocate_q(self, 0.4, "angle", label=mb.Label(unit="rad"))
        state.allocate_u(self, 0.1, "rate", label=mb.Label(unit="rad/s"))

    def of(self, state, name):
        return state.get(state.handle(self, name))

    def realize_instance(self, state):
        state.set_cached(self.area, where(state.get(self.is_open), state.get(self.size), 0.5))

    def realize_time(self, state):
        state.set_cached(self.filled, np.sin(3 * state.time))

    def realize_position(self, state):
        state.set_cached(self.height, np.cos(self.of(state, "angle")))

    def realize_velocity(self, state):
        state.set_rate(state.handle(self, "angle"), self.of(state, "rate"))
        state.set_cached(self.speed, self.of(state, "rate") * state.cached(self.height))

    def realize_dynamics(self, state):
        levels = self.of(state, "levels")
        flow = state.get(self.valve) * (levels[0] - levels[1])
        state.set_cached(self.flow, np.array([-flow, flow]))

    def realize_acceleration(self, state):
        filled = np.array([state.cached(self.filled), 0.1 * state.cached(self.speed)])
        state.set_rate(state.handle(self, "levels"), state.cached(self.flow) / state.cached(self.area) + filled)
        state.set_rate(state.handle(self, "rate"), -9.8 * np.sin(self.of(state, "angle")))

    def realize_report(self, state):
        state.set_cached(self.loss, state.cached(self.flow)[1] ** 2)

    def calc_potential_energy(self, state):
        return 9.8 * (1 - state.cached(self.height)) + 0 * state.get(self.valve)


class PythonTank(Tank):
    recordable = False


def tanks(kind=Tank):
    system = System("works")
    return system, kind(system, "tank")


@pytest.mark.parametrize("as_text", [False, True])
def test_recorded_hooks_give_the_same_numbers_as_the_same_hooks_called_as_python(as_text):
    found = []
    for kind in (Tank, PythonTank):
        system, tank = tanks(kind)
        system.as_text = as_text
        state = system.realize_topology()
        state.time, state.q, state.u, state.z = 0.3, [0.5], [-0.7], [1.1, 0.4]
        system.set_value(state, "tank.valve", 0.9)
        system.set_value(state, "tank.open", False)
        system.realize(state)
        entries = (tank.area, tank.filled, tank.height, tank.speed, tank.flow, tank.loss, tank.doubled)
        found.append(np.concatenate([state.y_dot, *(np.ravel(state.cached(entry)) for entry in entries), [system.potential_energy(state)]]))
    assert_allclose(found[0], found[1], rtol=1e-15)  # the same operations
    flow = 0.9 * (1.1 - 0.4)
    y_dot = [-0.7, -9.8 * np.sin(0.5), -flow / 0.5 + np.sin(0.9), flow / 0.5 - 0.07 * np.cos(0.5)]
    expected = [*y_dot, 0.5, np.sin(0.9), np.cos(0.5), -0.7 * np.cos(0.5), -flow, flow, flow**2, 2.1, 9.8 * (1 - np.cos(0.5))]
    assert_allclose(found[0], expected, rtol=1e-14)


def test_recorded_hooks_and_python_hooks_give_the_same_run():
    ends = []
    for kind in (Tank, PythonTank):
        system, _ = tanks(kind)
        results = mb.Simulation(system, 1e-11).run(system.realize_topology(), until=2.0)
        ends.append([*results.final_state.y, *results["tank.flow"][-1], results["tank.doubled"][-1]])
    assert_allclose(ends[1], ends[0], atol=1e-12)


def test_allocated_variables_are_catalogued_with_units_and_bounds():
    system, _ = tanks()
    state = system.realize_topology()
    found = {each.name: each for each in system.variables(state)}
    assert {name: (each.role, each.units[0]) for name, each in found.items()} == {
        "tank.valve": ("parameter", "1/s"),
        "tank.open": ("parameter", "1"),
        "tank.size": ("input", "m2"),
        "tank.area": ("output", "1"),
        "tank.filled": ("output", "1"),
        "tank.height": ("output", "1"),
        "tank.speed": ("output", "1"),
        "tank.flow": ("output", "1"),
        "tank.loss": ("output", "1"),
        "tank.doubled": ("output", "1"),
        "tank.potential_energy": ("output", "J"),
        "tank.angle": ("state", "rad"),
        "der(tank.angle)": ("derivative", "rad/s"),
        "tank.rate": ("state", "rad/s"),
        "der(tank.rate)": ("derivative", "rad/s2"),
        "tank.levels": ("state", "m"),
        "der(tank.levels)": ("derivative", "m/s"),
    }
    with pytest.raises(InputError, match=r"'tank.valve' cannot be -1.0 1/s: the least value is 0"):
        system.set_value(state, "tank.valve", -1.0)


def test_only_values_that_depend_on_a_set_variable_are_recomputed():
    system, tank = tanks()
    state = system.realize_topology()
    system.realize(state)
    assert state.cached(tank.doubled) == 1.4
    state.set(tank.valve, 2.0)
    assert state.stage == Stage.VELOCITY
    assert state.cached(tank.doubled) == 4.0
    system.realize(state)
    assert_allclose(state.cached(tank.flow), [-2.6, 2.6], rtol=1e-15)
    state.set(state.handle(tank, "angle"), 0.9)
    assert state.stage == Stage.TIME
    assert state.get(state.handle(tank, "angle")) == 0.9


def test_a_subsystem_without_hooks_does_nothing():
    system = mb.MultibodySystem("two")
    mb.CustomSubsystem(system, "nothing")
    state = system.realize_topology()
    system.realize(state)
    assert state.stage == Stage.REPORT
    assert state.y.size == 0


def test_a_default_value_is_topological():
    class Valve(mb.CustomSubsystem):
        def __init__(self, system):
            super().__init__(system, "valve")
            self.default_opening = 0.3

        def set_default_opening(self, opening):
            self.default_opening = opening
            self.invalidate_topology()

        def realize_topology(self, state):
            self.opening = state.allocate_discrete_variable(self, "opening", self.default_opening, Stage.TIME)

    system = System("valves")
    valve = Valve(system)
    state = system.realize_topology()
    valve.set_default_opening(0.8)
    with pytest.raises(StateError, match="the topology of System 'valves' changed"):
        system.realize(state)
    assert system.realize_topology().get(valve.opening) == 0.8


# allocations at MODEL


class Chain(mb.CustomSubsystem):
    """As many links as its MODEL-stage variable says; a longer chain also has a damping."""

    def realize_topology(self, state):
        self.count = state.allocate_discrete_variable(self, "count", 2.0, Stage.MODEL)

    def realize_model(self, state):
        n = int(state.get(self.count))
        state.allocate_z(self, [0.5] * n, "links")
        if n > 2:
            state.allocate_discrete_variable(self, "damping", 0.25, Stage.DYNAMICS)

    def realize_acceleration(self, state):
        links = state.handle(self, "links")
        damping = state.get(state.handle(self, "damping")) if state.get(self.count) > 2 else 1.0  # a plain value, which needs no where()
        state.set_rate(links, -damping * state.get(links))


def test_allocations_at_model_may_differ_between_states():
    system = System("chains")
    chain = Chain(system, "chain")
    short, long = system.realize_topology(), system.realize_topology()
    long.set(chain.count, 3.0)
    for state, expected in ((short, [-0.5, -0.5]), (long, [-0.125] * 3), (short, [-0.5, -0.5])):
        system.realize(state, Stage.ACCELERATION)
        assert_allclose(state.z_dot, expected)
    for name in ("links", "damping"):
        with pytest.raises(StateError, match=f"'{name}' is not a variable of this State: its handle was made for a State with other"):
            short.get(long.handle(chain, name))
    with pytest.raises(
        UnknownNameError, match=r"no variable or computed value of subsystem 'chain' is named 'linkz'. Did you mean 'links'"
    ):
        short.handle(chain, "linkz")


def test_storing_a_handle_of_realize_model_in_the_subsystem_is_an_error():
    class Keeper(mb.CustomSubsystem):
        def realize_model(self, state):
            self.charge = state.allocate_z(self, 0.5, "charge")

    class Collector(mb.CustomSubsystem):
        charges: list

        def realize_topology(self, state):
            self.charges = []

        def realize_model(self, state):
            self.charges.append(state.allocate_z(self, 0.5, "charge"))

    for kind, changed in ((Keeper, "charge"), (Collector, "charges")):
        system = System("s")
        kind(system, "keeper")
        with pytest.raises(StageError, match=rf"realize_model of subsystem 'keeper' \({kind.__name__}\) changes self.{changed}, but"):
            system.realize_topology()


def test_duplicate_names_are_refused():
    class Twice(mb.CustomSubsystem):
        def realize_topology(self, state):
            for _ in range(2):
                state.allocate_discrete_variable(self, "gain", 1.0, Stage.DYNAMICS)

    system = System("s")
    Twice(system, "twice")
    with pytest.raises(DuplicateNameError, match="'twice' has allocated two variables or computed values named 'gain'"):
        system.realize_topology()
    with pytest.raises(DuplicateNameError, match="the name 'twice' is taken by a Twice"):
        Twice(system, "twice")


# what a hook may read and set


class Scripted(mb.CustomSubsystem):
    """hooks: stage name -> function of (self, state)."""

    def __init__(self, system, name, hooks):
        self.hooks = hooks
        super().__init__(system, name)

    def realize_topology(self, state):
        self.gain = state.allocate_discrete_variable(self, "gain", 1.5, Stage.DYNAMICS)
        self.note = state.allocate_discrete_variable(self, "note", "some text", Stage.INSTANCE)
        self.found = state.allocate_cache_entry(self, "found", Stage.ACCELERATION, shape=(), computed_by=Stage.ACCELERATION)
        self.reported = state.allocate_cache_entry(self, "reported", Stage.REPORT, shape=(), computed_by=Stage.REPORT)

    def realize_model(self, state):
        state.allocate_q(self, [0.1, 0.2])
        state.allocate_u(self, [0.3])
        state.allocate_z(self, [0.4])


def scripted(recordable, **hooks):
    """A subsystem with the given hooks, and a State of its System, realized to MODEL."""
    defaults = {
        "velocity": lambda self, state: state.set_rate(state.handle(self, "q"), np.array([0.0, state.u[0]])),
        "acceleration": finish,
        "report": lambda self, state: state.set_cached(self.reported, 2 * state.cached(self.found)),
    }
    hooks = defaults | hooks
    methods = {HOOKS[Stage[name.upper()]]: (lambda self, state, hook=hook: hook(self, state)) for name, hook in hooks.items()}
    kind = type("Scripted", (Scripted,), {**methods, "recordable": recordable})
    system = System("scripted")
    subsystem = kind(system, "mine", hooks)
    return system, subsystem


def finish(self, state, found=0.5):
    state.set_cached(self.found, found)
    state.set_rate(state.handle(self, "u"), np.array([state.get(self.gain)]))
    state.set_rate(state.handle(self, "z"), np.array([1.0]))


def realized(system):
    state = system.realize_topology()
    state.time = 0.25
    system.realize(state)
    return state


def both(test):
    return pytest.mark.parametrize("recordable", [True, False], ids=["recorded", "as Python"])(test)


READS = {
    "a speed": ("position", lambda self, state: state.u[0], "'u' changes at VELOCITY, but only values known at POSITION may be read here"),
    "a coordinate": ("time", lambda self, state: state.q[1], "'q' changes at POSITION, but only values known at TIME may be read here"),
    "the time": ("instance", lambda self, state: state.time, "'time' changes at TIME, but only values known at INSTANCE may be read here"),
    "an auxiliary variable": (
        "velocity",
        lambda self, state: state.z[0],
        "'z' changes at DYNAMICS, but only values known at VELOCITY may be read here",
    ),
    "a discrete variable": (
        "position",
        lambda self, state: state.get(self.gain),
        "'gain' changes at DYNAMICS, but only values known at POSITION may be read here",
    ),
    "a computed value": (
        "dynamics",
        lambda self, state: state.cached(self.found),
        "'found' is computed at ACCELERATION, but only values known at DYNAMICS may be read here",
    ),
}


@both
@pytest.mark.parametrize(("stage", "read", "message"), READS.values(), ids=READS)
def test_a_hook_that_reads_later_stages_raises_an_error_with_value_and_both_stages(recordable, stage, read, message):
    system, _ = scripted(recordable, **{stage: read})
    with pytest.raises(StageError, match=rf"realize_{stage} of subsystem 'mine' \(Scripted\): {message}"):
        realized(system)


@both
def test_a_hook_may_set_only_values_of_its_subsystem_and_stage(recordable):
    system, _ = scripted(recordable, dynamics=lambda self, state: state.set_cached(self.found, 1.0))
    with pytest.raises(StageError, match=r"realize_dynamics .*: 'found' is computed at ACCELERATION, and cannot be set at DYNAMICS"):
        realized(system)
    system, _ = scripted(recordable, position=lambda self, state: state.set_rate(state.handle(self, "q"), [0.0, 0.0]))
    with pytest.raises(
        StageError, match=r"realize_position .*: the rate of 'q' can be set at stages VELOCITY to ACCELERATION, not at POSITION"
    ):
        realized(system)
    system, _ = scripted(recordable, acceleration=lambda self, state: state.set_rate(state.handle(self, "u"), [1.0, 2.0]))
    with pytest.raises(InputError, match=r"realize_acceleration .*: 'rate of u' has shape \(1,\), but a value of shape \(2,\) is set"):
        realized(system)
    system, other = scripted(recordable)
    system.realize_topology()
    thief = type("Thief", (mb.CustomSubsystem,), {"realize_report": lambda self, state: state.set_cached(other.reported, 1.0)})
    thief.recordable = recordable
    thief(system, "thief")
    with pytest.raises(StageError, match=r"realize_report of subsystem 'thief' \(Thief\): 'reported' belongs to another subsystem"):
        realized(system)


@both
def test_a_continuous_variable_without_a_rate_is_an_error(recordable):
    system, _ = scripted(recordable, acceleration=lambda self, state: state.set_cached(self.found, 1.0))
    with pytest.raises(StageError, match=r"'u' \(u\) of subsystem 'mine' has no rate"):
        realized(system)


def test_a_computed_value_that_its_hook_does_not_set_is_an_error():
    system, _ = scripted(True, report=lambda self, state: state.cached(self.found))
    with pytest.raises(RecordingError, match=r"realize_report of subsystem 'mine' \(Scripted\) sets nothing"):
        realized(system)
    system, _ = scripted(True)
    system.subsystems[0].__class__.realize_report = mb.CustomSubsystem.realize_report
    with pytest.raises(StageError, match=r"realize_report of subsystem 'mine' \(Scripted\) does not set 'reported'"):
        realized(system)


@both
def test_an_exception_in_a_hook_names_the_hook_and_the_time_and_leaves_the_state(recordable):
    system, _ = scripted(recordable, dynamics=lambda self, state: [][3])
    told = "while it was recorded" if recordable else "at time 0.25 s"
    with pytest.raises(ElementError, match=rf"realize_dynamics of subsystem 'mine' \(Scripted\) failed {told}: IndexError") as caught:
        realized(system)
    assert isinstance(caught.value.__cause__, IndexError)


def test_a_hook_that_fails_as_python_leaves_the_variables_and_the_stage_before():
    system, subsystem = scripted(False)
    state = realized(system)
    subsystem.__class__.realize_dynamics = lambda self, state: 1 / 0
    state.z = [0.9]
    before = state.to_bytes()
    state.layout.ways.clear()
    with pytest.raises(ElementError, match=r"at time 0.25 s: ZeroDivisionError"):
        system.realize(state)
    assert state.to_bytes() == before
    assert state.stage == Stage.VELOCITY


def test_a_hook_that_changes_its_subsystem_is_an_error():
    def count(self, state):
        self.calls = 1
        finish(self, state)

    system, _ = scripted(True, acceleration=count)
    with pytest.raises(StageError, match=r"realize_acceleration of subsystem 'mine' \(Scripted\) changes self.calls"):
        realized(system)


def test_objects_cannot_be_recorded_but_python_hooks_may_read_them():
    def by_note(self, state):
        finish(self, state, found=float(len(state.get(self.note))))

    system, subsystem = scripted(False, acceleration=by_note)
    assert realized(system).cached(subsystem.found) == len("some text")
    system, _ = scripted(True, acceleration=by_note)
    with pytest.raises(RecordingError, match=r"realize_acceleration .*: discrete variable 'note' is not numeric"):
        realized(system)


def test_systems_with_python_hooks_are_refused_by_name_in_native_export():
    system, _ = scripted(False)
    with pytest.raises(UnsupportedError, match="subsystem 'mine' computes in Python hooks"):
        generate(system)


def test_a_hook_may_read_what_an_earlier_subsystem_computed_at_its_stage_but_no_later_one():
    class First(mb.CustomSubsystem):
        other = None

        def realize_topology(self, state):
            self.speed = state.allocate_cache_entry(self, "speed", Stage.TIME, shape=(), computed_by=Stage.TIME)

        def realize_time(self, state):
            state.set_cached(self.speed, 2 * state.time if self.other is None else 3 * state.cached(self.other.speed))

    system = System("s")
    first, second = First(system, "first"), First(system, "second")
    second.other = first
    state = system.realize_topology()
    state.time = 0.5
    system.realize(state)
    assert state.cached(second.speed) == 3.0

    first.other, second.other = second, None
    system.invalidate_topology()
    with pytest.raises(StageError, match="'speed' is also computed at TIME and is not known yet"):
        system.realize_topology()


def test_a_recorded_hook_sets_the_next_value_of_an_auto_update_variable():
    class Counter(mb.CustomSubsystem):
        def realize_topology(self, state):
            self.count = state.allocate_auto_update_discrete_variable(self, "count", 0.0, Stage.TIME, update_depends_on=Stage.TIME)

        def realize_time(self, state):
            state.set_cached(self.count.update, state.get(self.count) + 1)

    system = System("s")
    counter = Counter(system, "counter")
    state = system.realize_topology()
    for expected in (1.0, 2.0, 3.0):
        system.realize(state)
        system.auto_update_discrete_variables(state)
        assert state.get(counter.count) == expected


def test_states_with_custom_subsystems_can_be_compared_copied_and_serialised():
    system, tank = tanks()
    state = system.realize_topology()
    state.z = [0.7, 0.8]
    state.set(tank.valve, 0.2)
    again = mb.State.from_bytes(system, state.to_bytes())
    assert again == state == state.copy()
    system.realize(again)
    system.realize(state)
    assert_allclose(again.y_dot, state.y_dot, rtol=0)
