"""Arguments and options that several commands have."""

import os
from pathlib import Path
from typing import Any, final

import click

from mobod.errors import WriteError
from mobod.whole_file import check_can_write

model_argument = click.argument("model")
set_option = click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="A parameter, an input or a start value; a list as 1,2,3."
)
urdf_option = click.option(
    "--urdf",
    "urdf_settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="How a URDF file is read: loop_joints=FILE, floating_base=true, gravity=9.81, motors=false, limits=ignore, stop_stiffness=1e4, "
    "friction=ignore.",
)
imports_option = click.option(
    "--allow-imports", is_flag=True, help="Run the Python code that a model file (.json) names; without, such a file is refused."
)
step_option = click.option("--step", type=float, metavar="SECONDS", help="Of velocity_level, which needs it: the size of a step.")
engagement_option = click.option(
    "--engagement",
    type=click.Choice(["artisynth", "predictive"]),
    help="Of velocity_level: which limits take part in a step, those that were met or those that it would pass.  [default: artisynth]",
)
position_iterations_option = click.option(
    "--position-iterations", type=int, metavar="N", help="Of velocity_level: corrections of coordinates in a step.  [default: 1]"
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
debug_option = click.option("--debug", is_flag=True, help="Show the traceback of an error.")


@final
class OutputFile(click.Path):
    """A file to write, in a folder that is there and can be written to: checked before the work, not after it."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, writable=True, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if not path.parent.is_dir():
            self.fail(f"{path.parent}: there is no such folder to write {path.name} into.", param, ctx)
        try:
            check_can_write(path)
        except WriteError as error:
            self.fail(str(error), param, ctx)
        return path


def two_sides(option: str, argument: str) -> tuple[str, str]:
    """What stands before and after the first '='. Raises click.UsageError where there is none."""
    left, separator, right = argument.partition("=")
    if not separator:
        raise click.UsageError(f"{option} {argument}: there is no '=' in it.")
    return left.strip(), right.strip()
