"""What a page that runs a model gets: the header, and which Systems and installations cannot have one."""

import base64
import json
import zlib

import pytest

import mobod as mb
from mobod.errors import InputError, NoCompilerError, UnsupportedError
from mobod.runtime import web_library
from mobod.runtime.packaged import WEB_RUNTIME, place_in_package
from mobod.runtime.targets import TARGETS, WEB
from mobod.viewer.live_model import live_data, live_model
from mobod.viewer.live_variables import nice, slider
from tests.view.live_cases import arm, bouncing_ball, double_pendulum, handlers


def header_of(system, state, **options):
    return live_model(system, state, mb.Simulation(system, **options))[0]


@pytest.mark.slow
def test_the_data_are_json_with_the_runtime_and_the_model():
    system, state, _ = bouncing_ball()  # its upper limit is infinite
    data = json.loads(json.dumps(live_data(system, state, 1e-7, max_step=0.1), allow_nan=False))
    assert (data["format"], data["name"], data["accuracy"], data["integrator"]) == (1, "bouncing ball", 1e-7, "auto")
    wasm, model = (zlib.decompress(base64.b64decode(data[each])) for each in ("wasm", "model"))
    assert wasm.startswith(b"\0asm")
    assert len(wasm) < 500_000  # docs/concepts/view.md has its size
    assert model.startswith(b"mobodtab")
    upper = next(each for each in data["variables"] if each["name"] == "ball.limit.upper")
    assert upper["range"] == [-1.0, 1.0]
    assert [each["isShown"] for each in data["events"]] == [True] * len(data["events"])


@pytest.mark.slow
def test_the_start_is_the_default_state():
    system, state, _ = double_pendulum()
    assert live_data(system) == live_data(system, state)


@pytest.mark.slow
def test_variables_have_what_a_page_needs_to_set_and_show_them():
    system, state, _ = arm()
    variables = {each["name"]: each for each in header_of(system, state)["variables"]}
    damping = variables["elbow_damper.damping"]
    assert (damping["role"], damping["unit"], damping["minimum"]) == ("parameter", "N.m.s/rad", 0.0)
    assert damping["range"][0] == 0.0
    assert variables["gravity.enabled"]["type"] == "boolean"
    assert variables["gravity.down[3]"]["value"] == -1.0
    assert "sets" not in variables["energy"]
    assert {each["role"] for each in variables.values()} == {"state", "parameter", "input", "output"}


def test_what_handlers_set_is_not_for_the_user():
    variables = {each["name"]: each for each in header_of(*handlers()[:2])["variables"]}
    fixed = [name for name, each in variables.items() if each["role"] in ("parameter", "input") and "sets" not in each]
    assert "count.n" in fixed


@pytest.mark.parametrize(
    ("value", "unit", "kind", "bounds", "expected"),
    [
        (9.81, "m/s2", "real", (0, None), [0, 20]),
        (-0.03, "m", "real", (None, None), [-0.1, 0]),
        (0.0, "N", "real", (None, None), [-500, 500]),
        (0.0, "rad", "real", (-1, 0.5), [-1, 0.5]),
        (0.9, "1", "real", (0, 1), [0, 1]),
        (1.0, "1", "boolean", (None, None), [0, 1]),
        (float("inf"), "m", "real", (None, None), [-1, 1]),
        (5.0, "m", "real", (30, None), [30, 30]),
    ],
)
def test_sliders(value, unit, kind, bounds, expected):
    assert slider(value, unit, 470.0, kind, *bounds) == expected


@pytest.mark.parametrize(("value", "expected"), [(0.1, 0.1), (0.11, 0.2), (5.1, 10), (-30, -50), (1e300, 1e300)])
def test_nice_numbers(value, expected):
    assert nice(value) == pytest.approx(expected, rel=1e-14)


@pytest.mark.slow
def test_the_system_does_not_change():
    system, state, _ = double_pendulum()
    before, forces = state.to_bytes(), [each.name for each in system.subsystems]
    live_data(system, state)
    assert state.to_bytes() == before
    assert [each.name for each in system.subsystems] == forces
    assert system.realize_topology().to_bytes() == before


class Wind(mb.CustomForce):
    recordable = False

    def calc_force(self, state, bodies, bodyForces):
        pass


def test_plain_python_is_refused_by_its_name():
    system, *_ = double_pendulum()
    Wind(mb.ForceSubsystem(system, "air"), name="wind")
    with pytest.raises(UnsupportedError, match=r"force 'wind' .* page that runs the model has no Python"):
        live_data(system)


def test_a_handler_in_plain_python_is_refused_by_its_name():
    system, *_ = double_pendulum()
    mb.PeriodicEventHandler.of(system, 0.3, lambda s, event: print(s.time), name="speak", recordable=False)
    with pytest.raises(UnsupportedError, match=r"a page cannot run System 'double_pendulum'.*speak"):
        live_data(system)


def test_options_are_those_of_a_simulation():
    system, state, _ = double_pendulum()
    with pytest.raises(InputError, match="the accuracy must be between"):
        live_data(system, state, 1.0)
    with pytest.raises(TypeError, match="unknown"):
        live_data(system, state, unknown=1)


def test_without_zig_and_without_a_wheel_the_message_names_the_extra(monkeypatch):
    monkeypatch.setattr(web_library, "has_zig", lambda: False)
    with pytest.raises(NoCompilerError, match=r'pip install "mobod\[compiler\]"'):
        web_library.web_library.__wrapped__()


def test_all_wheels_contain_it():
    assert place_in_package(WEB_RUNTIME, WEB) == "_native/wasm32-wasi/mobod_web.wasm"
    for target in TARGETS:
        for for_release in (True, False):
            assert WEB_RUNTIME.targets_in_wheel(target, for_release=for_release) == (WEB,)
