"""The command `mobod validate`."""

import sys
from pathlib import Path

import click

from mobod.cli.acceptance_report import print_report, report_as_data, write_report
from mobod.cli.command_output import Output, output_options
from mobod.cli.options import OutputFile, limit_option, read_limits
from mobod.progress import progress_bar


@click.command()
@click.argument("fmu", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--until", type=float, metavar="SECONDS", help="End of the runs.  [default: that of the FMU's default experiment]")
@click.option("--step", type=float, metavar="SECONDS", help="The longest of the three steps.  [default: that of the default experiment]")
@click.option("--check", "checks", multiple=True, metavar="NAME", help="Make only this check; repeatable. The report shows the names.")
@click.option("--timeout", type=float, metavar="SECONDS", help="Longest time for one check.  [default: two minutes for most]")
@click.option("--html", type=OutputFile(), metavar="FILE", help="Write the report as an HTML page with plots.")
@click.option("--junit", type=OutputFile(), metavar="FILE", help="Write the report as JUnit XML, for continuous integration.")
@limit_option
@output_options
def validate(
    fmu: Path,
    until: float | None,
    step: float | None,
    checks: tuple[str, ...],
    timeout: float | None,
    html: Path | None,
    junit: Path | None,
    limits: tuple[str, ...],
    out: Output,
) -> None:
    """Check an FMU, made by any tool, and report what breaks the standard.

    The archive and the model description are checked by the rules of FMI 2.0 or 3.0. Then the FMU is run: its functions are called in legal
    and illegal order, co-simulation is compared at three communication steps and with model exchange, derivatives with differences,
    declared dependencies with what changes; its state is saved and restored; many instances run at the same time. Each check runs in a
    process of its own. docs/validation/acceptance.md describes all checks.

    Exit codes: 0 no problem found, 1 problems, 2 wrong usage, 130 interrupted by Ctrl-C.

    \b
    mobod validate pendulum.fmu --until 2
    mobod validate pendulum.fmu --html report.html --junit report.xml
    """
    with progress_bar(f"checking {fmu.name}", wanted=not out.is_silent) as progress:
        from mobod.acceptance import validate_fmu

        report = validate_fmu(
            fmu,
            until=until,
            step=step,
            limits=read_limits(limits),
            checks=list(checks) or None,
            timeout=timeout,
            progress=progress,
        )
    write_report(report, html, junit)
    if out.as_json:
        out.json(report_as_data(report))
    elif not out.quiet:
        print_report(report)
    sys.exit(0 if report.is_valid else 1)
