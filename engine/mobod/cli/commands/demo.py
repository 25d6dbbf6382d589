"""The command `mobod demo`."""

import ast
import io
import runpy
from contextlib import chdir, nullcontext, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import click

from mobod.cli.command_output import Output, output_options
from mobod.cli.script import script_errors
from mobod.cli.text_table import print_table
from mobod.errors import MobodError, NoCompilerError

FOLDER = Path("mobod_demo")
PAGE, LIVE_PAGE = "double_pendulum.html", "double_pendulum_live.html"
DEMONSTRATED = ("01_double_pendulum.py", "02_export_fmu.py", "03_cosimulate.py")


@dataclass(frozen=True)
class Shown:
    """What made files, an example or the demo itself: its run time in seconds, and the names of the files."""

    by: str
    seconds: float
    files: tuple[str, ...]


@click.command()
@output_options
def demo(out: Output) -> None:
    """Simulate, export and co-simulate pendulums.

    Runs the examples 01 to 03 in the folder mobod_demo, which then contains the files that they make: results, FMUs, and two pages for a
    browser. double_pendulum.html plays the run; double_pendulum_live.html runs the model itself, and a body can be dragged.

    \b
    mobod demo
    """
    examples = examples_folder()
    FOLDER.mkdir(exist_ok=True)
    shown = []
    for name in DEMONSTRATED:
        script = examples / name
        if not out.is_silent:
            click.secho(f"{name}: {_title(script)}", bold=True)
        with redirect_stdout(io.StringIO()) if out.is_silent else nullcontext():
            shown.append(_run(script))
        if not out.is_silent:
            click.echo()
    missing = None
    try:
        shown.append(_write_live_page(examples / DEMONSTRATED[0]))
    except NoCompilerError as error:
        missing = str(error)
    pages = [FOLDER.resolve() / name for name in (PAGE, *([] if missing else [LIVE_PAGE]))]
    if out.as_json:
        summary = {
            "folder": str(FOLDER.resolve()),
            "files": {each.by: list(each.files) for each in shown},
            "examples": str(examples),
            "pages": [str(page) for page in pages],
            "notes": [missing] if missing else [],
        }
        out.json(summary)
    elif not out.quiet:
        _print(shown, examples)
        click.echo("open these pages in a browser:")
        for page, what in zip(pages, ("plays the run", "runs the model itself: drag a body, move the sliders"), strict=False):
            click.echo(f"  {page}  ({what})")
        if missing:
            click.echo(f"{LIVE_PAGE} was not made: {missing}")


def examples_folder() -> Path:
    """The folder of the examples. A wheel has them inside the package; a checkout, and so an editable install, has them in examples/."""
    package = Path(__file__).resolve().parents[2]
    in_wheel = package / "_examples"
    in_checkout = package.parent.parent / "examples"
    for folder in (in_wheel, in_checkout):
        if all((folder / name).is_file() for name in DEMONSTRATED):
            return folder
    raise MobodError(
        f"the examples are missing: they are neither in '{in_wheel}' nor in '{in_checkout}'. "
        "Install mobod again, from a wheel or from a whole checkout."
    )


def _title(script: Path) -> str:
    return (ast.get_docstring(ast.parse(script.read_text(encoding="utf-8"))) or "").partition("\n")[0]


def _run(script: Path) -> Shown:
    import matplotlib

    matplotlib.use("Agg")  # write pictures to files, open no windows
    before = _files()
    start = perf_counter()
    with chdir(FOLDER), script_errors(script):
        runpy.run_path(str(script), run_name="__main__")
    made = [name for name, changed in _files().items() if before.get(name) != changed]
    return Shown(script.name, perf_counter() - start, tuple(sorted(made)))


def _write_live_page(example: Path) -> Shown:
    """Write the page that runs the double pendulum. Raises NoCompilerError if its runtime is not there and cannot be compiled."""
    start = perf_counter()
    with script_errors(example):
        system = runpy.run_path(str(example))["double_pendulum"]()
    system.to_html(FOLDER / LIVE_PAGE, title="Double pendulum")
    return Shown("mobod demo", perf_counter() - start, (LIVE_PAGE,))


def _files() -> dict[str, int]:
    return {path.name: path.stat().st_mtime_ns for path in FOLDER.iterdir() if path.is_file()}


def _print(shown: list[Shown], examples: Path) -> None:
    rows = [
        (name, f"{(FOLDER / name).stat().st_size / 1000:.0f} kB", each.by, f"{each.seconds:.1f} s") for each in shown for name in each.files
    ]
    print_table("what was made", ("file", "size", "by", "in"), rows, right=("size", "in"))
    click.echo(f"the files are in {FOLDER.resolve()}")
    click.echo(f"the examples are in {examples}")
