"""Counts of verdicts, by pair and by kind of element."""

from collections import Counter, defaultdict
from collections.abc import Iterable

from tests.meetings.mechanism import Mechanism
from tests.meetings.verdict import AGREES, CHAOTIC, DISAGREES, DOES_NOT_APPLY, NAMED_ERROR, TOO_SLOW, Verdict

COLUMNS = (AGREES, NAMED_ERROR, CHAOTIC, DISAGREES, TOO_SLOW, DOES_NOT_APPLY)


class Table:
    """Verdicts that are counted as they come."""

    def __init__(self) -> None:
        self.by_pair: dict[str, Counter[str]] = defaultdict(Counter)
        self.seconds: Counter[str] = Counter()
        self.by_kind: dict[str, dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))
        self.errors: Counter[str] = Counter()
        self.examples: dict[str, tuple[int, str]] = {}

    def add(self, pair: str, mechanism: Mechanism, seed: int, verdict: Verdict, seconds: float) -> None:
        self.by_pair[pair][verdict.outcome] += 1
        self.seconds[pair] += seconds
        for kind in mechanism.kinds:
            self.by_kind[kind][pair][verdict.outcome] += 1
        if verdict.outcome == NAMED_ERROR:
            self.errors[verdict.error] += 1
            self.examples.setdefault(verdict.error, (seed, verdict.why))

    @property
    def n_runs(self) -> int:
        return sum(sum(each.values()) - each[DOES_NOT_APPLY] for each in self.by_pair.values())

    @property
    def n_disagreements(self) -> int:
        return sum(each[DISAGREES] for each in self.by_pair.values())

    def __str__(self) -> str:
        pairs = list(self.by_pair)
        head = f"{'pair':16}" + "".join(f"{each:>15}" for each in COLUMNS) + f"{'s':>8}"
        rows = [
            f"{pair:16}" + "".join(f"{self.by_pair[pair][each]:15}" for each in COLUMNS) + f"{self.seconds[pair]:8.0f}" for pair in pairs
        ]
        width = max((len(each) for each in pairs), default=0) + 2
        kinds = [f"{'runs/disagreements':28}" + "".join(f"{each:>{width}}" for each in pairs)]
        kinds += [f"{kind:28}" + "".join(f"{_cell(self.by_kind[kind][pair]):>{width}}" for pair in pairs) for kind in sorted(self.by_kind)]
        errors = [
            f"{count:5} {name}, as of seed {self.examples[name][0]}: {self.examples[name][1]}" for name, count in self.errors.most_common()
        ]
        return "\n".join(_joined([[head, *rows], kinds, ["named errors", *errors]]))


def _joined(blocks: Iterable[list[str]]) -> list[str]:
    lines: list[str] = []
    for each in blocks:
        lines += [*([""] if lines else []), *each]
    return lines


def _cell(counts: Counter[str]) -> str:
    ran = sum(counts.values()) - counts[DOES_NOT_APPLY]
    return "-" if not ran else f"{ran}/{counts[DISAGREES]}" if counts[DISAGREES] else str(ran)
