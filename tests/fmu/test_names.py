"""Names as FMI wants them: structured variables, and a model identifier that C takes."""

import pytest
from fmpy.model_description import ModelDescription, ModelVariable
from fmpy.validation import validate_model_description

from mobod.errors import InputError
from mobod.fmu.names import model_identifier, structured_name


@pytest.mark.parametrize("name", ["q", "_x9.u[3]", "arm[2].R_GB[1,3]", "der(arm.q[12])", "a.b.c"])
def test_a_structured_name_stays_as_it_is(name):
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
def test_what_is_no_identifier_is_quoted(name, structured):
    assert structured_name(name) == structured


@pytest.mark.parametrize("name", ["arm", "upper arm.q[1]", "der(left-hand arm.u[2,3])", "it's.q", 'say "no".q', "a\\b.q", "a~[}#.q"])
def test_the_grammar_of_fmi_takes_every_name(name):
    description = ModelDescription()
    description.fmiVersion, description.variableNamingConvention = "2.0", "structured"
    description.modelVariables = [
        ModelVariable(
            type="Real", name=structured_name(name), valueReference=1, causality="local", variability="continuous", initial="calculated"
        )
    ]
    assert validate_model_description(description, validate_variable_names=True) == []


@pytest.mark.parametrize("name", ["Körper.q", "arm..q", "", "a\nb.q", "arm`s.q"])
def test_what_cannot_be_quoted_is_an_error_that_names_it(name):
    with pytest.raises(InputError, match="printable ASCII") as error:
        structured_name(name)
    assert f"'{name}'" in str(error.value)


@pytest.mark.parametrize(
    ("model", "identifier"), [("pendulum", "pendulum"), ("double pendulum v1.2-b", "double_pendulum_v1_2_b"), ("_x", "_x")]
)
def test_an_identifier_is_made_of_the_models_name(model, identifier):
    assert model_identifier(model) == identifier


@pytest.mark.parametrize("model", ["", "2 links", "Körper", "a/b", "a+b"])
def test_a_name_that_makes_no_identifier_is_an_error(model):
    with pytest.raises(InputError, match="begins with a letter"):
        model_identifier(model)


def test_a_keyword_of_c_names_no_fmu():
    with pytest.raises(InputError, match="keyword of C"):
        model_identifier("switch")
