"""What an FMU contains about itself: its page, pictures, and the scene for viewers."""

import json
import zipfile
from io import BytesIO
from pathlib import Path

import fmpy
import numpy as np
import pytest
from fmpy.validation import validate_fmu
from lxml import etree, html
from numpy.testing import assert_allclose
from PIL import Image

import mobod as mb
from mobod.scene.poses import poses
from tests.fmu.archive_content import content

SCENE = "extra/org.mobod/scene.json"
SCHEMA = etree.XMLSchema(file=str(Path(fmpy.__file__).parent / "schema" / "fmi3" / "fmi3TerminalsAndIcons.xsd"))
TERMINALS = "terminalsAndIcons/terminalsAndIcons.xml"
PICTURES = {"documentation/diagram.png", "documentation/diagram.svg", "terminalsAndIcons/icon.png", "terminalsAndIcons/icon.svg"}
KINDS = {"2.0": {"code": "interpreted"}, "3.0": {"code": "interpreted", "fmi_version": "3.0"}, "python": {"kind": "python"}}


def swing():
    """A ball joint with a slider on it, which has a limit, and an event."""
    system = mb.MultibodySystem("swing")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81, name="gravity")
    mass = mb.MassProperties(2.0, [0.1, -0.4, 0], mb.Inertia.sphere(mass=2.0, radius=0.1).shifted([0.1, -0.4, 0]))
    ball = mb.Ball(matter.ground, mass, mb.Transform(p=[0.2, 0, 0]), name="big ball")
    slider = mb.Slider(ball, mass, mb.Transform(p=[0, -1, 0]), mb.Transform(p=[0, 0.3, 0.1]), name="slider")
    slider.set_limits(-0.4, 0.3)
    mb.PeriodicEventHandler.of(system, 0.7, lambda state, actions: slider.set_u(state, 0.5 * slider.u(state)), name="brake")
    state = system.realize_topology()
    ball.set_u(state, [0.3, 0.2, 1.0])
    slider.set_u(state, 0.6)
    return system, state


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    folder = tmp_path_factory.mktemp("swing")
    system, state = swing()
    outputs = ["slider.q", "slider.p_GB", "big ball.q", "big ball.p_GB", "big ball.R_GB"]
    return {
        kind: mb.export_fmu(system, folder / f"swing {kind}.fmu", outputs=outputs, state=state, **options)
        for kind, options in KINDS.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_an_fmu_contains_pictures_of_its_mechanism(exported, kind):
    files = content(exported[kind])
    assert validate_fmu(str(exported[kind])) == []
    assert files.keys() >= PICTURES
    assert ("model.png" in files) == (kind != "3.0")  # of FMI 2.0 alone
    sizes = {name: Image.open(BytesIO(files[name])).size for name in files if name.endswith(".png")}
    assert sizes["documentation/diagram.png"] == (720, 480)
    assert sizes["terminalsAndIcons/icon.png"] == (160, 160)
    if kind != "3.0":
        return
    root = etree.fromstring(files[TERMINALS])
    assert SCHEMA.validate(root), SCHEMA.error_log
    assert dict(root.find("GraphicalRepresentation/Icon").attrib) == {"x1": "-100", "y1": "-100", "x2": "100", "y2": "100"}


@pytest.mark.parametrize("kind", KINDS)
def test_only_fmi_3_lists_icons_where_there_are_no_terminals(exported, kind):
    """FMILibrary wants the fmiVersion of modelDescription.xml in it, and FMI 2.0.4 wants 3.0. With ports FMI 2.0 has it: test_names."""
    assert (TERMINALS in content(exported[kind])) == (kind == "3.0")


@pytest.mark.parametrize("kind", KINDS)
def test_a_viewer_places_all_bodies_by_the_results_of_an_fmu(exported, kind):
    """The results have arrays in FMI 3.0, and scalars in FMI 2.0."""
    scene = json.loads(content(exported[kind])[SCENE])
    assert (scene["format"], scene["version"], scene["up"]) == ("mobod scene", 1, [0, 1, 0])
    names = [quantity["variable"] for body in scene["bodies"] for quantity in body.get("q", ())]
    described = {each.name for each in fmpy.read_model_description(str(exported[kind])).modelVariables}
    assert set(names) <= described
    results = fmpy.simulate_fmu(str(exported[kind]), fmi_type="CoSimulation", stop_time=1.0, output_interval=0.25)
    by_number = {body["name"]: number for number, body in enumerate(scene["bodies"])}
    for row in results:
        values = {name: row[name] for name in results.dtype.names}
        found = poses(scene, values)
        for name, spelled in (("big ball", "'big ball'"), ("slider", "slider")):
            entries = f"{spelled}.p_GB"
            p = values[entries] if entries in values else [values[f"{entries}[{i}]"] for i in (1, 2, 3)]
            assert_allclose(found[by_number[name]].p, p, atol=1e-14)
    assert np.ptp(results["slider.q"]) > 0.1


@pytest.mark.slow
def test_the_same_model_gives_the_same_bytes(exported, tmp_path):
    system, state = swing()
    outputs = ["slider.q", "slider.p_GB", "big ball.q", "big ball.p_GB", "big ball.R_GB"]
    again = mb.export_fmu(system, tmp_path / "again.fmu", outputs=outputs, state=state, **KINDS["3.0"])
    assert again.read_bytes() == exported["3.0"].read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_the_page_describes_the_fmu(exported, kind):
    files = content(exported[kind])
    page = html.fromstring(files["documentation/index.html"])
    tables = {}
    for heading in page.findall(".//h2"):
        tables[heading.text] = [[cell.text or "" for cell in row] for row in heading.getnext().iterfind(".//tr")][1:]
    assert tables["Bodies"] == [["big ball", "Ball", "ground", "4", "2"], ["slider", "Slider", "big ball", "1", "2"]]
    assert tables["Limits of joints and tendons"] == [["slider.q", "-0.4", "0.3", "m"]]
    assert tables["Events"] == [["slider.limit", "limit of a joint"], ["brake", "at times of its own"]]
    assert "slider.q" in [row[0] for row in tables["States"]]
    made = dict(tables["How it was made"])
    description = etree.fromstring(files["modelDescription.xml"])
    assert made["token"] == description.get("guid", description.get("instantiationToken"))
    assert made["code"] == ("python" if kind == "python" else "interpreted")
    assert made["integrator"] == "auto"
    folders = {name.split("/")[1] for name in files if name.startswith("binaries/")}
    assert {row[0] for row in tables["Platforms"]} == folders
    drawn = page.find(".//figure").find(".//svg")
    assert {title.text for title in drawn.iter("title")} >= {"big ball", "slider"}
    assert [link.get("href") for link in page.iter("a") if "icens" in link.get("href")] == ["licenses/license.txt"]
    assert not [each for each in page.iter() if each.get("src") or each.tag in ("script", "link")]  # no other files


def test_a_python_fmu_contains_the_licences_of_pythonfmu_and_of_mobod(exported):
    text = content(exported["python"])["documentation/licenses/license.txt"].decode()
    assert "MIT License" in text
    assert "Apache License" in text
    assert text.index("Apache License") < text.index("MIT License")  # in the order of its first lines


def test_what_is_added_is_small(exported):
    with zipfile.ZipFile(exported["2.0"]) as archive:
        added = [each for each in archive.infolist() if each.filename.startswith(("extra/", "documentation/d", "terminals", "model.png"))]
    assert len(added) >= 8
    assert sum(each.compress_size for each in added) < 60_000


@pytest.mark.slow
def test_an_fmu_without_bodies_has_no_pictures(tmp_path):
    class Decay(mb.CustomSubsystem):
        def realize_model(self, state):
            state.allocate_z(self, [1.0], "x")

        def realize_acceleration(self, state):
            x = state.handle(self, "x")
            state.set_rate(x, -state.get(x))

    system = mb.MultibodySystem("decay")
    mb.MatterSubsystem(system)
    Decay(system, "decay")
    files = content(mb.export_fmu(system, tmp_path / "decay.fmu", outputs=[], code="interpreted"))
    assert PICTURES.isdisjoint(files)
    assert TERMINALS not in files
    assert b"Mechanism" not in files["documentation/index.html"]
