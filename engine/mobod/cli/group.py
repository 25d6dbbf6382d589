"""`mobod`: the commands together."""

import gc

import click

from mobod.cli.compare import compare
from mobod.cli.cosim import cosim
from mobod.cli.demo import demo
from mobod.cli.export import export
from mobod.cli.info import info
from mobod.cli.plot import plot
from mobod.cli.simulate import simulate
from mobod.cli.ssp import ssp
from mobod.cli.sweep import sweep
from mobod.cli.validate import validate
from mobod.cli.view import view


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="mobod")
def main() -> None:
    """Multibody dynamics in Python that becomes a Functional Mock-up Unit (FMU).

    A MODEL is `path.py:function`, a Python file and a function in it that takes no arguments and returns a System; or a
    model file (.json), or a URDF file (.urdf). For info, simulate and sweep it may also be an FMU (.fmu).

    Exit codes: 0 good, 1 the work failed, 2 wrong usage, 130 interrupted by Ctrl-C.
    """
    gc.set_threshold(100_000, 20, 20)  # modules and a model are millions of objects that stay: a tenth of the time of an export


for command in (demo, info, simulate, sweep, export, validate, cosim, ssp, plot, view, compare):
    main.add_command(command)
