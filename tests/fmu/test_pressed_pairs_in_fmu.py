"""FMUs and model files of compliant contacts whose points the runtime finds: a hull on a box, a box on terrain."""

from itertools import pairwise

import fmpy
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import mobod as mb
from mobod.contact import Box, ConvexMesh, HeightField
from mobod.cosim.fmu_file import FmuFile
from tests.fmu.stepped import start, walked_thrice

TIMES = 0.03 * np.arange(9)
HULL = ConvexMesh.hull_of(0.1 * np.array([[1, 1, -1], [1, -1, -1], [-1, 1, -1], [-1, -1, -1], [0.2, 0.1, 1]]))


@pytest.fixture(scope="module")
def scene():
    """A hull that falls on a box, which falls on hills."""
    system = mb.MultibodySystem("pile")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=9.81)
    x = 0.15 * np.arange(-3, 4)
    contacts = mb.ContactSet(matter, forces)
    material = mb.ContactMaterial(1e5, 0.5, 0.4, 0.3)
    hills = HeightField(0.02 * np.sin(9 * x)[:, None] * np.cos(7 * x)[None, :], spacing=0.15)
    contacts.add(matter.ground, hills, material=material, name="hills")
    cube = mb.MassProperties(1.0, [0, 0, 0], mb.Inertia.box(mass=1.0, size=[0.2] * 3))
    for name, shape, q in (("box", Box([0.1] * 3), [0.02, 0.01, 0.132]), ("hull", HULL, [0.03, 0.02, 0.345])):
        body = mb.Free(matter.ground, cube, name=name)
        contacts.add(body, shape, material=material, name=name)
        body.set_default_q([1, 0.1, 0.05, 0, *q])
    made = contacts.compliant(normal="linear", friction="stribeck", transition_speed=0.01)
    assert [each.name for each in made] == ["hills_box", "hills_hull", "box_hull"]
    return system, system.realize_topology()


@pytest.mark.parametrize("version", ["3.0", pytest.param("2.0", marks=pytest.mark.slow)])
def test_an_fmu_has_the_bits_of_a_stepped_run_and_goes_on_from_saved_states(version, scene, tmp_path):
    system, state = scene
    names = ["box.q", "hull.q", "hull.u", "hills_box.normal_force", "box_hull.contact_point"]
    export = {"state": state, "code": "interpreted", "reference": False, "fmi_version": version, "arrays": "scalars"}
    path = mb.export_fmu(system, tmp_path / "pile.fmu", outputs=names, **export)
    run = mb.Simulation(system, accuracy=1e-6, backend="interpreted").start(state)
    columns = run.variables(*names)
    rows = []
    with start(FmuFile(path), 1e-6) as instance:
        for time, after in pairwise(TIMES):
            instance.step(time, after - time)
            run.step_to(after)
            assert_array_equal(columns.get(), [instance.get(name) for name in columns.names])
            rows.append(columns.get().copy())
    first, again, elsewhere = walked_thrice(FmuFile(path), TIMES, 4, columns.names)
    assert_array_equal(first, again)
    assert_array_equal(first, elsewhere)
    options = {"output": columns.names[:14], "relative_tolerance": 1e-6, "output_interval": TIMES[1] / 10}
    by_exchange = fmpy.simulate_fmu(str(path), stop_time=TIMES[2], fmi_type="ModelExchange", **options)
    assert_allclose(list(by_exchange[-1])[1:], rows[1][:14], atol=2e-5)


def test_a_model_file_keeps_the_bits(scene, tmp_path):
    system, _ = scene
    mb.save_model(system, tmp_path / "pile.json")
    loaded = mb.load_model(tmp_path / "pile.json")
    finals = [mb.Simulation(each, backend="interpreted").run(each.realize_topology(), until=0.1).final_state for each in (system, loaded)]
    assert_array_equal(finals[0].y, finals[1].y)


def test_a_hull_that_rocks_on_a_box_does_not_chatter(scene):
    """With the largest energy of the patch, its side and its nearest point 21,700 steps were taken: forces jumped from one to the other."""
    system, state = scene
    assert mb.Simulation(system, accuracy=1e-8, backend="interpreted", max_steps=2000).run(state, until=0.19).steps < 1500
