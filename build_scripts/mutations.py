"""Checks that the tests detect mistakes: each mutation changes the source in one place, and some tests must then fail.

    python build_scripts/mutations.py                     # all
    python build_scripts/mutations.py coriolis where      # these two

First, the tests of all mutations run without mutations and must pass. Then each mutation is applied, its tests run, and the source is
restored. The script refuses to start if an affected file has uncommitted changes. It uses the checkout that contains this script.

Exit code: 0 if all mutations are detected, 1 if one is missed, 2 if the script cannot run: a text to replace does not occur exactly once,
files have uncommitted changes, or tests fail without a mutation.
"""

import argparse
import os
import signal
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True, kw_only=True)
class Mutation:
    """A typical mistake, as a change of the source.

    mistake  what is then wrong
    file     path from the root of the checkout
    changes  (text, replacement); each text occurs exactly once
    tests    paths from the root; at least one of these tests must fail
    """

    name: str
    mistake: str
    file: str
    changes: tuple[tuple[str, str], ...]
    tests: tuple[str, ...]


MUTATIONS = (
    Mutation(
        name="coriolis",
        mistake="the Coriolis acceleration across a mobilizer has the wrong sign",
        file="engine/mobod/matter/tree/kinematics.py",
        changes=(("+ cross(w_P, v_across + v - v_P)", "- cross(w_P, v_across + v - v_P)"),),
        tests=("tests/analytic/test_double_pendulum.py",),
    ),
    Mutation(
        name="inertia",
        mistake="the inertia of a body is not shifted from its origin to that of frame M",
        file="engine/mobod/matter/tree/kinematics.py",
        changes=(("rotated_inertia(R_MB, inertia) + moved", "rotated_inertia(R_MB, inertia)"),),
        tests=("tests/laws/test_momentum.py",),
    ),
    Mutation(
        name="unit",
        mistake="a damping has the unit of a stiffness",
        file="engine/mobod/forces/two_point/two_point_linear_damper.py",
        changes=(('parameter("N.s/m"', 'parameter("N/m"'),),
        tests=("tests/laws/test_units.py",),
    ),
    Mutation(
        name="stale",
        mistake="what depends on the length of a rod is not computed again when the length is set",
        file="engine/mobod/matter/constraint.py",
        changes=(
            (
                'state.write(slot, checked, f"{self.name}.{name}", Stage.INSTANCE)',
                'state.write(slot, checked, f"{self.name}.{name}", Stage.DYNAMICS)',
            ),
        ),
        tests=("tests/unit/matter/test_constraint_parameters.py",),
    ),
    Mutation(
        name="release",
        mistake="a limit is let go one fixed step late",
        file="fmu_src/native/contact/engagement.c",
        changes=(("memory[COUNT] > 1 && moves_away", "memory[COUNT] > 1 && moves_away && memory[LAST_RATE] > noise"),),
        tests=("tests/unit/simulate/test_velocity_level.py",),
    ),
    Mutation(
        name="saved_state",
        mistake="the error of the step before, which chooses the next step's size, is not in the bytes of an FMU's state",
        file="fmu_src/native/state/serialized_state.c",
        changes=(
            (
                "put_number(bytes, next++, field_of(state, i));",
                "put_number(bytes, next++, fields[i].at == offsetof(State, error_before) ? 0 : field_of(state, i));",
            ),
        ),
        tests=("tests/fmu/test_fmu_state.py", "tests/native/test_saved_states.py"),
    ),
    Mutation(
        name="reference",
        mistake="the value reference of a state stands for the next number in memory",
        file="engine/mobod/fmu/variables_source.py",
        changes=(("at=row.at,", "at=row.at + row.is_state,"),),
        tests=("tests/fmu/test_native_export.py",),
    ),
    Mutation(
        name="universal",
        mistake="the axes of a Universal are y and x; poses, velocities and fits agree with each other",
        file="engine/mobod/matter/mobilizers/universal.py",
        changes=(
            ("rotation_x(q[0]) @ rotation_y(q[1])", "rotation_y(q[0]) @ rotation_x(q[1])"),
            (
                "[[1, 0, 0, 0, 0, 0], [0, np.cos(q[0]), np.sin(q[0]), 0, 0, 0]]",
                "[[0, 1, 0, 0, 0, 0], [np.cos(q[0]), 0, -np.sin(q[0]), 0, 0, 0]]",
            ),
            (
                "[np.arctan2(R[2, 1], R[1, 1]), np.arctan2(R[0, 2], R[0, 0])]",
                "[np.arctan2(R[0, 2], R[2, 2]), np.arctan2(-R[1, 2], R[1, 1])]",
            ),
        ),
        tests=("tests/reference/test_simbody.py",),
    ),
    Mutation(
        name="where",
        mistake="the tangent of where is that of the branch not taken",
        file="engine/mobod/scalar/derivative.py",
        changes=(("where(x[0], dx[1], dx[2])", "where(x[0], dx[2], dx[1])"),),
        tests=("tests/unit/scalar/test_derivative.py",),
    ),
    Mutation(
        name="lock",
        mistake="the lock of one body holds the ones that were locked before at its level too",
        file="engine/mobod/matter/bodies/locks.py",
        changes=(
            (
                'state.write(slots.lock_levels[body.index], number, f"{body.name}.lock_level", Stage.INSTANCE)',
                'state.write(slots.lock_levels, np.full(slots.lock_levels.shape, number), f"{body.name}.lock_level", Stage.INSTANCE)',
            ),
        ),
        tests=("tests/unit/matter/test_motions.py",),
    ),
    Mutation(
        name="slip",
        mistake="friction opposes the slip at the last event, not the present one",
        file="engine/mobod/matter/unilateral/laws_of_slip.py",
        changes=(("return where(moves, moved / where(moves, length, 1.0), direction), speed", "return direction, speed"),),
        tests=("tests/analytic/test_friction.py",),
    ),
    Mutation(
        name="slip_limit",
        mistake="where friction is limited, a slip has the friction of rest",
        file="fmu_src/native/contact/friction_table.c",
        changes=(("w[slips ? friction->kinetic : friction->static_limit]", "w[friction->static_limit]"),),
        tests=("tests/analytic/test_friction.py",),
    ),
)


def main() -> int:
    by_name = {mutation.name: mutation for mutation in MUTATIONS}
    parser = argparse.ArgumentParser(description="Apply mistakes to the source one by one, and say whether the tests catch them.")
    parser.add_argument("names", metavar="NAME", nargs="*", help=f"any of: {', '.join(by_name)}")
    names = parser.parse_args().names or list(by_name)
    if unknown := [name for name in names if name not in by_name]:
        parser.error(f"no mutation is named {unknown[0]!r}; there are: {', '.join(by_name)}")
    chosen = [by_name[name] for name in names]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(2))  # so that the source is restored

    for reason in filter(None, (uncommitted(chosen), *map(why_not_applicable, chosen))):
        print(reason)
        return 2
    if not passes({path for mutation in chosen for path in mutation.tests}):
        print("these tests fail without a mutation.")
        return 2
    missed = []
    for mutation in chosen:
        with applied(mutation):
            is_caught = not passes(mutation.tests)
        print(f"{'caught' if is_caught else 'MISSED'}: {mutation.name} ({mutation.mistake})", flush=True)
        missed += [] if is_caught else [mutation.name]
    print(f"missed: {', '.join(missed)}" if missed else f"caught {len(chosen)} of {len(chosen)}")
    return 1 if missed else 0


def uncommitted(mutations: Iterable[Mutation], root: Path = ROOT) -> str | None:
    """A message with the mutations' files that have uncommitted changes, or None."""
    files = sorted({mutation.file for mutation in mutations})
    status = subprocess.run(["git", "status", "--porcelain", "--", *files], cwd=root, check=True, capture_output=True, text=True).stdout
    return f"these files have uncommitted changes; commit or stash them first:\n{status}" if status else None


def why_not_applicable(mutation: Mutation, root: Path = ROOT) -> str | None:
    """A message with a text of the mutation that does not occur exactly once in its file, or None."""
    source = (root / mutation.file).read_text(encoding="utf-8")
    for text, _ in mutation.changes:
        if source.count(text) != 1:
            return f"mutation '{mutation.name}': {mutation.file} has {source.count(text)} times instead of once: {text}"
    return None


@contextmanager
def applied(mutation: Mutation, root: Path = ROOT) -> Iterator[None]:
    """A context in which the source has the mistake. Afterwards the file has its old bytes and its old time of modification."""
    path = root / mutation.file
    original, times = path.read_bytes(), path.stat()
    source = original.decode("utf-8")
    for text, replacement in mutation.changes:
        source = source.replace(text, replacement)
    try:
        path.write_bytes(source.encode("utf-8"))
        yield
    finally:
        path.write_bytes(original)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))


def passes(tests: Iterable[str]) -> bool:
    """Whether the fast ones of these tests pass in this checkout."""
    environment = dict(os.environ, PYTHONDONTWRITEBYTECODE="1")  # no compiled file of the mistake
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT / "engine"), *filter(None, [os.environ.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *sorted(tests)]
    run = subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=True, text=True)
    if run.returncode not in (0, 1):
        raise RuntimeError(f"pytest could not run the tests:\n{run.stdout}{run.stderr}")
    return run.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
