"""Place: where a model file is being read, and the errors that name it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import NoReturn, TypeVar, final

from mobod.errors import MobodError, ModelFileError
from mobod.files.json_source import Json
from mobod.matter import Ground, MobilizedBody, MultibodySystem
from mobod.system.measures import Measure

T = TypeVar("T")


@final
@dataclass(frozen=True)
class Place:
    """A place in a model file that is being read, and the elements that were made from the file so far.

    pointer         JSON pointer (RFC 6901) of the place
    allow_imports   whether Python code that the file names may be imported
    """

    path: Path
    system: MultibodySystem
    allow_imports: bool = False
    pointer: str = ""
    bodies: dict[str, MobilizedBody | Ground] = field(default_factory=dict)
    measures: dict[str, Measure] = field(default_factory=dict)

    def at(self, key: str | int) -> "Place":
        escaped = str(key).replace("~", "~0").replace("/", "~1")
        return Place(self.path, self.system, self.allow_imports, f"{self.pointer}/{escaped}", self.bodies, self.measures)

    def fail(self, message: str) -> NoReturn:
        raise ModelFileError(f"{self.path}: {self.pointer or '/'}: {message}")

    def unknown(self, what: str, name: str, known: Sequence[str]) -> NoReturn:
        """Fail because of an unknown name; the message suggests the nearest known one."""
        near = get_close_matches(name[:200], known, n=1, cutoff=0.5)
        hint = f"Did you mean '{near[0]}'?" if near else f"There are: {', '.join(sorted(known)[:20]) or 'none'}."
        self.fail(f"no {what} is named '{name if len(name) <= 60 else name[:60] + '...'}'. {hint}")


def as_object(value: Json, place: Place) -> dict[str, Json]:
    if not isinstance(value, dict):
        place.fail(f"an object is needed, {{...}}, not {shown(value)}.")
    return value


def check_keys(found: Mapping[str, Json], known: Sequence[str], place: Place) -> None:
    for key in found:
        if key not in known:
            place.unknown("key here", key, known)


def made(place: Place, make: Callable[[], T]) -> T:
    """The result of `make`; its errors are reported as errors of the place."""
    try:
        return make()
    except ModelFileError:  # its message already contains the place
        raise
    except MobodError as error:
        place.fail(str(error))
    except TypeError as error:
        place.fail(f"it cannot be made of these keys: {error}.")


def as_list(value: Json, place: Place) -> list[Json]:
    if not isinstance(value, list):
        place.fail(f"a list is needed, [...], not {shown(value)}.")
    return value


def shown(value: Json) -> str:
    match value:
        case dict():
            return "an object"
        case list():
            return "a list"
        case None:
            return "null"
        case bool():
            return str(value).lower()
    return repr(value)[:60]
