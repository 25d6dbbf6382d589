"""The documentation lists all rules, and each rule has a test; what other validators say is passed on."""

import time
from pathlib import Path

import pytest

import mobod.acceptance.rules.second_opinion as second_opinion
from mobod.acceptance.rules.declared_rules import declared_rules, table_of_rules
from mobod.fmi.fmu_archive import FmuArchive
from mobod.fmi.rules.rule import RuleFindings
from mobod.fmi.rules.sections import TITLES
from tests.acceptance import test_rules_of_archives as archives
from tests.acceptance import test_rules_of_descriptions as descriptions
from tests.acceptance.right_fmus import FMI2, right_files, write_fmu

RULES = [rule for rules in declared_rules().values() for rule in rules]


def test_the_documentation_has_the_table_of_rules():
    documentation = Path(__file__).parents[2] / "docs" / "validation" / "acceptance.md"
    assert table_of_rules() in documentation.read_text(encoding="utf-8")


def test_rules_have_different_names_and_existing_sections():
    assert len({rule.name for rule in RULES}) == len(RULES)
    used = {"2": {rule.fmi2 for rule in RULES}, "3": {rule.fmi3 for rule in RULES}}
    for version, titles in TITLES.items():
        assert used[version] - {None} <= titles.keys()


def test_each_rule_has_a_test():
    planted = {fault[2] for fault in archives.FAULTS} | {fault[4] for fault in descriptions.FAULTS}
    text = "".join(Path(module.__file__).read_text(encoding="utf-8") for module in (archives, descriptions))
    assert {rule.name for rule in RULES if rule.name not in planted and f'"{rule.name}"' not in text} == {"fmutool"}


def test_what_fmutool_finds_is_a_warning(tmp_path, monkeypatch):
    package = tmp_path / "stand_in_for_fmutool"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text('print("INFO     | fine")\nprint("ERROR    | no output is listed.")')
    monkeypatch.setattr(second_opinion, "_PACKAGE", package.name)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    archive = FmuArchive(write_fmu(tmp_path / "right.fmu", right_files("2", [])))
    found = RuleFindings("2")
    assert second_opinion.ask_fmutool(archive, 5, found) == "fmutool was asked."
    (finding,) = found.all()
    assert (finding.rule, finding.severity, finding.message) == ("fmutool", "warning", "fmutool: no output is listed.")
    assert "too long" in second_opinion.ask_fmutool(archive, 10_000, found)


@pytest.mark.slow
def test_the_time_grows_with_the_number_of_variables_and_not_with_its_square():
    """A factor of 10 in variables is one of 10 in time, with a margin of 4 for small numbers."""

    def seconds(count):
        states = "".join(
            f'<ScalarVariable name="b[{i}]" valueReference="{100 + i}" causality="output"><Real unit="m"/></ScalarVariable>\n'
            for i in range(count)
        )
        unknowns = "".join(f'<Unknown index="{12 + i}" dependencies="4 5"/>\n' for i in range(count))
        text = FMI2.replace("</ModelVariables>", f"{states}</ModelVariables>")
        text = text.replace("</Outputs>", f"{unknowns}</Outputs>").replace(" </InitialUnknowns>", f"{unknowns}</InitialUnknowns>")
        started = time.process_time()
        assert descriptions.findings(text, "2") == []
        return time.process_time() - started

    assert seconds(10_000) < 40 * seconds(1000)
