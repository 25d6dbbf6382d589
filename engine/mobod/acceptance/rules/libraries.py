"""The rules for binaries/, and that there is an implementation at all."""

import re
from functools import cache
from pathlib import Path

import fmpy

from mobod.acceptance.binary_formats import Binary, read_binary
from mobod.acceptance.rules.fmu_files import FmuFiles
from mobod.acceptance.rules.platforms import SUFFIXES, BinariesFolder, platform
from mobod.errors import first_of
from mobod.fmi.rules.rule import Rule, RuleFindings, Version

IMPLEMENTATION = Rule("implementation", "Each interface has a library for a platform, or sources.", "2.3", "2.5")
FOLDER = Rule("binary-folder", "The folders of binaries/ have the standardized names of platforms.", "2.3", "2.5.1.4.1", "warning")
LIBRARY = Rule("binary-name", "A folder of binaries/ contains a library that is named by a modelIdentifier.", "2.3", "2.5.1.4")
STATIC = Rule(
    "static-linking", "A folder with static libraries is documented in documentation/staticLinking.txt or .html.", None, "2.5.1.4.1"
)
FORMAT = Rule("binary-format", "A library is a shared library for the platform of its folder.", "2.3", "2.5.1.4")
EXPORTS = Rule("binary-exports", "A library exports all functions of its version of FMI.", "2.3", "2.5")

_STATIC_SUFFIXES = (".a", ".lib")
_NAMED = 6  # functions in one message

_HEADERS = {"2": "fmi2Functions.h", "3": "fmi3Functions.h"}
_EXPORTED = re.compile(r"FMI[23]_Export\s+(fmi[23]\w+)TYPE\s+(fmi[23]\w+);")
# of FMI 2.0, as the standard lists them
_ONLY_MODEL_EXCHANGE = (
    "EnterEventMode", "NewDiscreteStates", "EnterContinuousTimeMode", "CompletedIntegratorStep", "SetTime", "SetContinuousStates",
    "GetDerivatives", "GetEventIndicators", "GetContinuousStates", "GetNominalsOfContinuousStates",
)  # fmt: skip
_ONLY_CO_SIMULATION = (
    "SetRealInputDerivatives", "GetRealOutputDerivatives", "DoStep", "CancelStep", "GetStatus", "GetRealStatus", "GetIntegerStatus",
    "GetBooleanStatus", "GetStringStatus",
)  # fmt: skip


def check(files: FmuFiles, found: RuleFindings) -> None:
    """Check each library."""
    interfaces = {interface.get("modelIdentifier") or "": set[str]() for interface in files.description.interfaces}
    for interface in files.description.interfaces:
        interfaces[interface.get("modelIdentifier") or ""].add(str(interface.tag))
    implemented = set[str]()
    for folder in files.folders("binaries/"):
        where = f"binaries/{folder}/"
        known = platform(folder, found.version)
        if known is None:
            message = f"'{folder}' is not the name of a platform in FMI {found.version}.0, so that tools do not look there. Rename it."
            found.add(FOLDER, message, where)
            # vendors may introduce names: the FMU has a library for their platform
            implemented |= {each for each in interfaces if any(name.startswith(f"{where}{each}.") for name in files.under(where))}
        elif known.abi:
            implemented |= interfaces.keys()
            if not any(f"documentation/staticLinking.{suffix}" in files for suffix in ("txt", "html")):
                found.add(STATIC, "the folder has an ABI, but there is no documentation/staticLinking.txt. Add it.", where)
        else:
            implemented |= _check_folder(files, where, known, interfaces, found)
    has_sources = any(name.endswith((".c", ".cc", ".cpp", ".cxx")) for name in files.under("sources/"))
    for identifier, names in interfaces.items():
        if identifier not in implemented and not has_sources:
            message = (
                f"{' and '.join(sorted(names))} with the modelIdentifier '{identifier}' has no library for any platform, and no sources."
            )
            found.add(IMPLEMENTATION, f"{message} Add one of them.", "binaries/")


def _check_folder(files: FmuFiles, where: str, known: BinariesFolder, interfaces: dict[str, set[str]], found: RuleFindings) -> set[str]:
    """The model identifiers that have a library there."""
    suffix = SUFFIXES[known.system]
    names = [name for name in files.under(where) if name.count("/") == 2]
    there = {identifier for identifier in interfaces if f"{where}{identifier}{suffix}" in files}
    if not there:
        is_static = any(name.endswith(_STATIC_SUFFIXES) for name in files.under(where))
        if not is_static:
            expected = " or ".join(f"{identifier}{suffix}" for identifier in interfaces)
            present = f", only {', '.join(name.removeprefix(where) for name in names[:_NAMED])}" if names else ""
            found.add(LIBRARY, f"there is no {expected}{present}. Name the library by the modelIdentifier.", where)
        return set(interfaces) if is_static else set()
    for identifier in there:
        name = f"{where}{identifier}{suffix}"
        binaries = read_binary(files.read(name))
        matching = None if binaries is None else _matching(binaries, known)
        if matching is None or not matching.is_library:
            kind = "of no known format, or damaged" if binaries is None else f"{_kinds(binaries)}"
            found.add(FORMAT, f"this is no shared library for {known.system} on {known.architecture}: it is {kind}. Replace it.", name)
        elif matching.exports is not None:
            missing = [each for each in functions(found.version, interfaces[identifier]) if each not in matching.exports]
            if missing:
                message = f"the library does not export {first_of(missing, _NAMED)}. Export all functions of the interface."
                found.add(EXPORTS, message, name)
    return there


def _matching(binaries: list[Binary], known: BinariesFolder) -> Binary | None:
    fitting = (each for each in binaries if (each.system, each.architecture) == (known.system, known.architecture))
    return next(fitting, None)


def _kinds(binaries: list[Binary]) -> str:
    names = [
        f"{'a library' if each.is_library else 'a file'} for {each.system} on {each.architecture or 'another processor'}"
        for each in binaries
    ]
    return " and ".join(names)


@cache
def _header(version: Version) -> tuple[str, ...]:
    text = (Path(fmpy.__file__).parent / "c-code" / _HEADERS[version]).read_text(encoding="utf-8")
    return tuple(name for _, name in _EXPORTED.findall(text))


def functions(version: Version, interfaces: set[str]) -> list[str]:
    """The functions that a library for these interfaces exports.

    Source: FMI 2.0.5, section 2.3 and the tables of sections 3.2.3 and 4.2.4; FMI 3.0.2, section 2.5: all of fmi3Functions.h.
    """
    excluded: set[str] = set()
    if version == "2":
        excluded |= set() if "ModelExchange" in interfaces else {f"fmi2{name}" for name in _ONLY_MODEL_EXCHANGE}
        excluded |= set() if "CoSimulation" in interfaces else {f"fmi2{name}" for name in _ONLY_CO_SIMULATION}
    return [name for name in _header(version) if name not in excluded]
