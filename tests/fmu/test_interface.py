"""The table of FMU variables: its entries, the properties of each variable, and the dependencies."""

from dataclasses import replace

import pytest

from mobod.errors import DuplicateNameError, InputError, UnknownNameError, UnsupportedError
from mobod.fmu.interface import make_interface
from mobod.fmu.variables import Settable
from mobod.scalar.slot import Slot
from mobod.system.stage import Stage


def by_name(interface):
    return {row.name: row for row in interface.rows}


def names(interface, references):
    return {interface.rows[reference].name for reference in references}


def with_change(model, variable_name, **change):
    model.variables = [replace(v, **change) if v.name == variable_name else v for v in model.variables]
    return model


def test_states_derivatives_starts_and_parameters_are_always_included(oscillator):
    interface = make_interface(oscillator, "oscillator")
    assert {row.name for row in interface.rows} == {
        "time",
        "block.q",
        "block.u",
        "der(block.q)",
        "der(block.u)",
        "block.q_start",
        "block.u_start",
        "block.mass",
        "spring.stiffness",
        "damper.damping",
        "spring.disabled",
        "motor.force",
        "max_steps",
        "numerics.integrator",
        "numerics.tolerance",
        "numerics.constraint_tolerance",
        "numerics.largest_step",
        "numerics.fixed_step",
    }


def test_each_entry_of_an_array_is_a_variable(free_body):
    rows = by_name(make_interface(free_body, "free", outputs=["upper arm.R_GB"]))
    assert {"'upper arm'.q[4]", "der('upper arm'.q[4])", "'upper arm'.q_start[4]", "wind.force[3]", "'upper arm'.R_GB[3,1]"} <= rows.keys()


@pytest.mark.parametrize(
    ("name", "causality", "variability", "initial", "settable"),
    [
        ("time", "independent", "continuous", None, Settable.NEVER),
        ("motor.force", "input", "continuous", None, Settable.ANY_TIME),
        ("energy", "output", "continuous", "calculated", Settable.NEVER),
        ("block.q", "output", "continuous", "calculated", Settable.NEVER),
        ("block.u", "local", "continuous", "calculated", Settable.NEVER),
        ("der(block.q)", "local", "continuous", "calculated", Settable.NEVER),
        ("der(block.u)", "output", "continuous", "calculated", Settable.NEVER),
        ("block.q_start", "parameter", "fixed", "exact", Settable.BEFORE_START),
        ("spring.stiffness", "parameter", "tunable", "exact", Settable.ANY_TIME),
        ("spring.disabled", "parameter", "tunable", "exact", Settable.ANY_TIME),
    ],
)
def test_each_kind_of_variable_has_the_right_causality_and_variability(oscillator, name, causality, variability, initial, settable):
    interface = make_interface(oscillator, "oscillator", inputs=["motor.force"], outputs=["energy", "block.q", "der(block.u)"])
    row = by_name(interface)[name]
    assert (row.causality, row.variability, row.initial, row.settable) == (causality, variability, initial, settable)


def test_an_input_that_is_not_selected_is_a_tunable_parameter(oscillator):
    row = by_name(make_interface(oscillator, "oscillator"))["motor.force"]
    assert (row.causality, row.variability, row.start) == ("parameter", "tunable", 2.6)


def test_a_parameter_can_be_chosen_as_input(oscillator):
    rows = by_name(make_interface(oscillator, "oscillator", inputs=["damper.damping", "spring.disabled"]))
    assert (rows["damper.damping"].causality, rows["damper.damping"].variability) == ("input", "continuous")
    assert (rows["spring.disabled"].causality, rows["spring.disabled"].variability) == ("input", "discrete")


def test_a_single_entry_can_be_chosen(free_body):
    rows = by_name(make_interface(free_body, "free", inputs=["wind.force[2]"], outputs=["upper arm.R_GB[2,3]", "der(upper arm.u[1])"]))
    assert [name for name, row in rows.items() if row.causality == "input"] == ["wind.force[2]"]
    assert [name for name, row in rows.items() if row.causality == "output"] == ["'upper arm'.R_GB[2,3]", "der('upper arm'.u[1])"]


def test_a_repeated_choice_has_no_effect(free_body):
    once = make_interface(free_body, "free", outputs=["upper arm.R_GB"])
    assert make_interface(free_body, "free", outputs=["upper arm.R_GB[2,3]", "upper arm.R_GB", "upper arm.R_GB"]) == once


def test_variables_refer_to_the_models_offsets(free_body):
    rows = by_name(make_interface(free_body, "free", outputs=["upper arm.R_GB"]))
    assert rows["time"].at == 0
    assert rows["'upper arm'.u[3]"].at == 7
    assert rows["der('upper arm'.u[3])"].at == 18
    assert rows["wind.force[2]"].at == 9
    assert rows["'upper arm'.R_GB[2,3]"].at == 20 + 5
    assert rows["'upper arm'.q_start[1]"].at == 29  # initial conditions come after the model's values, in the order of y
    assert rows["'upper arm'.u_start[3]"].at == 29 + 6


def test_start_values_match_those_of_the_state(free_body):
    interface = make_interface(free_body, "free", inputs=["wind.force"])
    rows = by_name(interface)
    assert rows["'upper arm'.u_start[2]"].start == free_body.start[6]
    assert rows["wind.force[3]"].start == free_body.start[10]
    assert rows["seal.holds"].start == 1
    assert interface.start_time == 2.5
    assert [row.name for row in interface.rows if row.start is not None and row.initial == "calculated"] == []


def test_stages_come_from_the_catalogue(oscillator):
    rows = by_name(make_interface(oscillator, "oscillator", outputs=["energy"]))
    assert (rows["energy"].stage, rows["energy"].invalidates) == (Stage.REPORT, Stage.EMPTY)
    assert (rows["spring.stiffness"].stage, rows["spring.stiffness"].invalidates) == (Stage.MODEL, Stage.DYNAMICS)
    assert (rows["block.u_start"].stage, rows["block.u_start"].invalidates) == (Stage.MODEL, Stage.VELOCITY)


def test_derivatives_refer_to_their_states_in_order(free_body):
    interface = make_interface(free_body, "free")
    derivatives = [interface.rows[reference] for reference in interface.derivatives()]
    assert [row.name for row in derivatives] == [f"der({interface.rows[row.derivative_of].name})" for row in derivatives]
    states = [row.name for row in interface.rows if row.is_state]
    assert [interface.rows[row.derivative_of].name for row in derivatives] == states


def test_dependencies_while_stepping_are_on_inputs_states_and_time(oscillator, free_body):
    interface = make_interface(oscillator, "oscillator", inputs=["motor.force"], outputs=["energy", "block.p_GB", "block.u"])
    rows = by_name(interface)
    assert names(interface, rows["energy"].depends_on) == {"block.q", "block.u"}
    assert names(interface, rows["block.p_GB[2]"].depends_on) == set()
    assert names(interface, rows["block.u"].depends_on) == {"block.u"}
    assert names(interface, rows["der(block.u)"].depends_on) == {"block.q", "block.u", "motor.force"}

    interface = make_interface(free_body, "free", inputs=["wind.force[2]"], outputs=["wind.power"])
    assert names(interface, by_name(interface)["wind.power"].depends_on) == {"time", "'upper arm'.u[2]", "wind.force[2]"}


def test_dependencies_during_initialization_are_on_inputs_parameters_and_time(oscillator, free_body):
    interface = make_interface(oscillator, "oscillator", inputs=["motor.force"], outputs=["energy", "block.u"])
    rows = by_name(interface)
    assert names(interface, rows["energy"].starts_from) == {
        "block.q_start",
        "block.u_start",
        "block.mass",
        "spring.stiffness",
        "spring.disabled",
    }
    assert names(interface, rows["block.u"].starts_from) == {"block.u_start"}
    assert "motor.force" in names(interface, rows["der(block.u)"].starts_from)

    interface = make_interface(free_body, "free", outputs=["wind.power"])
    starts_from = names(interface, by_name(interface)["wind.power"].starts_from)
    assert starts_from == {"time", "'upper arm'.u_start[2]", "wind.force[1]", "wind.force[2]", "wind.force[3]"}


def test_initial_unknowns_are_all_calculated_variables(oscillator):
    interface = make_interface(oscillator, "oscillator", outputs=["energy"])
    assert names(interface, interface.initial_unknowns()) == {"block.q", "block.u", "der(block.q)", "der(block.u)", "energy"}


def test_an_unknown_name_gets_the_nearest_name(oscillator):
    with pytest.raises(UnknownNameError, match=r"no output is named 'block\.p_BG'\. Did you mean 'block\.p_GB'\?"):
        make_interface(oscillator, "oscillator", outputs=["block.p_BG"])
    with pytest.raises(UnknownNameError, match=r"no input is named 'motor\.froce'\. Did you mean 'motor\.force'\?"):
        make_interface(oscillator, "oscillator", inputs=["motor.froce"])
    with pytest.raises(UnknownNameError, match=r"'block\.p_GB\[4\]'"):
        make_interface(oscillator, "oscillator", outputs=["block.p_GB[4]"])


def test_computed_variables_are_not_inputs_and_settable_ones_not_outputs(oscillator):
    with pytest.raises(InputError, match=r"input 'block\.q': it is a state"):
        make_interface(oscillator, "oscillator", inputs=["block.q"])
    with pytest.raises(InputError, match=r"output 'motor\.force': it is an input"):
        make_interface(oscillator, "oscillator", outputs=["motor.force"])


def test_a_single_name_instead_of_a_list_is_an_error(oscillator):
    with pytest.raises(InputError, match=r"Write outputs=\['energy'\]"):
        make_interface(oscillator, "oscillator", outputs="energy")


def test_two_variables_of_one_name_are_an_error(oscillator):
    with pytest.raises(DuplicateNameError, match=r"'block\.q_start'"):
        make_interface(with_change(oscillator, "damper.damping", name="block.q_start"), "oscillator")


def test_a_start_value_must_be_finite_and_within_its_bounds(oscillator):
    oscillator.start[4] = -3.5
    with pytest.raises(InputError, match=r"'spring\.stiffness': its start value -3\.5 N/m is not between 0\.0 and 1000000\.0 N/m"):
        make_interface(oscillator, "oscillator")
    oscillator.start[4] = float("nan")
    with pytest.raises(InputError, match=r"'spring\.stiffness': its start value is nan"):
        make_interface(oscillator, "oscillator")


def test_a_unit_that_is_not_si_is_an_error_that_names_the_variable(oscillator):
    with pytest.raises(InputError, match=r"variable 'spring\.stiffness': unit 'lbf/in'"):
        make_interface(with_change(oscillator, "spring.stiffness", units=("lbf/in",)), "oscillator")


@pytest.mark.parametrize("change", ["model_c", "start", "unit", "description", "where it lies", "outputs", "model name"])
def test_the_token_depends_on_the_whole_interface_and_model(oscillator, change):
    before = make_interface(oscillator, "oscillator").token
    name, outputs = "oscillator", []
    match change:
        case "model_c":
            oscillator.model_c += "\n/* other equations */"
        case "start":
            oscillator.start[5] += 1e-9
        case "unit":
            oscillator = with_change(oscillator, "damper.damping", units=("N.m.s/rad",))
        case "description":
            oscillator = with_change(oscillator, "damper.damping", description="drag")
        case "where it lies":
            oscillator = with_change(oscillator, "damper.damping", slot=Slot(6, ()))
        case "outputs":
            outputs = ["energy"]
        case "model name":
            name = "swing"
    assert make_interface(oscillator, name, outputs=outputs).token != before


def test_the_same_model_has_the_same_token(oscillator):
    again = replace(oscillator, variables=list(oscillator.variables), start=oscillator.start.copy())
    assert make_interface(again, "oscillator").token == make_interface(oscillator, "oscillator").token


def test_vectors_are_arrays_in_fmi_3_with_structured_names_unless_scalars_are_asked_for(free_body):
    def has_arrays(**options):
        return make_interface(free_body, "free", **options).has_arrays

    assert has_arrays(fmi_version="3.0")
    assert has_arrays(fmi_version="3.0", names="flat", arrays="whole")
    assert not has_arrays(fmi_version="3.0", names="flat")
    assert not has_arrays(fmi_version="3.0", arrays="scalars")
    assert not has_arrays(fmi_version="2.0")
    with pytest.raises(UnsupportedError, match=r"arrays='whole': FMI 2\.0 has no arrays\. Use fmi_version='3\.0'"):
        has_arrays(fmi_version="2.0", arrays="whole")
