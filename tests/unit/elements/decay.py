"""A user's function."""

from dataclasses import dataclass
from typing import Any

import numpy as np

import mobod as mb


@dataclass(frozen=True)
class Decay(mb.Function):
    """exp(-rate x)"""

    rate: float

    def value(self, x: Any) -> Any:
        return np.exp(-self.rate * x[0])
