"""Errors in networks: names, causalities, types, units, start values."""

import pytest

from mobod import errors
from mobod.cosim import Network
from mobod.errors import DuplicateNameError, InputError, UnknownNameError, UnsupportedError


@pytest.fixture
def network(fmus):
    network = Network()
    network.add(fmus["spring_mass"])
    network.add(fmus["gain"], "amplifier")
    network.add(fmus["all_types"], "all")
    return network


def test_an_fmu_is_named_after_its_file_unless_a_name_is_given(network):
    assert list(network.components) == ["spring_mass", "amplifier", "all"]


def test_component_lists_its_inputs_and_outputs(network):
    assert network.components["spring_mass"].inputs == ["other"]
    assert network.components["spring_mass"].outputs == ["x", "v"]


def test_a_name_can_be_used_only_once(network, fmus):
    with pytest.raises(DuplicateNameError, match="'amplifier'"):
        network.add(fmus["gain"], "amplifier")


@pytest.mark.parametrize("name", ["a.b", ""])
def test_a_component_name_with_a_dot_is_refused(network, fmus, name):
    with pytest.raises(InputError, match="cannot be the name of an FMU"):
        network.add(fmus["gain"], name)


@pytest.mark.parametrize(
    ("source", "target", "hint"),
    [
        ("spring_mas.x", "amplifier.u", "Did you mean 'spring_mass'"),
        ("spring_mass.x", "amplifier.uu", "Did you mean 'u'"),
    ],
)
def test_unknown_name_gets_the_nearest_one(network, source, target, hint):
    with pytest.raises(UnknownNameError, match=hint):
        network.connect(source, target)


def test_name_without_a_dot_is_refused(network):
    with pytest.raises(InputError, match="'spring_mass' is not a variable"):
        network.connect("spring_mass", "amplifier.u")


def test_the_component_name_ends_at_the_first_dot_and_variable_names_may_contain_dots(network):
    connection = network.connect("amplifier.block.y[1](a.b)", "spring_mass.other")
    assert connection.source.variable.name == "block.y[1](a.b)"
    assert str(connection) == "amplifier.block.y[1](a.b) -> spring_mass.other"


@pytest.mark.parametrize(
    ("source", "target", "message"),
    [
        ("spring_mass.other", "amplifier.u", "'spring_mass.other' is not an output"),
        ("all.steps", "all.integer_in", "'all.steps' is not an output .its causality is local"),
        ("spring_mass.x", "amplifier.y", "'amplifier.y' is not an input"),
        ("spring_mass.x", "amplifier.gain", "Give a parameter its value as a start value"),
        ("all.integer_out", "amplifier.u", "types are Integer and Real"),
        ("all.boolean_out", "all.integer_in", "types are Boolean and Integer"),
    ],
)
def test_variables_with_wrong_causality_or_different_types_cannot_be_connected(network, source, target, message):
    with pytest.raises(errors.ConnectionError, match=message):
        network.connect(source, target)
    assert not network.connections


def test_an_input_takes_only_one_connection(network):
    network.connect("spring_mass.x", "amplifier.u")
    with pytest.raises(errors.ConnectionError, match=r"already connected: spring_mass\.x -> amplifier\.u"):
        network.connect("spring_mass.v", "amplifier.u")


def test_alias_of_a_connected_input_is_the_same_input(network, fmus, described):
    alias = '<ScalarVariable name="second" valueReference="2" causality="input"><Real start="0.75"/></ScalarVariable></ModelVariables>'
    network.add(described(fmus["gain"], ("</ModelVariables>", alias)), "aliased")
    network.connect("spring_mass.x", "aliased.u")
    with pytest.raises(errors.ConnectionError, match="already connected"):
        network.connect("spring_mass.v", "aliased.second")


# the units of an output and an input: name and base unit; None for no unit
METRE = ("m", 'm="1"')
ALIKE = [
    (METRE, ("metre", 'm="1"')),
    (("N.m", 'kg="1" m="2" s="-2"'), ("N m", 'kg="1" m="2" s="-2"')),
    (("rpm", 'rad="1" s="-1" factor="0.104719755119659"'), ("1/min", 'rad="1" s="-1" factor="0.10471975511965977"')),
    (("furlong", None), ("furlong", None)),
    (("furlong", 'm="1" factor="201.168"'), ("furlong", None)),
    (None, METRE),
    (METRE, None),
]
UNLIKE = [
    (METRE, ("m", 's="1"'), r"'m' \(m\) and 'm' \(s\)"),
    (("degC", 'K="1" offset="273.15"'), ("m", 'm="1"'), r"'degC' \(K, zero at 273\.15\) and 'm' \(m\)"),
    (("mm", 'm="1" factor="0.001"'), ("mm^2", 'm="2" factor="1e-6"'), r"'mm' \(0\.001 m\) and 'mm\^2' \(1e-06 m\^2\)"),
    (("rad/s", 'rad="1" s="-1"'), ("Hz", 's="-1"'), r"'rad/s' \(s\^-1 rad\) and 'Hz' \(s\^-1\)"),
    (("furlong", None), ("mile", None), "'furlong' and 'mile'"),
]


@pytest.fixture
def with_units(fmus, described):
    """A network of 'a' and 'b', in which the output a.y and the input b.u have these units."""

    def in_unit(unit, head, name):
        if unit is None:
            return fmus["gain"]
        base = "" if unit[1] is None else f"<BaseUnit {unit[1]}/>"
        definitions = f'<UnitDefinitions><Unit name="{unit[0]}">{base}</Unit></UnitDefinitions>'
        replacements = ("<LogCategories>", definitions + "<LogCategories>"), (head, f'{head} unit="{unit[0]}"')
        return described(fmus["gain"], *replacements, name=f"{name}.fmu")

    def build(given, wanted):
        network = Network()
        network.add(in_unit(given, 'name="y" valueReference="3" causality="output">\n\t\t\t<Real', "a"), "a")
        network.add(in_unit(wanted, 'name="u" valueReference="2" causality="input">\n\t\t\t<Real', "b"), "b")
        return network

    return build


@pytest.mark.parametrize(("given", "wanted"), ALIKE)
def test_units_with_equal_base_units_or_names_can_be_connected(with_units, given, wanted):
    network = with_units(given, wanted)
    network.connect("a.y", "b.u")
    assert len(network.connections) == 1


@pytest.mark.parametrize(("given", "wanted", "message"), UNLIKE)
def test_different_units_cannot_be_connected_and_the_message_names_them(with_units, given, wanted, message):
    network = with_units(given, wanted)
    with pytest.raises(errors.ConnectionError, match=message):
        network.connect("a.y", "b.u")


def test_unit_may_come_from_the_declared_type(fmus, described, with_units):
    network = with_units(METRE, None)
    declared = (
        ("<LogCategories>", '<UnitDefinitions><Unit name="mm"><BaseUnit m="1" factor="0.001"/></Unit></UnitDefinitions><LogCategories>'),
        ("<LogCategories>", '<TypeDefinitions><SimpleType name="Length"><Real unit="mm"/></SimpleType></TypeDefinitions><LogCategories>'),
        ('causality="input">\n\t\t\t<Real', 'causality="input">\n\t\t\t<Real declaredType="Length"'),
    )
    network.add(described(fmus["gain"], *declared), "typed")
    assert str(network.connect("a.y", "typed.u")) == "a.y -> typed.u (m to mm, times 1000)"


def test_enumerations_with_different_items_cannot_be_connected(fmus, described):
    network = Network()
    for name, items in (("a", ("off", "on")), ("b", ("off", "on")), ("c", ("on", "off"))):
        listed = "".join(f'<Item name="{item}" value="{k + 1}"/>' for k, item in enumerate(items))
        types = f'<TypeDefinitions><SimpleType name="Switch"><Enumeration>{listed}</Enumeration></SimpleType></TypeDefinitions>'
        replacements = (
            ("<LogCategories>", types + "<LogCategories>"),
            ("<Integer", '<Enumeration declaredType="Switch"'),
            ('start="41"', 'start="1"'),
        )
        network.add(described(fmus["all_types"], *replacements, name=f"{name}.fmu"))
    network.connect("a.integer_out", "b.integer_in")
    with pytest.raises(errors.ConnectionError, match="the items of their enumerations differ"):
        network.connect("a.integer_out", "c.integer_in")
    network.components["c"].set_start({"integer_in": "off"})
    assert network.components["c"].start == {"integer_in": 2}
    with pytest.raises(UnknownNameError, match=r"item of 'c\.integer_in'"):
        network.components["c"].set_start({"integer_in": "of course"})


@pytest.mark.parametrize(
    ("start", "error", "message"),
    [
        ({"gian": 2.0}, UnknownNameError, "Did you mean 'gain'"),
        ({"y": 2.0}, InputError, "'g.y' cannot be given a start value: the FMU computes it"),
        ({"gain": "2"}, InputError, "'g.gain' is of type Real, but was given '2'"),
        ({"gain": True}, InputError, "type Real"),
        ({"gain": float("nan")}, InputError, "finite"),
    ],
)
def test_an_invalid_start_value_is_refused_and_nothing_is_added(fmus, start, error, message):
    network = Network()
    with pytest.raises(error, match=message):
        network.add(fmus["gain"], "g", start=start)
    assert not network.components


@pytest.mark.parametrize(
    "start",
    [{"integer_in": 2.5}, {"integer_in": True}, {"integer_in": 2**31}, {"boolean_in": 1}, {"string_in": 3}],
)
def test_start_value_of_another_type_is_refused(fmus, start):
    with pytest.raises(InputError):
        Network().add(fmus["all_types"], start=start)


def test_an_fmu_that_allows_one_instance_can_be_added_once(fmus, described):
    single = described(fmus["gain"], ('canBeInstantiatedOnlyOncePerProcess="false"', 'canBeInstantiatedOnlyOncePerProcess="true"'))
    network = Network()
    network.add(single, "first", isolate=False)
    with pytest.raises(UnsupportedError, match="'first' is already an instance of it"):
        network.add(single, "second", isolate=False)
