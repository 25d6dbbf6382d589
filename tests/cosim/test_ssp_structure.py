"""Systems in systems, signal dictionaries, transformations and parameters of hand-written SSP files."""

import re

import pytest
from numpy.testing import assert_allclose

from mobod.cosim import Master, Network
from mobod.cosim.ssp.flattening import FlatStructure
from mobod.cosim.ssp.folder import SspFolder
from mobod.cosim.ssp.reading import read_structure
from mobod.errors import SspFileError, UnknownNameError, UnsupportedError
from tests.cosim.ssp_files import (
    SPACES,
    component,
    connection,
    connections,
    connectors,
    elements,
    export_cart,
    linear,
    ssd,
    system,
    units,
    write_ssp,
)

CART = connectors(input="motor.force", output="mass.q")
UNITS = units(kN='kg="1" m="1" s="-2" factor="1000"', N='kg="1" m="1" s="-2"', mm='m="1" factor="0.001"', m='m="1"')


@pytest.fixture(scope="module")
def cart(tmp_path_factory):
    """An FMU with the input motor.force, in N, and the output mass.q, in m."""
    return export_cart(tmp_path_factory.mktemp("cart") / "cart.fmu")


@pytest.fixture
def read(cart, tmp_path):
    """A network of the text of an SSD with files."""

    def read(structure, parameters=(), **files):
        path = write_ssp(
            tmp_path / "system.ssp", structure, {"cart.fmu": cart, **{name.replace("__", "."): each for name, each in files.items()}}
        )
        return Network.from_ssp(path, parameters=parameters)

    return read


@pytest.fixture
def ways(tmp_path):
    """Source and target of all ways of a structure whose FMUs are empty files."""

    def ways(structure, **files):
        path = write_ssp(
            tmp_path / "flat.ssp", structure, {"cart.fmu": b"", **{name.replace("__", "."): each for name, each in files.items()}}
        )
        return [(str(way.source), str(way.target)) for way in FlatStructure(read_structure(SspFolder(path))).ways()]

    return ways


def through_a_system(content="", attributes=""):
    """a.mass.q to the input of the system 'in', and from there to b.motor.force."""
    within = system(
        "in",
        connectors(input="pull in kN") + elements(component("b", "cart.fmu", CART)) + connections(connection("pull", "b.motor.force")),
    )
    return ssd(
        elements(component("a", "cart.fmu", CART), within) + connections(connection("a.mass.q", "in.pull", content, attributes)), UNITS
    )


# connections -----------------------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_transformations_and_units_along_nested_systems_are_composed(read):
    """m is no force: without conversion, 3 q + 1 in kN; then to N."""
    network = read(through_a_system(linear(3.0, 1.0), 'suppressUnitConversion="true"'))
    assert list(network.components) == ["a", "in/b"]
    (made,) = network.connections
    assert (made.factor, made.shift, str(made.source), str(made.target)) == (3000.0, 1000.0, "a.mass.q", "in/b.motor.force")
    run = Master(network, step=0.01).run(until=0.05)
    assert run["in/b.mass.q"][-1] > 0
    with pytest.raises(SspFileError, match=r"line 1: the units of 'a\.mass\.q' and 'in\.pull' are 'm' \(m\) and 'kN' \(1000 kg m s\^-2\)"):
        read(through_a_system())


def test_a_connector_whose_unit_the_fmu_contradicts_is_refused(read):
    wrong = connectors(input="motor.force in kN", output="mass.q")
    structure = elements(component("a", "cart.fmu", CART), component("b", "cart.fmu", wrong))
    with pytest.raises(SspFileError, match=r"the connector 'b\.motor\.force' is in 'kN' .*, but the FMU says 'N'"):
        read(ssd(structure + connections(connection("a.mass.q", "b.motor.force")), UNITS))


def test_either_end_of_a_connection_may_be_the_source(ways):
    inner = system(
        "in",
        connectors(output="y", input="u")
        + elements(component("b", "cart.fmu", CART))
        + connections(connection("b.motor.force", "u"), connection("y", "b.mass.q")),
    )
    outer = elements(component("a", "cart.fmu", CART), inner) + connections(
        connection("in.u", "a.mass.q"), connection("a.motor.force", "in.y")
    )
    assert sorted(ways(ssd(outer))) == [("a.mass.q", "in.b.motor.force"), ("in.b.mass.q", "a.motor.force")]


_MM = units("ssb", mm='m="1" factor="0.001"')
DICTIONARY = (
    '<ssd:SignalDictionaries><ssd:SignalDictionary name="bus">'
    f'<ssb:SignalDictionary {SPACES} version="1.0"><ssb:DictionaryEntry name="travel"><ssc:Real unit="mm"/></ssb:DictionaryEntry>'
    f"{_MM}</ssb:SignalDictionary></ssd:SignalDictionary></ssd:SignalDictionaries>"
)


def reference(name, **kinds):
    return f'<ssd:SignalDictionaryReference name="{name}" dictionary="bus">{connectors(**kinds)}</ssd:SignalDictionaryReference>'


def on_a_bus(dictionary=DICTIONARY, entry="travel"):
    """The position of a goes into the dictionary of the root system, and is a force for b in another system."""
    within = system(
        "in",
        elements(component("b", "cart.fmu", CART), reference("port", inout="travel"))
        + connections(connection("port.travel", "b.motor.force", linear(2.0), 'suppressUnitConversion="true"')),
    )
    outer = elements(component("a", "cart.fmu", CART), within, reference("sensor", input=f"{entry} in m"))
    return ssd(outer + connections(connection(f"sensor.{entry}", "a.mass.q")) + dictionary, UNITS)


def test_a_signal_dictionary_connects_systems_and_converts_units(read):
    (made,) = read(on_a_bus()).connections
    assert (str(made.source), str(made.target)) == ("a.mass.q", "in/b.motor.force")
    assert_allclose([made.factor, made.shift], [2000.0, 0.0], rtol=1e-15)  # N for each mm


def test_dictionaries_in_files_and_missing_entries(ways):
    in_file = '<ssd:SignalDictionaries><ssd:SignalDictionary name="bus" source="bus.ssb"/></ssd:SignalDictionaries>'
    bus = re.search(r"<ssb:SignalDictionary.*</ssb:SignalDictionary>", DICTIONARY)[0]
    assert ways(on_a_bus(in_file), bus__ssb=bus) == [("a.mass.q", "in.b.motor.force")]
    with pytest.raises(UnknownNameError, match=r"no entry of dictionary 'bus' is named 'trvel'\. Did you mean 'travel'"):
        ways(on_a_bus(entry="trvel"))
    with pytest.raises(UnknownNameError, match=r"no signal dictionary .* is named 'bus'"):
        ways(on_a_bus(dictionary=""))


@pytest.mark.parametrize(
    ("listed", "error", "message"),
    [
        ([connection("a.mass.q", "b.mass.q")], SspFileError, r"a\.mass\.q - b\.mass\.q has two sources"),
        ([connection("a.motor.force", "b.motor.force")], SspFileError, "has two targets"),
        (
            [connection("a.mass.q", "b.motor.force"), connection("b.mass.q", "b.motor.force")],
            SspFileError,
            r"'b\.motor\.force' takes its value from 'b\.mass\.q' and, by .* from 'a\.mass\.q'",
        ),
        ([connection("a.mass.p", "b.motor.force")], UnknownNameError, r"connector of 'a' .*'mass\.p'\. Did you mean 'mass\.q'"),
        ([connection("c.mass.q", "b.motor.force")], UnknownNameError, "no element of the system .* is named 'c'"),
        ([connection("a.mass.q", "b.motor.force", '<ssc:LinearTransformation factor="x"/>')], SspFileError, "breaks the schema"),
    ],
)
def test_connections_that_contradict_each_other_are_named(ways, listed, error, message):
    both = elements(component("a", "cart.fmu", CART), component("b", "cart.fmu", CART))
    with pytest.raises(error, match=message):
        ways(ssd(both + connections(*listed)))


def test_connections_in_a_circle_are_named(ways):
    inner = system("in", connectors(input="u", output="y") + connections(connection("u", "y")))
    other = inner.replace('name="in"', 'name="out"')
    around = connections(connection("in.y", "out.u"), connection("out.y", "in.u"), connection("in.y", "a.motor.force"))
    with pytest.raises(SspFileError, match=r"connections go in a circle.* in\.u -> .*"):
        ways(ssd(elements(component("a", "cart.fmu", CART), inner, other) + around))


def test_a_table_of_values_on_a_connection_is_refused(read):
    mapping = '<ssc:BooleanMappingTransformation><ssc:MapEntry source="true" target="false"/></ssc:BooleanMappingTransformation>'
    both = elements(component("a", "cart.fmu", CART), component("b", "cart.fmu", CART))
    with pytest.raises(UnsupportedError, match="BooleanMappingTransformation, which mobod supports for parameters only"):
        read(ssd(both + connections(connection("a.mass.q", "b.motor.force", mapping))))
