"""READERS: all that `fuzz.py` gives changed files to. A new one is a function in the file of its kind, decorated by `reader`."""

import fuzz_fmus
import fuzz_models
import fuzz_ssp
import fuzz_states
import fuzz_tables
from fuzz_reader import READERS as READERS

FILES = (fuzz_models, fuzz_tables, fuzz_fmus, fuzz_ssp, fuzz_states)  # which add their readers when they are imported
