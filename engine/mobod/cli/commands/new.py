"""The command `mobod new`."""

from pathlib import Path

import click

from mobod.cli.command_output import Output, output_options
from mobod.cli.options import OutputFile
from mobod.errors import InputError

TEMPLATE = Path(__file__).parents[1] / "pendulum_template.py"


@click.command()
@click.argument("path", metavar="FILE.py", type=OutputFile())
@output_options
def new(path: Path, out: Output) -> None:
    """Write a model to begin with: a pendulum with a motor, in a Python file with comments. An existing file is not changed.

    \b
    mobod new pendulum.py
    mobod simulate pendulum.py:build
    """
    if path.suffix.lower() != ".py":
        raise InputError(f"{path}: the name of a model's file ends with .py, such as pendulum.py.")
    text = TEMPLATE.read_text(encoding="utf-8").replace("pendulum.py", path.name)
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise InputError(f"{path} exists already, and is not changed. Name a new file.") from None
    model = f"{path}:build"
    if out.as_json:
        out.json({"file": str(path), "model": model})
    elif not out.quiet:
        click.echo(f"wrote {path}. Run it: mobod simulate {model} --until 5 --plot {path.with_suffix('.png')}")
