"""The working folder of this process, to which paths are relative."""

import os
from pathlib import Path

from mobod.errors import MobodError


def working_folder() -> Path:
    """The folder. Raises MobodError if it was deleted."""
    try:
        return Path.cwd()
    except OSError as error:
        raise MobodError(
            f"the working folder of this process cannot be found ({error.strerror}): it was deleted, or you may not read it. Change to "
            "another folder: cd, or os.chdir."
        ) from error


def absolute(path: str | os.PathLike[str]) -> Path:
    """The absolute path of a relative one; links are not followed. Raises MobodError if the working folder was deleted."""
    given = Path(path)
    return given if given.is_absolute() else working_folder() / given
