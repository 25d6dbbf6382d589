"""The command build_scripts/meetings.py."""

import argparse
import time
from pathlib import Path

from tests.meetings.generator import random_mechanism
from tests.meetings.meeting import PAIRS, SECONDS, meet, pairs_of
from tests.meetings.shrinking import as_program, smallest
from tests.meetings.table import Table
from tests.meetings.verdict import DISAGREES, TOO_SLOW

PAIRS_OF_A_SEED = 5
SEEDS_OF_A_LINE = 20  # of the report on progress


def main(folder: Path, arguments: list[str] | None = None) -> int:
    """folder: default of the one that programs of disagreements are written to"""
    parser = argparse.ArgumentParser(description="Run random mechanisms by pairs of ways that must agree.")
    parser.add_argument("--seeds", type=int, default=12, metavar="N", help="how many mechanisms; default: 12")
    parser.add_argument("--first", type=int, default=0, metavar="SEED", help="the first seed; default: 0")
    parser.add_argument("--only", action="append", choices=PAIRS, metavar="PAIR", help="a pair, which every mechanism is run by")
    parser.add_argument("--with", action="append", dest="kinds", metavar="KIND", help="only mechanisms that have one of these kinds")
    parser.add_argument(
        "--pairs", type=int, default=PAIRS_OF_A_SEED, help=f"how many are chosen without --only; default: {PAIRS_OF_A_SEED}"
    )
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"the longest time of a pair; default: {SECONDS:g}")
    parser.add_argument("--folder", type=Path, default=folder, help="for programs of disagreements; default: build/meetings")
    parser.add_argument("--program", action="store_true", help="print the programs of the mechanisms, and do nothing else")
    parser.add_argument("--list", action="store_true", help="list the pairs, and do nothing else")
    chosen = parser.parse_args(arguments)
    if chosen.list:
        print("\n".join(PAIRS))
        return 0
    if chosen.program:
        for seed in range(chosen.first, chosen.first + chosen.seeds):
            print(random_mechanism(seed).program())
        return 0
    seeds = range(chosen.first, chosen.first + chosen.seeds)
    return run(seeds, chosen.only, chosen.pairs, chosen.seconds, chosen.folder, frozenset(chosen.kinds or ()))


def run(seeds: range, only: list[str] | None, n_pairs: int, seconds: float, folder: Path, kinds: frozenset[str]) -> int:
    """kinds: of which a mechanism must have one; empty: all mechanisms"""
    table = Table()
    for seed in seeds:
        mechanism = random_mechanism(seed)
        if kinds and kinds.isdisjoint(mechanism.kinds):
            continue
        for pair in only or pairs_of(seed, n_pairs):
            start = time.perf_counter()
            verdict = meet(pair, mechanism, seed, seconds)
            table.add(pair, mechanism, seed, verdict, time.perf_counter() - start)
            if verdict.outcome == TOO_SLOW:
                print(f"seed {seed}, {pair}: longer than {seconds:g} s", flush=True)
            if verdict.outcome == DISAGREES:
                print(f"seed {seed}, {pair}: {verdict.why}", flush=True)
                small, its = smallest(pair, mechanism, seed, verdict)
                folder.mkdir(parents=True, exist_ok=True)
                path = folder / f"{pair.replace(' ', '_')}_{seed}.py"
                path.write_text(as_program(pair, small, seed, its), encoding="utf-8")
                print(f"    {', '.join(small.kinds)}: {its.why}\n    {path}", flush=True)
        if (seed - seeds[0] + 1) % SEEDS_OF_A_LINE == 0:
            print(f"{seed - seeds[0] + 1} mechanisms, {table.n_runs} runs, {table.n_disagreements} disagreements", flush=True)
    print(f"\n{table}")
    return 1 if table.n_disagreements else 0
