"""The rules for sources/ and the files that are to be compiled."""

import posixpath
import re
from collections import Counter

from lxml import etree

from mobod.acceptance.rules.fmu_files import FmuFiles
from mobod.acceptance.rules.platforms import is_platform_tuple
from mobod.fmi.rules.description import FILE
from mobod.fmi.rules.rule import Rule, RuleFindings
from mobod.fmi.rules.xml_files import check_encoding, check_schema

HEADERS = Rule("sources-headers", "sources/ has none of the header files of FMI: the importing tool supplies them.", "2.3", "2.5.1.3")
EXIST = Rule("sources-exist", "Each source file and include directory that is listed exists.", "2.3", "2.4.10")
UNLISTED = Rule("sources-unlisted", "Each C file is listed, or included by one that is.", "2.3", "2.4.10", "warning")
LIST = Rule("sources-list", "An FMU with C files lists what is to be compiled.", "2.3", "2.5.1.3")
TWICE = Rule("sources-unique", "No source file is listed twice in a set.", "2.3", "2.4.10")
BUILD = Rule("build-description", "sources/buildDescription.xml conforms to its schema.", "2.3", "2.4.10")
BUILD_VERSION = Rule("build-version", "buildDescription.xml has the fmiVersion of the model description.", None, "2.4.10")
BUILD_IDENTIFIER = Rule("build-identifier", "A build configuration has the modelIdentifier of an interface.", "2.3", "2.4.10", "warning")
BUILD_PLATFORM = Rule("build-platform", "At most one build configuration of an interface has no platform.", "2.3", "2.4.10", "warning")
BUILD_TUPLE = Rule("build-tuple", "The platform of a build configuration is a platform tuple.", "2.3", "2.5.1.4.1", "warning")
BUILD_OPTION = Rule("build-option", "The value of a preprocessor definition with options is one of them.", "2.3", "2.4.10")

BUILD_FILE = "sources/buildDescription.xml"

_HEADERS = re.compile(r"fmi[23](Functions|FunctionTypes|TypesPlatform|PlatformTypes)\.h")
_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]', re.MULTILINE)
_COMPILED = (".c", ".cc", ".cpp", ".cxx")
_LARGEST = 16 * 2**20  # bytes of a source file that is searched for #include


def check(files: FmuFiles, found: RuleFindings) -> None:
    """Check the folder sources/ and the lists of its files."""
    there = files.under("sources/")
    for name in there:
        if _HEADERS.fullmatch(posixpath.basename(name)):
            found.add(HEADERS, "this is a header file of FMI, which the importing tool supplies. Remove it.", name)
    listed = _listed(files, found)
    compiled = [name for name in there if name.endswith(_COMPILED)]
    if compiled and listed is None:
        where = "in SourceFiles of modelDescription.xml" if found.version == "2" else f"in {BUILD_FILE}"
        found.add(LIST, f"there are C files, but no list of those that are to be compiled. List them {where}.", "sources/")
    elif compiled and listed is not None:
        included = _with_included(files, listed)
        for name in compiled:
            if name not in included:
                found.add(UNLISTED, "no list names this file, and no listed file includes it. List it, or remove it.", name)


def _listed(files: FmuFiles, found: RuleFindings) -> set[str] | None:
    """Paths of the files that are listed for compilation; None if there is no list."""
    listed = set[str]()
    lists = 0
    if found.version == "2":
        for interface in files.description.interfaces:
            elements = interface.findall("SourceFiles/File")
            lists += len(elements) > 0
            listed |= _existing(files, elements, [], FILE, found)
    if BUILD_FILE in files:
        root = files.xml(BUILD_FILE, found)
        if root is not None:
            check_encoding(root, files.read(BUILD_FILE), BUILD_FILE, found)
            check_schema(root, "fmi3/fmi3BuildDescription.xsd", BUILD, BUILD_FILE, found)
            _check_configurations(files, root, found)
            lists += 1
            for one in root.iterfind("BuildConfiguration/SourceFileSet"):
                listed |= _existing(files, one.findall("SourceFile"), one.findall("IncludeDirectory"), BUILD_FILE, found)
    return listed if lists else None


def _existing(
    files: FmuFiles, elements: "list[etree._Element]", directories: "list[etree._Element]", file: str, found: RuleFindings
) -> set[str]:
    """The paths of listed files that exist."""
    existing = set[str]()
    counts = Counter(element.get("name") for element in elements)
    for element in elements:
        name, where = element.get("name") or "", f"{file}:{element.sourceline}"
        path = posixpath.normpath(f"sources/{name}")
        if path in files:
            existing.add(path)
        else:
            found.add(EXIST, f"the source file '{name}' is listed, but is not in sources/. Add it, or remove it from the list.", where)
        if counts[element.get("name")] > 1:
            found.add(TWICE, f"the source file '{name}' is listed twice. Remove one.", where)
    for element in directories:
        name = element.get("name") or ""
        path = posixpath.normpath(f"sources/{name}")
        if not files.under(f"{path}/"):
            message = f"the include directory '{name}' is listed, but is not in sources/. Add it, or remove it."
            found.add(EXIST, message, f"{file}:{element.sourceline}")
    return existing


def _check_configurations(files: FmuFiles, root: "etree._Element", found: RuleFindings) -> None:
    where = f"{BUILD_FILE}:{root.sourceline}"
    declared = files.description.root.get("fmiVersion")
    if found.version == "3" and root.get("fmiVersion") != declared:
        found.add(BUILD_VERSION, f"the fmiVersion is {root.get('fmiVersion')!r}, that of the FMU {declared!r}. Give both the same.", where)
    identifiers = {interface.get("modelIdentifier") for interface in files.description.interfaces}
    without_platform = set[str | None]()
    for one in root.iterfind("BuildConfiguration"):
        where = f"{BUILD_FILE}:{one.sourceline}"
        identifier, platform = one.get("modelIdentifier"), one.get("platform")
        if identifier not in identifiers:
            message = f"the modelIdentifier '{identifier}' is that of no interface. Use one of: {', '.join(map(str, identifiers))}."
            found.add(BUILD_IDENTIFIER, message, where)
        if platform is None:
            if identifier in without_platform:
                found.add(BUILD_PLATFORM, f"a second build configuration of '{identifier}' has no platform. Give it one.", where)
            without_platform.add(identifier)
        elif not is_platform_tuple(platform):
            found.add(BUILD_TUPLE, f"the platform '{platform}' is no platform tuple, such as x86_64-linux. Correct it.", where)
        for definition in one.iterfind("SourceFileSet/PreprocessorDefinition"):
            options = [option.get("value") for option in definition.iterfind("Option")]
            value = definition.get("value")
            if options and value is not None and value not in options:
                message = f"the preprocessor definition '{definition.get('name')}' has the value '{value}', which is none of its options."
                found.add(BUILD_OPTION, f"{message} Correct it.", f"{BUILD_FILE}:{definition.sourceline}")


def _with_included(files: FmuFiles, listed: set[str]) -> set[str]:
    """The listed files and those that they include, directly or not. An included path is searched in all folders of sources."""
    by_name: dict[str, list[str]] = {}
    for name in files.under("sources/"):
        by_name.setdefault(posixpath.basename(name), []).append(name)
    reached, to_read = set(listed), list(listed)
    while to_read:
        content = files.read(to_read.pop())[:_LARGEST]
        for match in _INCLUDE.finditer(content):
            included = match[1].decode(errors="replace").replace("\\", "/")
            for name in by_name.pop(posixpath.basename(included), []):
                if name not in reached:
                    reached.add(name)
                    to_read.append(name)
    return reached
