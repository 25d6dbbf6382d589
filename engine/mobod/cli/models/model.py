"""Model: the argument MODEL and the options that say how it is read, for all commands that take one."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, final

import click
from click.core import ParameterSource

from mobod.cli.failure import errors_as_messages
from mobod.cli.fmu_options import isolation_options, read_isolation
from mobod.cli.models.fmu_model import load_fmu
from mobod.cli.models.kinds import ModelKind, kind_of, plural_of
from mobod.cli.models.settings import SYSTEMS, CommandFunction, CommandOption, KindName, KindOption, ModelSettings, with_options
from mobod.cli.options import imports_option, limit_option, macros_option, mjcf_option, sdf_option, strict_option, two_sides, urdf_option

if TYPE_CHECKING:
    from mobod.importer.fmu_model import FmuModel
    from mobod.system import State, System

FmuUse = Literal["refused", "by path", "described", "run"]
"""The use of an FMU by a command: it takes none, passes its path on, reads its description, or runs it."""


@final
@dataclass(frozen=True)
class Model:
    """A MODEL of the command line.

    text      as the user wrote it
    warnings  of the System's file, as JSON, once it was read with as_json
    """

    text: str
    kind: ModelKind
    settings: ModelSettings
    warnings: list[dict[str, object]] = field(default_factory=list)

    @property
    def is_fmu(self) -> bool:
        return self.kind.name == "fmu"

    @property
    def is_file_of_data(self) -> bool:
        """Whether it is a file that describes a System, not a function to call."""
        return self.kind.is_data and not self.is_fmu

    def system(self, *, as_json: bool = False) -> "System":
        """The System. Changes and omissions of its file go to the error stream, or with as_json to `warnings`.

        Raises InputError, ModelFileError, ScriptError.
        """
        assert self.kind.read is not None
        return self.kind.read(self.text, self.settings, self.warnings if as_json else None)

    def system_and_state(self, start_values: Sequence[str], *, as_json: bool = False) -> "tuple[System, State]":
        """The System, and its default State with these start values, each NAME=VALUE."""
        system = self.system(as_json=as_json)
        state = system.realize_topology()
        apply_settings(system, state, start_values)
        return system, state

    def fmu(self, *, as_json: bool = False) -> "tuple[FmuModel, list[str]]":
        """The FMU, and warnings of rules that it breaks, which are shown unless the output is JSON.

        Raises FmuFileError, UnsupportedError, click.UsageError.
        """
        settings = self.settings
        isolation = read_isolation(settings.isolate, settings.call_limit)
        return load_fmu(self.text, settings.limits, isolation, strict=settings.strict, as_json=as_json)


def model_options(fmus: FmuUse) -> Callable[[CommandFunction], CommandFunction]:
    """Add the argument MODEL and the options that say how it is read. The command gets a Model as its first argument.

    An option of other kinds of MODEL (KindOption), also one that the command has itself, is refused with the kinds that take it.
    """
    options: list[CommandOption] = [
        click.argument("model"),
        urdf_option,
        sdf_option,
        mjcf_option,
        imports_option,
        macros_option,
    ]
    if fmus != "by path":
        options.append(strict_option)
    if fmus in ("described", "run"):
        options.append(limit_option)
    if fmus == "run":
        options.append(isolation_options)

    def with_model(command: CommandFunction) -> CommandFunction:
        @wraps(command)
        def run(model: str, **given: Any) -> None:
            names = [each.name for each in fields(ModelSettings) if each.name in given]
            settings = ModelSettings(**{name: given.pop(name) for name in names})
            context = click.get_current_context()
            with errors_as_messages(bool(given.get("debug"))):
                kind = kind_of(model)
            if kind.name == "fmu" and fmus == "refused":
                raise click.UsageError(f"MODEL '{model}' is an FMU, and `{context.command_path}` takes {plural_of(SYSTEMS)}.")
            check_options(context, kind.name, model)
            command(Model(model, kind, settings), **given)

        return with_options(run, options)

    return with_model


def check_options(context: click.Context, kind: KindName, model: str) -> None:
    """Raise click.UsageError for the first option on the command line that has no meaning for this kind of MODEL."""
    for option in context.command.params:
        if not isinstance(option, KindOption) or kind in option.of:
            continue
        if option.name and context.get_parameter_source(option.name) is ParameterSource.COMMANDLINE:
            what = "Systems" if kind == "fmu" or set(option.of) == set(SYSTEMS) else plural_of(option.of)
            raise click.UsageError(f"{option.opts[0]} applies only to {what}, and MODEL '{model}' is none.")


def apply_settings(system: "System", state: "State", settings: Sequence[str]) -> None:
    """Apply each setting `name=value`. A value is a number, numbers separated by commas, true or false.

    A name may be that of one element of an array: `gravity.down[2]`.
    """
    sides = [(setting, *two_sides("--set", setting)) for setting in settings]
    given = [(name, _parsed(setting, text)) for setting, name, text in sides]
    # numbers 0 last: entries of a quaternion may be given one by one, and must not all be 0 in between
    for name, value in sorted(given, key=lambda each: type(each[1]) is float and each[1] == 0):
        system.set_value(state, name, value)


def _parsed(setting: str, text: str) -> float | bool | list[float]:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        raise click.UsageError(f"--set {setting}: '{text}' is not a number, a list of numbers such as 1,2,3, true or false.") from None
    return numbers[0] if len(numbers) == 1 else numbers
