"""What FMPy and fmutool say of an FMU in which mobod's own rules find no error."""

import importlib.util
import subprocess

from fmpy import validation

from mobod.child_python import python_command, python_environment
from mobod.errors import FmuFileError
from mobod.fmi.fmu_archive import FmuArchive
from mobod.fmi.rules.description import FILE
from mobod.fmi.rules.rule import Rule, RuleFindings

# warnings: mobod has all rules of these tools, and where they disagree, the tool deviates from the standard. FMPy, for example, wants
# output clocks among the initial unknowns, although clocks have no initial
FMPY = Rule("fmpy", "FMPy accepts the model description.", "2.2", "2.4", "warning")
FMUTOOL = Rule("fmutool", "fmutool of the FMU Manipulation Toolbox accepts the FMU, if it is installed.", "2.2", "2.4", "warning")

_IGNORED = "display unit"  # FMPy refuses a display unit that FMI 2.0 lets tools ignore; units.py warns
_PACKAGE = "fmu_manipulation_toolbox"
_MOST_VARIABLES = 5000  # more take fmutool minutes
_TIMEOUT = 60.0  # s


def ask_fmpy(archive: FmuArchive, found: RuleFindings) -> None:
    """Add what FMPy finds. Names are left out: its parser takes a millisecond for each, and names.py has the same grammar."""
    try:
        description = archive.description(validate=False)
    except FmuFileError as error:
        found.add(FMPY, f"FMPy cannot read the description: {error}", FILE)
        return
    try:
        problems = validation.validate_model_description(description, validate_variable_names=False, validate_model_structure=True)
    except (KeyError, TypeError, AttributeError) as error:  # for a description that FMPy does not expect
        problems = [f"its validation fails: {type(error).__name__}: {error}"]
    for problem in problems:
        if not (found.version == "2" and _IGNORED in problem):
            found.add(FMPY, f"FMPy: {problem}", FILE)


def ask_fmutool(archive: FmuArchive, n_variables: int, found: RuleFindings) -> str:
    """Add what fmutool finds. Returns a sentence for the report."""
    if importlib.util.find_spec(_PACKAGE) is None:
        return "fmutool is not installed, so its checks were not made."
    if n_variables > _MOST_VARIABLES:
        return f"fmutool was not asked: it takes too long for more than {_MOST_VARIABLES} variables."
    command = python_command("-m", _PACKAGE, "-input", str(archive.path.resolve()), "-check")
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_TIMEOUT,
            env=python_environment(),
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"fmutool did not finish within {_TIMEOUT:g} s."
    for line in (done.stdout + done.stderr).splitlines():
        level, _, message = line.partition("|")
        if level.strip() == "ERROR":
            found.add(FMUTOOL, f"fmutool: {message.strip()}", FILE)
    return "fmutool was asked."
