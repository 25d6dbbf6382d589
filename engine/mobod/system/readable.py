"""Readable: base of public classes, with a repr that a person can read."""

from typing import Protocol, runtime_checkable


@runtime_checkable
class HasName(Protocol):
    """What has a name, or None."""

    @property
    def name(self) -> str | None: ...


class Readable:
    """Its repr is its class, its name and a summary. It never raises, not even of an object whose constructor failed."""

    def __repr__(self) -> str:
        kind = type(self).__name__
        try:
            title = f"{kind} '{self.name}'" if isinstance(self, HasName) and self.name is not None else kind
            summary = self._summary()
        except Exception as error:  # a repr must never fail: a debugger shows objects that are half built
            return f"{kind} (not complete: {type(error).__name__})"
        return f"{title} {summary}".rstrip()

    def _summary(self) -> str:
        """What follows the name."""
        return ""
