"""Changes and omissions while a file was read: a list for programs, and one warning for users."""

# Decision: docs/decisions/080-urdf-findings.md

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn, final

from mobod.errors import ModelFileError


@final
@dataclass(frozen=True, kw_only=True)
class Finding:
    """One thing in a file that was changed or ignored.

    kind         'inertia', 'massless', 'ignored', ...: docs/tutorials/files.md has the list
    message      what was wrong, with its value, and what was done
    path, lines  its place
    link, joint  the name of the link or the joint that it belongs to, or None
    is_information
                 whether nothing was changed or ignored: it says how something is meant, and alone is no reason for a warning
    """

    kind: str
    message: str
    path: Path
    lines: tuple[int, ...]
    link: str | None = None
    joint: str | None = None
    is_information: bool = False

    @property
    def line(self) -> int | None:
        return self.lines[0] if self.lines else None

    @property
    def place(self) -> str:
        """The lines, at most four of them; empty for the file as a whole."""
        if not self.lines:
            return ""
        if len(self.lines) == 1:
            return f"line {self.lines[0]}: "
        return f"lines {', '.join(map(str, self.lines[:4]))}{', ...' if len(self.lines) > 4 else ''}: "

    def as_json(self) -> dict[str, object]:
        return {"link": self.link, "joint": self.joint, "kind": self.kind, "line": self.line, "message": self.message}


class ModelFileWarning(UserWarning):
    """One summary of all changes and omissions when a file was read, one line each. `findings` holds them as data."""

    def __init__(self, message: str, findings: Iterable[Finding] = ()):
        super().__init__(message)
        self.findings = tuple(findings)


@final
class Findings:
    """The findings for one file, and for a second one that was read with it.

    strict  whether a file that needs changes is refused
    """

    def __init__(self, path: Path, *, strict: bool):
        self.path, self.strict = path, strict
        self._found: list[Finding] = []

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def note(
        self,
        kind: str,
        message: str,
        *lines: int,
        path: Path | None = None,
        link: str | None = None,
        joint: str | None = None,
        is_information: bool = False,
    ) -> None:
        """Adds a finding. Lines of equal messages are merged."""
        lines = tuple(line for line in lines if line)  # 0: the file has no lines
        new = Finding(
            kind=kind, message=message, path=path or self.path, lines=lines, link=link, joint=joint, is_information=is_information
        )
        for number, old in enumerate(self._found):
            if replace(old, lines=lines) == new:
                self._found[number] = replace(old, lines=(*old.lines, *lines))
                return
        self._found.append(new)

    def copy(self) -> "Findings":
        """A copy with the current findings."""
        other = Findings(self.path, strict=self.strict)
        other._found = list(self._found)
        return other

    def since(self, earlier: "Findings") -> "Findings":
        """The findings that were added after `earlier` was copied."""
        other = Findings(self.path, strict=self.strict)
        other._found = self._found[len(earlier) :]
        return other

    @property
    def _changes(self) -> list[Finding]:
        return [each for each in self._found if not each.is_information]

    @property
    def summary(self) -> str:
        """One line for each change or omission, after the path."""
        found = self._changes
        lines = [("" if each.path == self.path else f"{each.path}, ") + each.place + each.message for each in found]
        if len(lines) == 1:
            separator = ", " if found[0].place else ": "
            return f"{self.path}{separator}{lines[0]}"
        return f"{self.path}: {len(lines)} things were changed or ignored:" + "".join(f"\n  {line}" for line in lines)

    def warn(self, *, stacklevel: int) -> None:
        """Issues one ModelFileWarning for all changes and omissions, if there are any."""
        found = self._changes
        if found:
            warnings.warn(ModelFileWarning(self.summary, found), stacklevel=stacklevel + 1)

    def fail(self, message: str, line: int | None, path: Path | None = None) -> NoReturn:
        raise ModelFileError(f"{path or self.path}{'' if line is None else f', line {line}'}: {message}")
