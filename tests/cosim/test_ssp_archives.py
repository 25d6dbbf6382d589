"""SSP 2.0, systems in files of their own, and archives that are damaged or malicious."""

import zipfile

import pytest
from click.testing import CliRunner
from numpy.testing import assert_array_equal

from mobod.cli import main
from mobod.cosim import FmuLimits, Master, Network
from mobod.errors import MobodError, SspFileError, UnsupportedError
from tests.cosim.ssp_files import (
    SPACES,
    bindings,
    component,
    connection,
    connections,
    connectors,
    elements,
    export_cart,
    inline,
    parameter,
    parameter_set,
    ssd,
    write_ssp,
)
from tests.importer.foreign_fmus import build_foreign_fmu


@pytest.fixture(scope="module")
def fmus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fmus")
    return {"cart.fmu": export_cart(folder / "cart.fmu"), "tank.fmu": build_foreign_fmu("tank", folder / "tank.fmu")}


def refused(path, message, **options):
    with pytest.raises(SspFileError, match=message):
        Network.from_ssp(path, **options)


# SSP 2.0 ---------------------------------------------------------------------------------------------------------------------------------

TANK = (
    '<ssd:Connectors><ssd:Connector name="y" kind="output"><ssc:Float64/><ssc:Dimension size="3"/></ssd:Connector>'
    '<ssd:Connector name="gains" kind="parameter"><ssc:Float64/><ssc:Dimension/></ssd:Connector>'
    '<ssd:Connector name="u" kind="unspecified"><ssc:Float64/></ssd:Connector></ssd:Connectors>'
)


def tanks(version="2.0"):
    """FMI 3.0: arrays, an entry of an array by its index, a structural parameter, all through a system's array connector."""
    values = (
        '<ssv:Parameter name="gains"><ssv:Float64 value="4 5 6"/><ssv:Dimension size="3"/></ssv:Parameter>'
        '<ssv:Parameter name="n"><ssv:UInt64 value="3"/></ssv:Parameter>'
        '<ssv:Parameter name="table"><ssv:Float64 value="1.5 2.5 3.5"/><ssv:Dimension size="3"/></ssv:Parameter>'
        '<ssv:Parameter name="label"><ssv:String><ssv:Value>two words</ssv:Value></ssv:String></ssv:Parameter>'
    )
    binding = (
        f"<ssd:ParameterBinding><ssd:ParameterValues>{parameter_set(values, version='2.0')}</ssd:ParameterValues></ssd:ParameterBinding>"
    )
    within = (
        '<ssd:System name="in"><ssd:Connectors><ssd:Connector name="all" kind="output"><ssc:Float64/><ssc:Dimension size="3"/>'
        f"</ssd:Connector></ssd:Connectors>{elements(component('first', 'tank.fmu', TANK + bindings(binding)))}"
        f"{connections(connection('first.y', 'all'))}</ssd:System>"
    )
    outer = elements(within, component("second", "tank.fmu", TANK))
    return ssd(outer + connections(connection("second.u", "in.all", attributes='endIndices="2"')), version=version)


@pytest.mark.slow
def test_ssp_2_has_arrays_entries_and_the_types_of_fmi_3(fmus, tmp_path):
    network = Network.from_ssp(write_ssp(tmp_path / "tanks.ssp", tanks(), fmus))
    start = network.components["in/first"].start
    expected = {"n": 3, "label": "two words", **{f"gains[{k}]": 3.0 + k for k in (1, 2, 3)}, **{f"table[{k}]": 0.5 + k for k in (1, 2, 3)}}
    assert start == expected
    (made,) = network.connections
    assert (str(made.source), str(made.target)) == ("in/first.y[2]", "second.u")
    done = CliRunner().invoke(main, ["ssp", "check", str(tmp_path / "tanks.ssp")])
    assert (done.exit_code, "but it was not validated: mobod has no schemas of SSP 2.0" in done.output) == (0, True)
    # written as 1.0, with the nested name as one with a dot
    read = Network.from_ssp(network.to_ssp(tmp_path / "again.ssp"))
    assert read.ssp.structure.version == "1.0"
    runs = [Master(each, step=0.05).run(until=0.3) for each in (network, read)]
    for name in runs[0]:
        assert_array_equal(runs[0][name], runs[1][name])


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        (tanks("3.0"), SspFileError, r"it is of SSP version 3\.0, and mobod reads 1\.0 and 2\.0"),
        (tanks("1.0"), SspFileError, r"it breaks the schema of SSP 1\.0:\n  line 1: .*Float64"),
        (tanks().replace('endIndices="2"', 'endIndices="0"'), SspFileError, "Indices count from 1"),
        (tanks().replace('endIndices="2"', ""), SspFileError, r"'in\.first\.y' has 3 entries, and 'second\.u' 1"),
        (tanks().replace('name="second"', 'name="second" implementation="ScheduledExecution"'), UnsupportedError, "ScheduledExecution"),
        (tanks().replace('kind="output"><ssc:Float64', 'kind="output"><ssc:Clock'), UnsupportedError, "has clocks"),
        (tanks().replace('value="4 5 6"', 'value="4 5"'), SspFileError, "it has 2 values, and its dimensions are those of 3"),
        (tanks().replace('kind="output"', 'kind="out"', 1), SspFileError, "its kind is 'out'"),
        (tanks().replace('startElement="second"', 'starElement="second"'), MobodError, "no connector|has no|is named 'u'"),
    ],
)
def test_what_is_wrong_or_not_supported_in_ssp_2_is_named(fmus, tmp_path, text, error, message):
    with pytest.raises(error, match=message):
        Network.from_ssp(write_ssp(tmp_path / "tanks.ssp", text, fmus))


# systems in files of their own -----------------------------------------------------------------------------------------------------------


def part(name, source, kind):
    start = bindings(inline(parameter("cart.mass.q_start", "Real", value=0.5)))
    return f'<ssd:Component name="{name}" source="{source}" type="application/x-ssp-{kind}">{start}</ssd:Component>'


def test_components_may_be_other_structures_and_packages(fmus, tmp_path):
    cart = component("cart", "cart.fmu", connectors(output="mass.q"))
    own = bindings(inline(parameter("cart.mass.q_start", "Real", value=0.1) + parameter("cart.mass.u_start", "Real", value=0.2)))
    inner = ssd(own + elements(cart))
    package = write_ssp(tmp_path / "inner.ssp", inner, {"cart.fmu": fmus["cart.fmu"]})
    outer = ssd(elements(part("a", "parts/variant.ssd", "definition"), part("b", "inner.ssp", "package")))
    files = {"parts/variant.ssd": inner.replace("cart.fmu", "../cart.fmu"), "inner.ssp": package, **fmus}
    network = Network.from_ssp(write_ssp(tmp_path / "outer.ssp", outer, files))
    assert {name: each.start for name, each in network.components.items()} == {
        name: {"mass.q_start": 0.5, "mass.u_start": 0.2} for name in ("a/cart", "b/cart")
    }
    assert Network.from_ssp(tmp_path / "outer.ssp", structure="parts/variant.ssd").components.keys() == {"cart"}


def test_a_structure_that_contains_itself_is_refused(tmp_path):
    with pytest.raises(SspFileError, match=r"it contains itself: .*SystemStructure\.ssd in .*other\.ssd in .*SystemStructure\.ssd"):
        Network.from_ssp(
            write_ssp(
                tmp_path / "a.ssp",
                ssd(elements(part("a", "other.ssd", "definition"))),
                {"other.ssd": ssd(elements(part("b", "SystemStructure.ssd", "definition")))},
            )
        )


def test_packages_within_packages_are_limited(tmp_path):
    path = write_ssp(tmp_path / "0.ssp", ssd(""))
    for depth in range(1, 10):
        path = write_ssp(tmp_path / f"{depth}.ssp", ssd(elements(part("a", "in.ssp", "package"))), {"in.ssp": path})
    refused(path, "more than 8 files contain each other")


# archives --------------------------------------------------------------------------------------------------------------------------------

CART = ssd(elements(component("cart", "cart.fmu")))


@pytest.mark.parametrize("name", ["../out.txt", "/etc/out.txt", "a/../../out.txt", "c:/out.txt", "a\\..\\out.txt"])
def test_paths_that_leave_the_archive_are_refused(fmus, tmp_path, name):
    refused(write_ssp(tmp_path / "a.ssp", CART, {**fmus, name: "x"}), "which could leave the folder")
    assert not (tmp_path / "out.txt").exists()


@pytest.mark.parametrize(
    "source", ["../cart.fmu", "/cart.fmu", "file:///cart.fmu", "http://example.org/cart.fmu", "a/../../cart.fmu", "%2e%2e/cart.fmu"]
)
def test_sources_outside_of_the_archive_are_refused(tmp_path, source):
    (tmp_path / "cart.fmu").write_bytes(b"")
    refused(write_ssp(tmp_path / "a.ssp", ssd(elements(component("cart", source)))), "Put the file into it")


def test_missing_and_damaged_files_are_named(fmus, tmp_path):
    refused(tmp_path / "none.ssp", r"none\.ssp: the file does not exist")
    refused(write_ssp(tmp_path / "a.ssp", CART, {"Cart.fmu": b""}), r"the SSP has no file 'cart\.fmu'\. Did you mean 'Cart\.fmu'")
    refused(write_ssp(tmp_path / "a.ssp", CART, {"cart.fmu": b"no zip"}), r"component 'cart': .*cart\.fmu: not an FMU")
    (tmp_path / "text.ssp").write_text("no archive")
    refused(tmp_path / "text.ssp", "not an SSP, or a damaged one. An SSP is a ZIP archive")
    with zipfile.ZipFile(tmp_path / "empty.ssp", "w") as archive:
        archive.writestr("other.ssd", CART)
    refused(tmp_path / "empty.ssp", r"The archive contains no SystemStructure\.ssd")
    refused(write_ssp(tmp_path / "a.ssp", CART, fmus), r"there is no other\.ssd", structure="other.ssd")
    binding = '<ssd:ParameterBinding source="sets/b.ssv"/>'
    structure = ssd(elements(component("cart", "cart.fmu", bindings(binding))))
    refused(
        write_ssp(tmp_path / "a.ssp", structure, {**fmus, "sets/a.ssv": ""}),
        r"line 1: the SSP has no file 'sets/b\.ssv'\. Did you mean 'sets/a\.ssv'",
    )


def test_sizes_are_limited(fmus, tmp_path):
    path = write_ssp(tmp_path / "a.ssp", CART, fmus)
    refused(path, r"the limit is 2\. If you trust the file, raise the limit: mobod\.FmuLimits\(files=3\)", limits=FmuLimits(files=2))
    refused(path, "bytes, unpacked, and the limit is 1000", limits=FmuLimits(unpacked=1000))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (CART.replace("<ssd:System ", "<!-- --", 1), "is not well-formed"),
        ('<!DOCTYPE a [<!ENTITY b "c">]>' + CART, "document type declaration, which is not allowed in an SSP"),
        ('<!DOCTYPE a SYSTEM "file:///etc/passwd">' + CART, "document type declaration"),
        ("<a/>", "<SystemStructureDescription> of SSP was expected, but there is <a>"),
        (CART.replace('version="1.0"', ""), "it is of SSP version \\(none\\)"),
        (CART.replace('source="cart.fmu"', ""), "breaks the schema of SSP 1.0:\n  line 1: .*'source' is required"),
        (ssd("", version="2.0").replace('<ssd:System name="root"></ssd:System>', ""), "it has no System"),
        (ssd(elements(component("a", "cart.fmu"), component("a", "cart.fmu"))), "two elements of this name"),
    ],
)
def test_xml_that_is_no_ssd_is_refused(fmus, tmp_path, text, message):
    refused(write_ssp(tmp_path / "a.ssp", text, fmus), message)


def test_an_entity_in_a_parameter_set_is_refused(fmus, tmp_path):
    structure = ssd(elements(component("cart", "cart.fmu", bindings('<ssd:ParameterBinding source="a.ssv"/>'))))
    text = '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]>' + parameter_set(parameter("x", "String", value="y").replace("y", "&b;"))
    assert SPACES in text
    refused(write_ssp(tmp_path / "a.ssp", structure, {**fmus, "a.ssv": text}), r"a\.ssv (is not well-formed|has a document type)")


def test_a_link_in_a_folder_does_not_lead_out_of_it(fmus, tmp_path):
    folder = tmp_path / "system"
    folder.mkdir()
    (folder / "SystemStructure.ssd").write_text(CART)
    (folder / "cart.fmu").symlink_to(fmus["cart.fmu"])
    refused(folder, r"'cart\.fmu' leaves the SSP")


def test_a_damaged_file_is_a_failure_of_the_work_as_that_of_an_fmu(tmp_path):
    path = tmp_path / "cut.ssp"
    path.write_bytes(b"PK\x03\x04 and nothing more")
    for command in (["ssp", "info"], ["cosim"]):
        done = CliRunner().invoke(main, [*command, str(path)])
        assert done.exit_code == 1, done.output
        assert "cut.ssp" in done.output


@pytest.mark.parametrize(("source", "message"), [("http://[", "is not a URI"), ("a%00.fmu", "has a zero byte")])
def test_a_source_that_is_no_path_is_refused(source, message, tmp_path):
    folder = tmp_path / "system"
    folder.mkdir()
    (folder / "SystemStructure.ssd").write_text(ssd(elements(component("cart", source)), version="2.0"))
    refused(folder, f"component 'cart': .*{message}")
