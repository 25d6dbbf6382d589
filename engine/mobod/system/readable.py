"""Readable: base of public classes with a readable repr."""

from typing import Protocol, runtime_checkable


@runtime_checkable
class HasName(Protocol):
    """What has a name, or None."""

    @property
    def name(self) -> str | None: ...


class Readable:
    """Base class whose repr shows the class, the name and a summary. The repr never raises, not even if the constructor failed."""

    def __repr__(self) -> str:
        kind = type(self).__name__
        try:
            title = f"{kind} '{self.name}'" if isinstance(self, HasName) and self.name is not None else kind
            summary = self._summary()
        except Exception as error:  # a repr must never fail: a debugger shows objects whose constructor has not finished
            return f"{kind} (not complete: {type(error).__name__})"
        return f"{title} {summary}".rstrip()

    def _summary(self) -> str:
        """The part of the repr after the name."""
        return ""
