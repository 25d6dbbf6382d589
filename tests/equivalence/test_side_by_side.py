"""Calls of a sweep side by side, and chains in parts, give the bits of one call after another: with vectors of every width, and without."""

from pathlib import Path

import numpy as np
import pytest
from benchmarks.mechanisms import humanoid, in_mobod, pins, tree_of_33_dof

import mobod as mb
from mobod.compilation.calls.liveness import CallsKind
from mobod.compilation.native.native_model import NativeModel
from mobod.compilation.native.native_run import open_native
from mobod.compilation.source.model_source import generate, start_values
from mobod.laws.random_states import random_state
from mobod.runtime.integrators import FIXED_STEP_METHODS, METHODS
from mobod.runtime.simd import VARIABLE, available_simd
from mobod.simulate.projection import project_start
from tests.laws.limited_mechanisms import limited_tree
from tests.laws.mechanisms import random_mechanism

EXAMPLES = Path(__file__).parents[2] / "examples"
RK4 = {"integrator": "RK4", "step": 0.01}


def loops():
    system, state = in_mobod(pins(12, is_general=True), rods=3)
    project_start(system, state, 1e-8)
    return system, state


def random_tree(seed):
    system = random_mechanism(seed, n_bodies=9).system
    return system, random_state(system, np.random.default_rng(seed))


def twins_on_a_slider(n=9):
    """Arms of two pins each, some with springs and stops, on one slider."""
    system = mb.MultibodySystem("twins")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.7)
    mass = mb.MassProperties(1.3, [0.1, -0.4, 0.05], mb.Inertia.box(mass=1.3, size=[0.2, 0.8, 0.3]).shifted([0.1, -0.4, 0.05]))
    slider = mb.Slider(matter.ground, mass, name="slider")
    for i in range(n):
        upper = mb.Pin(slider, mass, X_PF=mb.Transform(p=[0.1 * i, 0.2, -0.03 * i]), name=f"upper{i}")
        lower = mb.Pin(upper, mass, X_PF=mb.Transform(p=[0, -0.8, 0.1]), name=f"lower{i}")
        mb.MobilityLinearSpring(forces, lower, stiffness=3.0 + i, q_zero=0.2, name=f"spring{i}")
        mb.MobilityLinearDamper(forces, upper, damping=0.2 + 0.1 * i, name=f"damper{i}")
    lower.set_limits(-0.4, 0.7, restitution=0.3)
    state = system.realize_topology()
    rng = np.random.default_rng(5)
    state.q, state.u = rng.uniform(-0.3, 0.6, len(state.q)), rng.normal(size=len(state.u))
    return system, state


def from_urdf(name):
    system = mb.load_urdf(EXAMPLES / name, friction="ignore")
    state = system.realize_topology()
    state.u = np.random.default_rng(3).normal(scale=0.3, size=len(state.u))
    return system, state


def bits(system, state, simd, monkeypatch, *, until, **options):
    """The rates of a State, and a run, with these instructions."""
    monkeypatch.setenv(VARIABLE, simd)
    with open_native(NativeModel(generate(system, state, calls_back=True)), start_values(state), 1e-6) as run:
        rates = run.rates(state.time, np.array(state.y)).tobytes()
    results = mb.Simulation(system, backend="compiled", **options).run(state, until, 0.1)
    return rates, results.time.tobytes(), results.y.tobytes()


def assert_same_bits(instructions, system, state, monkeypatch, *, until=1.0, **options):
    """instructions: those that are compared with the same run without vectors."""
    alone = bits(system, state, "none", monkeypatch, until=until, **options)
    for simd in instructions:
        assert bits(system, state, simd.name, monkeypatch, until=until, **options) == alone, simd.name


def names_in_groups(system, state):
    """The names of the kinds with calls side by side."""
    return {each.kind.kind.name for each in generate(system, state).called(4) if isinstance(each, CallsKind)}


def test_calls_of_a_tree_are_in_groups():
    names = names_in_groups(*in_mobod(tree_of_33_dof()))
    assert {"position_pinequations", "velocity_pinequations", "articulated_inertia", "force", "acceleration", "weight"} <= names
    assert not any("part" in name for name in names)


def test_a_chain_is_done_in_parts():
    names = names_in_groups(*in_mobod(pins(12, is_general=True)))
    assert {"part_early_position_pinequations", "part_late_position_pinequations", "part_late_velocity_pinequations", "weight"} <= names
    assert not any("core" in name or "articulated" in name for name in names)


def test_a_small_mechanism_has_no_groups():
    assert not names_in_groups(*in_mobod(pins(3, is_general=True)))


@pytest.mark.slow
def test_a_tree_has_the_bits_of_calls_alone(monkeypatch):
    assert_same_bits(available_simd()[:1], *twins_on_a_slider(), monkeypatch, until=0.3, **RK4)


@pytest.mark.slow
def test_a_chain_with_loops_has_the_bits_of_calls_alone(monkeypatch):
    assert_same_bits(available_simd(), *loops(), monkeypatch, until=0.3, **RK4)


@pytest.mark.slow
def test_a_chain_in_parts_meets_limits(monkeypatch):
    """The search for the time of a contact computes the calls before its witness whole, and needs their tangents."""
    system, _ = in_mobod(pins(8, is_general=True))
    tip = system.matter.bodies[-1]
    tip.set_limits(-0.2, 0.2, restitution=0.5)
    state = system.realize_topology()
    tip.set_u(state, 3.0)
    assert any("part" in name for name in names_in_groups(system, state))
    results = mb.Simulation(system, backend="compiled").run(state, 0.2)
    assert np.diff(np.sign(results[f"{tip.name}.u"])).any()  # thrown back
    assert_same_bits(available_simd()[:1], system, state, monkeypatch, until=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("integrator", [*METHODS, *FIXED_STEP_METHODS])
def test_steps_of_all_methods_have_the_same_bits(integrator, monkeypatch):
    options = {"step": 0.01} if integrator in FIXED_STEP_METHODS else {}
    assert_same_bits(available_simd()[:1], *in_mobod(pins(8, is_general=True)), monkeypatch, until=0.2, integrator=integrator, **options)


@pytest.mark.slow
@pytest.mark.parametrize(
    "make",
    [
        lambda: in_mobod(humanoid()),
        lambda: in_mobod(tree_of_33_dof()),
        lambda: in_mobod(pins(30, is_general=False)),
        lambda: in_mobod(pins(7, is_general=True)),
        loops,
        twins_on_a_slider,
        lambda: random_tree(11),
        lambda: random_tree(12),
        lambda: limited_tree(3, with_rods=True),
        lambda: from_urdf("humanoid.urdf"),
        lambda: from_urdf("arm.urdf"),
    ],
    ids=["humanoid", "tree", "30 pins", "7 pins", "loops", "twins", "random 11", "random 12", "limits", "humanoid.urdf", "arm.urdf"],
)
def test_a_second_of_ten_mechanisms(make, monkeypatch):
    assert_same_bits(available_simd(), *make(), monkeypatch)
