"""Saved states: a restored instance continues with the same bits, also from bytes, in another instance, and in other modes."""

from collections.abc import Callable

from mobod.acceptance.behaviour.damage import check_wrong_sizes
from mobod.acceptance.behaviour.kept_state import KeptState
from mobod.acceptance.behaviour.probe import Probe
from mobod.acceptance.behaviour.result import NotCheckedError, RunFindings
from mobod.acceptance.behaviour.tested import Tested
from mobod.acceptance.behaviour.walk import Row, Walk, first_difference, walked
from mobod.errors import FmuError
from mobod.fmi.loading import Interface

MIDDLE, END = 10, 25  # points at which the state is saved, and at which the runs end


def check_state(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """A restored state resumes with the same bits, as often as wanted, after a reset, and after the end."""
    if not tested.can(interface, "canGetAndSetFMUstate"):
        raise NotCheckedError("Its model description does not declare that it can get and set its state.")
    with Probe(tested, interface) as probe:
        walk = _walk_to_middle(probe)
        here = walk.row()
        state = KeptState.of(probe)
        expected = walk.walk(MIDDLE, END)

        def restored(what: str) -> None:
            _compare(found, walk, state.restore, here, expected, what)

        restored("a restored state")
        restored("a state that was restored for the second time")
        # states are restored at another point of the run, after the end, and after a reset
        _continue(walk, state.restore, 3)
        restored("a state that was restored after three steps")
        if not walk.ended:
            probe.call("Terminate")
            restored("a state that was restored after the end")
        probe.call("Reset")
        restored("a state that was restored after a reset")
        state.restore()
        walk.ended = False
        walk.walk(MIDDLE, MIDDLE + 4)
        if not walk.ended:
            later = walk.row()
            state.save()
            rest = walk.walk(MIDDLE + 4, END)
            _compare(found, walk, state.restore, later, rest, "a state that was saved in place of another", first=MIDDLE + 4)
        state.free()
    _check_initialization(tested, interface, found)


def _walk_to_middle(probe: Probe) -> Walk:
    """A walk of MIDDLE steps. Raises NotCheckedError if the FMU ends the simulation before."""
    walk = walked(probe, MIDDLE)
    if walk.ended:
        raise NotCheckedError(f"It ends the simulation within {MIDDLE} steps.")
    return walk


def _continue(walk: Walk, restore: Callable[[], None], steps: int) -> None:
    restore()
    walk.ended = False
    walk.walk(MIDDLE, MIDDLE + steps)


def _compare(
    found: RunFindings, walk: Walk, restore: Callable[[], None], here: Row, expected: list[Row], what: str, first: int = MIDDLE
) -> None:
    """Restore a state and compare what comes after it."""
    try:
        restore()
        walk.ended = False
        rows = [walk.row(), *walk.walk(first, END)]
    except FmuError as error:
        found.add("state", f"{what} cannot be used: {error}", "state")
        return
    difference = first_difference(walk.names, [here, *expected], rows, first)
    if difference:
        found.add("state", f"after {what} the run differs: {difference}", "state")


def _check_initialization(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """A state that was saved in Initialization Mode can be initialized."""
    with Probe(tested, interface) as probe:
        probe.enter_initialization()
        state = KeptState.of(probe)
        runs = []
        for restores in (False, True):
            if restores:
                state.restore()
            probe.exit_initialization()
            walk = Walk(probe)
            walk.begin()
            runs.append(walk.walk(0, 5))
        state.free()
    difference = first_difference(walk.names, runs[0], runs[1])
    if difference:
        found.add("state", f"after a state that was restored in Initialization Mode the run differs: {difference}", "state")


def check_bytes(tested: Tested, interface: Interface, found: RunFindings) -> None:
    """A state from bytes resumes with the same bits in another instance."""
    if not (tested.can(interface, "canGetAndSetFMUstate") and tested.can(interface, "canSerializeFMUstate")):
        raise NotCheckedError("Its model description does not declare that it can save its state as bytes.")
    with Probe(tested, interface) as probe:
        walk = _walk_to_middle(probe)
        here = walk.row()
        state = KeptState.of(probe)
        sizes = {state.size(), state.size()}
        if len(sizes) != 1:
            found.add("state-size", f"the size of the same state is once {min(sizes)} and once {max(sizes)} bytes", "state")
        data = state.to_bytes()
        expected = walk.walk(MIDDLE, END)
        state.free()
    found.figures.append(("serialized state", float(len(data)), "bytes"))
    instances = tested.model.capabilities(interface).get("canBeInstantiatedOnlyOncePerProcess") is not True
    for initializes in (True, False):
        with Probe(tested, interface) as probe:
            walk = walked(probe, 3) if initializes else Walk(probe)
            state = KeptState(probe)
            if not state.read(data):
                found.add("bytes", f"it refuses the bytes of its own state in another instance. {probe.log}", "state")
                return
            what = f"a state from bytes in {'another' if initializes else 'a new'} instance"
            probe.where = f"with {what}"
            _compare(found, walk, state.restore, here, expected, what)
            state.free()
    check_wrong_sizes(tested, interface, found)
    if not instances:
        found.note("The other instance was made when the first one was freed, since there can be only one.")
