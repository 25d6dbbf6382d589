"""Transfer: variables of one component that are read or written together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from mobod.cosim.component_model import ComponentInstance, ValueBatch
from mobod.cosim.exchange.direct import DirectInstance, DirectVariable, direct_run

if TYPE_CHECKING:
    from mobod.simulate.run_variables import RunVariables


@final
@dataclass(frozen=True)
class Transfer:
    """Variables that one call of C transfers, or that the host does through a batch.

    names       of the variables
    references  of the FMU's variables
    positions   of the names among all their elements, of which there are n
    stored      the name of their StoredType
    function    of the FMU
    of_system   numbers of a System, which C transfers
    batch       of the same names, for the host
    """

    names: Sequence[str]
    is_write: bool
    function: str = ""
    stored: str = ""
    references: Sequence[int] = ()
    positions: Sequence[int] = ()
    n: int = 0
    of_system: "RunVariables | None" = None
    batch: ValueBatch | None = None

    @property
    def is_by_host(self) -> bool:
        return self.of_system is None and self.batch is not None


def split(
    instance: ComponentInstance, directly: DirectInstance | None, names: Sequence[str], *, is_write: bool, only_host: Sequence[str] = ()
) -> list[Transfer]:
    """Transfers of these variables: those that C can do, one for each type, and one for all others.

    directly   the instance if C can call it
    only_host  names of variables whose values are not numbers in C
    """
    run = direct_run(instance)
    if run is not None and not only_host:
        of_system = run.variables(*names)
        if of_system.are_reals_to_set if is_write else of_system.calls is not None:
            n, batch = len(names), instance.batch(names)
            return [Transfer(names, is_write, stored="STORED_FLOAT64", positions=range(n), n=n, of_system=of_system, batch=batch)]
    grouped: dict[tuple[str, str], list[DirectVariable]] = {}
    others = []
    for name in names:
        variable = None if directly is None or name in only_host else directly.direct_variable(name)
        if variable is None or variable.stored is None or (is_write and not variable.is_set_alone):
            others.append(name)
        else:
            grouped.setdefault((variable.kind.ending, variable.stored), []).append(variable)
    made = []
    for (ending, stored), variables in grouped.items():
        assert directly is not None
        function = f"fmi{directly.fmi_version}{'Set' if is_write else 'Get'}{ending}"
        if directly.loaded.address(function) is None:
            others += [each.name for each in variables]
            continue
        whole = [each for each in variables if not is_write or sum(other.reference == each.reference for other in variables) == each.size]
        others += [each.name for each in variables if each not in whole]
        if whole:
            references, positions, n = _elements(whole)
            made.append(Transfer([each.name for each in whole], is_write, function, stored, references, positions, n))
    if others:
        # in the order in which they were named
        others = [name for name in names if name in others]
        made.append(Transfer(others, is_write, positions=range(len(others)), n=len(others), batch=instance.batch(others)))
    return made


def _elements(variables: Sequence[DirectVariable]) -> tuple[list[int], list[int], int]:
    """References of variables of an FMU; the positions of variables of the network among all their elements; and their number."""
    sizes = {each.reference: each.size for each in variables}
    first, end = {}, 0
    for reference, size in sizes.items():
        first[reference], end = end, end + size
    return list(sizes), [first[each.reference] + each.position for each in variables], end
