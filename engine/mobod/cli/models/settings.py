"""Options that only some kinds of MODEL take, and the values of those that say how it is read."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, final

import click

CommandFunction = Callable[..., None]
"""A function of which click makes a command."""

CommandOption = Callable[[CommandFunction], CommandFunction]
"""A decorator that adds an option or an argument."""

KindName = Literal["python", "model file", "urdf", "sdf", "mjcf", "fmu"]
ROBOTS: tuple[KindName, ...] = ("urdf", "sdf", "mjcf")
SYSTEMS: tuple[KindName, ...] = ("python", "model file", *ROBOTS)


@final
class KindOption(click.Option):
    """An option of these kinds of MODEL; `model_options` refuses it for others."""

    def __init__(self, *arguments: Any, of: tuple[KindName, ...], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.of = of


system_option = partial(click.option, cls=KindOption, of=SYSTEMS)
fmu_option = partial(click.option, cls=KindOption, of=("fmu",))


@final
@dataclass(frozen=True)
class ModelSettings:
    """How a MODEL is read: the values of the options of `model_options`.

    urdf_settings  how to read a URDF file, name=value; sdf_settings: an SDF file; mjcf_settings: an MJCF file
    strict         whether a robot file that must be changed is refused, and an FMU that breaks rules
    allow_imports  whether a model file may name Python code
    allow_macros   whether macros of a URDF file may be expanded, which executes Python code that it contains
    limits         of the size of an FMU, name=number
    isolate        whether an FMU runs in a process of its own, and call_limit, s, the time that a call may take
    """

    urdf_settings: tuple[str, ...] = ()
    sdf_settings: tuple[str, ...] = ()
    mjcf_settings: tuple[str, ...] = ()
    strict: bool = False
    allow_imports: bool = False
    allow_macros: bool = False
    limits: tuple[str, ...] = ()
    isolate: bool = False
    call_limit: float = 0.0


def with_options(command: CommandFunction, options: Sequence[CommandOption]) -> CommandFunction:
    """The command with these options, which its help shows in this order."""
    for option in reversed(options):
        command = option(command)
    return command
