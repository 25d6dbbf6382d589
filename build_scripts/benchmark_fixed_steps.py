"""`python build_scripts/benchmark.py --only "fixed steps"`, and its models for scripts that import them from here."""

import sys

from benchmark import main
from benchmarks.fixed_steps import balls, boxes

__all__ = ["balls", "boxes"]

if __name__ == "__main__":
    sys.exit(main(["--only", "fixed steps: ", *sys.argv[1:]]))
