"""Pages that run a model, and pages that follow a program, in headless Chromium."""

import urllib.error
import urllib.request

import numpy as np
import pytest

import mobod as mb
from mobod.viewer.browser import wait_until
from mobod.viewer.live_page import live_page
from tests.view.mechanisms import double_pendulum
from tests.view.test_pages_in_chromium import opened_page, picture_of, watched

DONE = """() => {
    page.run.isPlaying = false;
    page.run.reset(false);
    for (let i = 0; i < 30; i++) page.run.model.advance(0.01);
    return page.run.time;
}"""


@pytest.fixture(scope="module")
def system():
    return double_pendulum(until=0.02).system


@pytest.fixture(scope="module")
def page(system):
    return live_page(system)


def test_a_live_page_has_the_bits_of_a_simulation(system, page):
    run = mb.Simulation(system, backend="interpreted").start(system.realize_topology())
    for _ in range(30):
        run.step(0.01)
    with watched(page) as opened:
        assert opened.evaluate(DONE) == run.state.time
        shown = opened.evaluate("['upper.q', 'lower.q', 'upper.u', 'lower.u'].map((each) => page.run.model.value(each))")
        assert np.array(shown).tobytes() == np.array(run.state.y).tobytes()
        poses = np.array(opened.evaluate("Array.from(page.run.poses())")).reshape(-1, 12)
        state = run.state
        system.realize(state, mb.Stage.POSITION)
        for body in system.matter.bodies:
            X_GB = body.X_GB(state)
            np.testing.assert_array_equal(poses[body.index], [*X_GB.R.ravel(), *X_GB.p])


def test_a_live_page_runs_and_obeys(page):
    with watched(page) as opened:
        wait_until(opened, "page.run.time > 0.05")
        assert picture_of(opened) > 50
        assert opened.locator("figure canvas").count() == 1
        opened.get_by_role("button", name="Parts").click()
        opened.get_by_text("gravity", exact=True).click()  # its parameters are folded away
        slider = opened.locator("label.slider", has_text="gravity.magnitude").locator("input")
        slider.fill("3")
        assert opened.evaluate("page.run.model.value('gravity.magnitude')") == 3
        opened.get_by_role("button", name="Pause").click()
        opened.get_by_role("button", name="Reset").click()
        assert opened.evaluate("[page.run.time, page.run.model.value('gravity.magnitude')]") == [0, 3]
        opened.get_by_role("button", name="Start values").click()
        assert opened.evaluate("page.run.model.value('gravity.magnitude')") == 9.80665


def test_dragging_a_body_pulls_it(page):
    with watched(page) as opened:
        opened.evaluate("() => { page.run.isPlaying = false; page.run.reset(); page.draw(); }")
        place = opened.evaluate("""() => {  // of the middle of the lower rod in the picture
            const poses = page.run.poses();
            const middle = [0, 1, 2].map((i) => poses[24 + 9 + i] - 0.5 * poses[24 + 3 * i + 1]);
            const point = new THREE.Vector3(...middle).project(page.stage.camera);
            const box = document.getElementById("view").getBoundingClientRect();
            return [box.x + (0.5 + point.x / 2) * box.width, box.y + (0.5 - point.y / 2) * box.height];
        }""")
        opened.mouse.move(*place)
        opened.mouse.down()
        opened.mouse.move(place[0] + 80, place[1] - 40)
        target = opened.evaluate("page.run.pulled.target")
        before = opened.evaluate("page.run.model.value('lower.q')")
        opened.evaluate("() => { for (let i = 0; i < 100; i++) page.run.stepBy(1); page.draw(); }")
        assert opened.evaluate("page.run.pulled.body") == 2
        assert opened.evaluate("page.pull.object.visible")
        poses = np.array(opened.evaluate("Array.from(page.run.poses())")).reshape(-1, 12)[2]
        point = poses[:9].reshape(3, 3) @ opened.evaluate("page.run.pulled.point") + poses[9:]
        assert abs(opened.evaluate("page.run.model.value('lower.q')") - before) > 0.05
        assert np.linalg.norm(point - target) < 0.5
        opened.mouse.up()
        assert opened.evaluate("page.run.pulled") is None


def test_a_browser_without_webassembly_says_so(page):
    without = page.replace("<head>", "<head><script>delete globalThis.WebAssembly;</script>")
    with pytest.raises(mb.errors.UnsupportedError, match="WebAssembly, which this browser does not have"), opened_page(without, 400, 300):
        pass


def test_a_page_follows_a_program(system):
    from playwright.sync_api import sync_playwright

    from mobod.viewer.browser import _ARGUMENTS, chromium

    state = system.realize_topology()
    with mb.view(system, "lower.q", opens=False) as view, sync_playwright() as playwright:
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(view.url[:-3])
        assert not view.wait_until_seen(0.0)
        browser = playwright.chromium.launch(executable_path=chromium(), args=[*_ARGUMENTS, "--no-sandbox"])
        opened = browser.new_page()
        opened.goto(view.url)
        assert view.wait_until_seen()
        for angle in (0.3, 0.6):
            state.time = angle
            system.matter.body("lower").set_q(state, angle)
            view.show(state)
            wait_until(opened, f"page.run.time === {angle}")
            system.realize(state, mb.Stage.POSITION)
            X_GB = system.matter.body("lower").X_GB(state)
            np.testing.assert_array_equal(opened.evaluate("Array.from(page.run.poses().slice(24))"), [*X_GB.R.ravel(), *X_GB.p])
        assert opened.evaluate("page.run.series[0].values.slice(-2)") == [0.3, 0.6]
        view.close()
        wait_until(opened, "page.run.status === 'the program has ended'")
        with pytest.raises(mb.errors.StateError, match="closed"):
            view.show(state)
        browser.close()
