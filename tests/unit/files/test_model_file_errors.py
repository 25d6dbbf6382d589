"""Errors in a model file are reported with their place and the most similar valid name."""

import copy
import json
import sys

import pytest

import mobod as mb
from mobod import functions, measures
from mobod.errors import ModelFileError, UnsupportedError
from mobod.files import xml_source
from mobod.matter.bodies import decorations


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """The content of a valid file with elements of many kinds."""
    system = mb.MultibodySystem("crane")
    matter, forces = mb.MatterSubsystem(system), mb.ForceSubsystem(system)
    mb.Gravity(forces, matter, down=[0, -1, 0], magnitude=9.7, name="gravity")
    trolley = mb.Slider(matter.ground, mb.MassProperties.point(2.5, [0, 0, 0]), name="trolley")
    load = mb.Pin(trolley, mb.MassProperties.point(1.3, [0, -0.8, 0]), mb.Transform(p=[0, 0.1, 0]), name="load")
    mb.SteadyMotion(trolley, 0.4)
    mb.MobilityLinearSpring(forces, load, stiffness=3.0, name="spring")
    mb.Rod(trolley, [0, 0, 0], matter.ground, [0, 1, 0], 1.0, name="rod")
    mb.PrescribedMotion(matter, functions.Sinusoid(0.5, 1.0, 0.2), load, 0, name="swing")
    measures.Scale(system, 2.0, measures.Time(system, name="time"), name="twice")
    path = mb.save_model(system, tmp_path_factory.mktemp("good") / "good.json")
    return json.loads(path.read_text(encoding="utf-8"))


def changed(good, pointer, value):
    """The content with another value at the place, or without the value if it is None."""
    document = copy.deepcopy(good)
    *path, last = [int(part) if part.isdigit() else part for part in pointer.split("/")[1:]]
    at = document
    for part in path:
        at = at[part]
    if value is None:
        del at[last]
    else:
        at[last] = value
    return document


@pytest.mark.parametrize(
    ("pointer", "value", "message"),
    [
        ("/format", "mobot-model", "it is not a model file"),
        ("/version", 2, "/version: version 2 of the format cannot be read, 1 can"),
        ("/version", True, "/version: version True of the format cannot be read, 1 can"),
        ("/bodies/0/type", "P" * 10_000_000, r"/bodies/0/type: no mobilizer is named 'P{60}\.\.\.'\. There are"),
        ("/name", None, "/: the key 'name' is missing"),
        ("/name", 3, "/name: a text is needed, not 3"),
        ("/bodys", [], "/: no key here is named 'bodys'. Did you mean 'bodies'"),
        ("/bodies", {}, r"/bodies: a list is needed, \[...\], not an object"),
        ("/bodies/0", 3, "/bodies/0: an object is needed"),
        ("/bodies/0/type", "Slidder", "/bodies/0/type: no mobilizer is named 'Slidder'. Did you mean 'Slider'"),
        ("/bodies/0/type", None, "/bodies/0: the key 'type' is missing"),
        ("/bodies/1/parent", "troley", "/bodies/1/parent: no body is named 'troley'. Did you mean 'trolley'"),
        ("/bodies/1/parent", "load", "/bodies/1/parent: no body is named 'load'"),
        ("/bodies/1/name", "trolley", "/bodies/1: the name 'trolley' is taken by a body"),
        ("/bodies/1/mass", -1.3, "/bodies/1: mass properties: mass is -1.3 kg"),
        ("/bodies/1/mass", "heavy", "/bodies/1/mass: a number is needed, not 'heavy'"),
        ("/bodies/1/mass", True, "/bodies/1/mass: a number is needed, not true"),
        ("/bodies/1/mass", None, "/bodies/1: the key 'mass' is missing"),
        ("/bodies/1/mas", 1.0, "/bodies/1: no key here is named 'mas'. Did you mean 'mass'"),
        ("/bodies/1/com", [0, 1], "/bodies/1/com: 3 numbers are needed, not 2"),
        ("/bodies/1/com", [0, 1, "x"], "/bodies/1/com/2: a number is needed, not 'x'"),
        ("/bodies/1/inertia", [[1, 0, 0], [0, 1, 0], [0, 0, 9]], "/bodies/1: .*not the inertia of a rigid body"),
        ("/bodies/1/inertia", [[1, 0, 0]], "/bodies/1: .*shape"),
        ("/bodies/1/X_PF/R", [[1, 0, 0], [0, 1, 0], [0, 0.5, 1]], r"/bodies/1/X_PF: Transform: R is not a rotation: entry \[1, 2\]"),
        ("/bodies/1/X_PF/R", [[1, 0, 0], [0, 1, 0]], "/bodies/1/X_PF/R: three rows are needed, not 2"),
        ("/bodies/1/X_PF/R", [[1, 0, 0], [0, 1, 0], [0, 0, -1]], "/bodies/1/X_PF.*reflection"),
        ("/bodies/1/X_PF/q", [0, 0, 0], "/bodies/1/X_PF: no key here is named 'q'"),
        ("/bodies/1/reversed", 1, "/bodies/1/reversed: true or false is needed, not 1"),
        ("/bodies/1/default_q", [1, 2], "/bodies/1/default_q: load.default_q of a Pin has shape"),
        ("/bodies/1/pitch", 0.1, "/bodies/1: no key here is named 'pitch'"),
        ("/bodies/1/motion", {"type": "SteadyMotion", "rates": [1]}, "/bodies/1/motion: no key here is named 'rates'. Did you mean 'rate'"),
        ("/bodies/1/motion", {"type": "SteadyMotion", "rate": [1, 2]}, "/bodies/1/motion: SteadyMotion of 'load'"),
        ("/bodies/1/decorations", [{"on": "back", "geometry": {}}], "/bodies/1/decorations/0/on: it can be 'body', 'outboard', 'inboard'"),
        ("/bodies/1/decorations", [{"on": "body"}], "/bodies/1/decorations/0: the key 'geometry' is missing"),
        (
            "/bodies/1/decorations",
            [{"on": "body", "geometry": {"type": "Sphere", "radius": -1}}],
            "/bodies/1/decorations/0/geometry: Sphere: radius is -1 m",
        ),
        ("/constraints/0/length", -1.0, "/constraints/0: Rod: length cannot be -1"),
        ("/constraints/0/body1", "ground", "/constraints/0: Rod: it is between 'ground' and itself"),
        ("/constraints/0/type", "CustomConstraint", "/constraints/0: no key here is named"),
        ("/constraints/1/coordinate", 1, "/constraints/1: PrescribedMotion: 'load' .* has 1 coordinates"),
        ("/constraints/1/coordinate", -1, "/constraints/1/coordinate: a whole number from 0 on is needed, not -1"),
        ("/constraints/1/function/type", "Sinus", "/constraints/1/function/type: no function is named 'Sinus'. Did you mean 'Sinusoid'"),
        ("/constraints/1/function/amplitude", None, "/constraints/1/function: the key 'amplitude' is missing"),
        (
            "/constraints/1/function",
            {"type": "Spline", "breakpoints": [0, 1, 2], "coefficients": [[[1, 2], [3]]], "has_several_values": False, "outside": "error"},
            "/constraints/1/function/coefficients/0/1: 2 numbers are needed",
        ),
        (
            "/constraints/1/function",
            {"type": "Spline", "breakpoints": [0, 2, 2], "coefficients": [[[1, 2]]], "has_several_values": False, "outside": "error"},
            "/constraints/1/function/breakpoints: each number must be greater than the one before",
        ),
        (
            "/constraints/1/function",
            {"type": "Spline", "breakpoints": [0], "coefficients": [[]], "has_several_values": False, "outside": "error"},
            "/constraints/1/function: a spline has two breakpoints at least",
        ),
        (
            "/constraints/1/function",
            {"type": "os:system"},
            "/constraints/1/function/type: it needs the Python code os:system. If you trust it",
        ),
        ("/forces/0/elements/1/stiffness", -3.0, "/forces/0/elements/1: 'spring.stiffness' cannot be -3.0"),
        ("/forces/0/elements/1/body", "ground", "/forces/0/elements/1: MobilityLinearSpring: it acts on a mobilized body, not on Ground"),
        ("/forces/0/elements/1/stifness", 3.0, "/forces/0/elements/1: no key here is named 'stifness'. Did you mean 'stiffness'"),
        ("/forces/0/elements/0/down", [0, 0, 0], "/forces/0/elements/0: 'gravity.down' cannot be the zero vector"),
        ("/forces/0/elements", None, "/forces/0: the key 'elements' is missing"),
        ("/forces/0/name", "matter", "/forces/0: System 'crane' already has a subsystem named 'matter'"),
        ("/measures/1/operand", "tome", "/measures/1/operand: no measure before this one is named 'tome'. Did you mean 'time'"),
        ("/measures/1/operand", "twice", "/measures/1/operand: no measure before this one is named 'twice'"),
        ("/measures/0", {"type": "Constant", "name": "time", "value": [[1], [2, 3]]}, "/measures/0/value: its rows have different lengths"),
        ("/measures/0", {"type": "Constant", "name": "time", "value": [1, [2]]}, "/measures/0/value: its rows have different lengths"),
        ("/measures/1/unit", [1], "/measures/1/unit/0: a text is needed, not 1"),
        ("/up_direction", [0, 0, 0], "/up_direction: the up direction cannot be the zero vector|/up_direction: System"),
    ],
)
def test_errors_give_the_place_and_the_fault(tmp_path, good, pointer, value, message):
    path = tmp_path / "model.json"
    path.write_text(json.dumps(changed(good, pointer, value)), encoding="utf-8")
    with pytest.raises(ModelFileError, match=message) as caught:
        mb.load_model(path)
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "line 1, column 1: it is not JSON"),
        (b"{\n  'name': 3}", "line 2, column 3: it is not JSON"),
        (b'{"name": "a", "name": "b"}', "an object has the key 'name' twice"),
        (b'{"version": NaN}', "it has the number NaN. Finite numbers are needed"),
        (b'{"version": -Infinity}', "it has the number -Infinity"),
        (b'{"version": 1e999}', "the number 1e999 is too large"),
        (b'{"version": ' + b"9" * 5000 + b"}", "a number that cannot be read"),
        (b'{"name": "\xff"}', "it is not a text in UTF-8: byte 10 is 0xff"),
        (b"[" * 200_000, "it is nested too deeply|it is not JSON"),
        (b"[]", "/: an object is needed"),
        (b"3", "/: an object is needed, .*, not 3"),
        (b"{}", "it is not a model file"),
    ],
)
def test_an_invalid_model_file_is_refused(tmp_path, content, message):
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(ModelFileError, match=message):
        mb.load_model(path)


@pytest.mark.parametrize("depth", [33, 200, 600, 900, 990, 100_000])
def test_deep_nesting_is_refused_wherever_it_is(tmp_path, depth):
    nest = "[" * depth + "]" * depth
    path = tmp_path / "model.json"
    for content in (
        f'"measures": [{{"type": "Constant", "name": "c", "value": {nest}}}]',
        f'"forces": [{{"name": "f", "elements": [{{"type": "a:b", "name": "w", "arguments": {{"x": {nest}}}}}]}}]',
        f'"x": {nest}',
    ):
        path.write_text(f'{{"format": "mobod-model", "version": 1, "name": "deep", {content}}}', encoding="utf-8")
        with pytest.raises(ModelFileError, match="nested too deeply"):
            mb.load_model(path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ('"name": "\\ud800crane"', r"/name: the text '\\ud800crane' has '\\ud800', which is half of a character"),
        ('"name": "crane", "\\udc00": 1', r"/: the text '\\udc00' has '\\udc00', which is half"),
        ('"name": "crane", "bodies": [{"name": ["\\udfff"]}]', r"/bodies/0/name/0: the text '\\udfff'"),
    ],
)
def test_half_of_a_surrogate_pair_is_refused_with_its_place(tmp_path, change, message):
    path = tmp_path / "model.json"
    path.write_text(f'{{"format": "mobod-model", "version": 1, {change}}}', encoding="utf-8")
    with pytest.raises(ModelFileError, match=message):
        mb.load_model(path)


def test_a_text_with_half_of_a_surrogate_pair_is_not_saved_and_leaves_no_file(tmp_path):
    system = mb.MultibodySystem("crane")
    body = mb.Pin(mb.MatterSubsystem(system).ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="boom")
    body.add_body_decoration(mb.Transform(), decorations.MeshFile("boom\ud800.stl"))
    with pytest.raises(UnsupportedError, match=r"System 'crane' cannot be saved: /bodies/0/.*: the text 'boom\\ud800\.stl'"):
        mb.save_model(system, tmp_path / "model.json")
    assert not (tmp_path / "model.json").exists()


def test_other_characters_are_restored(tmp_path):
    name = "rod \U0001f980 \u00fc \u0646\u0645\u200c\u0628"
    system = mb.MultibodySystem(name)
    assert mb.load_model(mb.save_model(system, tmp_path / "model.json")).name == name


def test_a_giant_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "giant.json"
    with path.open("wb") as file:
        file.truncate(xml_source.MAX_BYTES + 1)  # sparse: it takes no room
    with pytest.raises(ModelFileError, match=r"and the limit is \d+"):
        mb.load_model(path)
    with pytest.raises(ModelFileError, match="the file does not exist"):
        mb.load_model(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ({"type": "no_such_module_:f"}, "/constraints/1/function/type: no_such_module_:f cannot be imported: ModuleNotFoundError"),
        ({"type": "json:nothing"}, "json:nothing cannot be imported: AttributeError"),
        ({"type": "json:dumps"}, "json:dumps is no subclass of Function"),
        ({"type": "mobod.functions:Constant", "constant": 1.0, "n_arg": 2}, "no key here is named 'n_arg'. Did you mean 'n_args'"),
        ({"type": "Function.of", "function": "sys:path", "n_args": 1, "name": "f"}, "sys:path is no function but of type list"),
        ({"type": "Function.of", "function": "json:dumps"}, "/constraints/1/function: the key 'n_args' is missing"),
    ],
)
def test_unusable_code_is_refused(tmp_path, good, function, message):
    path = tmp_path / "model.json"
    path.write_text(json.dumps(changed(good, "/constraints/1/function", function)), encoding="utf-8")
    with pytest.raises(ModelFileError, match=message):
        mb.load_model(path, allow_imports=True)


@pytest.mark.parametrize(
    ("pointer", "change", "message"),
    [
        (
            "/constraints/1/function",
            {"type": "tests.unit.files.users_elements:Picky", "size": 3},
            "/constraints/1/function: .*Picky raised KeyError: 3",
        ),
        (
            "/forces/0/elements/1",
            {
                "type": "tests.unit.files.users_elements:Wind",
                "name": "w",
                "arguments": {"body": None, "direction": "x", "gust": 1, "strength": 1},
            },
            "/forces/0/elements/1: .*Wind raised ValueError: could not convert",
        ),
        (
            "/bodies/1",
            {
                "type": "CustomMobilizer",
                "name": "load",
                "parent": "trolley",
                "mass": 1.0,
                "equations": {"type": "tests.unit.files.users_elements:CamEquations", "lift": 3, "offset": "far"},
            },
            "/bodies/1: .*CamEquations raised AttributeError: 'int' object has no attribute 'value'",
        ),
    ],
)
def test_an_exception_in_users_code_is_an_error_of_its_place(tmp_path, good, pointer, change, message):
    path = tmp_path / "model.json"
    path.write_text(json.dumps(changed(good, pointer, change)), encoding="utf-8")
    with pytest.raises(ModelFileError, match=message):
        mb.load_model(path, allow_imports=True)


def test_nothing_is_imported_unless_it_is_allowed(tmp_path, good, monkeypatch):
    (tmp_path / "dangerous_code.py").write_text("raise SystemExit('it ran')")
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "model.json"
    path.write_text(json.dumps(changed(good, "/constraints/1/function", {"type": "dangerous_code:F"})), encoding="utf-8")
    with pytest.raises(ModelFileError, match="it needs the Python code dangerous_code:F"):
        mb.load_model(path)
    assert "dangerous_code" not in sys.modules
    with pytest.raises(ModelFileError, match="dangerous_code:F cannot be imported: SystemExit: it ran"):
        mb.load_model(path, allow_imports=True)
