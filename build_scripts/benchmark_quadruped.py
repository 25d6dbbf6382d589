"""`python build_scripts/benchmark.py --only quadruped`, and its model for scripts that import it from here."""

import sys

from benchmark import main
from benchmarks.quadruped import quadruped as _quadruped

__all__ = ["_quadruped"]

if __name__ == "__main__":
    sys.exit(main(["--only", "fixed steps: the quadruped", *sys.argv[1:]]))
