"""What goes wrong in a Python file of the user's, told as one message."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mobod.errors import MobodError, ScriptError


@contextmanager
def script_errors(path: Path) -> Iterator[None]:
    """Raise ScriptError, with file, line and function, for any error from the script at `path`, its own sys.exit included."""
    try:
        yield
    except SystemExit as error:
        if error.code:
            raise ScriptError(f"{path}: it ended itself by sys.exit({error.code!r}).") from error
    except Exception as error:  # the code is the user's: it may raise anything, and is told where
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename).resolve() == path.resolve()]
        place = f"{path}, line {frames[-1].lineno}, in {frames[-1].name}" if frames else str(path)
        what = str(error) if isinstance(error, MobodError) else f"{type(error).__name__}: {error}"
        raise ScriptError(f"{place}: {what}") from error
