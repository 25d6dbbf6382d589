"""The rules for documentation/."""

from mobod.acceptance.rules.fmu_files import FmuFiles
from mobod.fmi.rules.description import FILE
from mobod.fmi.rules.rule import Rule, RuleFindings

INDEX = Rule("documentation-index", "documentation/ has an index.html.", "2.3", "2.5.1", "warning")
DIAGRAM = Rule("documentation-diagram", "documentation/diagram.svg comes with diagram.png.", None, "2.5.1")
LICENSE = Rule("documentation-license", "documentation/licenses/ has license.txt, license.html or license.spdx.", None, "2.5.1.1.1")
LICENSE_ENTRY = Rule("documentation-license-entry", "documentation/licenses/ has license.txt or license.html.", "2.3", None, "warning")
DEPENDENCIES = Rule(
    "external-dependencies", "An FMU that needs a tool documents it in documentation/externalDependencies.txt or .html.", None, "2.5.1.1"
)
DEPENDENCIES_ADVISED = Rule(
    "external-dependencies-advised",
    "An FMU that needs a tool should document it in documentation/externalDependencies.txt or .html.",
    "2.3",
    None,
    "warning",
)


def check(files: FmuFiles, found: RuleFindings) -> None:
    """Check the documentation."""
    if files.under("documentation/") and "documentation/index.html" not in files:
        found.add(INDEX, "there is documentation, but no documentation/index.html. Add it as the first page.", "documentation/")
    if found.version == "3" and "documentation/diagram.svg" in files and "documentation/diagram.png" not in files:
        found.add(DIAGRAM, "there is diagram.svg, but no diagram.png. Add it.", "documentation/diagram.svg")
    suffixes = ("txt", "html") if found.version == "2" else ("txt", "html", "spdx")
    licenses = "documentation/licenses/"
    if files.under(licenses) and not any(f"{licenses}license.{suffix}" in files for suffix in suffixes):
        rule = LICENSE_ENTRY if found.version == "2" else LICENSE
        found.add(rule, f"there are licenses, but no license.{' or license.'.join(suffixes)}. Add it as the first page.", licenses)
    needed = [each for each in files.description.interfaces if each.get("needsExecutionTool") in ("true", "1")]
    if needed and not any(f"documentation/externalDependencies.{suffix}" in files for suffix in ("txt", "html")):
        rule = DEPENDENCIES_ADVISED if found.version == "2" else DEPENDENCIES
        message = (
            f"{needed[0].tag!s} needs a tool (needsExecutionTool), which is not documented. Add documentation/externalDependencies.txt."
        )
        found.add(rule, message, f"{FILE}:{needed[0].sourceline}")
