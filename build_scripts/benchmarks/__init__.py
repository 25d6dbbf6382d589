"""Cases of build_scripts/benchmark.py, in the order of their groups. harness.py has the decorator by which a function becomes a case."""
