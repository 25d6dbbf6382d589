"""Which shapes of a robot may touch which: groups and masks of a ContactSet."""

from typing import NamedTuple, final

from mobod.files.robot.links import WORLD, RobotLink

Bits = tuple[int, int]


class _TouchingKind(NamedTuple):
    """A kind of shapes: those of one kind may touch the same others. model None: they are fixed to Ground and belong to no link."""

    model: str | None
    self_collide: bool
    bits: Bits | None


@final
class TouchingKinds:
    """Each kind of shape has a group of its own, and its mask has those of the kinds that it touches.

    self_collision  whether links of one model touch each other; None: as the file says
    """

    def __init__(self, *, self_collision: bool | None):
        self._self_collision = self_collision
        self._kinds: list[_TouchingKind] = []

    def kind(self, link: RobotLink | None, bits: Bits | None) -> int:
        """The number of the kind of a shape of a link; None: the floor. bits: see RobotCollision."""
        if link is None or link.name == WORLD:
            kind = _TouchingKind(None, self_collide=False, bits=bits)
        else:
            kind = _TouchingKind(link.model, self_collide=link.self_collide, bits=bits)
        if kind not in self._kinds:
            self._kinds.append(kind)
        return self._kinds.index(kind)

    def bits(self, number: int) -> Bits:
        """(group, mask) of a kind, when all kinds are known."""
        kind = self._kinds[number]
        return 1 << number, sum(1 << i for i, other in enumerate(self._kinds) if self._touch(kind, other))

    def _touch(self, one: _TouchingKind, other: _TouchingKind) -> bool:
        if one.bits is not None and other.bits is not None and not (one.bits[0] & other.bits[1] or other.bits[0] & one.bits[1]):
            return False
        if one.model is None or other.model is None or one.model != other.model:
            return True
        if self._self_collision is None:
            return one.self_collide or other.self_collide
        return self._self_collision
