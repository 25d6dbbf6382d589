"""Names as FMI requires: structured variable names, and a model identifier that is valid in C."""

import json

import fmpy
import pytest
from fmpy.model_description import ModelDescription, ModelVariable
from fmpy.validation import _validate_variable_names, validate_fmu, validate_model_description
from lxml import etree

import mobod as mb
from mobod.cosim import FmuFile, Master, Network
from mobod.errors import DuplicateNameError, InputError, UnsupportedError
from mobod.fmu.names import flat_name, is_structured, model_identifier, naming_convention, structured_name, usable_model_name
from tests.fmu.archive_content import content


@pytest.mark.parametrize("name", ["q", "_x9.u[3]", "arm[2].R_GB[1,3]", "der(arm.q[12])", "a.b.c"])
def test_a_structured_name_is_not_changed(name):
    assert structured_name(name) == name


@pytest.mark.parametrize(
    ("name", "structured"),
    [
        ("upper arm.q[1]", "'upper arm'.q[1]"),
        ("der(upper arm.q[1])", "der('upper arm'.q[1])"),
        ("2nd.u", "'2nd'.u"),
        ("arm[left].q", "'arm[left]'.q"),
        ("what?.q", "'what?'.q"),
        ("the \"b\" of 'c'\\d.q", r"'the \"b\" of \'c\'\\d'.q"),
    ],
)
def test_a_part_that_is_not_an_identifier_is_quoted(name, structured):
    assert structured_name(name) == structured


@pytest.mark.fast(6)
@pytest.mark.parametrize("name", ["arm", "upper arm.q[1]", "der(left-hand arm.u[2,3])", "it's.q", 'say "no".q', "a\\b.q", "a~[}#.q"])
def test_every_converted_name_conforms_to_the_grammar_of_fmi(name):
    description = ModelDescription()
    description.fmiVersion, description.variableNamingConvention = "2.0", "structured"
    description.modelVariables = [
        ModelVariable(
            type="Real", name=structured_name(name), valueReference=1, causality="local", variability="continuous", initial="calculated"
        )
    ]
    assert validate_model_description(description, validate_variable_names=True) == []


@pytest.mark.parametrize(
    ("name", "written"),
    [("Schwinge_ü.q[1]", "'Schwinge_ü'.q[1]"), ("der(摆.u)", "der('摆'.u)"), ("arm`s.q", "'arm`s'.q"), ("arm..q", "arm.''.q")],
)
def test_letters_beyond_ascii_are_quoted_and_make_the_naming_convention_flat(name, written):
    assert structured_name(name) == written
    assert not is_structured(written)
    assert naming_convention(["arm.q", written]) == "flat"


NAMES = r"""
    q; 'a b'.q; 'a.b'.'c'[1,2].d; der(x); der('a b'.q[1]); der(x,2); 'it\'s'.q; 'a\\b'; _[0]; '!#$%&()*+,-./:<=>?@[]^_{|}~'.q
    ; a..b; a b; 2nd; ''; der(); der(der(x)); der(x).y; a.der(x); a[b]; a[1; ü; 'ü'; a`b; x[1][2]; ²; a[²]
"""


@pytest.mark.parametrize("name", [name.strip() for name in NAMES.split(";")] + ["a\n"])
def test_names_are_structured_if_fmpys_parser_accepts_them(name):
    description = ModelDescription()
    description.variableNamingConvention = "structured"
    description.modelVariables = [ModelVariable(type="Real", name=name, valueReference=1)]
    assert is_structured(name) == (_validate_variable_names(description) == [])


@pytest.mark.parametrize(
    ("model", "identifier"),
    [
        ("pendulum", "pendulum"),
        ("double pendulum v1.2-b", "double_pendulum_v1_2_b"),
        ("_x", "_x"),
        ("Körper", "Korper"),
        ("Ko\u0308rper", "Korper"),  # the o and its dots as two characters
        ("摆 2", "u6446_2"),
    ],
)
def test_the_model_identifier_is_made_from_the_models_name(model, identifier):
    assert model_identifier(model) == identifier


@pytest.mark.parametrize("model", ["", "2 links", "a/b", "a+b", "ö/b"])
def test_a_name_without_a_valid_identifier_is_an_error(model):
    with pytest.raises(InputError, match="must begin with a letter"):
        model_identifier(model)


@pytest.mark.parametrize(
    ("name", "usable"), [("Körper 2", "Körper 2"), ("2f85 scene", "model 2f85 scene"), ("int", "model int"), ("", "model ")]
)
def test_a_name_that_no_fmu_can_have_becomes_one_that_it_can(name, usable):
    assert usable_model_name(name) == usable
    assert model_identifier(usable)


def test_a_keyword_of_c_cannot_name_an_fmu():
    with pytest.raises(InputError, match="keyword of C"):
        model_identifier("switch")


@pytest.mark.parametrize("model", ["con", "NUL", "Aux", "prn", "com1", "LPT9", "\uff23on"])
def test_the_name_of_a_windows_device_cannot_name_an_fmu(model):
    with pytest.raises(InputError, match=f"model '{model}': this is the name of a device in Windows"):
        model_identifier(model)


def test_names_that_only_start_like_devices_are_valid():
    assert [model_identifier(name) for name in ("con_1", "com10", "lpt", "null")] == ["con_1", "com10", "lpt", "null"]


@pytest.mark.parametrize("name", ["a\tb", "a\nb", "\x00", "\x85", "\ud800", "\u2028", "\uffff", ""])
def test_a_name_that_files_cannot_contain_is_refused(name):
    with pytest.raises(InputError, match=r"the name of an FMU must|a model cannot be named"):
        model_identifier(name)
    matter = mb.MatterSubsystem(mb.MultibodySystem("s"))
    with pytest.raises(InputError, match="cannot be named"):
        mb.Pin(matter.ground, mb.MassProperties.point(1.3, [0, -0.8, 0]), name=name)


@pytest.mark.slow
def test_names_in_any_alphabet_can_be_exported_and_run(tmp_path):
    system = mb.MultibodySystem("Körper 摆")
    matter = mb.MatterSubsystem(system)
    mb.Gravity(mb.ForceSubsystem(system), matter, down=[0, -1, 0], magnitude=9.81)
    mb.Pin(matter.ground, mb.MassProperties.point(1.3, [0, -0.8, 0]), name="Schwinge_ü").set_default_q(0.4)

    path = mb.export_fmu(system, tmp_path / "größe.fmu", outputs=["Schwinge_ü.q"])

    assert validate_fmu(str(path)) == []
    file = FmuFile(path)
    assert (file.description.modelName, file.description.coSimulation.modelIdentifier) == ("Körper 摆", "Korper_u6446")
    assert file.description.variableNamingConvention == "flat"
    network = Network()
    network.add(path, "plant", start={"'Schwinge_ü'.q_start": 0.5})
    by_fmu = Master(network, step=0.05, tolerance=1e-9).run(until=0.5)["plant.'Schwinge_ü'.q"]
    state = system.realize_topology()
    system.set_value(state, "Schwinge_ü.q", 0.5)
    by_simulation = mb.Simulation(system, 1e-9, backend="interpreted").run(state, 0.5).final_state.q[0]
    assert by_fmu[0] == 0.5
    assert by_fmu[-1] == pytest.approx(by_simulation, abs=1e-7)


def test_flat_names_are_identifiers():
    spelled = {
        "lower.q[1]": "lower_q_1",
        "der(upper.q)": "der_upper_q",
        "'upper arm'.R_GB[1,2]": "upper_arm_R_GB_1_2",
        "der('it\\'s'.q[2])": "der_it_s_q_2",
        "'Körper'.q": "Korper_q",
        "'2nd'.q": "_2nd_q",
        "numerics.integrator": "numerics_integrator",
    }
    assert {name: flat_name(name) for name in spelled} == spelled
    assert all(name.isidentifier() for name in spelled.values())


def two_arms(first, second):
    system = mb.MultibodySystem("arms")
    matter = mb.MatterSubsystem(system)
    mass = mb.MassProperties.point(1.0, [0, -1, 0])
    mb.Translation(matter.ground, mass, name=first)
    mb.Pin(matter.ground, mass, name=second)
    return system


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"code": "interpreted"},
        {"code": "interpreted", "fmi_version": "3.0"},
        {"code": "interpreted", "fmi_version": "3.0", "arrays": "whole"},
        {"kind": "python"},
    ],
)
def test_an_fmu_can_have_flat_names(tmp_path, options):
    """In the description, with its texts, in the scene and in reference results; inputs and outputs are chosen by structured names."""
    system = two_arms("upper arm", "lower")
    mb.Port(system.matter.body("lower"), name="hand")
    chosen = {"inputs": ["hand.force"], "outputs": ["lower.q", "upper arm.p_GB", "hand.p_GF"]}
    fmu = mb.export_fmu(system, tmp_path / "arms.fmu", names="flat", **chosen, **options)
    assert validate_fmu(str(fmu)) == []
    model = fmpy.read_model_description(str(fmu))
    assert model.variableNamingConvention == "flat"
    described = {each.name: each.description for each in model.modelVariables}
    assert all(name.isidentifier() for name in described)
    has_arrays = options.get("arrays") == "whole"
    whole = "upper_arm_q" if has_arrays else "upper_arm_q_2"
    start = "upper_arm_q_start" if has_arrays else "upper_arm_q_start_2"
    assert described[start] == f"initial value of {whole}"
    assert described["der_lower_q"] == "rates of lower_q"

    files = content(fmu)
    scene = json.loads(files["extra/org.mobod/scene.json"])
    entry = {"entry": 1} if has_arrays else {}
    assert scene["bodies"][1]["q"][1] == {"variable": whole, "start": 0.0, **entry}
    head = files["extra/org.fmi-standard.fmi-ls-ref/arms_ref.csv"].decode().splitlines()[0]
    assert '"upper_arm_p_GB_2"' in head
    terminal = etree.fromstring(files["terminalsAndIcons/terminalsAndIcons.xml"]).find("Terminals/Terminal")
    members = {each.get("memberName"): each.get("variableName") for each in terminal}
    expected = {"force": "hand_force", "p_GF": "hand_p_GF"} if has_arrays else {"force[3]": "hand_force_3", "p_GF[1]": "hand_p_GF_1"}
    assert members.items() >= expected.items()
    assert set(members.values()) <= described.keys()


def test_flat_names_that_clash_are_refused_with_both_names(tmp_path):
    system = two_arms("arm", "arm_q_1")
    mb.Pin(system.matter.ground, mb.MassProperties.point(1.0, [0, -1, 0]), name="arm.q_1")
    with pytest.raises(DuplicateNameError, match=r"'arm_q_1\.q' and 'arm\.q_1\.q' .* 'arm_q_1_q'"):
        mb.export_fmu(system, tmp_path / "x.fmu", names="flat", outputs=[], code="interpreted")


def test_a_spelling_that_does_not_exist_is_refused(tmp_path):
    with pytest.raises(UnsupportedError, match="names 'short' is not supported"):
        mb.export_fmu(two_arms("a", "b"), tmp_path / "x.fmu", names="short", outputs=[])
