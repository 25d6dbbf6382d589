"""The network of the arguments of `mobod cosim` and `mobod ssp new`."""

import re
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mobod.cli.options import two_sides

if TYPE_CHECKING:
    from mobod.cosim.network import Network
    from mobod.cosim.variable import Value
    from mobod.fmi.fmu_limits import FmuLimits
    from mobod.fmi.isolation.isolation import Isolation

connect_option = click.option(
    "--connect",
    "connections",
    multiple=True,
    metavar="FMU.OUTPUT=FMU.INPUT[ gain=G][ offset=B]",
    help="Connect an output to an input, an array to an array, or a port to a port. The input is G times the output plus B.",
)
set_start_option = click.option(
    "--set", "settings", multiple=True, metavar="FMU.VARIABLE=VALUE", help="Set a parameter, an input or an initial value."
)
allow_outside_option = click.option("--allow-outside", is_flag=True, help="The files of an SSP that is a folder may name files elsewhere.")

_OPTION = re.compile(r"(.*\S)\s+(gain|offset)=(\S+)")  # at the end of --connect


def network_of(
    fmus: tuple[str, ...],
    connections: tuple[str, ...],
    settings: tuple[str, ...],
    limits: "FmuLimits",
    *,
    parameters: tuple[str, ...] = (),
    isolate: "bool | Isolation" = True,
    strict: bool = False,
    allow_outside: bool = False,
) -> "Network":
    """The network of the arguments.

    fmus     FMUs, tables, and at the first place an SSP, all with or without names
    isolate  whether FMUs run in processes of their own, and how
    strict   whether FMUs are refused that break rules of FMI
    allow_outside
             whether a folder with the files of an SSP may name files elsewhere
    """
    # imported here because they load fmpy, which is slow and not needed for help texts
    from mobod.cosim.models import is_table
    from mobod.cosim.network import Network
    from mobod.cosim.ssp.loading import load_ssp

    network = Network()
    if allow_outside and not _is_ssp(fmus[0]):
        raise click.UsageError("--allow-outside: this is for a folder with the files of an SSP, which comes first.")
    if parameters and not _is_ssp(fmus[0]):
        raise click.UsageError("--parameters: these are for an SSP, which comes first: mobod cosim system.ssp --parameters set.ssv")
    for k, argument in enumerate(fmus):
        name, separator, path = argument.partition("=")
        if not separator or Path(argument).exists():
            name, path = "", argument
        if _is_ssp(path):
            if k or name:
                raise click.UsageError(f"{argument}: an SSP comes first, and without a name.")
            network.ssp = load_ssp(
                network, path, parameters=parameters, limits=limits, isolate=isolate, strict=strict, allow_outside=allow_outside
            )
        elif is_table(path):
            network.add(path, name or None)
        else:
            network.add(path, name or None, limits=limits, isolate=isolate, strict=strict)
    for argument in connections:
        source, target = two_sides("--connect", argument)
        options = {}
        while match := _OPTION.fullmatch(target):
            target, name, text = match.groups()
            try:
                options[name] = float(text)
            except ValueError:
                raise click.UsageError(f"--connect {argument}: the {name} is '{text}', which is no number.") from None
        network.connect(source, target, **options)
    for name, value in read_settings(network, settings).items():
        port = network.port(name)
        port.component.set_start({port.variable.name: value})
    return network


def read_settings(network: "Network", settings: tuple[str, ...]) -> "dict[str, Value]":
    """The values of NAME=VALUE by name."""
    values = {}
    for argument in settings:
        name, text = two_sides("--set", argument)
        values[name] = network.port(name).parsed(text)
    return values


def _is_ssp(path: str) -> bool:
    return path.lower().endswith(".ssp") or (Path(path) / "SystemStructure.ssd").is_file()
