"""An acceptance report as one HTML page, which needs no other file."""

import os
from collections.abc import Iterable, Sequence

from lxml import etree
from lxml.html import builder

from mobod.acceptance.formats.plots import plots
from mobod.acceptance.report import AcceptanceReport, Check, Difference
from mobod.disk.whole_file import whole_file
from mobod.fmi.rules.finding import AcceptanceFinding
from mobod.version import mobod_version

_SHOWN = 200  # findings of a check, and rows of differences

_STYLE = """
:root { color-scheme: light dark; --line: #8884; --good: #2a8a3c; --bad: #c62f2f; --none: #8a7a2a }
body { font: 16px/1.45 system-ui, sans-serif; margin: 0 auto; max-width: 62rem; padding: 1.5rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.2rem; margin-top: 2.2rem } h3 { font-size: 1rem; margin-bottom: .3rem }
table { border-collapse: collapse; display: block; overflow-x: auto }
th, td { text-align: left; vertical-align: top; padding: .25rem .8rem .25rem 0; border-bottom: 1px solid var(--line) }
td.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.verdict { font-size: 1.15rem; font-weight: 600 }
.passed { color: var(--good) } .failed { color: var(--bad) } .not-checked, .warning { color: var(--none) }
.clause, .note { opacity: .75; font-size: .9rem } .message { white-space: pre-wrap; overflow-wrap: anywhere }
li { margin: .4rem 0 } figure { margin: 0 } figure svg { width: 100%; height: auto }
.plots { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(28rem, 100%), 1fr)); gap: 1rem }
"""


def write_html(report: AcceptanceReport, path: str | os.PathLike[str]) -> None:
    """Write the report as one HTML page with plots, which needs no other file. Raises WriteError."""
    with whole_file(path) as temporary:
        temporary.write_bytes(html_page(report))


def html_page(report: AcceptanceReport) -> bytes:
    """The page: verdict, facts, checks, findings with their clauses, differences between runs, plots and measured numbers."""
    checks = report.checks
    page = builder.HTML(
        builder.HEAD(
            builder.META(charset="utf-8"),
            builder.META(name="viewport", content="width=device-width, initial-scale=1"),
            builder.TITLE(f"Acceptance report: {report.path.name}"),
            builder.STYLE(_STYLE),
        ),
        builder.BODY(
            builder.H1(f"Acceptance report: {report.path.name}"),
            builder.P(_verdict(report), builder.CLASS(f"verdict {'passed' if report.is_valid else 'failed'}")),
            _table((), [(name, value) for name, value in report.about]),
            *_experiment(report),
            builder.H2("Checks"),
            _table(("check", "what holds", "result", "s"), map(_row, checks)),
            *_findings(checks),
            *_notes(checks),
            *_differences(report.differences),
            *_curves(checks),
            *_figures(checks),
            builder.P(f"Made by mobod {mobod_version()} (mobod validate).", builder.CLASS("note")),
        ),
        lang="en",
    )
    return etree.tostring(page, method="html", encoding="UTF-8", doctype="<!DOCTYPE html>")


def _verdict(report: AcceptanceReport) -> str:
    counts = {severity: sum(each.severity == severity for each in report.findings) for severity in ("error", "warning")}
    passed = sum(check.outcome == "passed" for check in report.checks)
    text = f"{_counted(counts['error'], 'error')}, {_counted(counts['warning'], 'warning')}; {passed} of {len(report.checks)} checks passed"
    return ("No problem found: " if report.is_valid else "Problems found: ") + text


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" + ("" if number == 1 else "s")


def _experiment(report: AcceptanceReport) -> list[etree._Element]:
    ran = report.experiment
    if ran is None:
        return []
    tolerance = "" if ran.tolerance is None else f", tolerance {ran.tolerance:g}"
    steps = f"{ran.step:g} s, {ran.step / 2:g} s and {ran.step / 4:g} s"
    return [builder.P(f"Runs from {ran.start:g} s until {ran.stop:g} s, with communication steps of {steps}{tolerance}.")]


def _row(check: Check) -> Sequence[str | etree._Element]:
    outcome = builder.SPAN(check.outcome, builder.CLASS(check.outcome.replace(" ", "-")))
    return (builder.A(check.name, href=f"#{check.name}") if check.findings else check.name, check.claim, outcome, f"{check.seconds:.1f}")


def _findings(checks: Sequence[Check]) -> list[etree._Element]:
    elements = []
    for check in checks:
        if check.findings:
            shown = sorted(check.findings, key=lambda each: each.severity != "error")[:_SHOWN]
            elements += [builder.H3(check.name, id=check.name), builder.UL(*map(_finding, shown))]
            if len(check.findings) > len(shown):
                elements.append(builder.P(f"and {len(check.findings) - len(shown)} more"))
    return [builder.H2("Findings"), *elements] if elements else []


def _finding(finding: AcceptanceFinding) -> etree._Element:
    place: list[str | etree._Element] = [builder.CODE(_printable(finding.place)), " "] if finding.place else []
    severity = builder.SPAN(finding.severity, builder.CLASS("failed" if finding.severity == "error" else "warning"))
    return builder.LI(
        severity,
        " ",
        *place,
        builder.SPAN(_printable(finding.message), builder.CLASS("message")),
        " ",
        builder.SPAN(f"{finding.rule}; {finding.clause}", builder.CLASS("clause")),
    )


def _notes(checks: Sequence[Check]) -> list[etree._Element]:
    rows = [(check.name, note) for check in checks for note in (*_reason(check), *check.result.notes)]
    return [builder.H2("Notes"), _table((), rows)] if rows else []


def _reason(check: Check) -> list[str]:
    return [] if check.result.not_checked is None else [f"Not checked: {check.result.not_checked}"]


def _differences(differences: Sequence[Difference]) -> list[etree._Element]:
    if not differences:
        return []
    order = ("differ", "converge", "agree")
    shown = sorted(differences, key=lambda each: order.index(each.verdict))[:_SHOWN]
    rows = [(each.output, _short(each.coarse), _short(each.fine), _short(each.allowed), each.unit, each.verdict) for each in shown]
    headings = ("output", "h to h/2", "h/2 to h/4", "allowed", "unit", "verdict")
    return [builder.H2("Largest differences of outputs between communication steps"), _table(headings, rows)]


def _short(number: float) -> str:
    return f"{number:.3g}"


def _curves(checks: Sequence[Check]) -> list[etree._Element]:
    drawn = plots(curve for check in checks for curve in check.result.curves)
    if not drawn:
        return []
    return [builder.H2("Outputs"), builder.DIV(*(builder.E.figure(each) for each in drawn), builder.CLASS("plots"))]


def _figures(checks: Sequence[Check]) -> list[etree._Element]:
    rows = [(name, f"{value:.4g}", unit) for check in checks for name, value, unit in check.result.figures]
    return [builder.H2("Measured"), _table((), rows)] if rows else []


def _table(headings: Sequence[str], rows: Iterable[Sequence[str | etree._Element]]) -> etree._Element:
    head = [builder.TR(*map(builder.TH, headings))] if headings else []
    return builder.TABLE(*head, *(builder.TR(*map(_cell, row)) for row in rows))


def _cell(content: str | etree._Element) -> etree._Element:
    return builder.TD(_printable(content) if isinstance(content, str) else content)


def _printable(text: str) -> str:
    """HTML holds no control characters, and an FMU's log may have them."""
    return "".join(each if each.isprintable() or each in "\n\t" else "\N{REPLACEMENT CHARACTER}" for each in text)
