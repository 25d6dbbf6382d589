"""Each rule for modelDescription.xml finds its fault, and a right description breaks none."""

import pytest
from lxml import etree

from mobod.fmi.rules.description import Description
from mobod.fmi.rules.description_rules import check_description
from mobod.fmi.rules.rule import MOST_FINDINGS, RuleFindings
from mobod.fmi.rules.xml_files import SCHEMA, check_encoding, check_schema
from tests.acceptance.right_fmus import FMI2, FMI3

SCHEMAS = {"2": "fmi2/fmi2ModelDescription.xsd", "3": "fmi3/fmi3ModelDescription.xsd"}


def findings(text, version):
    content = text.encode()
    root = etree.fromstring(content)
    found = RuleFindings(version)
    check_encoding(root, content, "modelDescription.xml", found)
    check_schema(root, SCHEMAS[version], SCHEMA, "modelDescription.xml", found)
    check_description(Description(root, version), found)
    return found.all()


@pytest.mark.parametrize(("version", "text"), [("2", FMI2), ("3", FMI3)])
def test_a_right_description_breaks_no_rule(version, text):
    assert findings(text, version) == []


# what is replaced, by what, the rule that this breaks, and its section
FAULTS_2 = [
    (' encoding="UTF-8"', "", "xml-encoding-declared", "2.2 "),
    ('modelName="Right" ', "", "schema", "2.2 "),
    ('guid="{1}"', 'guid=" "', "token", "2.2.1"),
    ('modelName="Right"', 'modelName=""', "model-name", "2.2.1"),
    ("03:04:05Z", "03:04:05+00:00", "generation-date", "2.2.1"),
    ("2026-01-02T03:04:05Z", "2026-13-02T03:04:05Z", "generation-date", "2.2.1"),
    ('name="logStatusError"', 'name="logEvents"', "log-category-unique", "2.2.4"),
    ('name="logStatusError"', 'name="LogStatusError"', "log-category-spelling", "2.2.4"),
    ('<Tool name="b">', '<Tool name="a">', "annotation-unique", "2.2.6"),
    ('stopTime="2"', 'stopTime="0"', "experiment-stop", "2.2.5"),
    ('tolerance="1e-6"', 'tolerance="-1e-6"', "experiment-tolerance", "2.2.5"),
    ('tolerance="1e-6"', 'tolerance="0"', "experiment-tolerance-zero", "2.2.5"),
    ('stepSize="0.5"', 'stepSize="0"', "experiment-step", "2.2.5"),
    ('stepSize="0.5"', 'stepSize="2.5"', "experiment-step", "2.2.5"),
    ('<CoSimulation modelIdentifier="Right"', '<CoSimulation modelIdentifier="2Right"', "model-identifier", "2.1.1"),
    ('canGetAndSetFMUstate="true"', 'canGetAndSetFMUstate="false"', "flag-serialize-me", "3.3.1"),
    ('canHandleVariableCommunicationStepSize="true"', 'canSerializeFMUstate="true"', "flag-serialize", "4.3.1"),
    ('<SimpleType name="Mode">', '<SimpleType name="Mass">', "type-unique", "2.2.3"),
    ('<SimpleType name="Mass">', '<SimpleType name="x">', "type-name", "2.2.3"),
    ('name="fast" value="5"', 'name="fast" value="1"', "enumeration-items", "2.2.3"),
    ('name="fast" value="5"', 'name="slow" value="5"', "enumeration-items", "2.2.3"),
    ('declaredType="Mass"', 'declaredType="Weight"', "declared-type", "2.2.7"),
    ('declaredType="Mass"', 'declaredType="Mode"', "declared-type", "2.2.7"),
    ('<Unit name="kg">', '<Unit name="m">', "unit-unique", "2.2.2"),
    ('<Real unit="kg" min="0"/>', '<Real unit="t" min="0"/>', "unit", "2.2.3"),
    ('<Real unit="m"/>', '<Real unit="furlong"/>', "unit", "2.2.3"),
    ('factor="1000"', 'factor="0"', "unit-factor", "2.2.2"),
    ('<Real unit="m"/>', '<Real displayUnit="mm"/>', "display-unit", "2.2.3"),
    ('displayUnit="mm"', 'displayUnit="km"', "display-unit-ignored", "2.2.3"),
    ('<BaseUnit m="1" s="-1"/>', '<BaseUnit m="1" s="-2"/>', "derivative-unit", "2.2.7"),
    ('name="count"', 'name="time"', "name-unique", "2.2.7"),
    ('name="count"', 'name=""', "name-empty", "2.2.9"),
    ('name="count"', 'name="the&#10;count"', "name-characters", "2.2.9"),
    ('name="count"', 'name="the count"', "name-structured", "2.2.9"),
    ('name="count"', 'name="der(count)"', "name-derivative", "2.2.9"),
    ('name="m" valueReference="1" causality="parameter" variability="fixed"',
     'name="m" valueReference="1" causality="parameter"', "causality-variability", "2.2.7"),
    ('causality="output" variability="discrete"', 'causality="output"', "continuous-type", "2.2.7"),
    ('causality="output" initial="exact"', 'causality="output" initial="calculated"', "start-forbidden", "2.2.7"),
    ('valueReference="5" causality="calculatedParameter"', 'valueReference="5" causality="parameter"', "start-missing", "2.2.7"),
    ('variability="constant"><Real start="7"/>', 'variability="constant"><Real/>', "start-missing", "2.2.7"),
    ('start="0.1" nominal="2"', 'nominal="2"', "start-missing", "2.2.7"),
    ('variability="continuous"><Real/>', 'variability="continuous"><Real start="0"/>', "start-forbidden", "2.2.7"),
    ('name="m" valueReference="1"', 'name="m" valueReference="1" initial="approx"', "initial", "2.2.7"),
    ('causality="input"', 'causality="input" initial="exact"', "initial", "2.2.7"),
    ('name="der(x)" valueReference="4"', 'name="der(x)" valueReference="4" causality="independent"', "independent", "2.2.7"),
    ('name="x" valueReference="3"', 'name="x" valueReference="3" canHandleMultipleSetPerTimeInstant="true"', "multiple-set", "2.2.7"),
    ('start="0.1"', 'start="INF"', "special-value", "2.2 "),
    ('<Real unit="kg" min="0"/>', '<Real unit="kg" min="0" max="-1"/>', "min-max", "2.2.3"),
    ('declaredType="Mass" start="2"', 'declaredType="Mass" start="-2"', "start-range", "2.2.3"),
    ('start="1" max="3"', 'start="4" max="3"', "start-range", "2.2.3"),
    ('nominal="2"', 'nominal="0"', "nominal", "2.2.3"),
    ('declaredType="Mode" start="5"', 'declaredType="Mode" start="2"', "enumeration-value", "2.2.3"),
    ('derivative="5"', 'derivative="55"', "derivative", "2.2.7"),
    ('derivative="5"', 'derivative="6"', "derivative", "2.2.7"),
    ('derivative="5"', 'derivative="8"', "derivative", "2.2.7"),
    ('start="0.1"', 'start="0.1" reinit="true"', "reinit", "2.2.7"),
    ('<Real unit="m"/>', '<Real unit="m" start="1"/>', "alias-start", "2.2.7"),
    ('name="u" valueReference="2"', 'name="u" valueReference="1"', "alias-settable", "2.2.7"),
    ('name="k" valueReference="6"', 'name="k" valueReference="5"', "alias-constant", "2.2.7"),
    ('<Real unit="m"/>', "<Real/>", "alias-unit", "2.2.7"),
    ('name="half" valueReference="5"', 'name="half" valueReference="4"', "alias-variability", "2.2.7"),
    ('<Unknown index="8"/>\n </Outputs>', '<Unknown index="88"/></Outputs>', "structure-reference", "2.2.8"),
    ('<Unknown index="8"/>\n </Outputs>', '<Unknown index="7"/></Outputs>', "structure-unique", "2.2.8"),
    ('<Unknown index="8"/>\n </Outputs>', "</Outputs>", "structure-outputs", "2.2.8"),
    ('<Unknown index="8"/>\n </Outputs>', '<Unknown index="8"/><Unknown index="10"/></Outputs>', "structure-outputs", "2.2.8"),
    ('<Unknown index="6" dependencies="1 4 5"', '<Unknown index="10" dependencies="1 4 5"', "structure-derivatives", "2.2.8"),
    ('  <Unknown index="9" dependencies="2"/>\n', "", "structure-initial-unknowns", "2.2.8"),
    (' </InitialUnknowns>', '<Unknown index="10"/></InitialUnknowns>', "structure-initial-unknowns", "2.2.8"),
    ('  <Unknown index="8"/>\n  <Unknown index="9" dependencies="2"/>',
     '  <Unknown index="9"/><Unknown index="8"/>', "structure-order", "2.2.8"),
    ('dependencies="4 5"', 'dependencies="4 55"', "dependency-reference", "2.2.8"),
    ('dependencies="4 5"', 'dependencies="4 6"', "dependency-known", "2.2.8"),
    ('dependencies="4 5"', 'dependencies="2 4"', "dependency-frozen", "2.2.8"),
    ('dependencies="4 5"', 'dependencies="5 4"', "dependency-order", "2.2.8"),
    ('dependencies="4 5"', 'dependencies="4 4"', "dependency-unique", "2.2.8"),
    ('dependenciesKind="dependent fixed tunable"', 'dependenciesKind="dependent fixed"', "dependencies-kind", "2.2.8"),
    ('dependencies="5" dependenciesKind="constant"', 'dependenciesKind="constant"', "dependencies-kind", "2.2.8"),
    ('<Unknown index="8"/>\n </Outputs>',
     '<Unknown index="8" dependencies="4" dependenciesKind="fixed"/></Outputs>', "dependency-factor", "2.2.8"),
    ('  <Unknown index="6" dependencies="2 4"',
     '  <Unknown index="6" dependencies="2 4" dependenciesKind="fixed constant"', "dependency-initial", "2.2.8"),
]  # fmt: skip

FAULTS_3 = [
    ('instantiationToken="{1}"', 'instantiationToken=""', "token", "2.4.1"),
    ('valueReference="6" causality="output"', 'valueReference="5" causality="output"', "value-reference-unique", "2.4.7.4"),
    ('<Alias name="position"', '<Alias name="u"', "name-unique", "2.4.7.4"),
    ('<Alias name="position"', '<Alias name="the position"', "name-structured", "2.4.7.5.1"),
    ('displayUnit="mm"', 'displayUnit="km"', "display-unit-defined", "2.4.4"),
    ('causality="independent" variability="continuous"', 'causality="local"', "independent", "2.4.7.4"),
    ('name="words" valueReference="9" causality="parameter"',
     'name="words" valueReference="9" variability="continuous"', "continuous-type", "2.4.7.4"),
    ('valueReference="5" derivative="4"', 'valueReference="5" derivative="4" initial="exact"', "start-missing", "2.4.7.5"),
    ('<Start value="a"/><Start value="b"/>', "", "start-missing", "2.4.7.5"),
    ('name="mode" valueReference="7" causality="parameter"',
     'name="mode" valueReference="7" causality="parameter" variability="discrete"', "causality-variability", "2.4.7.4"),
    ('valueReference="12" causality="output"',
     'valueReference="12" causality="output" intermediateUpdate="true"', "intermediate-update", "2.4.7.4"),
    ('providesIntermediateUpdate="true"', "", "flag-early-return", "4.4"),
    ('providesIntermediateUpdate="true" canReturnEarlyAfterIntermediateUpdate="true"', "", "flag-intermediate-update", "4.4"),
    ('hasEventMode="true"', "", "flag-event-mode", "4.4"),
    ('fixedInternalStepSize="0.1"', 'fixedInternalStepSize="0"', "flag-fixed-step", "4.4"),
    ('start="1 2 3 4"', 'start="1 2 3"', "start-count", "2.4.7.5"),
    ('<Dimension start="2"/></Float64>', '<Dimension start="0"/></Float64>', "dimension", "2.4.7.2"),
    ('<Dimension start="2"/></Float64>', "<Dimension/></Float64>", "dimension", "2.4.7.2"),
    ('variability="fixed" start="2" max="3"', 'variability="fixed" start="0" max="3"', "dimension", "2.4.7.2"),
    ('<Dimension valueReference="1"/>', '<Dimension valueReference="99"/>', "dimension-reference", "2.4.7.2"),
    ('<Dimension valueReference="1"/>', '<Dimension valueReference="12"/>', "dimension-reference", "2.4.7.2"),
    ('<UInt64 name="n" valueReference="1" causality="structuralParameter"',
     '<UInt64 name="n" valueReference="1" causality="parameter"', "dimension-reference", "2.4.7.2"),
    ('start="2" max="3"/>', 'start="2" max="3"><Dimension start="1"/></UInt64>', "structural-parameter", "2.4.7.4"),
    ('start="2" max="3"/>', 'start="2" max="1"/>', "start-range", "2.4.4"),
    ('declaredType="Length" start="1"', 'declaredType="Length" start="-4"', "start-range", "2.4.4"),
    ('<Float64Type name="Length"', '<Float32Type name="Length"', "declared-type", "2.4.7.5"),
    ('mimeType="image/png"', 'mimeType="png"', "mime-type", "2.4.4"),
    ('maxSize="3"', 'maxSize="2"', "binary-size", "2.4.4"),
    ('valueReference="5" derivative="4"/>',
     'valueReference="5" derivative="4"><Dimension start="2"/></Float64>', "derivative-size", "2.4.7.5"),
    ('name="u" valueReference="3"', 'name="u" valueReference="3" reinit="true"', "reinit", "2.4.7.5"),
    ('name="tick" valueReference="10" causality="input"', 'name="tick" valueReference="10" causality="parameter"', "clock", "2.4.7.4"),
    ('name="tick" valueReference="10"', 'name="tick" valueReference="10" variability="tunable"', "clock", "2.4.7.4"),
    ('causality="output" intervalVariability="triggered"', 'causality="output" intervalVariability="countdown"', "clock-kind", "2.2.8.2"),
    ('intervalDecimal="0.5" ', "", "clock-interval", "2.4.4"),
    ('intervalDecimal="0.5"', 'intervalDecimal="0"', "clock-interval", "2.4.4"),
    ('shiftDecimal="0.1"', 'shiftDecimal="-0.1"', "clock-interval", "2.4.4"),
    ('intervalVariability="constant"', 'intervalVariability="changing"', "clock-interval", "2.4.4"),
    ('intervalDecimal="0.5"', 'intervalDecimal="0.5" intervalCounter="5"', "clock-interval", "2.4.4"),
    ('intervalVariability="triggered"/>', 'intervalVariability="triggered" priority="1"/>', "clock-priority", "2.4.4"),
    ("<ModelExchange ", "<ScheduledExecution ", "clock-priority", "2.4.4"),
    ('causality="output" clocks="10"', 'causality="output" clocks="4"', "clocks", "2.4.7.4"),
    ('name="u" valueReference="3"', 'name="u" valueReference="3" clocks="10"', "clocks", "2.4.7.4"),
    ('clocks="10" previous="13"', 'previous="13"', "previous", "2.4.7.4"),
    ('clocks="10" previous="13"', 'clocks="10" previous="12"', "previous", "2.4.7.4"),
    ('clocks="10" previous="13"', 'clocks="10" previous="14"', "previous", "2.4.7.4"),
    ('clocks="10" previous="13"', 'clocks="10"', "structure-clocked-states", "2.4.8"),
    (' <ClockedState valueReference="12" dependencies="13"/>\n', "", "structure-clocked-state-missing", "2.4.8"),
    (' <Output valueReference="11"/>\n', "", "structure-outputs", "2.4.8"),
    (' <InitialUnknown valueReference="6"/>\n', "", "structure-initial-unknowns", "2.4.8"),
    ('<EventIndicator valueReference="14"', '<EventIndicator valueReference="12"', "structure-event-indicators", "2.4.8"),
    ('<InitialUnknown valueReference="6"/>',
     '<InitialUnknown valueReference="6"/><InitialUnknown valueReference="14"/>', "structure-initial-unknowns", "2.4.8"),
    ('dependenciesKind="dependent constant"', 'dependenciesKind="dependent fixed"', "dependency-initial", "2.4.8"),
    ('dependencies="10 13"', 'dependencies="10 99"', "dependency-reference", "2.4.8"),
]  # fmt: skip

FAULTS = [("2", FMI2, *fault) for fault in FAULTS_2] + [("3", FMI3, *fault) for fault in FAULTS_3]


@pytest.mark.parametrize(
    ("version", "text", "old", "new", "rule", "section"), FAULTS, ids=lambda value: value if len(str(value)) < 60 else ""
)
def test_each_rule_finds_its_fault_with_its_line_and_section(version, text, old, new, rule, section):
    assert old in text
    edited = text.replace(old, new, 1)
    if new.startswith("<ScheduledExecution"):
        edited = _scheduled(text)

    found = [each for each in findings(edited, version) if each.rule == rule]

    assert found, [str(each) for each in findings(edited, version)]
    assert found[0].clause.startswith(f"FMI {'2.0.5' if version == '2' else '3.0.2'}, {section}")
    assert found[0].place.startswith("modelDescription.xml")
    assert found[0].message.endswith(".")


def _scheduled(text):
    """The description with scheduled execution as the last interface."""
    return text.replace("<UnitDefinitions>", '<ScheduledExecution modelIdentifier="Right"/><UnitDefinitions>', 1)


def test_an_fmu_without_interfaces_is_an_error():
    begin, end = FMI2.index("<ModelExchange"), FMI2.index("<UnitDefinitions>")
    assert "interface" in {each.rule for each in findings(FMI2[:begin] + FMI2[end:], "2")}


def test_reinit_belongs_to_model_exchange_in_version_2():
    begin, end = FMI2.index("<ModelExchange"), FMI2.index("<CoSimulation")
    rules = {each.rule for each in findings(FMI2[:begin] + FMI2[end:], "2")}
    assert rules == {"reinit", "multiple-set"}


def test_lines_that_libxml2_cannot_count_are_left_out():
    text = FMI2.replace("<ModelVariables>", "\n" * 70_000 + "<ModelVariables>").replace('name="count"', 'name="the count"')
    (found,) = findings(text, "2")
    assert (found.rule, found.place) == ("name-structured", "modelDescription.xml")


def test_many_faults_of_one_kind_are_counted_and_the_report_stays_short():
    many = "".join(
        f'<ScalarVariable name="p{i}" valueReference="{100 + i}" causality="parameter"><Real start="1"/></ScalarVariable>'
        for i in range(50)
    )
    found = [
        each
        for each in findings(FMI2.replace("</ModelVariables>", f"{many}</ModelVariables>"), "2")
        if each.rule == "causality-variability"
    ]
    assert len(found) == MOST_FINDINGS + 1
    assert found[-1].message == "30 more places break this rule."
