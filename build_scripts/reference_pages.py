"""Pages of all public names, made from docstrings, for the handbook: docs/conf.py writes them before each build."""

import inspect
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any

from element_examples import examples_of
from element_pictures import Picture, Pictures
from numpy.typing import ArrayLike

import mobod as mb
from mobod.system.elements import Field, fields_of
from mobod.system.elements.declared import written_docstring

# what belongs to a group: names, and the modules whose public names are in it; the first group that fits counts
GROUPS = {
    "mobilizers": (
        "Mobilizers and bodies",
        "mobod.matter.mobilizers mobod.matter.bodies mobod.flexible mobod.matter.unilateral.coordinate_limits",
    ),
    "constraints": (
        "Constraints",
        "mobod.matter.constraints mobod.matter.constraint mobod.matter.unilateral ConstraintAnalysis ConstraintEquations",
    ),
    "motions": ("Motions", "mobod.matter.motions mobod.matter.motion mobod.matter.equations.motion_equations"),
    "forces": ("Forces", "mobod.forces"),
    "contact": ("Contact", "mobod.contact"),
    "couplings": ("Couplings", "mobod.couplings BILATERAL LINEAR ROTARY"),
    "events": ("Events", "mobod.system.events.handlers mobod.system.events.kinds EventActions NEVER"),
    "measures": ("Measures", "mobod.system.measures"),
    "sensors": ("Sensors", "mobod.sensors"),
    "functions": ("Functions", "mobod.functions"),
    "system": ("System and State", "mobod.system mobod.matter"),
    "spatial": ("Rotations, poses, inertias", "mobod.spatial"),
    "graph": ("Mechanisms from lists", "mobod.graph"),
    "files": ("Files", "mobod.files"),
    "simulation": ("Simulation and results", "mobod.simulate mobod.compilation"),
    "analysis": ("Analysis", "mobod.analysis mobod.linear mobod.importer mobod.laws"),
    "numerics": ("Linear equations and quadratic programs", "mobod.numerics"),
    "gym": ("Reinforcement learning", "mobod.gym"),
    "ensembles": ("Ensembles, sweeps and JAX", "mobod.ensembles mobod.jax mobod.sweeps"),
    "cosimulation": ("Co-simulation", "mobod.cosim mobod.fmi"),
    "fmu": ("FMUs", "mobod.fmu mobod.acceptance"),
    "view": ("Pages and shapes", "mobod.viewer mobod.scene"),
    "recorded": ("Numbers that are recorded", "mobod.scalar scalar.Array scalar.Scalar"),
    "maximal": ("Maximal coordinates", "mobod.maximal"),
    "errors": ("Errors and warnings", "mobod.errors"),
}
IMPORTED_MODULES = ("cosim", "gym", "numerics", "scene")
"""Public modules that `import mobod` does not bring: a user imports from them. gym needs gymnasium."""

_DECORATIONS = "mobod.matter.bodies.decorations"  # shapes, though they lie beside bodies


@dataclass(frozen=True)
class PublicName:
    """A public name of `mobod` or of one of its public modules.

    name    as written after `mb.`, such as 'Pin' or 'functions.Step'
    value   what it stands for
    module  where it is defined
    """

    name: str
    value: Any
    module: str

    @cached_property
    def group(self) -> str:
        """The group that it belongs to. Raises LookupError if there is none."""
        if self.module.startswith(_DECORATIONS):
            return "view"
        for group, (_, members) in GROUPS.items():
            if self.name in members.split():
                return group
        for length in range(self.module.count(".") + 1, 1, -1):
            prefix = ".".join(self.module.split(".")[:length])
            for group, (_, members) in GROUPS.items():
                if prefix in members.split():
                    return group
        raise LookupError(f"mb.{self.name}, of {self.module}, is in no group: add it to GROUPS in build_scripts/reference_pages.py")

    @property
    def page(self) -> str:
        """Its page in the folder of the reference. A function's has a suffix, since some file systems ignore upper case."""
        return f"{self.group}/{self.name}{'' if inspect.isclass(self.value) else '_function' if callable(self.value) else '_value'}"

    @property
    def is_described(self) -> bool:
        """Whether it is a class or a function of mobod, not a constant, nor another name for a type of NumPy or Python."""
        return callable(self.value) and self.module.startswith("mobod")


def public_names() -> dict[str, PublicName]:
    """All public names, those of public modules too; an object with two names is there once."""
    names: dict[str, PublicName] = {}
    modules = public_modules()
    direct = {name: getattr(mb, name) for name in mb.__all__ if name not in modules}
    for name, value in direct.items():
        names[name] = PublicName(name, value, getattr(value, "__module__", "mobod") if callable(value) else "mobod")
    for prefix, module in modules.items():
        for name in module.__all__:
            value = getattr(module, name)
            if not any(value is each for each in direct.values()):
                names[f"{prefix}.{name}"] = PublicName(f"{prefix}.{name}", value, getattr(value, "__module__", module.__name__))
    return names


def public_modules() -> dict[str, ModuleType]:
    """The public modules by their names below `mobod`."""
    modules = {name: getattr(mb, name) for name in mb.__all__ if isinstance(getattr(mb, name), ModuleType)}
    return modules | {name: import_module(f"mobod.{name}") for name in IMPORTED_MODULES}


def write_reference(folder: Path, pictures_of: Callable[[type], Pictures | None] = lambda _: None) -> None:
    """Write a page for each public name, and one for each group that lists its pages. Pages of names that are gone are removed.

    pictures_of  the pictures of a class, or None
    """
    names = public_names()
    drawn = {each.page: found for each in names.values() if inspect.isclass(each.value) and (found := pictures_of(each.value))}
    pages = {f"{each.page}.rst": _page(each, names, drawn.get(each.page)) for each in names.values()}
    for group, (title, _) in GROUPS.items():
        members = sorted((each for each in names.values() if each.group == group), key=lambda each: (each.name.lower(), each.page))
        pages[f"{group}.rst"] = _group_page(title, members)
    for old in folder.glob("*"):
        if old.is_dir() and old.name not in GROUPS:
            shutil.rmtree(old)
    pictures = {f"{page}_{i}.svg": each.svg for page, made in drawn.items() for i, each in enumerate(made.pictures)}
    for old in (*folder.rglob("*.rst"), *folder.rglob("*.svg")):
        if old.relative_to(folder).as_posix() not in {**pages, **pictures}:
            old.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:  # a page that stays need not be read again
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    for name, picture in pictures.items():
        (folder / name).write_bytes(picture)


def _group_page(title: str, members: list[PublicName]) -> str:
    lines = [title, "=" * len(title), "", ".. list-table::", "   :widths: 30 70", ""]
    for each in members:
        summary = " ".join(in_rst(inspect.getdoc(each.value) or "").split("\n\n")[0].split()) if each.is_described else "a value"
        lines += [f"   * - :doc:`{each.name} <{each.page}>`", f"     - {summary}"]
    return "\n".join(lines) + "\n"


def _page(name: PublicName, names: dict[str, PublicName], pictures: Pictures | None) -> str:
    value = name.value
    lines = [name.name, "=" * len(name.name), "", ".. py:currentmodule:: mobod", ""]
    prefix, _, short = name.name.rpartition(".")
    if prefix in IMPORTED_MODULES:
        lines += [f"``from mobod.{prefix} import {short}``", ""]
    if not name.is_described:
        lines += [f".. py:data:: {name.name}", f"   :value: {getattr(value, '__name__', repr(value))}", ""]
    elif inspect.isclass(value):
        lines += _class_lines(name, names, pictures)
    else:
        lines += [f".. py:function:: {name.name}{_signature(value)}", "", *_indented(in_rst(inspect.getdoc(value) or ""))]
    if not inspect.isclass(value):
        lines += _example_lines(name)
    return "\n".join(lines).rstrip() + "\n"


def _class_lines(name: PublicName, names: dict[str, PublicName], pictures: Pictures | None) -> list[str]:
    cls = name.value
    public = {each.value: each for each in names.values() if inspect.isclass(each.value)}
    lines = [f".. py:class:: {name.name}{_signature(cls)}", ""]
    bases = [public[base] for base in cls.__mro__[1:] if base in public]
    if bases:
        lines += [f"   Derives from {_link(bases[0])}.", ""]
    lines += _indented(in_rst(written_docstring(cls) if vars(cls).get("__doc__") else ""))
    if pictures is not None:
        lines += _indented("\n".join(_picture_lines(name.page.rpartition("/")[2], pictures)))
    lines += _indented("\n".join(_example_lines(name)))
    if fields := fields_of(cls):
        lines += ["   .. list-table:: Arguments", "      :header-rows: 1", "", "      * - name", "        - what", "        - default"]
        lines += [line for field in fields.values() for line in _field_lines(field)] + [""]
    if equations := _equations(cls):
        lines += [f"   *Equations*, ``{equations.__name__}``:", "", *_indented(in_rst(inspect.getdoc(equations) or ""))]
    for owner in (cls, *(base for base in cls.__mro__[1:] if base not in public and _is_ours(base))):
        if owner is not cls and any(owner in base.value.__mro__ for base in bases):
            continue  # described on the page of that base
        for member, value in vars(owner).items():
            if not member.startswith("_") and (
                owner is cls or not any(member in vars(each) for each in cls.__mro__[: cls.__mro__.index(owner)])
            ):
                lines += _indented("\n".join(_member_lines(member, value)))
    for base in bases[:1]:
        inherited = sorted({each for each in dir(base.value) if not each.startswith("_")} - set(vars(cls)))
        if inherited:
            listed = ", ".join(f"``{each}``" for each in inherited)
            lines += [f"   Of {_link(base)} and its bases: {listed}.", ""]
    return lines


def _picture_lines(file: str, pictures: Pictures) -> Iterator[str]:
    """A table with a row of pictures; or the one for light pages and the one for dark ones, of which a reader sees one."""
    if any(each.pages != "all" for each in pictures.pictures):
        yield from (f"{pictures.title}:", "")
        for i, each in enumerate(pictures.pictures):
            yield from (*_image(f"{file}_{i}.svg", each, 390), f"   :class: only-{each.pages}", "")
    else:
        yield from (f".. list-table:: {pictures.title}", "")
        for i, each in enumerate(pictures.pictures):
            first, *others = _image(f"{file}_{i}.svg", each, 300)
            yield from (f"   {'-' if i else '* -'} {first}".replace("   -", "     -"), *(f"       {line}" for line in others))


def _image(file: str, picture: Picture, width: int) -> list[str]:
    return [f".. image:: {file}", f"   :alt: {picture.text}", f"   :width: {width}px"]


def _example_lines(name: PublicName) -> list[str]:
    example = examples_of(name.group).get(name.name.rpartition(".")[2])
    if example is None:
        return []
    lines = [".. rubric:: Example", "", ".. code-block:: python", "", *_indented(example.code)]
    return [*lines, "It prints", "", "::", "", *_indented(example.printed)]


def _is_ours(cls: type) -> bool:
    return cls.__module__.startswith("mobod")


def _equations(cls: type) -> type | None:
    """The equations of an element, if its docstring refers to them by '(see PinEquations)'."""
    named = re.search(r"\(see (\w+)\)", vars(cls).get("__doc__") or "")
    found = getattr(inspect.getmodule(cls), named[1], None) if named else None
    return found if inspect.isclass(found) else None


def _field_lines(field: Field) -> list[str]:
    default = "required" if repr(field.default).startswith("<object") else "none" if field.default is None else f"``{field.default!r}``"
    return [f"      * - ``{field.name}``", f"        - {escaped(field.text)}", f"        - {default}"]


def _member_lines(name: str, value: Any) -> Iterator[str]:
    function = inspect.unwrap(value.__func__) if isinstance(value, staticmethod | classmethod) else value
    if isinstance(value, property | cached_property):
        yield from (f".. py:property:: {name}", "", *_indented(in_rst(inspect.getdoc(value) or "")))
    elif inspect.isfunction(function):
        of = ":staticmethod:" if isinstance(value, staticmethod) else ":classmethod:" if isinstance(value, classmethod) else ""
        skipped = 0 if isinstance(value, staticmethod) else 1
        yield from (f".. py:method:: {name}{_signature(function, skipped)}", *([f"   {of}"] if of else []), "")
        yield from _indented(in_rst(inspect.getdoc(function) or ""))
    elif hasattr(value, "value") and type(value).__module__.startswith("mobod") and isinstance(value, int):
        yield from (f".. py:attribute:: {name}", f"   :value: {int(value)}", "")


def _signature(value: Any, skipped: int = 0) -> str:
    """The arguments of a callable, without the first ones. None for an exception, whose only argument is its message, and a protocol."""
    if inspect.isclass(value) and (issubclass(value, BaseException) or getattr(value, "_is_protocol", False)):
        return ""
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):  # a class with no constructor of its own in Python
        return ""
    of = signature.replace(parameters=list(signature.parameters.values())[skipped:])
    text = _without_modules(str(of))
    for long, short in (
        (_without_modules(str(ArrayLike)), "ArrayLike"),
        (f"Union[{_ARRAYS}, NoneType]", "ArrayLike | None"),
        (_ARRAYS, "ArrayLike"),
    ):
        text = text.replace(long, short)
    text = re.sub(r"<[^<>]*>", "...", text)
    text = re.sub(r"(: |-> )'([^']+)'", r"\1\2", text)  # a type in quotes
    while (plain := re.sub(r"Annotated\[((?:[^\[\]]|\[[^\[\]]*\])+), \.\.\.\]", r"\1", text)) != text:
        text = plain  # a type whose values are checked, which may be inside another one
    return text


def _without_modules(types: str) -> str:
    return re.sub(r"\b(?:[a-z_]\w*\.)+(\w+)", r"\1", types)


_ARRAYS = _without_modules(str(ArrayLike)).removeprefix("Union[").removesuffix("]")  # what a longer union has of ArrayLike


def _link(name: PublicName) -> str:
    return f":doc:`{name.name} </reference/{name.page}>`"


def _indented(text: str) -> list[str]:
    return [f"   {line}" if line else "" for line in text.splitlines()] + [""]


def in_rst(docstring: str) -> str:
    """A docstring as reStructuredText: its tables as tables, code as it is, names in backticks as code."""
    blocks = []
    for block in re.split(r"\n\s*\n", docstring.strip("\n")):
        lines = dedent(block).splitlines()
        if table := _table(lines):
            blocks.append(table)
        elif block.startswith(" ") or any(re.search(r"\S {2,}\S", line) for line in lines):
            blocks.append("::\n\n" + "\n".join(f"   {line}" for line in lines))
        else:
            blocks.append("\n".join(escaped(line) for line in lines))
    return "\n\n".join(blocks)


def _table(lines: list[str]) -> str | None:
    """Lines of a name, two spaces or more, and what it is, which may go on in indented lines, as a table; None for other lines."""
    if not any(lines):
        return None
    rows: list[tuple[str, list[str]]] = []
    for line in lines:
        if line.startswith(" ") and rows:
            rows[-1][1].append(line.strip())
        elif entry := re.fullmatch(r"(\S+(?: \S+)*?) {2,}([^\s#].*)", line):
            if " = " in entry[1]:
                return None
            rows.append((entry[1], [entry[2]]))
        elif re.fullmatch(r"[\w., ]+", line):  # a long name, with all of its description below
            rows.append((line, []))
        else:
            return None
    if not all(texts for _, texts in rows):
        return None
    table = [".. list-table::", "   :widths: 22 78", ""]
    for name, texts in rows:
        # shape, unit and meaning are columns; a line that begins with a value in quotes is about this value
        cells = [escaped(re.sub(r" {2,}", " · ", text)) for text in texts]
        joined = cells[0]
        for text, cell in zip(texts[1:], cells[1:], strict=True):
            joined += ("\n\n       " if text.startswith("'") else "\n       ") + cell
        table += [f"   * - ``{name}``", f"     - {joined}"]
    return "\n".join(table)


def escaped(text: str) -> str:
    """Prose as reStructuredText, with code in single backticks."""
    parts = re.split(r"`+([^`]+)`+", text)
    prose = [re.sub(r"([\\*|_`])", r"\\\1", part) for part in parts[::2]]
    result = prose[0]
    for code, after in zip(parts[1::2], prose[1:], strict=True):
        # a backslash and a space separate code from letters without a space between them
        result += ("\\ " if result[-1:].isalnum() else "") + f"``{code.strip()}``" + ("\\ " if after[:1].isalnum() else "") + after
    return result
