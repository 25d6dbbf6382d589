"""The `Model` of fmu_src/native/tables/model.h with all its tables, and model.c, the text of them."""

from functools import partial
from typing import Protocol

import numpy as np

from mobod.compilation.calls.liveness import CallsKind
from mobod.compilation.source.contact_table import contact_tables
from mobod.compilation.source.copied_ranges import copied_ranges
from mobod.compilation.source.events_source import event_table
from mobod.compilation.source.model_kernels import Kernels
from mobod.compilation.source.model_sweeps import ModelSweeps
from mobod.compilation.source.model_tables import auto_update_table, n_numbers_of_fmu, saved_table, sweep_table, y_names, y_units
from mobod.compilation.source.own_error_table import own_error_table, own_workspace_size
from mobod.compilation.source.witness_tables import witness_tables
from mobod.runtime.c_literal import c_string
from mobod.runtime.tables import CSource, Struct, StructArray
from mobod.system import CatalogueVariable, Layout, Stage, System
from mobod.system.scales import Scales


class ModelContents(Protocol):
    """Of a model: all from which its tables are made, without its sweeps; see GeneratedModel."""

    name: str
    variables: list[CatalogueVariable]
    start: np.ndarray
    layout: Layout
    system: System
    scales: Scales
    n_extra: int

    def scales_table(self, scales: Scales) -> Struct:
        """The `Scales` of scales.h."""


def witness_index(sweeps: ModelSweeps) -> dict[str, list[Struct | None]]:
    """The fields of `EventTable` for the sweeps before witnesses: see witness_tables."""
    if not (sweeps.events and sweeps.witnesses):
        return {}
    return witness_tables(sweeps.single, sweeps.witnesses, sweeps.events, partial(sweep_table, numbers=sweeps.numbers))


def model_table(
    model: ModelContents,
    sweeps: ModelSweeps,
    kernels: Kernels,
    n_inputs: int | None = None,
    *,
    with_scales: bool = True,
    with_index: bool = True,
) -> Struct:
    """The `Model` of model.h.

    n_inputs    the number of an FMU's inputs that are Reals; None: there is no FMU, and no names
    with_index  whether there are the sweeps before single witnesses; without them runs do all sweeps before a witness
    """
    layout, events, witnesses, is_whole = model.layout, sweeps.events, sweeps.witnesses, n_inputs is not None
    n_after_y = sweeps.n_stored + model.n_extra + (0 if n_inputs is None else n_numbers_of_fmu(layout, n_inputs, events))
    workspace_at = layout.size + layout.n_y + n_after_y
    scratch_at = workspace_at + own_workspace_size(layout)
    tables: dict[str, Struct | None] = {**layout.c_tables, "own_errors": own_error_table(layout, workspace_at)}
    called = sweeps.called
    numbers = sweeps.numbers
    if events:
        sweep = sweep_table(witnesses, numbers) if witnesses else None
        before = witness_index(sweeps) if with_index else {}
        tables |= {"events": event_table(events, layout, sweep, before, kernels.event_function, has_tangents=sweeps.have_tangents())}
        tables |= contact_tables(events, layout)
    if layout.auto_updates.in_c:
        tables["auto_updates"] = auto_update_table(model.system, layout)
    if is_whole:
        tables["saved"] = saved_table(layout, model.variables, n_inputs or 0)
    by_runs = frozenset(sweeps.called_by_runs)
    kernel_tables = {"kernels": StructArray("Kernel", [kernels.kernel(each) if each in by_runs else Struct("Kernel") for each in called])}
    if kernels.has_tangents:
        kernel_tables["tangents"] = StructArray("Kernel", [kernels.tangent(each) for each in called])
    if kernels.has_adjoints:
        kernel_tables["adjoints"] = StructArray("Kernel", [kernels.adjoint(each) for each in called if not isinstance(each, CallsKind)])
    n_w = scratch_at + kernels.n_registers  # which are known now that the kernels are made
    copied = copied_ranges(layout, n_w)
    return Struct(
        "Model",
        name=model.name if is_whole else "",
        n_w=n_w,
        computed_at=layout.discrete.offset + layout.discrete.size,
        n_copied=len(copied),
        copied=[entry for each in copied for entry in each],
        n_q=layout.n_q,
        n_u=layout.n_u,
        n_z=layout.n_z,
        time_at=layout.time.offset,
        y_at=layout.y.offset,
        y_dot_at=layout.y_dot.offset,
        q_dot_stage=int(layout.q_dot_stage),
        y_start_at=layout.size,
        scratch_at=scratch_at,
        start=np.concatenate([model.start, model.start[layout.y.slice], np.zeros(n_w - layout.size - layout.n_y)]) if is_whole else None,
        y_names=y_names(layout, model.variables) if is_whole else None,
        y_units=y_units(layout, model.variables) if is_whole else None,
        n_quaternions=len(layout.quaternions),
        quaternions=layout.quaternions,
        n_kernels=len(called),
        **kernel_tables,
        scales=model.scales_table(model.scales) if with_scales else None,
        sweeps=[sweep_table(sweeps.done[stage], numbers) if stage in sweeps.done else None for stage in Stage],
        **tables,
    )


def model_c(table: Struct, name: str | None) -> str:
    """The text of model.c: the tables of a model with compiled kernels. name: of its System, for a comment."""
    text = CSource()
    text.define("mobod_model", table)
    return "\n".join(
        [
            f"/* Made by mobod from {_c_comment(name) if name is not None else 'a System'}: the tables of its elements. */",
            *(f'#include "{header}"' for header in _HEADERS_OF_TABLES),
            "\n#include <math.h>\n",
            *(f"KernelFunction {function};" for function in text.functions),
            "",
            *text.lines,
        ]
    )


# headers that declare the types of the tables
_HEADERS_OF_TABLES = (
    "auto_updates.h",
    "change_of_procedure.h",
    "delays.h",
    "event_table.h",
    "contact_pool.h",
    "contact_slots.h",
    "friction_table.h",
    "gathered_bodies.h",
    "matrix_steps.h",
    "model.h",
    "own_errors.h",
    "pressed_pair.h",
    "rows.h",
    "scales.h",
    "seen_terrain.h",
    "shape_gap.h",
    "contact_table.h",
)


def _c_comment(name: str) -> str:
    """A System's name for a C comment, without characters that would end the comment."""
    return f"System {c_string(name)}".replace("*/", "* /")
