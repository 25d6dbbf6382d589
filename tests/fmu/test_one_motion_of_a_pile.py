"""A pile magnifies one ulp: an FMU and a stepped run have the same bits, and orders of declaration differ as such starts do."""

from itertools import combinations

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.spatial.transform import Rotation

import mobod as mb
from mobod.cosim.fmu_file import FmuFile
from tests.fmu.stepped import start

STEPS = {"integrator": "velocity_level", "step": 1e-3}


def pile(order, nudge=0.0):
    """Boxes with the numbers in `order`, declared in this order, which fall on each other; nudge (m): how much higher box 1 starts."""
    system = mb.MultibodySystem("pile")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1], magnitude=9.81)
    boxes = {k: mb.Free(matter.ground, mb.MassProperties(1.0, [0, 0, 0], np.eye(3) * 0.004), name=f"b{k}") for k in order}
    shape = mb.contact.Box([0.1, 0.08, 0.05])
    for k in sorted(boxes):
        mb.RigidContact(matter.ground, mb.contact.HalfSpace(), boxes[k], shape, static_friction=0.4, name=f"floor{k}")
    for i, j in combinations(sorted(boxes), 2):
        mb.RigidContact(boxes[i], shape, boxes[j], shape, static_friction=0.4, name=f"pair{i}{j}")
    state = system.realize_topology()
    for k, box in boxes.items():
        turn = Rotation.from_euler("xyz", [0.1 * k, 0.05 * k, 0.2 * k]).as_quat(scalar_first=True)
        box.set_q(state, [*turn, 0.02 * k, 0.01 * k, 0.1 + 0.13 * k + nudge * (k == 1)])
        box.set_u(state, [0, 0.1, 0, 0.1, 0, 0])
    return system, state


def test_an_fmu_that_is_tuned_in_mid_run_has_the_bits_of_a_stepped_run_whose_ends_are_rounded_otherwise(tmp_path):
    """The importer adds its step to a product, the run multiplies."""
    system, state = pile((0, 1))
    size, tuned = 0.01, "floor0.static_friction"
    outputs, entries = ["b0.q", "b1.u"], [f"b0.q[{i + 1}]" for i in range(7)] + [f"b1.u[{i + 1}]" for i in range(6)]
    path = mb.export_fmu(system, tmp_path / "it.fmu", outputs=outputs, state=state, code="interpreted", reference=False, **STEPS)
    run = mb.Simulation(system, backend="interpreted", **STEPS).start(state)
    columns = run.variables(*outputs)
    with start(FmuFile(path), None) as instance:
        for number in range(30):
            if number in (10, 20):
                value = float(run[tuned]) * 1.05
                run.set(tuned, value)
                instance.set({tuned: value})
            instance.step(number * size, size)
            run.step_to((number + 1) * size)
            assert_array_equal([instance.get(name) for name in entries], columns.get())


@pytest.mark.slow
def test_the_order_of_declaration_moves_a_pile_no_more_than_one_ulp_does():
    def end(order, nudge=0.0):
        system, state = pile(order, nudge)
        results = mb.Simulation(system, backend="interpreted", **STEPS).run(state, until=0.5)
        return np.concatenate([results[f"b{k}.q"][-1] for k in range(4)])

    first = end((0, 1, 2, 3))
    ulp = np.spacing(0.23)
    of_ulps = max(np.abs(end((0, 1, 2, 3), count * ulp) - first).max() for count in (-2, -1, 1, 2, 3))
    of_orders = max(np.abs(end(order) - first).max() for order in ((3, 2, 1, 0), (1, 0, 3, 2), (2, 3, 0, 1)))
    assert of_orders <= 5 * of_ulps
    assert of_ulps <= 1e-2
