"""Readable: base of public classes with a readable repr."""

from typing import Protocol, runtime_checkable


@runtime_checkable
class HasName(Protocol):
    """What has a name, or None."""

    @property
    def name(self) -> str | None: ...


class Summarised(Protocol):
    """What has a part of its repr after the name."""

    def _summary(self) -> str: ...


def readable(self: Summarised) -> str:
    """The repr of a class with this method as `__repr__`: the class, the name and the summary. It never raises, not even if the constructor
    failed.
    """
    kind = type(self).__name__
    try:
        title = f"{kind} '{self.name}'" if isinstance(self, HasName) and self.name is not None else kind
        summary = self._summary()
    except Exception as error:  # a debugger shows objects whose constructor has not finished
        return f"{kind} (not complete: {type(error).__name__})"
    return f"{title} {summary}".rstrip()


class Readable:
    """Base class with a readable repr."""

    __repr__ = readable

    def _summary(self) -> str:
        """The part of the repr after the name."""
        return ""
