"""The smallest mechanism that shows a disagreement: elements are left out while it stays."""

from tests.meetings.mechanism import Mechanism
from tests.meetings.meeting import meet
from tests.meetings.verdict import DISAGREES, Verdict


def smallest(pair: str, mechanism: Mechanism, seed: int, verdict: Verdict) -> tuple[Mechanism, Verdict]:
    """The mechanism from which no further element can be left out, and its verdict. A fault is the same if its message begins alike."""
    has_shrunk = True
    while has_shrunk:
        has_shrunk = False
        for name in reversed([*(each.name for each in mechanism.bodies), *(each.name for each in mechanism.elements)]):
            smaller = mechanism.without(name)
            if not smaller.bodies or smaller == mechanism:
                continue
            its = meet(pair, smaller, seed)
            if its.outcome == DISAGREES and _words(its) == _words(verdict):
                mechanism, verdict, has_shrunk = smaller, its, True
    return mechanism, verdict


def _words(verdict: Verdict) -> str:
    return verdict.why.partition(":")[0]


def as_program(pair: str, mechanism: Mechanism, seed: int, verdict: Verdict) -> str:
    """A Python program that shows the disagreement, from the root of the project."""
    return (
        f'"""Pair \'{pair}\', seed {seed}: {verdict.why}\n\nElements: {", ".join(mechanism.kinds)}.\n"""\n\n{mechanism.program()}\n\n'
        f'if __name__ == "__main__":\n    system, state = mechanism()\n'
        f"    results = mb.Simulation(system).run(state, {mechanism.duration})\n    print(results.final_state.y)\n"
    )
