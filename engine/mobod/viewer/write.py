"""Writing a page, or a picture or film of it, to a file."""

from os import PathLike
from pathlib import Path

from mobod.disk.whole_file import whole_file
from mobod.errors import InputError
from mobod.viewer.pictures import write_film, write_picture

FRAMES_PER_SECOND = 30


def check_page_name(path: str | PathLike[str]) -> None:
    """Raises InputError for a name of another kind of file."""
    if Path(path).suffix.lower() not in (".html", ".htm", ".png", ".mp4"):
        raise InputError(f"'{path}': the file name must end with .html, .png or .mp4.")


def write_page(page: str, path: str | PathLike[str], speed: float = 1.0) -> None:
    """Write a page to a file: .html; .png, its beginning, and .mp4 need the extra `view` and Chromium.

    speed  of a film: seconds of the run in a second

    Raises InputError for another name, UnsupportedError, WriteError.
    """
    check_page_name(path)
    if not speed > 0:
        raise InputError(f"speed is {speed:g}. It must be greater than 0.")
    with whole_file(path) as temporary:
        match Path(path).suffix.lower():
            case ".png":
                write_picture(page, temporary)
            case ".mp4":
                write_film(page, temporary, FRAMES_PER_SECOND, speed)
            case _:
                temporary.write_text(page, encoding="utf-8")
