"""Flexible bodies in scenes, drawings and pages: surfaces, deformed as the frames of the body, and modes that vibrate."""

import json
import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

import mobod as mb
from mobod.errors import InputError
from mobod.flexible import surface as surfaces
from mobod.flexible.surface import outline_of_section, surface_of_interfaces, surface_of_nodes
from mobod.scene import make_scene
from mobod.scene.drawing import draw
from mobod.scene.modal_mesh import ModalMesh, deformed_scene
from mobod.scene.poses import poses, poses_over_time
from mobod.simulate.table import Table
from mobod.system import Stage
from mobod.viewer.mode_page import mode_page
from mobod.viewer.run_page import state_page
from mobod.viewer.table_page import table_page
from tests.flexible.bodies import beam_modal

ALUMINIUM = mb.Material(E=7e10, nu=0.3, density=2700)


def volume(surface):
    a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
    return np.einsum("ij,ij->", a, np.cross(b, c)) / 6


@pytest.mark.parametrize("axis", "xyz")
def test_a_beam_is_drawn_as_its_section_along_its_axis(axis):
    modal = mb.FlexibleBeam(1.5, mb.Section.rectangle(0.05, 0.02), ALUMINIUM, modes=3, axis=axis).modal
    k = "xyz".index(axis)
    assert_allclose(np.ptp(modal.surface.vertices, axis=0)[[k, (k + 1) % 3, (k + 2) % 3]], [1.5, 0.05, 0.02], rtol=1e-12)
    assert_allclose(volume(modal.surface), 1.5 * 0.05 * 0.02, rtol=1e-12)  # positive: all faces are seen from outside
    at_end = modal.surface.shapes[modal.surface.vertices[:, k] > 1.5 - 1e-9]
    assert_allclose(at_end.mean(axis=0), modal.interfaces["end"].shapes[3:], atol=1e-12)


def test_sections_have_the_outlines_of_their_moments():
    assert_allclose(np.abs(outline_of_section(mb.Section.rectangle(0.05, 0.02))).max(axis=0), [0, 0.025, 0.01], rtol=1e-12)
    for section, radius in ((mb.Section.circle(0.03), 0.03), (mb.Section.tube(0.04, 0.03), 0.04)):
        assert_allclose(np.linalg.norm(outline_of_section(section), axis=1), radius, rtol=1e-12)
    assert len(outline_of_section(mb.Section.rectangle(0.03, 0.03))) == 4  # a square has equal moments, but is no circle


def test_interfaces_alone_are_joined_by_tubes_that_bend_as_beams():
    """Of a beam with its static shapes: displacements of the middle line are those of its nodes, by one cubic, exactly."""
    M_K_nodes = beam_modal(elements=2, modes=6)
    tube = surface_of_interfaces(M_K_nodes.interfaces["start"], [M_K_nodes.interfaces["end"]])
    assert volume(tube) > 0
    ends = tube.shapes.reshape(9, 8, 3, -1)[-1]
    rigid, arms = M_K_nodes.interfaces["end"].shapes, tube.vertices.reshape(9, 8, 3)[-1] - M_K_nodes.interfaces["end"].X.p
    assert_allclose(ends, [rigid[3:] + np.cross(rigid[:3].T, arm).T for arm in arms], atol=1e-12 * np.abs(rigid).max())
    assert_allclose(tube.shapes.reshape(9, 8, 3, -1)[0], 0, atol=1e-15)
    middle = tube.shapes.reshape(9, 8, 3, -1)[4].mean(axis=0)
    L = M_K_nodes.interfaces["end"].X.p[0]
    wanted = [rigid[3] / 2, rigid[4] / 2 - L * rigid[2] / 8, rigid[5] / 2 + L * rigid[1] / 8]  # Hermite's cubic
    assert_allclose(middle, wanted, atol=1e-12)


def test_large_surfaces_are_drawn_with_fewer_vertices(monkeypatch):
    monkeypatch.setattr(surfaces, "MOST_VERTICES", 150)
    side = np.linspace(0, 1, 40)
    nodes = np.array([[x, y, 0.1 * x * y] for x in side for y in side])
    at = np.arange(39 * 39) // 39 * 40 + np.arange(39 * 39) % 39
    faces = np.concatenate([np.stack([at, at + 40, at + 41], 1), np.stack([at, at + 41, at + 1], 1)])
    shapes = np.stack([nodes, 2 * nodes], axis=2)
    found = surface_of_nodes(nodes, shapes, faces)
    assert 40 < len(found.vertices) <= 150
    assert_allclose(found.shapes[:, :, 1], 2 * found.vertices)
    a, b, c = (found.vertices[found.faces[:, k], :2] for k in range(3))
    areas = np.cross(b - a, c - a) / 2 if a.shape[1] == 3 else ((b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]) / 2
    assert 0.8 < areas.sum() <= 1  # of the unit square; cells at the edge are lost


@pytest.fixture(scope="module")
def crane():
    """(system, state, mast, arm): two beams that bend, z up, an axis of the arm that is no axis of the mast."""
    system = mb.MultibodySystem("crane")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, 0, -1], magnitude=9.81)
    tube, flat = mb.Section.tube(0.02, 0.015), mb.Section.rectangle(0.04, 0.006)
    up = mb.FlexibleBody(mb.FlexibleBeam(1.0, tube, ALUMINIUM, modes=2, axis="z").modal)  # of constant inertia: 24 frames less
    mast = mb.Weld(matter.ground, up, name="mast", X_PF=mb.Transform(p=[0.2, 0.1, 0]))
    arm = mb.Pin(mast.interface("end"), mb.FlexibleBody(beam_modal(0.8, 6, 3)), name="arm")
    mb.Weld(arm.interface("end"), mb.MassProperties.point(1.0, [0, 0, 0]), name="load")
    mb.Weld(mast.interface("end"), mb.FlexibleBody(mb.FlexibleBeam(0.3, flat, ALUMINIUM, modes=1).modal), name="flag")
    state = system.realize_topology()
    arm.set_q(state, 0.7)
    mast.set_eta(state, [0.02, -0.01])
    arm.set_eta(state, [0.05, -0.02, 0.01])
    system.realize(state, Stage.POSITION)
    return system, state, mast, arm


def meshes_of(scene):
    return {body.name: (shape, body) for body in scene.bodies for shape in body.shapes if isinstance(shape.geometry, ModalMesh)}


def test_drawn_surfaces_follow_the_interfaces_of_the_body(crane):
    """The middle of the drawn end is where the interface is: to the second order of a beam's displacement, here 1e-3 of its length."""
    system, state, mast, arm = crane
    scene = make_scene(system, state)
    found = meshes_of(scene)
    assert set(found) == {"mast.modes", "arm.modes", "flag.modes"}
    placed = poses(scene.to_data())
    for body, X in zip(crane[0].matter.bodies, placed[1:], strict=True):  # of all frames: what a viewer of an FMU's results places
        assert_allclose(X.p, body.X_GB(state).p, atol=1e-12)
        assert_allclose(X.R, body.X_GB(state).R, atol=1e-12)
    for body, stations, tolerance in ((mast, 25, 1e-3), (arm, 9, 1e-6)):
        shape, drawn = found[f"{body.name}.modes"]
        mesh = shape.geometry.deformed([each.start for each in drawn.q])
        X = placed[scene.bodies.index(drawn)] @ shape.X
        corners = np.array(mesh.vertices).reshape(stations, -1, 3)
        for station, name in ((0, "start"), (-1, "end")):
            assert_allclose(X.apply(corners[station].mean(axis=0)), body.interface(name).X_GB(state).p, atol=tolerance)


def test_parts_of_flexible_bodies_have_no_shapes_of_joints_and_masses(crane):
    scene = make_scene(crane[0], crane[1])
    of_frames = [body for body in scene.bodies if re.fullmatch(r"(mast|arm|flag)\.(mean_axes|point\d+)", body.name)]
    assert len(of_frames) == 3
    assert all(not body.shapes for body in of_frames)
    assert {shape.role for body in scene.bodies for shape in body.shapes if body.name == "arm"} <= {"axis"}


def test_a_body_with_decorations_is_drawn_by_them_alone():
    system = mb.MultibodySystem("decorated")
    matter = mb.MatterSubsystem(system)
    body = mb.Weld(matter.ground, mb.FlexibleBody(beam_modal(0.8, 4, 2)), name="body")
    body.add_body_decoration(mb.Transform(), mb.decorations.Sphere(0.1))
    assert not meshes_of(make_scene(system, system.realize_topology()))


def test_drawings_show_the_deformed_body(crane):
    """The drawing with a deflection differs from the one without, in the patches of the body that bends."""
    system, state, _, arm = crane
    straight = state.copy()
    arm.set_eta(straight, np.zeros(3))
    drawn, plain = (
        {name: patches for name, patches in draw(make_scene(system, each), 400, 300).parts if name == "arm.modes"}
        for each in (state, straight)
    )
    bent = np.concatenate([patch.points for patch in drawn["arm.modes"]])
    assert np.abs(np.ptp(bent, axis=0) - np.ptp(np.concatenate([patch.points for patch in plain["arm.modes"]]), axis=0)).max() > 1
    rigid = deformed_scene(make_scene(system, state), lambda _: 0.0)
    assert not meshes_of(rigid)


def test_pictures_of_episodes_follow_the_deformation(crane):
    """Of two States with the same pose of the joints and one interface, the middle of the arm is elsewhere."""
    pytest.importorskip("gymnasium", reason="pictures of episodes are those of environments, of the extra 'rl'")
    from mobod.gym.pictures import EpisodePictures

    system, state, _, arm = crane
    pictures, other = EpisodePictures(system), state.copy()
    arm.set_eta(other, [0.05, -0.02, 0.06])
    assert (pictures.picture(state) != pictures.picture(other)).any()


def header_of(html):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', html, re.DOTALL)[1])


def test_pages_have_the_modal_coordinates_after_the_poses(crane):
    system, state, *_ = crane
    header = header_of(state_page(state))
    assert header["modal"] == ["mast.eta[1]", "mast.eta[2]", "arm.eta[1]", "arm.eta[2]", "arm.eta[3]", "flag.eta"]
    offsets = header["tracks"]["offsets"]
    assert_allclose([offsets[track] for track in header["modalTracks"]], [system.value(state, name).item() for name in header["modal"]])


def test_a_page_that_follows_a_program_gets_the_modal_coordinates_after_the_poses(crane):
    pytest.importorskip("websockets", reason="mobod.view needs the extra 'view'")
    system, state, *_ = crane
    with mb.view(system, "arm.q", state=state, opens=False) as view:
        numbers = np.frombuffer(view._numbers(state))
    assert_allclose(numbers[1 + 12 * system.matter.n_bodies :], [0.02, -0.01, 0.05, -0.02, 0.01, 0, 0.7])


def test_a_table_with_the_modal_coordinates_as_an_array_places_and_deforms_the_bodies(crane):
    """As FMUs of FMI 3.0 have them; two rows, the second one of the State."""
    system, state, *_ = crane
    variables = [each for each in system.variables(state) if each.role == "state"]
    names = {each.slot.offset + i: (each.name, i if each.slot.size > 1 else None) for each in variables for i in range(each.slot.size)} | {
        each.slot.offset: (each.name, None) for each in system.variables(state) if each.role in ("parameter", "input")
    }
    at_zero = system.realize_topology()
    scene = make_scene(system, at_zero, names).to_data()
    values = {each.name: np.array([np.ravel(system.value(each_state, each)) for each_state in (at_zero, state)]) for each in variables}
    values = {name: each[:, 0] if each.shape[1] == 1 else each for name, each in values.items()}
    _, p = poses_over_time(scene, values, 2)
    for body in system.matter.bodies:
        assert_allclose(p[body.index, 1], body.X_GB(state).p, atol=1e-12)
    header = header_of(table_page(Table(np.array([0.0, 1.0]), values), scene))
    assert [header["modal"][k] for k in (0, 2, 5)] == ["mast.eta[1]", "arm.eta[1]", "flag.eta"]
    offsets, steps = header["tracks"]["offsets"], header["tracks"]["steps"]
    assert_allclose([2 * offsets[track] for track in header["modalTracks"]][:5], [0.02, -0.01, 0.05, -0.02, 0.01], atol=2 * max(steps))


def test_modes_vibrate_with_their_shapes(crane):
    system, state, _, arm = crane
    rest = state.copy()
    arm.lock(rest)
    mb.deflect_at_rest(system, rest)
    modes = system.modes(rest, damped=False)
    header = header_of(mode_page(system, rest, modes, which=[1, 0]))
    assert [each["name"] for each in header["events"]] == [f"mode {k + 1}: {modes.frequencies_hz[k]:.4g} Hz" for k in (1, 0)]
    assert header["times"][95:97] == [4.0, 4.0]
    with pytest.raises(InputError, match=r"which has numbers of modes from 0 to \d+, not \[99\]"):
        mode_page(system, rest, modes, which=[99])
