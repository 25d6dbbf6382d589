"""Reports errors in a user's Python file as one message."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mobod.errors import MobodError, ScriptError


@contextmanager
def script_errors(path: Path) -> Iterator[None]:
    """Turn any error of the script at `path`, including its own sys.exit, into a ScriptError with file, line and function."""
    try:
        yield
    except SystemExit as error:
        if error.code:
            raise ScriptError(f"{path}: it called sys.exit({error.code!r}).") from error
    except Exception as error:  # user code may raise anything
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).resolve() == path.resolve()]
        place = f"{path}, line {frames[-1].lineno}, in {frames[-1].name}" if frames else str(path)
        what = str(error) if isinstance(error, MobodError) else f"{type(error).__name__}: {error}"
        raise ScriptError(f"{place}: {what}") from error
