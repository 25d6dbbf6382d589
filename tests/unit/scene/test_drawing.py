"""What of a System is in its scene, and how it is drawn."""

from io import BytesIO

import numpy as np
import pytest
from lxml import etree
from numpy.testing import assert_allclose
from PIL import Image

import mobod as mb
from mobod.scene import make_scene
from mobod.scene.drawing import draw
from mobod.scene.png import png
from mobod.scene.svg import NAMESPACE, svg

ROD = mb.MassProperties(1.0, [0, -0.5, 0], mb.Inertia.cylinder(mass=1.0, radius=0.02, length=1.0, axis="y").shifted([0, -0.5, 0]))


def pendulum(n=2, **options):
    system = mb.MultibodySystem("pendulum")
    matter = mb.MatterSubsystem(system)
    body = matter.ground
    for number in range(n):
        body = mb.Pin(body, ROD, mb.Transform(p=[0, -float(number > 0), 0]), name=f"rod {number}", **options)
    return system, matter


def scene_of(system):
    return make_scene(system, system.realize_topology())


def test_a_body_without_decorations_has_a_link_to_the_next_joint_and_a_block_of_its_inertia():
    system, _ = pendulum()
    first = scene_of(system).bodies[1]
    link, block, _ = first.shapes
    ends = [link.X.apply([0, side * link.geometry.half_length, 0]) for side in (-1, 1)]
    assert_allclose(ends, [[0, 0, 0], [0, -1, 0]], atol=1e-15)
    assert isinstance(block.geometry, mb.decorations.Box)
    assert block.geometry.half_lengths[1] == pytest.approx(0.5, rel=1e-3)  # of the rod; its inertia is that of a round one
    assert_allclose(block.X.p, [0, -0.5, 0])


def test_decorations_are_the_shapes_of_their_carriers():
    system, matter = pendulum()
    X = mb.Transform(p=[0.1, 0.2, 0.3])
    ball, plate = mb.decorations.Sphere(0.1), mb.decorations.Box((0.1, 0.2, 0.3), color=(1, 0, 0))
    matter.body("rod 1").add_body_decoration(X, ball)
    matter.body("rod 1").add_inboard_decoration(X, plate)
    _, first, second = scene_of(system).bodies
    assert [each.geometry for each in second.shapes] == [ball]
    assert [each.geometry for each in first.shapes] == [plate]
    assert_allclose(first.shapes[0].X.p, [0.1, -0.8, 0.3])  # frame F of the second rod is at the end of the first


def test_a_mesh_file_has_a_stand_in_for_viewers_that_cannot_read_it():
    system, matter = pendulum(1)
    matter.body("rod 0").add_body_decoration(mb.Transform(), mb.decorations.MeshFile("rod.stl"))
    scene = scene_of(system)
    mesh, stand_in = (each for each in scene.bodies[1].shapes if isinstance(each.geometry, (mb.decorations.MeshFile, mb.decorations.Box)))
    assert (mesh.is_stand_in, stand_in.is_stand_in) == (False, True)
    assert scene.to_data()["bodies"][1]["shapes"][0] == {
        "type": "MeshFile",
        "color": (0.6, 0.6, 0.6),
        "opacity": 1.0,
        "path": "rod.stl",
        "scale": (1.0, 1.0, 1.0),
    }


def test_springs_and_rods_connect_two_bodies():
    system, matter = pendulum()
    forces = mb.ForceSubsystem(system)
    mb.TwoPointLinearSpring(
        forces, matter.ground, [0.5, 0, 0], matter.body("rod 1"), [0, -1, 0], stiffness=10.0, rest_length=1.0, name="spring"
    )
    mb.Rod(matter.ground, [1, 0, 0], matter.body("rod 0"), [0, -1, 0], length=1.4, name="strut")
    found = {each.name: (each.kind, each.body1, each.point1, each.body2, each.point2) for each in scene_of(system).connections}
    assert found == {"spring": ("spring", 0, (0.5, 0, 0), 2, (0, -1, 0)), "strut": ("rod", 0, (1, 0, 0), 1, (0, -1, 0))}


def test_a_drawing_fits_its_paper_and_is_the_same_each_time():
    system, matter = pendulum()
    matter.body("rod 0").set_default_q(0.4)
    drawing = draw(scene_of(system), 300, 200)
    points = np.concatenate([patch.points for _, patches in drawing.parts for patch in patches])
    low, high = points.min(axis=0), points.max(axis=0)
    assert (low >= 11.9).all()  # the margin: 6 % of 200 pixels
    assert (high <= [288.1, 188.1]).all()
    assert high[1] - low[1] == pytest.approx(176)
    assert {name for name, _ in drawing.parts} == {"ground", "rod 0", "rod 1"}

    again = draw(scene_of(system), 300, 200)
    assert png(drawing) == png(again)
    assert svg(drawing, "pendulum") == svg(again, "pendulum")


def test_svg_and_png_show_the_same_picture():
    system, _ = pendulum(1)
    drawing = draw(scene_of(system), 120, 160)
    root = etree.fromstring(svg(drawing, "a <title>"))
    assert root.get("viewBox") == "0 0 120 160"
    assert root.findtext(f"{{{NAMESPACE}}}title") == "a <title>"
    n_patches = sum(len(patches) for _, patches in drawing.parts)
    assert len(root.findall(f".//{{{NAMESPACE}}}path")) == n_patches
    image = Image.open(BytesIO(png(drawing))).convert("RGBA")
    assert image.size == (120, 160)
    x, y = drawing.parts[-1][1][0].points.mean(axis=0)
    assert image.getpixel((int(x), int(y)))[3] == 255
    assert image.getpixel((1, 1))[3] == 0


def test_a_planar_mechanism_is_seen_almost_along_its_axes_with_up_upward():
    system, _ = pendulum()
    system.set_up_direction([0, 1, 0])
    drawing = draw(scene_of(system), 200, 200)
    heights = {name: np.mean([patch.points[:, 1].mean() for patch in patches]) for name, patches in drawing.parts}
    assert heights["rod 1"] > heights["rod 0"]  # pixels count downward


@pytest.mark.parametrize(
    "geometry",
    [
        mb.decorations.Sphere(0.3),
        mb.decorations.Ellipsoid((0.3, 0.2, 0.1), opacity=0.5),
        mb.decorations.Cylinder(0.2, 0.3),
        mb.decorations.Arc(0.3, 0.1, -0.4, 1.2),
        mb.decorations.Line((0, 0, 0), (0.3, 0.2, 0.1)),
        mb.decorations.Frame(0.3),
        mb.decorations.Mesh(((0, 0, 0), (0.3, 0, 0), (0, 0.3, 0), (0, 0, 0.3)), ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))),
    ],
)
def test_every_shape_fills_the_paper_up_to_the_margin(geometry):
    system, matter = pendulum(1)
    matter.body("rod 0").add_body_decoration(mb.Transform(), geometry)
    drawing = draw(scene_of(system), 100, 100)
    assert [name for name, _ in drawing.parts] == ["rod 0"]
    points = np.concatenate([patch.points for _, patches in drawing.parts for patch in patches])
    assert points.min() == pytest.approx(6)
    assert points.max() == pytest.approx(94)
    most_opaque = Image.open(BytesIO(png(drawing))).convert("RGBA").getextrema()[3][1]
    assert most_opaque == pytest.approx(255 * geometry.opacity, abs=8)  # the PNG has 128 colours


@pytest.mark.slow
def test_a_large_system_is_drawn_by_lines_and_small_ones_are_left_out():
    system, _ = pendulum(310)
    drawing = draw(scene_of(system), 100, 100)
    patches = [patch for _, patches in drawing.parts for patch in patches]
    assert all(patch.has_pairs for patch in patches)
    assert 60 < sum(len(patch.points) for patch in patches) // 2 < 100  # of 309 links, each a third of a pixel long
    assert len(svg(drawing, "")) < 2000


def test_a_system_without_bodies_has_an_empty_scene():
    scene = scene_of(mb.System("nothing"))
    assert scene.to_data()["bodies"] == []
    assert draw(scene, 100, 100).parts == ()
