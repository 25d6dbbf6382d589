"""Reference results of an FMU: what its default experiment gives, computed at export by an instance of the same C runtime."""

# Decision: docs/decisions/115-reference-results.md

import logging
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import final
from urllib.parse import quote

from lxml import etree

from mobod.errors import MobodError
from mobod.fmu.description.parts import DefaultExperiment, default_experiment
from mobod.fmu.interface import Interface
from mobod.fmu.names import model_identifier
from mobod.fmu.python.instance import PythonInstance
from mobod.fmu.variables import FmuVariable
from mobod.system.variable import VariableType

_log = logging.getLogger("mobod")

FOLDER = "extra/org.fmi-standard.fmi-ls-ref"
_NAMESPACE = "http://fmi-standard.org/fmi-ls-manifest"

_MOST_NUMBERS = 5000  # in the file of results
_MOST_ROWS, _FEWEST_ROWS = 251, 11
_FEWEST_STEPS = 200
_MOST_WORK = 20_000_000  # steps of the integration times the size of the model
_LONGEST = 5.0  # s of processor time, so that other programs do not matter; only models that call Python slowly come near it
_LONGEST_WAIT = 60.0  # s; for models whose Python waits


@final
@dataclass(frozen=True)
class Reference:
    """experiment  the options that made it; it may be shorter than the default experiment
    variables   outputs, or the states if there are no outputs
    rows        time in s, then the value of each variable
    ended_early why the experiment is shorter, or None
    """

    experiment: DefaultExperiment
    variables: tuple[FmuVariable, ...]
    inputs: tuple[FmuVariable, ...]
    rows: tuple[tuple[float, ...], ...]
    ended_early: str | None


@final
class _TimeLimit:
    """The time that the results of a model may take from now on."""

    def __init__(self) -> None:
        self._work, self._wait = time.thread_time() + _LONGEST, time.monotonic() + _LONGEST_WAIT

    def check(self) -> None:
        """Raises MobodError when it is over."""
        if time.thread_time() > self._work:
            raise MobodError(f"To compute them takes longer than {_LONGEST:g} s.")
        if time.monotonic() > self._wait:
            raise MobodError(f"To compute them takes longer than {_LONGEST_WAIT:g} s, most of which the model waits.")


def make_reference(interface: Interface, size: int, new_instance: Callable[[Interface], PythonInstance]) -> Reference | str:
    """The results of the default experiment, with inputs at their start values; or the reason why there are none, which is logged.

    size  of the model: how many numbers it has. The work is limited, so that the experiment of a large model is shorter.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # they are about the run
            return _computed(interface, size, new_instance)
    except MobodError as error:
        reason = str(error)
    except Exception as error:  # the model's own code may raise anything
        reason = f"{type(error).__name__}: {error}"
    _log.warning("'%s' has no reference results. %s", interface.model_name, reason)
    return reason


def _computed(interface: Interface, size: int, new_instance: Callable[[Interface], PythonInstance]) -> Reference:
    whole = default_experiment(interface)
    columns = [reference for reference, row in enumerate(interface.rows) if row.causality == "output"]
    columns = columns or [reference for reference, row in enumerate(interface.rows) if row.is_state]
    n_rows = min(_MOST_ROWS, _MOST_NUMBERS // max(1, len(columns)))
    most_tried = _MOST_WORK // max(1, size)
    if n_rows < _FEWEST_ROWS or most_tried < _FEWEST_STEPS or not columns:
        raise MobodError("The model is too large for them." if columns else "It has no outputs and no states.")
    n_steps = min(round((whole.stop - whole.start) / whole.step), most_tried // 2)
    every = _rows_apart(n_steps, n_rows - 1)
    step, n_steps = every * whole.step, n_steps // every

    options = replace(interface.options, max_steps=min(interface.options.max_steps, max(most_tried, _steps_of(interface, step))))
    # as scalars, by FMI 2.0, so that entries of arrays are read one by one
    instance = new_instance(replace(interface, options=options, fmi_version="2.0", arrays="scalars"))
    instance.set_up_experiment(whole.start, None, whole.tolerance)
    instance.enter_initialization()
    instance.exit_initialization()
    limit, n_tried, k, ended_early = _TimeLimit(), 0, 0, None
    rows, at = [(whole.start, *_values(instance, interface, columns))], whole.start
    while k < n_steps:
        end = whole.start + (k + 1) * step
        if not instance.do_step(at, end - at):
            ended_early = instance.messages[-1].text
            break
        k, at, n_tried = k + 1, end, n_tried + instance.steps_tried
        limit.check()
        rows.append((at, *_values(instance, interface, columns)))
        if n_tried > most_tried:
            break
    if len(rows) < _FEWEST_ROWS:
        raise MobodError(ended_early or "To compute them takes too many steps.")
    if ended_early is None and rows[-1][0] < whole.stop - 0.5 * whole.step:
        ended_early = "The default experiment takes too many steps for a reference."
    stop = rows[-1][0]
    inputs = [row for row in interface.rows if row.causality == "input"]
    variables = [interface.rows[reference] for reference in columns]
    return Reference(replace(whole, stop=stop, step=step), tuple(variables), tuple(inputs), tuple(rows), ended_early)


def _rows_apart(n_steps: int, most: int) -> int:
    """The number of steps between two rows, so that there are no more than `most` rows; with the last row at the end if that is possible
    without leaving out half of the rows.
    """
    least = -(-n_steps // most)
    return next((every for every in range(least, 2 * least + 1) if n_steps % every == 0), least)


def _steps_of(interface: Interface, step: float) -> int:
    """Fixed steps at velocity level in a communication step."""
    return 0 if interface.fixed_steps is None else round(step / interface.fixed_steps.steps.size) + 1


def _values(instance: PythonInstance, interface: Interface, columns: list[int]) -> list[float]:
    found: dict[int, float] = {}
    kinds: tuple[VariableType, ...] = ("real", "boolean", "integer")
    for kind in kinds:
        references = [reference for reference in columns if interface.rows[reference].type == kind]
        if references:
            found.update(zip(references, instance.get(references, kind), strict=True))
    return [found[reference] for reference in columns]


def reference_files(interface: Interface, reference: Reference) -> dict[str, bytes]:
    """The files by their paths in the archive, with names of the FMI Cross-Check, and the manifest of the layered standard FMI-LS-REF."""
    name, experiment = model_identifier(interface.model_name), reference.experiment
    options = {"StartTime": experiment.start, "StopTime": experiment.stop, "StepSize": experiment.step, "RelTol": experiment.tolerance}
    result = _csv(reference.variables, reference.rows)
    files = {
        f"{name}_ref.csv": (result, "text/csv", "result", "results of the default experiment"),
        f"{name}_ref.opt": (
            "".join(f"{key},{value!r}\n" for key, value in options.items()).encode(),
            "text/csv",
            "configuration",
            "options of the run that gave the results; StepSize is that of communication",
        ),
    }
    if reference.inputs:
        starts = [float(row.start or 0.0) for row in reference.inputs]
        at_ends = [(time_, *starts) for time_ in (experiment.start, experiment.stop)]
        files[f"{name}_in.csv"] = (_csv(reference.inputs, at_ends), "text/csv", "testcase", "inputs of that run")
    root = etree.Element(
        "fmiReferences",
        {
            f"{{{_NAMESPACE}}}fmi-ls-name": "org.fmi-standard.fmi-ls-ref",
            f"{{{_NAMESPACE}}}fmi-ls-version": "1.0.0-beta.1",
            f"{{{_NAMESPACE}}}fmi-ls-description": "Layered Standard providing information on related files included in an FMU.",
        },
        nsmap={"fmi-ls": _NAMESPACE},
    )
    for file, (_, kind, role, description) in sorted(files.items()):
        etree.SubElement(root, "Related", type=kind, source=quote(file), role=role, description=description)
    manifest = etree.tostring(root, xml_declaration=True, encoding="UTF-8", pretty_print=True)
    return {f"{FOLDER}/fmi-ls-manifest.xml": manifest, **{f"{FOLDER}/{file}": content for file, (content, *_) in files.items()}}


def _csv(variables: Iterable[FmuVariable], rows: Iterable[tuple[float, ...]]) -> bytes:
    """Quoted names, time first; reading a number gives the same bits. Booleans are 0 and 1."""
    variables = list(variables)
    names = ("time", *(row.name.replace('"', '""') for row in variables))
    lines = [",".join(f'"{name}"' for name in names)]
    for first, *others in rows:
        texts = (repr(value) if row.type == "real" else f"{value:.0f}" for row, value in zip(variables, others, strict=True))
        lines.append(",".join((repr(first), *texts)))
    return ("\n".join(lines) + "\n").encode()
