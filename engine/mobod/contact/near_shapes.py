"""Whether two shapes are near each other."""

import numpy as np

from mobod.contact.pairs import pair_of
from mobod.contact.placed_shape import PlacedShape
from mobod.contact.slots import SHAPES, number_of_slots
from mobod.errors import UnsupportedError
from mobod.runtime.library import doubles, ffi, runtime
from mobod.runtime.tables import Memory
from mobod.scalar.kernel_calls import kernel_function
from mobod.system import State


def are_near(one: PlacedShape, other: PlacedShape, state: State, within: float) -> bool:
    """Whether the distance of two shapes is at most `within`, m. False for shapes that mobod has no distance for.

    state  realized to POSITION
    """
    poses = [shape.body.X_GB(state) @ shape.X_BS for shape in (one, other)]
    if number_of_slots(one.shape, other.shape) is None:
        try:
            pair = pair_of(one.shape, other.shape)
        except UnsupportedError:
            return False
        return any(float(each.distance) <= within for each in pair.proximities(one.shape, poses[0], other.shape, poses[1]))
    memory, given = Memory(kernel_function), []
    terrain = next((each.terrain_table() for each in (one.shape, other.shape) if each.kernel_kind == "SHAPE_TERRAIN"), None)
    for shape, X in zip((one.shape, other.shape), poses, strict=True):
        assert shape.kernel_kind is not None
        table = shape.hull_table()
        numbers = np.zeros(0) if shape.has_table else shape.parameter_values()
        pose = np.concatenate([X.R.ravel(), X.p])
        hull = ffi.NULL if table is None else memory.struct(table)
        given += [SHAPES[shape.kernel_kind], doubles(np.append(numbers, 0.0)), hull, doubles(pose)]
    return bool(runtime().mobod_are_shapes_near(*given, ffi.NULL if terrain is None else memory.struct(terrain), within))
