"""An acceptance report as data, as JUnit XML, and as an HTML page."""

import json
import math
from pathlib import Path

import pytest
from lxml import etree, html

from mobod.acceptance.formats.as_json import as_json
from mobod.acceptance.formats.junit import junit_xml
from mobod.acceptance.formats.page import html_page
from mobod.acceptance.report import AcceptanceFinding, AcceptanceReport, Check, Difference, Experiment, PlottedCurve, Result

CRASH = AcceptanceFinding("crash", "the process crashed \x1b[31m in <fmi2DoStep>", "FMI 2.0.5, 2.1.3")
NO_PAGE = AcceptanceFinding("no-page", "documentation/index.html is missing", "FMI 2.0.5, 2.3", "warning", "documentation")


@pytest.fixture
def report():
    time = [0.0, 0.5, 1.0]
    runs = Result(
        notes=["It ended the simulation at 1 s."],
        differences=[Difference("a.q", "rad", 1e-3, 1e-4, 1e-2), Difference("a & b", "m", math.inf, 1.0, 1e-2)],
        curves=[
            PlottedCurve("a.q", "steps of 0.5 s", "rad", time, [0.0, 0.1, 0.4]),
            PlottedCurve("a.q", "model exchange", "rad", time, [0.0, 0.1, 0.4]),
        ],
        figures=[("fmi2DoStep", 1.25, "us")],
    )
    checks = [
        Check("archive", "the archive is right", Result([NO_PAGE]), 0.1),
        Check("calls", "no call crashes", Result([NO_PAGE, CRASH]), 1.5),
        Check("runs", "it runs", runs, 2.0),
        Check("state", "a state is restored", Result(not_checked="It cannot save its state.")),
    ]
    return AcceptanceReport(Path("model.fmu"), checks, [("FMI version", "2.0")], Experiment(0.0, 0.5, 2, 1e-6))


def test_a_warning_fails_no_check_and_an_error_does(report):
    assert [check.outcome for check in report.checks] == ["passed", "failed", "passed", "not checked"]
    assert not report.is_valid
    assert AcceptanceReport(report.path, report.checks[:1]).is_valid


def test_the_data_is_json_with_all_findings(report):
    data = json.loads(json.dumps(as_json(report), allow_nan=False))
    assert data["valid"] is False
    assert [each["outcome"] for each in data["checks"]] == ["passed", "failed", "passed", "not checked"]
    assert data["checks"][1]["findings"][1] == {
        "rule": "crash",
        "message": CRASH.message,
        "clause": "FMI 2.0.5, 2.1.3",
        "severity": "error",
        "place": "",
    }
    assert [each["coarse"] for each in data["differences"]] == [1e-3, None]  # JSON has no infinity
    assert [each["verdict"] for each in data["differences"]] == ["agree", "converge"]
    assert data["experiment"] == {"start": 0.0, "stop": 1.0, "step": 0.5, "tolerance": 1e-6}


def test_junit_xml_counts_failures_and_skipped_checks(report):
    suite = etree.fromstring(junit_xml(report)).find("testsuite")
    assert [suite.get(name) for name in ("tests", "failures", "skipped")] == ["4", "1", "1"]
    cases = {case.get("name"): case for case in suite.findall("testcase")}
    assert "the process crashed" in cases["calls"].find("failure").text
    assert "index.html is missing" not in cases["calls"].find("failure").text  # a warning is no failure
    assert cases["archive"].find("failure") is None
    assert "index.html is missing" in cases["archive"].find("system-out").text
    assert cases["state"].find("skipped").get("message") == "It cannot save its state."
    assert suite.find("properties/property").attrib == {"name": "FMI version", "value": "2.0"}


def test_the_page_shows_findings_with_their_clauses_and_plots(report):
    text = html_page(report)
    assert b"\x1b" not in text
    page = html.fromstring(text)
    shown = page.text_content()
    for expected in (
        "Problems found: 1 error, 2 warnings; 2 of 4",
        "in <fmi2DoStep>",
        "FMI 2.0.5, 2.1.3",
        "a & b",
        "1.25",
        "It cannot save",
    ):
        assert expected in shown
    assert len(page.findall(".//figure")) == 1  # both curves of a.q lie in one plot
    assert "model exchange" in page.find(".//figure").text_content()
    assert not page.xpath("//script | //link | //img | //*[@src]")  # it needs no other file
    assert html_page(report) == text  # the same report gives the same bytes
