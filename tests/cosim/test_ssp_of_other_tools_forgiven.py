"""SSP files as other tools write them: names of the system, files elsewhere, the step, units without a definition, types of connectors."""

import shutil

import pytest
from click.testing import CliRunner
from numpy.testing import assert_allclose

from mobod.cli import main
from mobod.cosim import Master, Network, PythonComponent, Signal
from mobod.errors import InputError, MobodWarning, SspFileError
from tests.cosim.ssp_files import (
    bindings,
    component,
    connection,
    connections,
    connectors,
    elements,
    export_cart,
    inline,
    parameter,
    ssd,
    units,
    write_ssp,
)
from tests.importer.foreign_fmus import build_foreign_fmu

CART = connectors(input="motor.force", output="mass.q")
OSP = (
    '<ssd:DefaultExperiment><ssd:Annotations><ssc:Annotation type="com.opensimulationplatform">'
    '<osp:Algorithm xmlns:osp="http://opensimulationplatform.com/SSP/OSPAnnotations"><osp:FixedStepAlgorithm baseStepSize="{}"/>'
    "</osp:Algorithm></ssc:Annotation></ssd:Annotations></ssd:DefaultExperiment>"
)
OMS = (
    '<ssd:Annotations><ssc:Annotation type="org.openmodelica"><oms:SimulationInformation xmlns:oms="http://openmodelica.org/oms">'
    '<oms:FixedStepMaster description="oms-ma" stepSize="{}"/></oms:SimulationInformation></ssc:Annotation></ssd:Annotations>'
)


@pytest.fixture(scope="module")
def cart(tmp_path_factory):
    """An FMU with the input motor.force, in N, and the output mass.q, in m."""
    return export_cart(tmp_path_factory.mktemp("cart") / "cart.fmu")


def _pair(end: str, rest: str = "", content: str = "", attributes: str = "") -> str:
    """Two carts; the first one's place is the second one's force, and the system's output 'end' is the place of the second one."""
    carts = elements(component("a", "cart.fmu", CART), component("b", "cart.fmu", CART + content))
    between = connection("a.mass.q", "b.motor.force", attributes='suppressUnitConversion="true"')
    return ssd(connectors(output="end") + carts + connections(between, end) + attributes, rest)


def test_an_empty_element_name_is_the_system_itself(cart, tmp_path):
    end = '<ssd:Connection startElement="b" startConnector="mass.q" endElement="" endConnector="end"/>'
    network = Network.from_ssp(write_ssp(tmp_path / "a.ssp", _pair(end), {"cart.fmu": cart}))
    assert [str(each.source) for each in network.connections] == ["a.mass.q"]


def test_a_folder_may_name_files_elsewhere_only_if_the_user_allows_it(cart, tmp_path):
    folder = tmp_path / "system"
    (tmp_path / "fmus").mkdir()
    folder.mkdir()
    shutil.copy(cart, tmp_path / "fmus" / "one cart.fmu")
    for source in ("../fmus/one%20cart.fmu", (tmp_path / "fmus" / "one cart.fmu").as_uri()):
        (folder / "SystemStructure.ssd").write_text(ssd(elements(component("a", source, CART))))
        with pytest.raises(SspFileError, match=r"--allow-outside \(allow_outside=True\)"):
            Network.from_ssp(folder)
        assert list(Network.from_ssp(folder, allow_outside=True).components) == ["a"]
        done = [CliRunner().invoke(main, ["ssp", command, str(folder), "--allow-outside"]) for command in ("info", "check")]
        assert [each.exit_code for each in done] == [0, 0], done


def test_an_archive_never_names_files_elsewhere(cart, tmp_path):
    path = write_ssp(tmp_path / "a.ssp", ssd(elements(component("a", "../cart.fmu", CART))))
    shutil.copy(cart, tmp_path / "cart.fmu")
    with pytest.raises(SspFileError, match=r"leaves the SSP. Put the file into it\."):
        Network.from_ssp(path)
    with pytest.raises(InputError, match="is for folders that you name"):
        Network.from_ssp(path, allow_outside=True)


def test_an_archive_within_a_folder_never_names_files_elsewhere(cart, tmp_path):
    folder = tmp_path / "outer"
    folder.mkdir()
    write_ssp(folder / "inner.ssp", ssd(elements(component("a", "../cart.fmu", CART))))
    shutil.copy(cart, folder / "cart.fmu")
    inner = '<ssd:Component name="inner" source="inner.ssp" type="application/x-ssp-package"/>'
    (folder / "SystemStructure.ssd").write_text(ssd(elements(inner)))
    with pytest.raises(SspFileError, match="leaves the SSP"):
        Network.from_ssp(folder, allow_outside=True)


@pytest.mark.parametrize("place", ["osp", "oms"])
def test_the_step_in_the_file_is_the_default(cart, tmp_path, place):
    """Of the Open Simulation Platform in the default experiment, and of OMSimulator in the root system."""
    end = connection("b.mass.q", "end")
    text = _pair(end, OSP.format("0.025")) if place == "osp" else _pair(end, attributes=OMS.format("0.025"))
    path = write_ssp(tmp_path / "a.ssp", text, {"cart.fmu": cart})
    network = Network.from_ssp(path)
    assert network.ssp is not None
    assert network.ssp.structure.step == 0.025
    assert Master(network).step == 0.025
    assert Master(network, step=0.05).step == 0.05
    done = CliRunner().invoke(main, ["cosim", str(path), "--until", "0.1", "--no-isolate"])
    assert "at 0.1 s, after 4 steps" in done.output
    # and what is written has it too
    assert Master(Network.from_ssp(network.to_ssp(tmp_path / "b.ssp"))).step == 0.025


def test_a_step_that_is_none_is_named(cart, tmp_path):
    path = write_ssp(tmp_path / "a.ssp", _pair(connection("b.mass.q", "end"), OSP.format("0")), {"cart.fmu": cart})
    with pytest.raises(SspFileError, match="baseStepSize='0' is no step"):
        Network.from_ssp(path)


def test_a_unit_in_brackets_is_known(cart, tmp_path):
    """0.2 [kN] are 200 N."""
    values = bindings(inline(parameter("motor.force", "Real", value=0.2, unit="[kN]")))
    path = write_ssp(tmp_path / "a.ssp", ssd(elements(component("a", "cart.fmu", CART + values))), {"cart.fmu": cart})
    assert_allclose(Network.from_ssp(path).components["a"].start["motor.force"], 200.0, rtol=1e-15)


def test_a_unit_without_a_definition_that_mobod_does_not_know_is_left_aside_with_a_warning(cart, tmp_path):
    values = bindings(inline(parameter("motor.force", "Real", value=7.5, unit="poundal")))
    path = write_ssp(tmp_path / "a.ssp", ssd(elements(component("a", "cart.fmu", CART + values))), {"cart.fmu": cart})
    with pytest.warns(MobodWarning, match=r"the unit 'poundal' is not defined.*SSP 2\.0\.1, 4\.4\.2 Units"):
        network = Network.from_ssp(path)
    assert network.components["a"].start["motor.force"] == 7.5
    with pytest.raises(InputError, match="'poundal', which cannot be converted"):
        Network.from_ssp(path, strict=True)


def test_units_that_are_defined_and_do_not_fit_are_an_error_as_before(cart, tmp_path):
    rest = units("ssv", kg='kg="1"')
    values = bindings(inline(parameter("motor.force", "Real", value=7.5, unit="kg"), rest=rest))
    path = write_ssp(tmp_path / "a.ssp", ssd(elements(component("a", "cart.fmu", CART + values))), {"cart.fmu": cart})
    with pytest.raises(InputError, match="cannot be converted"):
        Network.from_ssp(path)


def test_an_enumeration_takes_whole_numbers_and_is_watched(tmp_path):
    """FMI passes enumerations as numbers, and SSP leaves it to tools whether types may differ (2.0.1, 5.4.2.1)."""
    old = 'causality="parameter" variability="fixed" declaredType="Method"'
    network = Network()
    network.add(build_foreign_fmu("tank", tmp_path / "tank.fmu", (old, 'causality="input" declaredType="Method"')), "tank")
    numbers = PythonComponent(lambda time, values: 2 if time < 0.25 else 5, outputs={"n": Signal(kind="integer")})
    network.add(numbers, "source")
    network.connect("source.n", "tank.method")
    with pytest.warns(MobodWarning, match=r"'tank.method' was given 5 by 'source.n' at 0.25 s, which is above its max, 2"):
        results = Master(network, step=0.125).run(until=0.5, outputs=["tank.method", "source.n"])
    assert results["tank.method"].tolist() == results["source.n"].tolist() == [2, 2, 5, 5, 5]


def test_a_unit_with_two_definitions_is_one_by_its_name(cart, tmp_path):
    """The file defines N without the time, so that it cannot be converted to the N of the FMU."""
    values = bindings(inline(parameter("motor.force", "Real", value=7.5, unit="N"), rest=units("ssv", N='kg="1" m="1"')))
    end = connectors(input="motor.force in N", output="mass.q")
    text = ssd(elements(component("a", "cart.fmu", end + values)), units(N='kg="1" m="1"'))
    path = write_ssp(tmp_path / "a.ssp", text, {"cart.fmu": cart})
    with pytest.warns(MobodWarning, match=r"the unit 'N' has two meanings: 'N' \(kg m\), and 'N' \(kg m s\^-2\)"):
        network = Network.from_ssp(path)
    assert network.components["a"].start["motor.force"] == 7.5
    with pytest.raises(InputError, match="cannot be converted"):
        Network.from_ssp(path, strict=True)
