"""An acceptance report as JUnit XML, which continuous-integration servers read."""

import os
import re

from lxml import etree

from mobod.acceptance.report import AcceptanceReport
from mobod.disk.whole_file import whole_file


def write_junit(report: AcceptanceReport, path: str | os.PathLike[str]) -> None:
    """Write the report as JUnit XML, which continuous-integration servers read. Raises WriteError."""
    with whole_file(path) as temporary:
        temporary.write_bytes(junit_xml(report))


def junit_xml(report: AcceptanceReport) -> bytes:
    """A test suite with one test case for each check. A check that was not made is skipped; warnings are in system-out."""
    failed = sum(check.outcome == "failed" for check in report.checks)
    skipped = sum(check.outcome == "not checked" for check in report.checks)
    suites = etree.Element("testsuites")
    suite = etree.SubElement(
        suites,
        "testsuite",
        name=_text(report.path.name),
        tests=str(len(report.checks)),
        failures=str(failed),
        errors="0",
        skipped=str(skipped),
        time=f"{sum(check.seconds for check in report.checks):.3f}",
    )
    properties = etree.SubElement(suite, "properties")
    for name, value in report.about:
        etree.SubElement(properties, "property", name=_text(name), value=_text(value))
    for check in report.checks:
        case = etree.SubElement(suite, "testcase", classname=_text(report.path.stem), name=check.name, time=f"{check.seconds:.3f}")
        errors = [finding for finding in check.findings if finding.severity == "error"]
        others = [str(finding) for finding in check.findings if finding.severity == "warning"] + list(check.result.notes)
        if errors:
            failure = etree.SubElement(case, "failure", message=_text(f"{check.claim}: {len(errors)} findings"), type=errors[0].rule)
            failure.text = _text("\n".join(map(str, errors)))
        elif check.result.not_checked is not None:
            etree.SubElement(case, "skipped", message=_text(check.result.not_checked))
        if others:
            etree.SubElement(case, "system-out").text = _text("\n".join(others))
    return etree.tostring(suites, encoding="UTF-8", xml_declaration=True, pretty_print=True)


def _text(text: str) -> str:
    """The text without control characters, which XML cannot hold: an FMU's log may have them."""
    return re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]", "\N{REPLACEMENT CHARACTER}", text)
