"""The rules for the attributes of fmiModelDescription, log categories, vendor annotations and the default experiment."""

import re
from collections import Counter
from datetime import datetime

from mobod.fmi.rules.description import FILE, Description, place
from mobod.fmi.rules.rule import Rule, RuleFindings

VERSION = Rule("fmi-version", "fmiVersion is a version of FMI that exists: 2.0 or 3.x.", "2.2.1", "2.4.1")
TOKEN = Rule("token", "guid or instantiationToken is not empty.", "2.2.1", "2.4.1")
MODEL_NAME = Rule("model-name", "modelName is not empty.", "2.2.1", "2.4.1", "warning")
DATE = Rule(
    "generation-date", "generationDateAndTime has the form YYYY-MM-DDThh:mm:ssZ, in Greenwich mean time.", "2.2.1", "2.4.1", "warning"
)
CATEGORY_UNIQUE = Rule("log-category-unique", "Each log category has a name of its own.", "2.2.4", "2.4.5")
CATEGORY_SPELLING = Rule(
    "log-category-spelling", "A log category with a standardized meaning has its standardized name.", "2.2.4", "2.4.5", "warning"
)
TOOL_UNIQUE = Rule("annotation-unique", "Each tool has at most one vendor annotation in a list.", "2.2.6", None)
STOP_TIME = Rule("experiment-stop", "The stop time of the default experiment is after its start time.", "2.2.5", "2.4.6")
TOLERANCE = Rule("experiment-tolerance", "The tolerance of the default experiment is not negative.", "2.2.5", "2.4.6")
NO_TOLERANCE = Rule("experiment-tolerance-zero", "The tolerance of the default experiment is not zero.", "2.2.5", "2.4.6", "warning")
STEP = Rule("experiment-step", "The step of the default experiment is positive and not longer than the experiment.", "2.2.5", "2.4.6")

_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", re.ASCII)
_CATEGORIES = (
    "logEvents", "logSingularLinearSystems", "logNonlinearSystems", "logDynamicStateSelection", "logStatusWarning", "logStatusDiscard",
    "logStatusError", "logStatusFatal", "logStatusPending", "logAll",
)  # fmt: skip


def check(description: Description, found: RuleFindings) -> None:
    """Check the attributes of the root element and the small lists."""
    root = description.root
    name = "guid" if description.version == "2" else "instantiationToken"
    if not (root.get(name) or "").strip():
        found.add(TOKEN, f"the {name} is missing or empty. Write a text that identifies this FMU.", place(root))
    if not (root.get("modelName") or "").strip():
        found.add(MODEL_NAME, "the modelName is missing or empty. Give the name of the model.", place(root))
    date = root.get("generationDateAndTime")
    if date is not None and not _is_date(date):
        found.add(DATE, f"the generationDateAndTime is {date!r}. Write it as YYYY-MM-DDThh:mm:ssZ, in Greenwich mean time.", place(root))
    _check_categories(description, found)
    if description.version == "2":
        _check_annotations(description, found)
    _check_experiment(description, found)


def _is_date(text: str) -> bool:
    try:
        datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")  # the form has no other zone
    except ValueError:
        return False
    return _DATE.fullmatch(text) is not None  # strptime also accepts single digits


def _check_categories(description: Description, found: RuleFindings) -> None:
    spelling = {name.lower(): name for name in _CATEGORIES}
    seen = set[str]()
    for element in description.root.iterfind("LogCategories/Category"):
        name = element.get("name") or ""
        if name in seen:
            found.add(CATEGORY_UNIQUE, f"the log category '{name}' exists twice. Remove one.", place(element))
        seen.add(name)
        standard = spelling.get(name.lower(), name)
        if name != standard:
            found.add(CATEGORY_SPELLING, f"the log category '{name}' is spelled '{standard}' in the standard. Rename it.", place(element))


def _check_annotations(description: Description, found: RuleFindings) -> None:
    lists = [description.root.findall("VendorAnnotations/Tool")]
    lists += [each.element.findall("Annotations/Tool") for each in description.variables]
    for tools in lists:
        counts = Counter(tool.get("name") for tool in tools)
        for tool in tools[1:]:
            if counts[tool.get("name")] > 1:
                found.add(TOOL_UNIQUE, f"the tool '{tool.get('name')}' has two annotations. Join them.", place(tool))


def _check_experiment(description: Description, found: RuleFindings) -> None:
    element = description.root.find("DefaultExperiment")
    if element is None:
        return
    start, stop, tolerance, step = (_number(element.get(name)) for name in ("startTime", "stopTime", "tolerance", "stepSize"))
    where = place(element)
    if start is not None and stop is not None and not stop > start:
        found.add(STOP_TIME, f"the stopTime is {stop:g}, and the startTime is {start:g}. Give a stopTime after the startTime.", where)
    if tolerance is not None and not tolerance >= 0:
        found.add(TOLERANCE, f"the tolerance is {tolerance:g}. Give a positive number.", where)
    if tolerance == 0:
        found.add(NO_TOLERANCE, "the tolerance is 0, which no solver can meet. Give a positive number, or leave it out.", where)
    if step is not None and not step > 0:
        found.add(STEP, f"the stepSize is {step:g}. Give a positive number.", where)
    elif step is not None and stop is not None and (start or 0.0) < stop < (start or 0.0) + step * (1 - 1e-9):
        found.add(STEP, f"the stepSize is {step:g}, longer than the experiment until {stop:g}. Give a shorter one.", where)


def check_version(root_version: str | None, found: RuleFindings) -> None:
    """The FMU is of a version of FMI that has no rules here."""
    found.add(VERSION, f"the fmiVersion is {root_version!r}. Checked are 2.0 and 3.0. Export the model with one of them.", f"{FILE}:1")


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return None  # the schema's finding
