"""What JSON can hold."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

JsonValue: TypeAlias = "Mapping[str, JsonValue] | Sequence[JsonValue] | str | float | int | bool | None"
JsonObject: TypeAlias = dict[str, JsonValue]
