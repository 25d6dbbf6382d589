"""Which times of a run a page shows, and the variables that it plots."""

from collections.abc import Sequence

import numpy as np

from mobod.disk.json_values import JsonObject
from mobod.errors import InputError
from mobod.simulate.table import Table
from mobod.system.number_names import array_of
from mobod.viewer.tracks import Tracks

MOST_FRAMES = 3000
SHOWN_AT_FIRST = 8


def chosen_frames(time: np.ndarray) -> np.ndarray:
    """The numbers of the report times that are shown: all, or MOST_FRAMES at about equal distances. Both frames of a jump stay.

    Raises InputError if there are none.
    """
    if len(time) == 0:
        raise InputError("the run has no report times, so that there is nothing to show.")
    if len(time) <= MOST_FRAMES:
        return np.arange(len(time))
    wanted = np.searchsorted(time, np.linspace(time[0], time[-1], MOST_FRAMES))
    jumps = np.flatnonzero(np.diff(time) == 0)
    return np.unique(np.concatenate([[0], wanted, jumps, jumps + 1, [len(time) - 1]]))


def series_of(table: Table, shown: Sequence[str], tracks: Tracks, frames: np.ndarray, most_shown: int | None) -> list[JsonObject]:
    """The columns of a Table, for the plots of a page.

    shown       names of columns, or of vectors, that are plotted at first
    most_shown  of these; None: all
    """
    made: list[JsonObject] = []
    n_shown = 0
    for column in table.flat():
        if column.is_text or column.is_parameter:
            continue
        is_named = not {column.name, array_of(column.name)}.isdisjoint(shown)
        is_shown = is_named and (most_shown is None or n_shown < most_shown)
        n_shown += is_shown
        made.append(
            {
                "name": column.name,
                "unit": column.unit or "1",
                "description": column.description,
                "isShown": is_shown,
                "track": tracks.add(column.values[frames])[0],
            }
        )
    return made
