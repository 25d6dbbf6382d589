"""The largest work of a step of an FMU whose steps have bounded work."""

from dataclasses import replace

from mobod.compilation.source.model_source import GeneratedModel
from mobod.fmu.interface import Interface
from mobod.simulate.bounded_steps import LargestWork, largest_work

_COUNTER = "numerics.overrun"


def work_of(model: GeneratedModel, interface: Interface) -> LargestWork | None:
    """None: steps have no bounded work."""
    options = interface.options
    if not options.is_bounded:
        return None
    fixed, counted = options.fixed_steps, model.step_operations(interface.offsets)
    iterations = 1 if fixed is None else fixed.position_iterations
    return largest_work(model.system, model.layout, counted, options.integrator, position_iterations=iterations)


def with_largest_work(interface: Interface, model: GeneratedModel) -> Interface:
    """The interface, in which the variable that counts overruns says how much a step takes at most: so `mobod info` and tools show it."""
    work = work_of(model, interface)
    if work is None:
        return interface
    name, text = interface.spelled(_COUNTER), f"{work.text[0].lower()}{work.text[1:]}"
    rows = tuple(replace(row, description=f"{row.description}; {text}") if row.name == name else row for row in interface.rows)
    return replace(interface, rows=rows)
