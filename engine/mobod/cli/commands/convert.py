"""The command `mobod convert`."""

from pathlib import Path

import click

from mobod.cli.command_output import Output, output_options
from mobod.cli.models.model import Model, model_options
from mobod.cli.options import OutputFile


@click.command()
@model_options(fmus="refused")
@click.option("-o", "--out", "path", type=OutputFile(), required=True, help="The model file (.json) to write.")
@output_options
def convert(model: Model, path: Path, out: Output) -> None:
    """Write a MODEL as a model file of mobod, which load_model and all commands read, without the reader of its own format.

    A mesh keeps its file: its name becomes the path from the folder of the model file.

    \b
    mobod convert robot.urdf -o robot.json
    mobod convert world.sdf --sdf paths=models -o world.json
    """
    from mobod.files import save_model
    from mobod.files.meshes.relocation import name_meshes_from
    from mobod.matter import MultibodySystem

    system = model.system(as_json=out.as_json)
    if not isinstance(system, MultibodySystem):
        raise click.UsageError(f"MODEL '{model.text}' is a {type(system).__name__}. A model file has a MultibodySystem.")
    missing = name_meshes_from(system, path.parent)
    save_model(system, path)
    if out.as_json:
        out.json({"model": str(path), "meshes_not_found": missing, "warnings": model.warnings})
    elif not out.quiet:
        for name in missing:
            click.echo(f"warning: mesh file {name!r} is not found, and will not be drawn.", err=True)
        click.echo(f"wrote {path}")
