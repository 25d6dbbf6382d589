"""The Python blocks of a page of the handbook, run as one program."""

import contextlib
import io
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def run_blocks(text: str, folder: Path | None = None) -> dict[str, Any]:
    """The names that the Python blocks of a text define, as one program in an empty folder, or in this one, with a copy of the examples."""
    names: dict[str, Any] = {"__name__": "page"}
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as scratch, contextlib.redirect_stdout(io.StringIO()):
        where = folder or Path(scratch)
        shutil.copytree(EXAMPLES, where / "examples")
        os.chdir(where)
        try:
            for code in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
                exec(compile(code, "page", "exec"), names)
        finally:
            os.chdir(here)
    return names
