"""The constraint errors of subsystems over their own q and u, as the C runtime has them: own_errors.h in fmu_src/native."""

from mobod.runtime.library import runtime
from mobod.runtime.tables import Struct, same_named
from mobod.system import Layout
from mobod.system.state.layout import OwnErrors


def own_error_table(layout: Layout, workspace: int) -> Struct | None:
    """`OwnErrorTable`; None if there are no such errors. workspace: where the room begins that it needs in w."""
    blocks = []
    for errors in layout.errors:
        blocks.append(
            Struct(
                "OwnErrors",
                name=errors.name,
                of_velocity=errors.kind == "u",
                n=errors.errors.size,
                m=errors.unknowns.size,
                **same_named(errors, "errors", "unknowns", "jacobian"),
                workspace=workspace,
            )
        )
        workspace += _workspace_size(errors)
    return Struct("OwnErrorTable", n_blocks=len(blocks), blocks=blocks) if blocks else None


def own_workspace_size(layout: Layout) -> int:
    """How many numbers of w the runtime needs for all of them."""
    return sum(map(_workspace_size, layout.errors))


def _workspace_size(errors: OwnErrors) -> int:
    n, m = errors.errors.size, errors.unknowns.size
    return int(runtime().mobod_factor_reals(n, m)) + 2 * n + m
