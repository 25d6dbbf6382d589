"""The ten stages of realization (seed 000, chapter 1)."""

from enum import IntEnum


class Stage(IntEnum):
    """How far a State has been computed. Each stage depends on the variables of its own and of earlier stages.

    EMPTY         nothing
    TOPOLOGY      the System's parts are counted; discrete variables allocated by realize_topology exist
    MODEL         the set of variables and cache entries is complete
    INSTANCE      which elements are enabled; masses and frames
    TIME          t
    POSITION      q: poses
    VELOCITY      u: velocities, rates of q
    DYNAMICS      z: forces
    ACCELERATION  accelerations and rates of all continuous variables
    REPORT        quantities needed only for output

    Source: seed 000, section 1.3; Simbody's Stage.h has the same ten.
    """

    EMPTY = 0
    TOPOLOGY = 1
    MODEL = 2
    INSTANCE = 3
    TIME = 4
    POSITION = 5
    VELOCITY = 6
    DYNAMICS = 7
    ACCELERATION = 8
    REPORT = 9

    __hash__ = int.__hash__  # Enum's hash is ten times slower, and stages are keys in every realization

    def next(self) -> "Stage":
        """The stage after this one."""
        return Stage(self + 1)

    def previous(self) -> "Stage":
        """The stage before this one."""
        return Stage(self - 1)


STAGES = tuple(Stage)
"""All stages by number; faster than Stage(number)."""
