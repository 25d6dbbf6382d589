"""A coupling with limits in an FMU, in the tree and closing a loop: impacts, rest and release are those of the Simulation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.cosim import FmuFile
from mobod.cosim.saved_state import SavedState
from mobod.spatial import from_body_xyz
from tests.fmu.stepped import start, walk
from tests.reference.stops import read, slotted_hinge

PARAMS = read("exact_custom_joint_demo_e0")["params"]
TIMES = np.linspace(0, 2.0, 41)  # an impact that throws off at 0.64 s, one on which it rests at 1.19 s, and its release at 1.77 s
SHOWN = ("engaged", "force", "distance", "impulse")


def demo(way):
    """The custom joint demo of the seed's guide; (system, state, names of what is watched)."""
    _, hinge = slotted_hinge(PARAMS)
    system = mb.MultibodySystem(way)
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[*PARAMS["gravity_D"], 0.0], magnitude=float(np.linalg.norm(PARAMS["gravity_D"])))
    coupling = mb.SlottedHingeCoupling(tuple(PARAMS["x_range"]))
    x, theta = PARAMS["q0"]
    if way == "mobilizer":
        body = mb.CouplingJoint(coupling, hinge.body, matter.ground, X_AC=hinge.X_BM, name="slot")
        body.set_default_q([x, theta])
        names = [f"slot.limit_0.{name}" for name in SHOWN]
    else:
        body = mb.Free(matter.ground, hinge.body, name="board")
        mb.CouplingJoint(coupling, body, matter.ground, X_AC=hinge.X_BM, name="slot")
        names = [f"slot.limits.{name}[{row}]" for name in SHOWN for row in (1, 2)]
    mb.BodyDamping(forces, body, angular_damping=PARAMS["rotaryDamping"], linear_damping=PARAMS["frameDamping"])
    state = system.realize_topology()
    if way == "loop":
        X_GC = mb.Transform(from_body_xyz([0, 0, theta]), np.array([x, 0, 0]))
        body.set_q_to_fit_transform(state, X_GC @ hinge.X_BM.inverse())
    positions = [f"{body.name}.p_GB[{i}]" for i in (1, 2)]
    return system, state, positions, names


def base(name):
    return name.partition("[")[0]


def expected_of(system, state, names, accuracy):
    """(rows at TIMES behind the first, results)"""
    results = mb.Simulation(system, accuracy=accuracy, integrator="RK45").run(state, until=TIMES[-1], report_every=TIMES[1])
    columns = []
    for name in names:
        values = results[base(name)]
        columns.append(values[:, int(name[-2]) - 1] if "[" in name else values)
    return np.transpose(columns)[1:], results


@pytest.mark.parametrize(("way", "kind"), [("mobilizer", "python"), ("loop", "native")])
def test_impacts_rest_and_release_are_those_of_the_simulation(way, kind, tmp_path):
    system, state, positions, shown = demo(way)
    names = [*positions, *shown]
    outputs = sorted({base(name) for name in names})
    fmu = FmuFile(mb.export_fmu(system, tmp_path / "slot.fmu", kind=kind, outputs=outputs, state=state))
    expected, results = expected_of(system, state, names, accuracy=1e-11)

    with start(fmu, 1e-11) as instance:
        found = walk(instance, TIMES, names)

    assert [event.direction for event in results.events] == [-1, -1, 1]
    engaged = ["engaged" in name for name in names]
    assert_array_equal(found[:, engaged], expected[:, engaged])
    assert set(expected[:, engaged].ravel()) == {0, 1}
    impulses = expected[:, ["impulse" in name for name in names]]
    assert len({tuple(row) for row in impulses.round(3)}) == 3  # before, between and after the two impacts: an event missed shows here
    sizes = np.abs(expected).max(axis=0)
    sizes[sizes == 0] = 1  # of a row that is never held when it is looked at
    assert_allclose(found / sizes, expected / sizes, rtol=0, atol=1e-9)  # 100 times the accuracy


@pytest.mark.parametrize("way", ["mobilizer", "loop"])
def test_a_saved_state_knows_the_impulses_and_what_is_held(way, tmp_path):
    system, state, positions, shown = demo(way)
    names = [*positions, *shown]
    fmu = FmuFile(mb.export_fmu(system, tmp_path / "slot.fmu", outputs=sorted({base(name) for name in names}), state=state))
    at_rest = 28  # 1.4 s
    with start(fmu, 1e-9) as instance:
        before = walk(instance, TIMES[: at_rest + 1], names)[-1]
        with SavedState.of(instance) as saved:
            data = saved.to_bytes()
            after = walk(instance, TIMES[at_rest:], names)
    with start(fmu, 1e-9) as another:
        SavedState.from_bytes(another, data, TIMES[at_rest]).restore()
        restored = [another.get(name) for name in names]
        again = walk(another, TIMES[at_rest:], names)

    assert max(before[["impulse" in name for name in names]]) > 100  # N s
    assert_array_equal(restored, before)
    assert_array_equal(again, after)
