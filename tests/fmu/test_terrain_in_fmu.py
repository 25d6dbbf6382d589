"""FMUs and model files of bodies on height fields and meshes: the bits of a stepped run, and pages that draw the ground."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import mobod as mb
from mobod.contact import Box, Capsule, HeightField, TerrainMesh
from mobod.cosim.fmu_file import FmuFile
from mobod.scene import make_scene
from tests.analytic.scenes_of_shapes import STEP, Scene, rotation
from tests.fmu.stepped import start, walked_thrice

TIMES = 0.05 * np.arange(9)
STEPS = {"integrator": "velocity_level", "step": STEP}
SHOWN = ["hills_body0.n_points", "hills_body0.distance", "mesh_body1.normal_force", "mesh_body1.contact_point"]


@pytest.fixture(scope="module")
def scene_and_state():
    """A box that falls on a height field, and a capsule on a mesh beside it."""
    field = HeightField(0.05 * np.random.default_rng(2).random((6, 7)), (0.2, 0.15))
    scene = Scene()
    scene.fix(field, [0, 0, 0], name="hills")
    scene.fix(TerrainMesh(field.vertices, field.faces), [5, 0, 0], name="mesh")
    scene.add(Box([0.1, 0.08, 0.06]), [0.03, 0.02, 0.15], u=[1, 2, 0.5, 0.3, 0, 0])
    scene.add(Capsule(0.05, 0.1), [5.03, 0.02, 0.15], rotation("x", 1.4), inertia=np.diag([0.01, 0.012, 0.003]), u=[0, 0, 2, 0, 0.3, 0])
    scene.shapes.exclude(*scene.bodies)
    return scene, scene.begin()


@pytest.mark.parametrize("version", ["2.0", pytest.param("3.0", marks=pytest.mark.slow)])
def test_an_fmu_on_terrain_has_the_bits_of_a_stepped_run_and_goes_on_from_saved_states(version, scene_and_state, tmp_path):
    scene, state = scene_and_state
    names = ["body0.q", "body1.q", "body0.u", *SHOWN]
    export = {"state": state, "code": "interpreted", "reference": False, "fmi_version": version, "arrays": "scalars"}
    path = mb.export_fmu(scene.system, tmp_path / "hills.fmu", outputs=names, **export, **STEPS)
    run = mb.Simulation(scene.system, backend="interpreted", **STEPS).start(state)
    columns = run.variables(*names)

    with start(FmuFile(path), 1e-8) as instance:
        for time, after in pairwise(TIMES):
            instance.step(time, after - time)
            run.step_to(after)
            assert_array_equal(columns.get(), [instance.get(name) for name in columns.names])
    first, again, elsewhere = walked_thrice(FmuFile(path), TIMES, 4, columns.names)
    assert_array_equal(first, again)
    assert_array_equal(first, elsewhere)


@pytest.mark.slow
def test_compiled_terrain_has_the_bits_of_interpreted_terrain(scene_and_state, tmp_path):
    scene, state = scene_and_state
    rows = []
    for code in ("interpreted", "compiled"):
        path = mb.export_fmu(
            scene.system, tmp_path / f"{code}.fmu", outputs=["body0.q"], state=state, code=code, reference=False, arrays="scalars", **STEPS
        )
        with start(FmuFile(path)) as instance:
            for time, after in pairwise(TIMES):
                instance.step(time, after - time)
            rows.append([instance.get(f"body0.q[{i}]") for i in range(1, 8)])
    assert_array_equal(*rows)


def test_a_model_file_has_the_terrain(scene_and_state, tmp_path):
    scene, state = scene_and_state
    mb.save_model(scene.system, tmp_path / "hills.json")
    read = mb.load_model(tmp_path / "hills.json")
    given, found = (
        {each.name: (each.shape1, each.shape2) for each in system.matter.constraints if isinstance(each, mb.RigidContact)}
        for system in (scene.system, read)
    )
    assert found == given
    again = read.realize_topology()
    again.y = state.y
    ends = [
        mb.Simulation(system, backend="interpreted", **STEPS).run(at, 0.2).final_state
        for system, at in ((scene.system, state), (read, again))
    ]
    assert_array_equal(*(each.y for each in ends))


def test_pages_draw_terrain_as_a_mesh(scene_and_state):
    scene, state = scene_and_state
    scene.system.realize(state, mb.Stage.VELOCITY)
    drawn = [each.geometry for body in make_scene(scene.system, state).bodies for each in body.shapes]
    counts = {len(each.faces) for each in drawn if isinstance(each, mb.decorations.Mesh)}
    assert 2 * 5 * 6 in counts
