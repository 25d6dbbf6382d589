"""Runs all checks of CI in order. Each step can also run alone.

    python build_scripts/check.py                # all
    python build_scripts/check.py ruff mypy      # these two
    python build_scripts/check.py docs           # the handbook, which is built only if asked for; needs the extra `docs`
    python build_scripts/check.py slow           # the slow tests, which run only if asked for; --part 2/8 for the second of eight parts
    python build_scripts/check.py changed        # the tests, slow ones too, of what is not committed; --base REV for all since REV
    python build_scripts/check.py soak           # a plant beside a controller for an hour; soak.py takes other times

Exit code: 0 if all passed, 1 if a step failed, 2 if a requested step does not exist.
"""

import argparse
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ON_REQUEST = ("changed", "docs", "slow", "soak")  # steps that run only if they are named


def main() -> int:
    parser = argparse.ArgumentParser(description="Run everything that CI checks, or the given steps of it.")
    parser.add_argument("steps", metavar="STEP", nargs="*", help=f"any of: {', '.join(step_commands())}")
    parser.add_argument("--part", metavar="K/N", help="of the slow tests: the K-th of N parts")
    parser.add_argument("--base", metavar="REV", help="of the changed tests: the change is all since this revision")
    given = parser.parse_args()
    commands = step_commands(given.part, given.base)
    steps = given.steps or [step for step in commands if step not in ON_REQUEST]
    for option, value, step in (("--part", given.part, "slow"), ("--base", given.base, "changed")):
        if value and step not in steps:
            parser.error(f"{option} goes with the step {step!r}")
    if unknown := [step for step in steps if step not in commands]:
        parser.error(f"no step is named {unknown[0]!r}; there are: {', '.join(commands)}")

    failed = [step for step in steps if [command for command in commands[step] if not passes(command)]]

    print(f"\nfailed: {', '.join(failed)}" if failed else f"\npassed: {', '.join(steps)}")
    return 1 if failed else 0


def step_commands(part: str | None = None, base: str | None = None) -> dict[str, list[list[str]]]:
    """The commands of each step, in the order in which they run."""
    python_module = [sys.executable, "-m"]
    scripts = Path(sysconfig.get_path("scripts"))
    c_files = sorted(str(path.relative_to(ROOT)) for folder in ("fmu_src", "tests") for path in (ROOT / folder).rglob("*.[ch]"))
    return {
        "ruff": [[*python_module, "ruff", "check"]],
        "format": [[*python_module, "ruff", "format", "--check"]],
        "mypy": [[*python_module, "mypy"]],
        "imports": [
            [str(scripts / "lint-imports"), "--no-logo"],
            [sys.executable, "build_scripts/import_cycles.py"],
            [sys.executable, "build_scripts/native_layers.py"],
        ],
        "clang-format": [[str(scripts / "clang-format"), "--dry-run", "--Werror", *c_files]],
        "pytest": [[*python_module, "pytest"]],
        "slow": [[sys.executable, "build_scripts/slow_suite.py", *(["--part", part] if part else [])]],
        "changed": [[sys.executable, "build_scripts/tests_of_change.py", *(["--base", base] if base else [])]],
        "soak": [[sys.executable, "build_scripts/soak.py"]],
        "docs": [[sys.executable, "build_scripts/handbook.py"]],
    }


def passes(command: list[str]) -> bool:
    print(f"\n$ {shlex.join(command)}", flush=True)
    try:
        return subprocess.run(command, cwd=ROOT, check=False).returncode == 0
    except FileNotFoundError:
        print(f"{command[0]} is not installed. Run: python -m pip install -e '.[test]'")
        return False


if __name__ == "__main__":
    sys.exit(main())
