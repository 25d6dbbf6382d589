"""Pages of flexible bodies in headless Chromium: recorded runs and models that run in the page deform the drawn surfaces."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.scene import make_scene
from mobod.scene.modal_mesh import ModalMesh
from mobod.viewer.live_page import live_page
from mobod.viewer.run_page import run_page
from tests.flexible.bodies import beam_modal
from tests.view.test_pages_in_chromium import picture_of, watched

VERTICES = "page.stage.deforming.map((each) => [...each.object.geometry.attributes.position.array])"
COLORS = "new Set(Array.from(page.stage.deforming[0].object.geometry.attributes.color.array).map((each) => each.toFixed(3))).size"


@pytest.fixture(scope="module", params=["y", "z"])
def results(request):
    """A beam that swings about its root, with a load at its tip; up is y or z."""
    system = mb.MultibodySystem("swing")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=-np.eye(3)["xyz".index(request.param)], magnitude=9.81)
    turned = mb.Transform(np.eye(3) if request.param == "y" else np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]]))
    arm = mb.Pin(matter.ground, mb.FlexibleBody(beam_modal(0.8, 4, 2), damping_ratio=0.02), X_PF=turned, name="arm")
    mb.Weld(arm.interface("end"), mb.MassProperties.point(2.0, [0, 0, 0]), name="load")
    return mb.Simulation(system, backend="interpreted").run(system.realize_topology(), until=0.2, report_every=0.02)


def deformed(state):
    """The vertices of the drawn arm, in its frame, of a State."""
    meshes = [
        (shape.geometry, body)
        for body in make_scene(state.system, state).bodies
        for shape in body.shapes
        if isinstance(shape.geometry, ModalMesh)
    ]
    return np.concatenate([np.ravel(mesh.deformed([each.start for each in body.q]).vertices) for mesh, body in meshes])


def test_a_page_of_a_run_deforms_the_body_as_the_run(results):
    with watched(run_page(results)) as opened:
        for number, state in enumerate(results.states()):
            if number in (0, 4, 10):
                opened.evaluate("time => { page.seek(time); page.draw(); }", state.time)
                found = np.ravel(opened.evaluate(VERTICES))
                assert_allclose(found, deformed(state), atol=1e-6)  # single precision, and that of the tracks
        assert opened.evaluate(COLORS) > 10
        assert picture_of(opened) > 50
        opened.get_by_role("button", name="Parts").click()
        opened.get_by_label("Colours by deflection").uncheck()
        opened.evaluate("page.draw()")
        assert opened.evaluate(COLORS) <= 3  # red, green and blue of one colour


@pytest.mark.slow  # the same path in the page; the model in it has a test for rigid bodies
def test_a_live_page_deforms_the_body_as_a_simulation(results):
    run = mb.Simulation(results.system, backend="interpreted").start(results.system.realize_topology())
    for _ in range(20):
        run.step(0.01)
    with watched(live_page(results.system)) as opened:
        opened.evaluate("""() => { page.run.isPlaying = false; page.run.reset(false);
            for (let i = 0; i < 20; i++) page.run.model.advance(0.01); page.draw(); }""")
        assert_allclose(np.ravel(opened.evaluate(VERTICES)), deformed(run.state), atol=1e-6)
