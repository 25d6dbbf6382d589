"""READERS: all that `fuzz.py` gives changed files to, by name. A new one is an entry in the file of its kind."""

import fuzz_fmus
import fuzz_models
import fuzz_ssp
import fuzz_states
import fuzz_tables

READERS = {**fuzz_models.READERS, **fuzz_tables.READERS, **fuzz_fmus.READERS, **fuzz_ssp.READERS, **fuzz_states.READERS}
