"""The rules for modelDescription.xml."""

from fmpy import validation

from mobod.acceptance.report import Finding, Result
from mobod.acceptance.subject import Monitor, Subject
from mobod.errors import MobodError
from mobod.importer.fmu_model import FmuModel


def check(subject: Subject, monitor: Monitor) -> Result:
    """Check modelDescription.xml."""
    monitor.note("reading modelDescription.xml")
    try:
        model = FmuModel(subject.path, subject.limits)
    except MobodError as error:
        return Result([Finding("unreadable", str(error), "FMI 2.0.5, 2.2; FMI 3.0.2, 2.4")])
    problems = model.problems or validation.validate_model_description(
        model.description, validate_variable_names=True, validate_model_structure=True
    )
    return Result([Finding("description", problem, "FMI 2.0.5, 2.2; FMI 3.0.2, 2.4") for problem in problems])
