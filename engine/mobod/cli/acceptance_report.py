"""An acceptance report on the terminal, and its files."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from mobod.cli.text_table import print_table
from mobod.disk.json_values import JsonValue

if TYPE_CHECKING:
    from mobod.acceptance import AcceptanceReport

VERDICTS = ("differ", "converge", "agree")  # the worst one first
ROWS_SHOWN = 50


def report_as_data(report: "AcceptanceReport") -> JsonValue:
    from mobod.acceptance.formats.as_json import as_json

    return as_json(report)


def write_report(report: "AcceptanceReport", html: Path | None, junit: Path | None) -> None:
    if html is not None:
        from mobod.acceptance.formats.page import write_html  # which imports Matplotlib

        write_html(report, html)
    if junit is not None:
        from mobod.acceptance.formats.junit import write_junit

        write_junit(report, junit)


def print_report(report: "AcceptanceReport") -> None:
    rows = [(check.name, check.claim, check.outcome) for check in report.checks]
    print_table(str(report.path), ("check", "what holds", "outcome"), rows)
    if report.experiment is not None and report.differences:
        ran = report.experiment
        shown = sorted(report.differences, key=lambda each: VERDICTS.index(each.verdict))[:ROWS_SHOWN]
        sizes = [[f"{size:.3g}" for size in (each.coarse, each.fine, each.allowed)] for each in shown]
        differences = [(each.output, *texts, each.unit, each.verdict) for each, texts in zip(shown, sizes, strict=True)]
        print_table(
            f"largest differences of outputs from {ran.start:g} s until {ran.stop:g} s, for steps of h = {ran.step:g} s",
            ("output", "h to h/2", "h/2 to h/4", "allowed", "unit", "verdict"),
            differences,
            right=("h to h/2", "h/2 to h/4", "allowed"),
        )
        if len(report.differences) > len(shown):
            click.echo(f"and {len(report.differences) - len(shown)} more outputs, none with a worse verdict; --json shows all")
    figures = [(name, f"{value:.4g}", unit) for check in report.checks for name, value, unit in check.result.figures]
    if figures:
        print_table("measured", ("what", "value", "unit"), figures, right=("value",))
    for check in report.checks:
        if check.outcome == "not checked":
            click.echo(f"{check.name}: not checked. {check.result.not_checked}")
        for finding in sorted(check.findings, key=lambda each: each.severity != "error"):
            click.echo(f"{check.name}: {finding.severity}: {finding}")
        for note in check.result.notes:
            click.echo(f"{check.name}: note: {note}")
    click.echo("no problem found" if report.is_valid else "problems found")
