"""All computations of a System as one sweep for each stage, for code that evaluates a System without a State."""

from collections.abc import Iterable, Sequence

from mobod.errors import UnsupportedError
from mobod.scalar.regions import Regions
from mobod.scalar.sweep import Sweep
from mobod.system.hook_procedure import HookProcedure, hook_sweep
from mobod.system.lazy_procedure import LazyProcedure
from mobod.system.stage import Stage
from mobod.system.state.handles import CacheEntry
from mobod.system.state.layout import Layout
from mobod.system.subsystem import Subsystem


def stage_sweeps(
    order: Sequence[Subsystem],
    layout: Layout,
    entries: Iterable[CacheEntry],
    *,
    leaves_out_python: bool = False,
    with_hooks: bool = False,
) -> dict[Stage, Sweep]:
    """One sweep for each stage, with the subsystems in their order. The requested lazy entries are computed at REPORT.

    leaves_out_python  omit entries without a sweep, for a System that also computes in Python
    with_hooks         include hooks and lazy values in plain Python as procedures
    """
    sweeps: dict[Stage, Sweep] = {}
    done: set[CacheEntry] = set()

    def lazy(entries: Iterable[CacheEntry]) -> list[Sweep]:
        """The sweeps of entries that no stage has computed yet, each after the sweeps that it needs."""
        found: list[Sweep] = []
        for entry in entries:
            if entry not in done:
                done.add(entry)
                if entry not in layout.lazy_sweeps and with_hooks and entry in layout.slots:
                    found.append(Sweep(entry.name, [LazyProcedure(entry, layout)]))
                    continue
                if leaves_out_python and entry not in layout.lazy_sweeps:
                    continue
                sweep = layout.lazy_sweeps[entry]
                needed = [each for each in entry.prerequisites if isinstance(each, CacheEntry) and each.computed_by is None]
                found += [*lazy([*needed, *layout.needs.get(sweep.name, ())]), sweep]
        return found

    for stage in Stage:
        parts: list[Sweep] = []
        for subsystem in order:
            sweep = layout.sweeps.get((subsystem.index, stage))
            if sweep is not None:
                parts += [*lazy(layout.needs.get(sweep.name, ())), sweep]
            if with_hooks and stage > Stage.MODEL and (hook := hook_sweep(order, subsystem, stage, layout)) is not None:
                parts.append(hook)
        if stage == Stage.REPORT:
            parts += lazy(entries)
        if parts:
            sweeps[stage] = joined(stage.name.lower(), parts)
    return sweeps


def joined(name: str, parts: Sequence[Sweep]) -> Sweep:
    """One sweep that runs the parts in order. It clears first everything that any part clears."""
    whole = Sweep(name)
    clears = any(part.clears for part in parts[1:])  # few do
    regions = Regions((slot for part in parts for slot in part.slots()) if clears else (), ())
    used: set[int] = set()
    for part in parts:
        for slot in part.clears if used else ():
            if not used.isdisjoint(regions.of(slot)):
                raise UnsupportedError(
                    f"sweep '{part.name}' clears entries that an earlier sweep of stage {name} uses. Let it clear its own entries only."
                )
        whole.clears += part.clears
        whole.calls += part.calls
        if clears and not any(
            isinstance(call, (HookProcedure, LazyProcedure)) for call in part.calls
        ):  # such procedures may use everything that is known then
            used.update(*map(regions.of, part.slots()))
    return whole
