"""Networks written as SSP and read back, in mobod and in other tools."""

import zipfile

import numpy as np
import pytest
from click.testing import CliRunner
from numpy.testing import assert_array_equal

import mobod as mb
from mobod.cli import main
from mobod.cosim import Master, Network, PythonComponent, TableSource
from mobod.errors import InputError, UnknownNameError, UnsupportedError
from mobod.simulate.table import Table
from tests.cosim.ssp_files import controlled_pendulum, export_cart, ssd, write_ssp
from tests.importer.foreign_fmus import build_foreign_fmu

STEP = 1e-3  # s
UNTIL = 0.25  # s


@pytest.fixture(scope="module")
def network(tmp_path_factory):
    return controlled_pendulum(tmp_path_factory.mktemp("network"), STEP)


@pytest.fixture(scope="module")
def path(network, tmp_path_factory):
    """Of the SSP of the network."""
    sets = {"stiff": {"controller.spring.stiffness": 90.0, "pendulum.arm.q_start": 0.2}}
    return network.to_ssp(tmp_path_factory.mktemp("ssp") / "pendulum.ssp", stop=UNTIL, parameter_sets=sets, code="interpreted")


def assert_same(found, expected):
    assert sorted(found) == sorted(expected)
    for name in expected:
        assert_array_equal(found[name], expected[name], err_msg=name)


@pytest.mark.slow
def test_a_network_read_back_gives_the_bits_of_the_one_that_was_written(network, path):
    """An FMU, a System that has become one, and a CSV file that has become one."""
    read = Network.from_ssp(path)
    assert (read.ssp.structure.name, read.ssp.structure.version, read.ssp.structure.stop) == ("pendulum", "1.0", UNTIL)
    expected = Master(network, step=STEP).run(until=UNTIL)
    assert np.ptp(expected["pendulum.arm.q"]) > 0.05
    assert_same(Master(read, step=STEP).run(until=UNTIL), expected)


@pytest.mark.slow
def test_a_named_parameter_set_of_the_ssp_is_applied_last(network, path, tmp_path):
    changed = network.copy()
    stiff = Network.from_ssp(path, parameters="stiff")
    assert stiff.components["controller"].start == {"arm.q_start": -0.1, "spring.stiffness": 90.0}
    assert stiff.components["pendulum"].start == {"arm.q_start": 0.2}
    assert changed.components["controller"].start["spring.stiffness"] == 24.0
    twice = Network.from_ssp(path, parameters=["stiff", {"controller.spring.stiffness": 33.0}])
    assert twice.components["controller"].start["spring.stiffness"] == 33.0
    with pytest.raises(UnknownNameError, match=r"no parameter set in .*pendulum\.ssp is named 'stif'\. Did you mean 'stiff'"):
        Network.from_ssp(path, parameters="stif")
    with pytest.raises(UnknownNameError, match=r"Did you mean 'controller\.spring\.stiffness'"):
        Network.from_ssp(path, parameters={"controller.spring.stifness": 1.0})
    with pytest.raises(InputError, match=r"parameter 'controller\.spring\.stiffness': .* was given 'soft'"):
        Network.from_ssp(path, parameters={"controller.spring.stiffness": "soft"})


@pytest.mark.slow
def test_the_unpacked_files_live_as_long_as_the_network_and_its_runs(path):
    network = Network.from_ssp(path)
    root = network.ssp.folder.root
    with Master(network, step=STEP).start() as run:
        del network
        assert root.is_dir()
        run.until(0.01)
    del run
    assert not root.exists()


def test_the_command_runs_an_ssp_until_its_stop_time(network, path, tmp_path):
    """With a set from a file, which says more than the SSP needs."""
    with zipfile.ZipFile(path) as archive:
        other = archive.read("resources/stiff.ssv").decode().replace("pendulum.arm.q_start", "pendulum.unknown")
    (tmp_path / "other.ssv").write_text(other)
    arguments = ["cosim", str(path), "--parameters", str(tmp_path / "other.ssv"), "--step", str(STEP), "-o", str(tmp_path / "run.csv")]
    done = CliRunner().invoke(main, arguments)
    assert done.exit_code == 0, done.output
    expected = Master(Network.from_ssp(path, parameters={"controller.spring.stiffness": 90.0}), step=STEP).run(until=UNTIL)
    assert_same(Table.from_csv(tmp_path / "run.csv"), expected)
    done = CliRunner().invoke(main, ["cosim", str(tmp_path / "other.fmu"), "--parameters", "stiff"])
    assert (done.exit_code, "for an SSP" in done.output) == (2, True)


def test_the_ssp_commands_make_show_check_and_unpack(network, path, tmp_path):
    pendulum, noise = network.components["pendulum"].model.origin, network.components["noise"].model.origin
    made, folder = tmp_path / "made.ssp", tmp_path / "unpacked"

    def run(*arguments):
        return CliRunner().invoke(main, ["ssp", *map(str, arguments)])

    assert run("new", made, f"plant={pendulum}", noise, "--set", "plant.arm.q_start=0.3", "--stop", "0.5").exit_code == 0
    shown = run("info", made, "--json").output
    assert '"name": "plant"' in shown
    assert '"stop": 0.5' in shown
    assert run("check", made).output == f"{made}: no problem found\n"
    assert run("unpack", made, folder).exit_code == 0
    assert sorted(each.name for each in (folder / "resources").iterdir()) == ["noise.fmu", "pendulum.fmu"]
    structure = folder / "SystemStructure.ssd"
    structure.write_text(structure.read_text().replace('name="torque" kind="output"', 'name="torqe" kind="input"', 1))
    done = run("check", folder)
    assert done.exit_code == 1
    assert "the FMU has no variable for the connector 'torqe'. Did you mean 'torque'?" in done.output
    assert "has files already" in run("unpack", made, folder).output
    assert "noise.torque" in run("info", path).output


def test_annotations_geometry_and_metadata_are_kept(tmp_path):
    geometry = '<ssd:ElementGeometry x1="0" y1="1" x2="2" y2="3"/>'
    note = '<ssd:Annotations><ssc:Annotation type="org.example"><step xmlns="urn:example" h="{}"/></ssc:Annotation></ssd:Annotations>'
    body = f'<ssd:Elements><ssd:Component name="a" source="a.fmu">{geometry}{note.format(1)}</ssd:Component></ssd:Elements>{note.format(2)}'
    experiment = f'<ssd:DefaultExperiment startTime="1" stopTime="2">{note.format(3)}</ssd:DefaultExperiment>{note.format(4)}'
    text = ssd(body, experiment).replace('name="by hand"', 'name="by hand" license="MIT"')
    first = write_ssp(tmp_path / "first.ssp", text, {"a.fmu": export_cart(tmp_path / "a.fmu")})
    again = Network.from_ssp(Network.from_ssp(first).to_ssp(tmp_path / "second.ssp")).ssp.structure
    assert (again.start, again.stop, again.name, again.attributes) == (1.0, 2.0, "by hand", {"license": "MIT"})
    kept = [again.system.elements["a"].kept["Annotations"], again.system.kept["Annotations"], *again.kept.values()]
    assert sorted(text.partition('h="')[2][0] for text in kept) == ["1", "2", "3", "4"]
    assert 'x2="2" y2="3"' in again.system.elements["a"].kept["ElementGeometry"]


def test_values_of_all_types_and_arrays_are_written_one_by_one(tmp_path):
    """FMI 3.0: a structural parameter that decides the size of an array, an enumeration, a text, an array, a truth value."""
    tank = build_foreign_fmu("tank", tmp_path / "tank.fmu")
    network = Network()
    start = {"n": 3, "table": [1.5, 2.5, 3.5], "gains": [4.0, 5.0, 6.0], "label": "a<b&c", "switch": True, "small": 7, "mode": 4}
    network.add(tank, "tank", start=start)
    network.add(tank, "next", start={"method": 2})
    network.connect("tank.y[2]", "next.u", gain=3.0)
    read = Network.from_ssp(network.to_ssp(tmp_path / "tanks.ssp"))
    for name, component in network.components.items():
        assert read.components[name].start == component.start
        assert set(read.components[name].model.variables) == set(component.model.variables)
    assert_same(Master(read, step=0.05).run(until=0.5), Master(network, step=0.05).run(until=0.5))
    with zipfile.ZipFile(tmp_path / "tanks.ssp") as archive:
        assert [name for name in archive.namelist() if name.endswith(".fmu")] == ["resources/tank.fmu"]


@pytest.mark.slow
def test_units_are_converted_by_a_transformation_that_all_masters_know(tmp_path):
    table = mb.Table(np.array([0.0, 0.5, 0.5, 1.0]), {"pull": np.array([1.0, 2.0, -1.0, 0.25])}, {"pull": "kN"})
    network = Network()
    network.add(TableSource(table, beyond="hold"), "table")
    network.add(export_cart(tmp_path / "cart.fmu"), "cart")
    network.connect("table.pull", "cart.motor.force", gain=0.25, offset=2.0)
    written = network.to_ssp(tmp_path / "units.ssp", code="interpreted")
    assert network.to_ssp(tmp_path / "again.ssp", name="units", code="interpreted").read_bytes() == written.read_bytes()
    with zipfile.ZipFile(written) as archive:
        text = archive.read("SystemStructure.ssd").decode()
    assert 'suppressUnitConversion="true"' in text
    assert '<ssc:LinearTransformation factor="250.0" offset="2.0"/>' in text
    read = Network.from_ssp(written)
    # the jump at 0.5 s, linear interpolation before, held values beyond
    assert_same(Master(read, step=0.05).run(until=1.2), Master(network, step=0.05).run(until=1.2))


def test_what_no_fmu_can_be_made_of_is_refused(tmp_path):
    network = Network()
    network.add(PythonComponent(lambda t, v: t, outputs=["y"]), "clock")
    with pytest.raises(UnsupportedError, match=r"component 'clock' .* Make an FMU of it"):
        network.to_ssp(tmp_path / "a.ssp")
    network = Network()
    network.add(mb.Table(np.array([0.0, 1.0]), {"gear": np.array([1, 2])}, {}), "table")
    with pytest.raises(UnsupportedError, match="only real columns can be written as an FMU, not gear"):
        network.to_ssp(tmp_path / "a.ssp")
    assert not (tmp_path / "a.ssp").exists()
    with pytest.raises(InputError, match=r"the parameter set '\.\./a' becomes a file"):
        Network().to_ssp(tmp_path / "a.ssp", parameter_sets={"../a": {}})
