"""`python build_scripts/benchmark.py --only "closed loops"`."""

import sys

from benchmark import main

if __name__ == "__main__":
    sys.exit(main(["--only", "closed loops: ", *sys.argv[1:]]))
