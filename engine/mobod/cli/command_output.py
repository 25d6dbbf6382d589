"""What a command prints: its result as JSON or as text, or only errors."""

import json
from dataclasses import dataclass
from functools import wraps
from typing import final

import click

from mobod.cli.failure import errors_as_messages
from mobod.cli.models.settings import CommandFunction, CommandOption, with_options

json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print only errors.")
debug_option = click.option("--debug", is_flag=True, help="Show the traceback of an error.")


@final
@dataclass(frozen=True)
class Output:
    """How a command prints its result. as_json: for programs; quiet: not at all"""

    as_json: bool
    quiet: bool

    @property
    def is_silent(self) -> bool:
        """Whether nothing is printed during the work."""
        return self.quiet or self.as_json

    def json(self, content: object) -> None:
        """Print a result as JSON."""
        click.echo(json.dumps(content, indent=2, allow_nan=False))


def output_options(command: CommandFunction) -> CommandFunction:
    """--json, --quiet and --debug. The command takes an Output as `out`, and its errors become messages."""
    return _with_output(command, json_option, quiet_option, debug_option)


def json_options(command: CommandFunction) -> CommandFunction:
    """The same without --quiet, for commands that only print."""
    return _with_output(command, json_option, debug_option)


def _with_output(command: CommandFunction, *options: CommandOption) -> CommandFunction:
    @wraps(command)
    def run(*arguments: object, debug: bool, as_json: bool, quiet: bool = False, **given: object) -> None:
        with errors_as_messages(debug):
            command(*arguments, out=Output(as_json, quiet), **given)

    return with_options(run, options)
