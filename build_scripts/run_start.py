"""Follows the page Start in a fresh environment, as a newcomer does, and prints what it took.

    python build_scripts/run_start.py        # needs pip's packages; some minutes

Installs a copy of this checkout into a new virtual environment, runs `mobod demo`, then the page's code as one program.
Exit code: 0 if the last lines of the program are those that the page shows and all took less than ten minutes, 1 if not.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from venv import EnvBuilder

ROOT = Path(__file__).resolve().parents[1]
LIMIT = 600.0  # s


def main() -> int:
    page = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
    shown = "".join(re.findall(r"```python\n.*?```\n\n```\n(.*?)```", page, re.DOTALL))
    begin = perf_counter()
    with TemporaryDirectory() as scratch:
        copy, environment = Path(scratch) / "mobod", Path(scratch) / "environment"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", ".venv", "build", "__pycache__", ".*_cache"))
        EnvBuilder(with_pip=True).create(environment)
        scripts = environment / ("Scripts" if sys.platform == "win32" else "bin")
        subprocess.run([scripts / "python", "-m", "pip", "install", "--quiet", "."], cwd=copy, check=True)
        print(f"installed after {perf_counter() - begin:.0f} s", flush=True)
        subprocess.run([scripts / "mobod", "demo"], cwd=scratch, check=True, stdout=subprocess.DEVNULL)
        print(f"the demo has run after {perf_counter() - begin:.0f} s", flush=True)
        program = Path(scratch) / "start.py"
        program.write_text("".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)), encoding="utf-8")
        printed = subprocess.run([scripts / "python", program], cwd=scratch, check=True, capture_output=True, text=True).stdout
    took = perf_counter() - begin
    print(printed, end="")
    print(f"all took {took:.0f} s; {'as' if printed == shown else 'NOT as'} the page shows")
    return 0 if printed == shown and took < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
