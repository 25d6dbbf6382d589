"""The frames of an SDF file: each is given in another one; poses between them are found when all are known."""

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import final

from lxml import etree

from mobod.errors import ModelFileError
from mobod.files.xml_source import XmlSource
from mobod.spatial import Transform

WORLD, MODEL = "world", "__model__"


@final
@dataclass(eq=False, kw_only=True)
class SdfFrame:
    """relative_to  the frame that its pose is given in
    attached_to  the frame that it moves with; None: it is that of a link
    placed       of a model with a placement_frame: the frame whose pose is given instead of its own
    """

    relative_to: str
    pose: Transform
    attached_to: str | None
    place: str
    placed: str | None = None


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class Scope:
    """A model or the world, in which names are found.

    prefix  of the names of its frames in the file as a whole
    frame   the whole name of its own frame
    """

    prefix: str
    frame: str
    source: XmlSource

    def whole(self, name: str) -> str:
        """The whole name of what is called so in the scope."""
        if name == MODEL:
            return self.frame
        return name if name == WORLD else f"{self.prefix}{name}"


@final
class Frames:
    """By whole names, 'outer::inner::name'; the frame of a model is 'outer::inner::__model__'."""

    def __init__(self) -> None:
        self._frames: dict[str, SdfFrame] = {}
        self._known: dict[str, Transform] = {}

    def add(self, name: str, frame: SdfFrame) -> None:
        """Add a frame under its whole name."""
        self._frames[name] = frame

    def frame(self, name: str) -> SdfFrame:
        """The frame of a whole name."""
        return self._frames[name]

    def __contains__(self, name: str) -> bool:
        return name in self._frames

    def place(self, name: str) -> str:
        """Where a frame stands in its file."""
        return self._frames[name].place

    def found(self, name: str, scope: Scope, at: etree._Element, what: str) -> str:
        """The whole name of the frame that a name in a scope means. Raises ModelFileError at an element if there is none."""
        whole = scope.whole(name)
        for each in (whole, f"{whole}::{MODEL}"):
            if each == WORLD or each in self._frames:
                return each
        known = [each.removeprefix(scope.prefix) for each in self._frames if each.startswith(scope.prefix)]
        known = [each.removesuffix(f"::{MODEL}") for each in known]
        near = get_close_matches(name, known, n=1, cutoff=0.5)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        scope.source.fail(at, f"{what}: no link, joint, frame or model is named '{name}' here.{hint}")

    def pose(self, name: str) -> Transform:
        """The pose in the world. Raises ModelFileError for frames that go round in a cycle."""
        return self._pose_in(name, WORLD, ())

    def between(self, one: str, other: str) -> Transform:
        """The pose of the other frame in one."""
        return self.pose(one).inverse() @ self.pose(other)

    def link_of(self, name: str) -> str:
        """The link that a frame moves with, or the world."""
        seen: list[str] = []
        while name != WORLD and self._frames[name].attached_to is not None:
            if name in seen:
                self._fail_for_cycle([*seen[seen.index(name) :], name], "attached_to")
            seen.append(name)
            name = str(self._frames[name].attached_to)
        return name

    def __iter__(self) -> Iterator[str]:
        return iter(self._frames)

    def _pose_in(self, name: str, root: str, waiting: tuple[str, ...]) -> Transform:
        chain: list[str] = []
        while name not in (root, WORLD) and not (root == WORLD and name in self._known):
            if name in chain or name in waiting:
                cycle = [*waiting, *chain]
                self._fail_for_cycle([*cycle[cycle.index(name) :], name], "relative_to")
            chain.append(name)
            name = self._frames[name].relative_to
        if name != root and root != WORLD and name == WORLD:
            raise ModelFileError(
                f"{self.place(chain[0])}: '{chain[0]}' is not given in a frame inside of its model, as a placement_frame is."
            )
        X = self._known[name] if root == WORLD and name != WORLD else Transform()
        for each in reversed(chain):
            frame = self._frames[each]
            own = frame.pose
            if frame.placed is not None:
                own = own @ self._pose_in(frame.placed, each, (*waiting, *chain)).inverse()
            X = X @ own
            if root == WORLD:
                self._known[each] = X
        return X

    def _fail_for_cycle(self, names: list[str], attribute: str) -> None:
        shown = " -> ".join(f"'{each}'" for each in names)
        raise ModelFileError(f"{self.place(names[0])}: frames go round in a cycle by {attribute}: {shown}.")
