"""Trials: steps from the present state that leave no trace."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from mobod.cosim.algorithms.rollback import SavedInstances
from mobod.cosim.step_sizes.control import CoupledRun


@contextmanager
def trials(coupling: CoupledRun) -> Iterator[Callable[[], None]]:
    """Within it steps may be taken. It gives a function that returns to the present state, which is also done at the end.

    Raises errors of components that cannot save their state.
    """
    algorithm, loops = coupling.algorithm.memory(), coupling.signals.memory()
    with SavedInstances(coupling.instances.values()) as here:

        def begin() -> None:
            here.restore()
            coupling.algorithm.recall(algorithm)
            coupling.signals.recall(loops)
            coupling.signals.settle()

        try:
            yield begin
        finally:
            begin()
