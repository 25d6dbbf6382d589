"""The command `mobod validate`."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from mobod.cli.failure import errors_as_messages
from mobod.cli.options import debug_option, json_option, limit_option, quiet_option, read_limits
from mobod.cli.progress import progress_bar
from mobod.cli.text_table import print_table

if TYPE_CHECKING:
    from mobod.acceptance import AcceptanceReport

VERDICTS = ("differ", "converge", "agree")  # the worst one first
ROWS_SHOWN = 50


@click.command()
@click.argument("fmu", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--until", type=float, metavar="SECONDS", help="End of the runs.  [default: that of the FMU's default experiment]")
@click.option("--step", type=float, metavar="SECONDS", help="The longest of the three steps.  [default: that of the default experiment]")
@limit_option
@json_option
@quiet_option
@debug_option
def validate(fmu: Path, until: float | None, step: float | None, limits: tuple[str, ...], as_json: bool, quiet: bool, debug: bool) -> None:
    """Check an FMU, made by any tool.

    FMPy checks its description. If it supports co-simulation by FMI 2.0, it is run with its start values at a communication step, and at
    half and a quarter of it, to compare the outputs; its state is saved and restored; two instances run at the same time.

    Exit codes: 0 no problem found, 1 problems, 2 wrong usage, 130 interrupted by Ctrl-C.

    \b
    mobod validate pendulum.fmu --until 2
    """
    with errors_as_messages(debug):
        with progress_bar(f"checking {fmu.name}", wanted=not (quiet or as_json)) as progress:
            from mobod.acceptance import validate_fmu

            report = validate_fmu(fmu, until=until, step=step, limits=read_limits(limits), progress=progress)
        if as_json:
            click.echo(json.dumps(_as_json(report), indent=2, allow_nan=False))
        elif not quiet:
            _print(report)
    sys.exit(0 if report.is_valid else 1)


def _as_json(report: "AcceptanceReport") -> dict[str, object]:
    experiment = report.experiment
    return {
        "fmu": str(report.path),
        "valid": report.is_valid,
        "checks": [{"claim": check.claim, "outcome": check.outcome, "detail": check.detail} for check in report.checks],
        "differences": [
            {
                "output": each.output,
                "unit": each.unit,
                "coarse": each.coarse,
                "fine": each.fine,
                "allowed": each.allowed,
                "verdict": each.verdict,
            }
            for each in report.differences
        ],
        "experiment": None
        if experiment is None
        else {"start": experiment.start, "stop": experiment.stop, "step": experiment.step, "tolerance": experiment.tolerance},
    }


def _print(report: "AcceptanceReport") -> None:
    print_table(str(report.path), ("check", "outcome"), [(check.claim, check.outcome) for check in report.checks])
    if report.experiment is not None and report.differences:
        ran = report.experiment
        shown = sorted(report.differences, key=lambda each: VERDICTS.index(each.verdict))[:ROWS_SHOWN]
        rows = [(each.output, f"{each.coarse:.3g}", f"{each.fine:.3g}", f"{each.allowed:.3g}", each.unit, each.verdict) for each in shown]
        print_table(
            f"largest differences of outputs from {ran.start:g} s until {ran.stop:g} s, for steps of h = {ran.step:g} s",
            ("output", "h to h/2", "h/2 to h/4", "allowed", "unit", "verdict"),
            rows,
            right=("h to h/2", "h/2 to h/4", "allowed"),
        )
        if len(report.differences) > len(shown):
            click.echo(f"and {len(report.differences) - len(shown)} more outputs, none with a worse verdict; --json shows all")
    for check in report.checks:
        if check.detail:
            click.echo(f"{check.claim}: {check.outcome}. {check.detail}")
    click.echo("no problem found" if report.is_valid else "problems found")
