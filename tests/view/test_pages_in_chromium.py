"""Pages in headless Chromium: they draw and play, show the poses of the results, and make no network request."""

from contextlib import contextmanager

import numpy as np
import pytest

import mobod as mb
from mobod.viewer.browser import chromium, opened_page, wait_until
from mobod.viewer.run_page import run_page, state_page
from mobod.viewer.table_page import table_page
from tests.view.mechanisms import ball, bowling_ball, double_pendulum, from_example, from_urdf, pose, results_of

pytest.importorskip("playwright", reason="playwright is not installed")
try:
    chromium()
except mb.errors.UnsupportedError as error:
    pytest.skip(str(error), allow_module_level=True)


@contextmanager
def watched(page, **options):
    """The page, opened; fails if it reports an error or asks for anything."""
    with opened_page(page, 760, 420, **options) as opened:
        found = []
        opened.on("console", lambda message: found.append(message.text))
        opened.on("pageerror", lambda error: found.append(str(error)))
        opened.on("request", lambda request: found.append(request.url))
        opened.reload()
        wait_until(opened, "window.page !== undefined && page.frames > 0")
        yield opened
        assert [each for each in found if not each.endswith("/page.html")] == []


def picture_of(opened):
    """How many colours the picture has: one, if nothing is drawn."""
    return opened.evaluate("""() => {
        page.draw();
        const gl = page.stage.renderer.getContext();
        const bytes = new Uint8Array(4 * gl.drawingBufferWidth * gl.drawingBufferHeight);
        gl.readPixels(0, 0, gl.drawingBufferWidth, gl.drawingBufferHeight, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
        return new Set(new Uint32Array(bytes.buffer)).size;
    }""")


@pytest.mark.parametrize(
    "make",
    [
        lambda: double_pendulum(until=0.5),
        ball,
        lambda: from_urdf("arm.urdf"),
        lambda: from_example("13_joint_with_limits.py", "custom_joint_demo"),
        pytest.param(lambda: from_example("04_four_bar.py", "four_bar"), marks=pytest.mark.filterwarnings("ignore:the start at 0 s")),
        lambda: from_urdf("humanoid.urdf"),
    ],
    ids=["demo", "ball", "arm", "limits", "four-bar", "humanoid"],
)
def test_a_page_plays_and_shows_the_poses_of_the_results(make):
    results = make()
    with watched(run_page(results)) as opened:
        assert picture_of(opened) > 50
        opened.evaluate("() => { page.run.player.loops = false; page.run.player.speed = 1; page.run.toggle(); page.changed(); }")
        wait_until(opened, "page.run.time === page.run.span[1]")
        assert opened.evaluate("page.frames") > 3
        size = max(1e-9, max(float(np.ptp(results[f"{body.name}.p_GB"])) for body in results.system.matter.bodies))
        for body in results.system.matter.bodies[-3:]:
            for frame in (0, 7, len(results.time) - 1):
                shown = opened.evaluate("([body, time]) => page.pose(body, time)", [body.name, results.time[frame]])
                np.testing.assert_allclose(shown, pose(results, body.name, frame), rtol=0, atol=2e-6 * max(1.0, size))
        for each in opened.evaluate("page.arrows.map((each) => each.set.label)"):
            opened.get_by_role("button", name="Parts").click()
            opened.get_by_label(each).check()
            assert picture_of(opened) > 50
            opened.get_by_role("button", name="Parts").click()


def test_contacts_are_drawn_while_they_press():
    results = results_of(*bowling_ball(), until=0.12, report_every=0.01)
    marks = """(time) => {
        page.seek(time);
        page.draw();
        const drawn = (group) => group.children.filter((each) => each.visible).length;
        return Object.values(page.contacts.kinds).map(({ arrows, points, cones }) => [drawn(arrows.object), drawn(points), drawn(cones)]);
    }"""
    for dark in (False, True):
        with watched(run_page(results), dark=dark) as opened:
            assert opened.evaluate(marks, 0.03) == [[0, 0, 0], [2, 1, 1]]  # it slips; shaft and head
            assert opened.evaluate(marks, 0.11) == [[2, 1, 1], [0, 0, 0]]  # it rolls
            colours = "() => ['stick', 'slip'].map((each) => page.contacts.kinds[each].arrows.material.color.getHex())"
            assert len(set(opened.evaluate(colours))) == 2
            direction = opened.evaluate("page.contacts.kinds.stick.cones.children[0].getWorldDirection(new THREE.Vector3()).toArray()")
            np.testing.assert_allclose(direction, [0, 0, 1], atol=1e-12)
            scale = opened.evaluate("page.contacts.kinds.stick.cones.children[0].scale.toArray()")
            assert scale[0] / scale[2] == pytest.approx(0.6)
            opened.get_by_role("button", name="Parts").click()
            with_contacts = picture_of(opened)
            opened.get_by_label("Friction cones").uncheck()
            assert opened.evaluate(marks, 0.11) == [[2, 1, 0], [0, 0, 0]]
            opened.get_by_label("Points and forces").uncheck()
            assert picture_of(opened) < with_contacts


@pytest.mark.slow
def test_the_arc_of_a_drive_follows_its_torque():
    """A servo that only holds a speed against a wheel's inertia: its torque falls with time."""
    system = mb.MultibodySystem("wheel")
    wheel = mb.Pin(mb.MatterSubsystem(system).ground, mb.MassProperties(1.0, [0, 0, 0], 0.2 * np.eye(3)), name="wheel")
    mb.Servo(mb.ForceSubsystem(system), wheel, control="velocity", kd=0.4, command=3.0, name="drive")
    results = mb.Simulation(system, backend="interpreted").run(system.realize_topology(), 1.0, 0.1)
    with watched(run_page(results)) as opened:
        opened.get_by_role("button", name="Parts").click()
        opened.get_by_label("Torque drive").check()
        pieces = """(time) => {
            page.seek(time);
            page.draw();
            const { arc, group } = page.arrows.find((each) => each.set.kind === "torque").object.parts[0];
            return [group.visible, arc.geometry.drawRange.count];
        }"""
        (seen, full), (still_seen, part) = opened.evaluate(pieces, 0.0), opened.evaluate(pieces, 0.6)
        assert seen
        assert still_seen
        assert part / full == pytest.approx(results["drive.force"][6] / results["drive.force"][0], abs=0.01)  # whole pieces, of 60
        with_arc = picture_of(opened)
        opened.get_by_label("Torque drive").uncheck()
        assert picture_of(opened) < with_arc


def test_what_a_reader_does_with_a_page():
    results = double_pendulum(until=0.5)
    with watched(run_page(results), dark=True) as opened:
        assert opened.evaluate("document.documentElement.dataset.theme") == "dark"
        view = opened.locator("#view")
        opened.keyboard.press("End")
        assert opened.evaluate("page.run.time") == 0.5
        opened.keyboard.press("ArrowLeft")
        assert opened.evaluate("page.run.time") == pytest.approx(0.48)
        opened.keyboard.press("d")
        assert opened.evaluate("document.documentElement.dataset.theme") == "light"
        before = opened.evaluate("page.orbit.axes().towards")
        view.drag_to(view, source_position={"x": 40, "y": 300}, target_position={"x": 140, "y": 250})
        assert not np.allclose(opened.evaluate("page.orbit.axes().towards"), before, atol=0.1)
        opened.keyboard.press("f")
        np.testing.assert_allclose(opened.evaluate("page.orbit.axes().towards"), before, atol=1e-12)
        place = opened.evaluate("""() => {  // of the middle of the lower rod in the picture
            page.seek(0);
            page.draw();
            const poses = page.run.poses();
            const middle = [0, 1, 2].map((i) => poses[24 + 9 + i] - 0.5 * poses[24 + 3 * i + 1]);
            const point = new THREE.Vector3(...middle).project(page.stage.camera);
            const canvas = document.getElementById("view");
            return { x: (0.5 + point.x / 2) * canvas.clientWidth, y: (0.5 - point.y / 2) * canvas.clientHeight };
        }""")
        view.hover(position=place)
        assert opened.locator("#hover").inner_text() == "lower"
        view.click(position=place)
        assert opened.evaluate("[...page.traces.values()].map((each) => [each.body, each.count])") == [[2, len(results.time)]]
        opened.get_by_role("button", name="Help").click()
        assert "mobod" in opened.locator("#help").inner_text()


def test_bodies_that_go_far_stay_in_the_picture_and_the_camera_stays_above_the_floor():
    system = mb.MultibodySystem("skater")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, 0, -1])
    crate = mb.Free(matter.ground, mb.MassProperties(2.0, [0, 0, 0], mb.Inertia.box(mass=2.0, size=[0.4, 0.3, 0.2])), name="crate")
    ice = {"static_friction": 0.0, "dynamic_friction": 0.0}
    mb.RigidContact(matter.ground, mb.contact.HalfSpace(), crate, mb.contact.Box([0.2, 0.15, 0.1]), **ice, name="floor")
    state = system.realize_topology()
    crate.set_q(state, [1, 0, 0, 0, 0, 0, 0.1])
    crate.set_u(state, [0, 0, 0, 30.0, 0, 0])
    results = mb.Simulation(system, backend="interpreted", integrator="velocity_level", step=0.01).run(state, 2.0, 0.1)
    at = "(time) => { page.seek(time); page.draw(); return page.orbit.sees(Array.from(page.run.poses().slice(21, 24))); }"
    with watched(run_page(results)) as opened:
        assert opened.evaluate(at, 0.0)
        assert opened.evaluate(at, 2.0)
        assert opened.evaluate("page.stage.floorHeight") == 0
        size = opened.evaluate("page.stage.size")
        assert size < 1.0  # arrows and the grid suit the crate, not the 60 m that it slides
        view = opened.locator("#view")
        view.drag_to(view, source_position={"x": 40, "y": 300}, target_position={"x": 60, "y": 20})
        opened.evaluate("page.draw()")
        assert opened.evaluate("page.orbit.position()")[2] == pytest.approx(0.01 * size, rel=1e-6)  # it has come down as far as it may
        view.hover(position={"x": 300, "y": 200})
        opened.mouse.wheel(0, -600)
        assert not opened.evaluate("page.keepsInView")  # the reader looks at something
        opened.keyboard.press("f")
        assert opened.evaluate("page.keepsInView")


def test_a_state_and_a_result_file_have_pages():
    results = double_pendulum(until=0.1)
    with watched(state_page(results.final_state)) as opened:
        assert picture_of(opened) > 50
        assert not opened.locator("#bar").is_visible()
    with watched(table_page(results.table(), None)) as opened:
        assert opened.locator("figure canvas").count() == 2
        assert not opened.locator("#view").is_visible()


def test_a_page_that_cannot_be_shown_says_so():
    page = run_page(double_pendulum(until=0.1))
    for part in (0.5, 0.95, 0.999):
        with (
            pytest.raises(mb.errors.UnsupportedError, match="This page is not complete: its file was cut off"),
            watched(page[: int(part * len(page))]),
        ):
            pass
    without_webgl = page.replace("<head>", "<head><script>HTMLCanvasElement.prototype.getContext = () => null;</script>")
    with pytest.raises(mb.errors.UnsupportedError, match="WebGL, which this browser does not have"), watched(without_webgl):
        pass
    old = page.replace("<head>", "<head><script>delete globalThis.DecompressionStream;</script>")
    with pytest.raises(mb.errors.UnsupportedError, match="too old for this page"), watched(old):
        pass


@pytest.mark.slow
def test_pictures_and_films(tmp_path):
    results = double_pendulum(until=0.2)
    results.animate(tmp_path / "run.png")
    results.animate(tmp_path / "run.mp4", speed=0.5)
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")
    import av

    with av.open(str(tmp_path / "run.mp4")) as film:
        frames = [frame.to_ndarray(format="gray") for frame in film.decode(video=0)]
    assert len(frames) == 13  # 0.2 s at half speed and 30 frames in a second
    assert (frames[0] != frames[-1]).any()


@pytest.mark.slow
def test_a_hundred_bodies():
    """10 s at 60 Hz in less than 3 MB."""
    system = mb.MultibodySystem("hundred")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81)
    parent = matter.ground
    for i in range(100):
        parent = matter.ground if i % 10 == 0 else parent
        mass = mb.MassProperties(1.0, [0, -0.1, 0], mb.Inertia.box(mass=1.0, size=[0.05, 0.2, 0.05]).shifted([0, -0.1, 0]))
        parent = mb.Pin(parent, mass, X_PF=mb.Transform(p=[0, -0.2, 0] if i % 10 else [0.1 * i, 0, 0]), name=f"b{i}")
        parent.set_default_q(0.3 + 0.01 * i)
    page = run_page(mb.Simulation(system).run(system.realize_topology(), 10.0, 1 / 60))
    assert len(page) < 3e6
    with watched(page) as opened:
        opened.evaluate("page.run.toggle()")
        wait_until(opened, "page.frames > 20")  # shaders are compiled
        opened.evaluate("() => { page.frames = page.scriptTime = 0; }")
        wait_until(opened, "page.frames > 50")
        print("script for a frame:", opened.evaluate("page.scriptTime / page.frames"), "ms;", len(page), "bytes")
