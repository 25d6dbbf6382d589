"""What runs keep for the next run of the same System: no number of a run depends on the runs before it."""

import gc
import pickle
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import mobod as mb
from mobod.errors import MobodError
from mobod.runtime.library import ffi
from mobod.simulate.native_model import native_model
from mobod.simulate.velocity_level.tolerances import row_tolerances
from tests.reference.stops import bouncing_ball

UNTIL = 0.6  # s, after an impact on the stop
AT_VELOCITY_LEVEL = {"integrator": "velocity_level", "step": 0.01}
OPTIONS = [{}, AT_VELOCITY_LEVEL, {"integrator": "Rodas5P"}, {"integrator": "RK4", "step": 0.01}]


class Arm:
    """A crank with a motor, a rod that closes a loop, and a pendulum with a stop and friction in its joint."""

    def __init__(self, length=0.7):
        self.system = mb.MultibodySystem("arm")
        matter = mb.MatterSubsystem(self.system)
        forces = self.forces = mb.ForceSubsystem(self.system)
        mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.81)
        bar = mb.MassProperties(1.3, [0.3, 0.1, 0], np.diag([0.2, 0.3, 0.4]))
        self.crank = mb.Pin(matter.ground, bar, name="crank")
        self.rocker = mb.Pin(matter.ground, bar, X_PF=mb.Transform(p=[1.1, 0, 0]), name="rocker")
        self.hand = mb.Pin(self.crank, bar, X_PF=mb.Transform(p=[0.6, 0, 0]), name="hand")
        mb.Rod(self.crank, [0.6, 0, 0], self.rocker, [0.5, 0, 0], length, name="rod")
        self.hand.set_limits(-0.4, 1.0, 0.3)
        self.motor = mb.MobilityForce(forces, self.crank, name="motor")

    def start(self, angle=0.9, force=0.4):
        state = self.system.realize_topology()
        self.crank.set_q(state, angle)
        self.rocker.set_q(state, 1.3)
        self.hand.set_q(state, 0.2)
        self.hand.set_u(state, -1.5)
        self.motor.set_force(state, force)
        return mb.Assembler(self.system).assemble(state)


def run(system, state, **options):
    return mb.Simulation(system, backend="interpreted", **options).run(state, UNTIL, report_every=0.1)


def numbers(results):
    final = results.final_state
    return results.y.tobytes(), final.values[final.layout.discrete.slice].tobytes(), results.steps, str(results.events)


def alone(angle=0.9, force=0.4, length=0.7, **options):
    """The numbers of the first run of a new System."""
    arm = Arm(length)
    return numbers(run(arm.system, arm.start(angle, force), **options))


@pytest.mark.fast(2)
@pytest.mark.parametrize("options", OPTIONS)
def test_a_run_has_the_numbers_of_a_first_run_after_runs_of_other_states_parameters_and_options(options):
    arm = Arm()
    for angle, force, others in ((0.9, 0.4, options), (0.7, 0.4, options), (0.9, 3.0, options), (0.9, 0.4, {"accuracy": 1e-4})):
        run(arm.system, arm.start(angle, force), **others)

    assert numbers(run(arm.system, arm.start(), **options)) == alone(**options)
    assert numbers(run(arm.system, arm.start(0.7), **options)) == alone(0.7, **options)
    assert numbers(run(arm.system, arm.start(force=3.0), **options)) == alone(force=3.0, **options)


@pytest.mark.parametrize("changed", [{"accuracy": 1e-5}, {"max_step": 0.02}, {"length_scale": 30.0}, {"integrator": "RK23"}])
def test_each_changed_option_takes_effect_in_the_next_run(changed):
    arm = Arm()
    before = numbers(run(arm.system, arm.start()))

    after = numbers(run(arm.system, arm.start(), **changed))

    assert after == alone(**changed)
    assert after != before


def test_options_that_are_set_between_two_runs_of_a_simulation_take_effect():
    arm = Arm()
    simulation = mb.Simulation(arm.system, backend="interpreted")
    simulation.run(arm.start(), UNTIL, report_every=0.1)
    simulation.accuracy = 1e-4

    results = simulation.run(arm.start(), UNTIL, report_every=0.1)

    assert numbers(results) == alone(accuracy=1e-4, constraint_tolerance=1e-8)


@pytest.mark.parametrize("options", [{}, AT_VELOCITY_LEVEL])
def test_a_changed_topology_takes_effect_in_the_next_run(options):
    arm, longer = Arm(), Arm()
    run(longer.system, longer.start(), **options)
    for each in (arm, longer):
        mb.MobilityLinearSpring(each.forces, each.hand, stiffness=20.0, q_zero=0.3)

    after, expected = (numbers(run(each.system, each.start(), **options)) for each in (longer, arm))

    assert after == expected
    assert after != alone(**options)


def test_a_copy_of_a_state_keeps_no_computed_number_and_computes_the_same_ones():
    arm = Arm()
    state = mb.Simulation(arm.system, backend="interpreted").run(arm.start(), UNTIL).final_state  # the stop has been hit
    arm.system.realize(state, mb.Stage.REPORT)
    layout = state.layout
    is_kept = np.zeros(layout.size, dtype=bool)
    is_kept[: 1 + layout.n_y] = is_kept[layout.discrete.slice] = is_kept[list(layout.constants)] = True

    copy = state.copy()

    assert copy == state
    assert np.all(copy.values[~is_kept] == 0)
    assert np.any(state.values[~is_kept] != 0)
    arm.system.realize(copy, mb.Stage.REPORT)
    computed = np.ones(layout.size, dtype=bool)
    computed[layout.temporary] = False
    assert copy.values[computed].tobytes() == state.values[computed].tobytes()


def test_a_simulation_takes_the_scales_of_a_system_whose_topology_has_changed():
    arm = Arm()
    simulation = mb.Simulation(arm.system)
    before = simulation.options.scales
    mb.Slider(arm.system.matter.ground, mb.MassProperties(50.0, [0.3, 0.1, 0], np.diag([20.0, 30.0, 40.0])))

    after = simulation.options.scales

    assert after == mb.Simulation(arm.system).options.scales
    assert after.mass > 2 * before.mass


@pytest.mark.parametrize("unit", ["m", "rad"])
def test_a_changed_tolerance_of_contacts_takes_effect_in_the_next_run(unit):
    if unit == "m":
        system, body = bouncing_ball(1.2, 9.81, 0.5)
    else:
        arm = Arm()
        system, body = arm.system, arm.hand
    of_system = {"m": "penetration_tol", "rad": "rotary_limit_tol"}[unit]
    found = [row_tolerances(system)[0]]
    if unit == "m":
        body.set_default_q(3.0)  # a larger box
        found.append(row_tolerances(system)[0])
    setattr(system, of_system, 3e-3)
    found.append(row_tolerances(system)[0])
    body.limits[0].tolerance = 5e-3
    found.append(row_tolerances(system)[0])

    assert found[-2:] == [3e-3, 5e-3]
    assert len(set(found)) == len(found)


def test_a_run_after_one_that_failed_has_the_numbers_of_a_first_run():
    arm = Arm()
    for _ in range(2):
        with pytest.raises(MobodError, match="steps were tried"):
            mb.Simulation(arm.system, backend="interpreted", max_steps=5).run(arm.start(), UNTIL)

    assert numbers(run(arm.system, arm.start())) == alone()


def test_runs_in_threads_at_the_same_time_have_the_numbers_of_first_runs():
    arm = Arm()
    starts = [arm.start(angle) for angle in (0.9, 0.8, 0.7, 0.6)]
    one_after_another = [numbers(run(arm.system, each)) for each in starts]

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda each: numbers(run(arm.system, each)), starts * 3))

    assert together == one_after_another * 3


def addresses(kept):
    return {int(ffi.cast("intptr_t", each.in_c)) for each in kept}


def test_memory_of_ended_runs_is_bounded_used_again_and_freed_with_the_system():
    arm = Arm()
    state = arm.start()
    for accuracy in (1e-4, 1e-5, 1e-6, 1e-4, 1e-5, 1e-6):
        run(arm.system, state, accuracy=accuracy)
    simulation = mb.Simulation(arm.system, backend="interpreted", accuracy=1e-6)
    kept = native_model(arm.system, state, "interpreted", simulation.scales).idle._kept
    before = addresses(kept)

    simulation.run(state, UNTIL, report_every=0.1)

    assert len(before) == 4  # the bound
    assert addresses(kept) == before
    model = weakref.ref(native_model(arm.system, state, "interpreted"))
    del arm, state, simulation, kept
    gc.collect()
    assert model() is None


def test_a_snapshot_keeps_the_values_of_its_time_and_can_be_pickled():
    arm = Arm()
    state = arm.start(force=0.4)
    snapshot = state.snapshot()
    copied = pickle.loads(pickle.dumps(snapshot))
    arm.motor.set_force(state, 9.0)

    assert not snapshot.is_same(state.snapshot())
    assert copied.is_same(snapshot)
    state.take(snapshot)
    assert arm.motor.force(state) == 0.4
