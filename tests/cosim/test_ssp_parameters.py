"""Parameter sets of SSP: bindings of all levels, names, prefixes, mappings, units, types, and values through connectors of systems."""

import zipfile

import pytest

from mobod.cosim import Network
from mobod.cosim.ssp.checking import check_ssp
from mobod.errors import InputError, SspFileError, UnsupportedError
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
    linear,
    parameter,
    parameter_set,
    ssd,
    system,
    units,
    write_ssp,
)
from tests.importer.foreign_fmus import build_foreign_fmu

CART = connectors(input="motor.force", output="mass.q")


@pytest.fixture(scope="module")
def fmus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fmus")
    return {"cart.fmu": export_cart(folder / "cart.fmu"), "tank.fmu": build_foreign_fmu("tank", folder / "tank.fmu")}


@pytest.fixture
def start(fmus, tmp_path):
    """Start values of the only component, or of all by name."""

    def start(structure, parameters=(), **files):
        more = {name.replace("__", "."): each for name, each in files.items()}
        network = Network.from_ssp(write_ssp(tmp_path / "system.ssp", structure, {**fmus, **more}), parameters=parameters)
        found = {name: each.start for name, each in network.components.items()}
        return found if len(found) > 1 else next(iter(found.values()))

    return start


def real(name, value, **attributes):
    return parameter(name, "Real", value=value, **attributes)


@pytest.mark.slow
def test_outer_bindings_count_more_than_inner_ones_and_later_ones_more_than_earlier_ones(start):
    of_component = bindings(
        inline(real("spring.stiffness", 1) + real("mass.q_start", 1) + real("mass.u_start", 1) + real("spring.q_zero", 1)),
        inline(real("mass.u_start", 2) + real("spring.stiffness", 2)),
    )
    within = system(
        "in",
        bindings(inline(real("cart.spring.stiffness", 3) + real("cart.mass.q_start", 3)))
        + elements(component("cart", "cart.fmu", CART + of_component)),
    )
    root = bindings(inline(real("in.cart.mass.q_start", 4))) + elements(within)
    assert start(ssd(root)) == {"spring.q_zero": 1.0, "mass.u_start": 2.0, "spring.stiffness": 3.0, "mass.q_start": 4.0}
    for name in ("in.cart.spring.q_zero", "in/cart.spring.q_zero"):
        assert start(ssd(root), {name: 5})["spring.q_zero"] == 5.0


def test_a_name_with_dots_is_that_of_all_it_may_mean(start):
    """A component 'in.cart' beside a component 'cart' of the system 'in' has the same names, and a network cannot have both."""
    within = system("in", elements(component("cart", "cart.fmu", CART)))
    root = bindings(inline(real("in.cart.mass.q_start", 4))) + elements(within, component("in.cart", "cart.fmu", CART))
    with pytest.raises(SspFileError, match=r"in\.cart and in\.cart are both named 'in/cart'"):
        start(ssd(root))
    alone = bindings(inline(real("a.b.mass.q_start", 4) + real("a.b.mass.u", 3))) + elements(component("a.b", "cart.fmu", CART))
    assert start(ssd(alone)) == {"mass.q_start": 4.0, "mass.u": 3.0}


def test_a_prefix_goes_before_all_names_and_a_mapping_names_what_is_taken(start):
    entries = (
        '<ssm:MappingEntry source="cart.k" target="cart.spring.stiffness"/>'
        f'<ssm:MappingEntry source="cart.x" target="cart.mass.q_start">{linear(2.0, 0.5)}</ssm:MappingEntry>'
        f'<ssm:MappingEntry source="cart.x" target="cart.spring.q_zero" suppressUnitConversion="true">{linear(1.0)}</ssm:MappingEntry>'
    )
    mapping = f'<ssm:ParameterMapping {SPACES} version="1.0">{entries}</ssm:ParameterMapping>'
    known = units("ssv", mm='m="1" factor="0.001"')
    given = inline(real("k", 7) + real("x", 250, unit="mm") + real("mass.u_start", 9), 'prefix="cart."', mapping, known)
    root = bindings(given) + elements(component("cart", "cart.fmu", CART))
    assert start(ssd(root)) == {"spring.stiffness": 7.0, "mass.q_start": 2 * 0.25 + 0.5, "spring.q_zero": 250.0}


def test_sets_and_mappings_in_files_also_in_the_fmus(start, fmus, tmp_path):
    binding = '<ssd:ParameterBinding source="resources/a%20set.ssv"><ssd:ParameterMapping source="map.ssm"/></ssd:ParameterBinding>'
    mapping = f'<ssm:ParameterMapping {SPACES} version="1.0"><ssm:MappingEntry source="x" target="mass.q_start"/></ssm:ParameterMapping>'
    files = {"resources/a set__ssv": parameter_set(real("x", 3)), "map__ssm": mapping}
    assert start(ssd(elements(component("cart", "cart.fmu", CART + bindings(binding)))), **files) == {"mass.q_start": 3.0}
    in_fmu = '<ssd:ParameterBinding source="extra/set.ssv" sourceBase="component"/>'
    structure = ssd(elements(component("cart", "cart.fmu", CART + bindings(in_fmu))))
    with pytest.raises(SspFileError, match=r"cart\.fmu contains no file 'extra/set\.ssv'"):
        start(structure)
    with_set = tmp_path / "with_set.fmu"
    with_set.write_bytes(fmus["cart.fmu"].read_bytes())
    with zipfile.ZipFile(with_set, "a") as archive:
        archive.writestr("extra/set.ssv", parameter_set(real("mass.q_start", 8)))
    assert start(structure, cart__fmu=with_set) == {"mass.q_start": 8.0}


def test_names_that_belong_to_nothing_are_ignored_and_reported_by_the_check(fmus, tmp_path):
    given = inline(real("mass.q_start", 1) + real("mass.qstart", 2))
    path = write_ssp(tmp_path / "a.ssp", ssd(elements(component("cart", "cart.fmu", CART + bindings(given)))), fmus)
    read, problems = check_ssp(path)
    assert (read.name, problems) == ("by hand", ["the parameter set 'set' has values for which there is no variable: mass.qstart"])


def through(kind, value, content=""):
    """A parameter of the root system that two systems pass on to the stiffness of a cart, and one of them doubles."""
    inner = system(
        "in",
        connectors(parameter="k")
        + elements(component("cart", "cart.fmu", connectors(parameter="spring.stiffness")))
        + connections(connection("k", "cart.spring.stiffness", linear(2.0, 1.0))),
    )
    outer = f"<ssd:Connectors><ssd:Connector name='stiffness' kind='parameter'><ssc:{kind}/></ssd:Connector></ssd:Connectors>"
    return ssd(outer + bindings(inline(value)) + elements(inner) + connections(connection("stiffness", "in.k", content)))


def test_parameters_of_systems_flow_through_their_connections(start):
    assert start(through("Real", real("stiffness", 10))) == {"spring.stiffness": 21.0}
    assert start(through("Real", real("stiffness", 10), linear(3.0))) == {"spring.stiffness": 61.0}
    # a value for the system within is that of its connector, which the connection gives
    assert start(through("Real", real("stiffness", 10) + real("in.k", 4))) == {"spring.stiffness": 21.0}
    assert start(through("Real", real("in.k", 4))) == {"spring.stiffness": 9.0}


def test_values_of_all_types_with_tables_of_values(start):
    def mapped(kind, *pairs):
        listed = "".join(f'<ssc:MapEntry source="{source}" target="{target}"/>' for source, target in pairs)
        return f"<ssc:{kind}MappingTransformation>{listed}</ssc:{kind}MappingTransformation>"

    changes = {
        "switch": mapped("Boolean", ("true", "false"), ("false", "true")),
        "mode": mapped("Integer", (1, 5), (2, 6)),
        "method": mapped("Enumeration", ("old", "slow"), ("older", "fast")),
        "label": "",
    }
    entries = "".join(f'<ssm:MappingEntry source="{name}" target="{name}">{each}</ssm:MappingEntry>' for name, each in changes.items())
    mapping = f'<ssm:ParameterMapping {SPACES} version="1.0">{entries}</ssm:ParameterMapping>'

    def given(mode):
        values = parameter("switch", "Boolean", value="true") + parameter("mode", "Integer", value=mode)
        return values + parameter("method", "Enumeration", value="old") + parameter("label", "String", value="a &amp; b")

    def structure(mode):
        return ssd(elements(component("tank", "tank.fmu", bindings(inline(given(mode), mapping=mapping)))))

    found = start(structure(2))
    assert found == {"switch": False, "mode": 6, "method": 1, "label": "a & b"}
    with pytest.raises(InputError, match=r"parameter 'mode': the IntegerMappingTransformation has no entry for 3, only for 1, 2"):
        start(structure(3))


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (
            real("spring.stiffness", 1, unit="mm"),
            InputError,
            r"parameter 'spring\.stiffness': its unit is 'mm' .*, which cannot be converted",
        ),
        (real("spring.stiffness", "NaN"), InputError, r"parameter 'spring\.stiffness': .* finite"),
        (parameter("spring.stiffness", "String", value="stiff"), InputError, "was given 'stiff'"),
        (real("der(mass.q)", 1), InputError, r"'cart\.der\(mass\.q\)' cannot be given a start value"),
        (parameter("spring.stiffness", "Binary", value="00ff"), UnsupportedError, "it is binary"),
        (real("spring.stiffness", 1) + real("spring.stiffness", 2), SspFileError, "two parameters of this name"),
        (real("spring.stiffness", "one"), SspFileError, "breaks the schema of SSP 1.0"),
    ],
)
def test_values_that_do_not_fit_are_refused_with_their_place(start, value, error, message):
    with pytest.raises(error, match=message) as caught:
        start(ssd(elements(component("cart", "cart.fmu", CART + bindings(inline(value))))))
    assert "system.ssp: SystemStructure.ssd" in str(caught.value)
