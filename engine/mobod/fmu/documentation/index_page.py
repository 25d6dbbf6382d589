"""documentation/index.html of an FMU: one page without other files that says what the FMU is and how to use it."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple
from typing import Literal

from lxml import etree
from lxml.html import builder

from mobod.compilation.calls.operation_counts import OperationCounts, StepOperations
from mobod.fmu.description.parts import default_experiment
from mobod.fmu.documentation.explanation import Explanation
from mobod.fmu.documentation.mechanism_tables import bodies, events, limits_of_motion
from mobod.fmu.documentation.page_style import STYLE
from mobod.fmu.documentation.reference import FOLDER, Reference
from mobod.fmu.interface import Interface
from mobod.fmu.names import model_identifier
from mobod.fmu.platforms import glibc_text
from mobod.fmu.variables import FmuVariable, Settable
from mobod.runtime.elf import required_glibc
from mobod.runtime.integrators import FIXED_STEP_METHODS, method_of
from mobod.scene.svg import svg_element
from mobod.simulate.bounded_steps import LargestWork
from mobod.version import mobod_version

MadeOf = Literal["compiled", "interpreted", "python"]

_MOST_ROWS = 500  # of a table

_CODE = {
    "compiled": "A multibody model. Its bodies, forces and equations were made into C by mobod; it runs without Python.",
    "interpreted": "A multibody model. Its bodies, forces and equations are in resources/model.mobod, and the library interprets them; it "
    "runs without Python. Compiled code gives the same numbers in a fourth to a fifth of the time.",
    "python": "A multibody model. It runs in Python, with mobod; its requirements are in externalDependencies.txt.",
}
_FIXED_STEPS = (
    "A communication step consists of them, and the last one is shorter if necessary: use communication steps that are whole multiples. "
    "The tolerance that a master requests applies only to constraints at the start."
)
_OPERATIONS = (
    "The numbers include the sums of the method. Sine and cosine of an angle are two elementary functions. Witnesses and actions of events "
    "are not counted."
)
_UNCOUNTED = (
    "Nor are {} parts of an evaluation that decide by values, such as the multipliers of constraints, and the projection onto constraints "
    "at the end of each step."
)


_WORK = (
    "They follow from the tables of the model. Most steps take far less: they have no event, and their rows stay as they are. What exceeds "
    "these counts goes on in the next step; numerics.overrun counts it, and the outputs beside it say how much was left. The start has no "
    "such bounds: let it end, and take a first step, before the clock runs."
)


def index_html(
    interface: Interface,
    *,
    code: MadeOf,
    operations: StepOperations | None = None,
    explanation: Explanation | None = None,
    libraries: Mapping[str, bytes] | None = None,
    work: LargestWork | None = None,
) -> bytes:
    """The page.

    operations   of a step of fixed size, if they are known
    explanation  the mechanism and the reference results
    libraries    path in the archive -> library
    work         the largest of a step, if it is bounded
    """
    name = interface.model_name
    page = builder.HTML(
        builder.HEAD(
            builder.META(charset="utf-8"),
            builder.META(name="viewport", content="width=device-width, initial-scale=1"),
            builder.TITLE(name),
            builder.STYLE(STYLE),
        ),
        builder.BODY(
            builder.H1(name),
            builder.P(*_badges(interface, code), {"class": "badges"}),
            builder.P(_CODE[code]),
            *([] if interface.fixed_steps is None else [builder.P(f"{interface.fixed_steps.description} {_FIXED_STEPS}")]),
            *_mechanism(explanation, name),
            *_use(interface, code),
            *_sections_of_variables(interface),
            *_limits(interface, explanation, libraries or {}),
            *([] if operations is None or interface.fixed_steps is not None else _section_of_operations(operations)),
            *([] if work is None else _section_of_work(work)),
            *_reference(interface, explanation),
            *_made(interface, code),
        ),
        lang="en",
    )
    return etree.tostring(page, method="html", encoding="UTF-8", doctype="<!DOCTYPE html>", pretty_print=True)


def _badges(interface: Interface, code: MadeOf) -> list[etree._Element]:
    texts = [f"FMI {interface.fmi_version}", *_interfaces(interface, code), {"python": "needs Python"}.get(code, code)]
    return [builder.SPAN(text) for text in texts]


def _interfaces(interface: Interface, code: MadeOf) -> list[str]:
    return ["co-simulation", *(["model exchange"] if interface.has_model_exchange and code != "python" else [])]


def _mechanism(explanation: Explanation | None, name: str) -> list[etree._Element]:
    if explanation is None or not explanation.has_pictures:
        return []
    figure = builder.E.figure(svg_element(explanation.diagram, f"The mechanism {name} at its start values"))
    rows = bodies(explanation.system, explanation.state)
    return [builder.H2("Mechanism"), figure, builder.H2("Bodies"), _table(("body", "joint", "on", "coordinates", "mass, kg"), rows)]


def _use(interface: Interface, code: MadeOf) -> list[etree._Element]:
    rows, experiment = interface.rows, default_experiment(interface)
    counts = {
        "input": sum(row.causality == "input" for row in rows),
        "output": sum(row.causality == "output" for row in rows),
        "parameter": sum(row.causality == "parameter" for row in rows),
        "state": sum(row.is_state for row in rows),
    }
    has = ", ".join(f"{count or 'no'} {what}{'' if count == 1 else 's'}" for what, count in counts.items())
    call = (
        f"import fmpy\n\nresult = fmpy.simulate_fmu('{model_identifier(interface.model_name)}.fmu', stop_time={experiment.stop:g}, "
        f"output_interval={experiment.step:g})"
    )
    text = (
        f"Any tool that imports FMI {interface.fmi_version} for {' or '.join(_interfaces(interface, code))} runs it. It has {has}. "
        "Set initial conditions and parameters before the start. All quantities are in the SI units that the tables give; the names are "
        f"{'those of the model' if interface.names == 'structured' else 'flat: identifiers'}. With FMPy:"
    )
    return [builder.H2("How to use it"), builder.P(text), builder.PRE(call)]


def _sections_of_variables(interface: Interface) -> list[etree._Element]:
    rows = interface.rows
    before_start = [row for row in rows if row.settable is Settable.BEFORE_START]
    return [
        *_section("Inputs", (row for row in rows if row.causality == "input")),
        *_section("Outputs", (row for row in rows if row.causality == "output")),
        *_section(
            "Initial conditions and settings, to be set before the start", (row for row in before_start if row.variability == "fixed")
        ),
        *_section(
            "Parameters, to be set at any time", (row for row in rows if row.causality == "parameter" and row.variability == "tunable")
        ),
        *_section(
            "Set by events, while time goes on; their start values before it",
            (row for row in before_start if row.variability == "discrete"),
        ),
        *_section("States", (row for row in rows if row.is_state)),
    ]


def _section(title: str, rows: Iterable[FmuVariable]) -> list[etree._Element]:
    listed = list(rows)
    if not listed:
        return [builder.H2(title), builder.P("none")]
    cells = []
    for row in listed:
        kinds = {"real": row.unit, "boolean": "true or false", "integer": "whole number"}
        unit = ", ".join(f"{value}: {name}" for value, name in enumerate(row.choices, start=1)) or kinds[row.type]
        cells.append(
            (row.name, _value(row, row.start), unit, _value(row, row.declared_minimum), _value(row, row.declared_maximum), row.description)
        )
    return [builder.H2(title), _table(("name", "start", "unit", "least", "greatest", "meaning"), cells)]


def _value(row: FmuVariable, value: float | None) -> str:
    if value is None:
        return ""
    return {"real": repr(value), "boolean": str(bool(value)).lower(), "integer": f"{value:g}"}[row.type]


def _limits(interface: Interface, explanation: Explanation | None, libraries: Mapping[str, bytes]) -> list[etree._Element]:
    steps = "" if interface.fixed_steps is None else "The FMU fixes the method of integration and its step. "
    found: list[etree._Element] = [
        builder.H2("Limits"),
        builder.P(
            f"{steps}Options of the integration are the parameters {', '.join(_settings(interface))}. Bodies, joints and all else that is "
            "no parameter cannot be changed. Values beyond the bounds in the tables are refused."
        ),
    ]
    if explanation is not None:
        system, state = explanation.system, explanation.state
        for title, heads, rows in (
            (
                "Limits of joints and tendons",
                ("coordinate", "least", "greatest", "unit"),
                limits_of_motion(explanation.system, explanation.state),
            ),
            ("Events", ("event", "kind"), events(system, state)),
        ):
            found += [builder.H2(title), _table(heads, rows)] if rows else []
    platforms = []
    for path, library in sorted(libraries.items()):
        glibc = required_glibc(library)
        platforms.append((path.split("/")[1], "" if glibc is None else f"{glibc_text(glibc)} or later"))
    return [*found, *([builder.H2("Platforms"), _table(("folder", "needs"), platforms)] if platforms else [])]


def _settings(interface: Interface) -> list[str]:
    return [row.name for row in interface.rows if row.at >= interface.numerics_at and row.causality == "parameter"]


def _section_of_work(work: LargestWork) -> list[etree._Element]:
    rows = [
        ("trial steps within a step, which events divide", str(work.parts)),
        ("evaluations of the rates, or of less", str(work.evaluations)),
        (f"solutions of problems of up to {work.n_rows} rows in {work.n_speeds} speeds", str(work.solutions)),
        ("arithmetic operations of all these, at most", f"{work.operations:.3g}"),
    ]
    return [builder.H2("Largest work of a step"), builder.P(f"{work.text}. {_WORK}"), _table(("", "at most"), rows)]


def _section_of_operations(operations: StepOperations) -> list[etree._Element]:
    counts = {"one evaluation of the rates": operations.evaluation}
    counts |= {f"a step of {integrator}": operations.of_step(integrator) for integrator in FIXED_STEP_METHODS}
    rows = [(what, *map(str, astuple(count))) for what, count in counts.items()]
    evaluations = ", ".join(_evaluations(integrator) for integrator in FIXED_STEP_METHODS)
    text = f"Evaluations of the rates in a step: {evaluations}. {_OPERATIONS}"
    if operations.n_uncounted > 0:
        text = f"{text} {_UNCOUNTED.format(operations.n_uncounted)}"
    return [builder.H2("Operations of a fixed step"), builder.P(text), _table(("", *OperationCounts.names()), rows)]


def _evaluations(integrator: str) -> str:
    method = method_of(integrator)
    return f"{integrator} {method.last}" if method.pair else f"{integrator} {method.last}, with the rates of coordinates a second time"


def _reference(interface: Interface, explanation: Explanation | None) -> list[etree._Element]:
    reference = None if explanation is None else explanation.reference
    if reference is None:
        return []
    heading = builder.H2("Reference results")
    if not isinstance(reference, Reference):
        return [heading, builder.P(f"There are none. {reference}")]
    name, experiment = model_identifier(interface.model_name), reference.experiment
    text = (
        f"{name}_ref.csv has {len(reference.rows)} times from {experiment.start:g} s to {experiment.stop:g} s, of co-simulation with "
        f"communication steps of {experiment.step:g} s, a tolerance of {experiment.tolerance:g} and start values for inputs. They were "
        "computed at export by the C runtime that the FMU contains. Other communication steps give other results within the tolerance."
    )
    early = [] if reference.ended_early is None else [builder.P(reference.ended_early)]
    return [heading, builder.P(text, f" Folder: {FOLDER}"), *early]


def _made(interface: Interface, code: MadeOf) -> list[etree._Element]:
    steps, options = interface.fixed_steps, interface.options
    rows = [
        ("mobod", mobod_version()),
        ("code", code),
        ("FMI", interface.fmi_version),
        ("integrator", options.integrator),
        ("impacts", options.impacts),
        ("tolerance, if the master gives none", f"{interface.tolerance:g}"),
        ("token", interface.token),
    ]
    if steps is not None:
        rows.insert(5, ("step", f"{steps.steps.size:g} s"))
        rows.insert(6, ("constraints at", f"the {steps.steps.constraints_at} of a step"))
    elif options.step:
        rows.insert(5, ("step", f"{options.step:g} s"))
    cite = f"{interface.model_name}, a model exported as an FMU by mobod {mobod_version()}, a multibody dynamics engine in Python."
    return [
        builder.H2("How it was made"),
        _table(("what", "value"), rows),
        builder.P("There is no date: the same model gives the same bytes."),
        builder.H2("How to cite"),
        builder.P(f"{cite} FMI: {interface.fmi_version}, token {interface.token}."),
        builder.H2("Licence"),
        builder.P(builder.A("licenses/license.txt", href="licenses/license.txt")),
    ]


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> etree._Element:
    """In a box that scrolls sideways on a narrow screen."""
    table = builder.TABLE(builder.TR(*map(builder.TH, heads)))
    for row in rows[:_MOST_ROWS]:
        table.append(builder.TR(*map(builder.TD, row)))
    box = builder.DIV(table, {"class": "table"})
    if len(rows) > _MOST_ROWS:
        box.append(builder.P(f"and {len(rows) - _MOST_ROWS} more"))
    return box
