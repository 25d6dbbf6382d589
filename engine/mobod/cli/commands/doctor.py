"""The command `mobod doctor`."""

import sys

import click

from mobod.cli.command_output import Output, output_options
from mobod.cli.installation import InstalledPart, parts
from mobod.cli.text_table import print_table


@click.command()
@output_options
def doctor(out: Output) -> None:
    """Show what works in this installation, what does not, and the command that mends it.

    Checks Python, its packages, the C compiler, the cache of compiled libraries, the optional extras, and what pages and FMUs need.

    Exit codes: 0 all that is needed works, 1 something needed is broken.

    \b
    mobod doctor
    mobod doctor --json
    """
    found = parts()
    if out.as_json:
        out.json({"works": not _broken(found), "checks": [each.as_json() for each in found]})
    elif not out.quiet:
        print_table("this installation of mobod", ("what", "state", "details"), [(each.name, each.state, each.details) for each in found])
        for each in found:
            if each.mend:
                click.echo(f"{each.name}: {each.mend}")
        broken = _broken(found)
        click.echo(f"broken: {', '.join(broken)}" if broken else "all that is needed works")
    sys.exit(1 if _broken(found) else 0)


def _broken(found: list[InstalledPart]) -> list[str]:
    return [each.name for each in found if each.is_needed and each.state != "works"]
