"""documentation/ of an FMU: the page that describes it, and its licence."""

from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, distribution

from lxml import etree
from lxml.html import builder

from mobod.errors import MobodError
from mobod.fmu.interface import Interface, Row, Settable
from mobod.native_sources import native_sources

_STYLE = (
    "body { font: 16px sans-serif; margin: 2em } td, th { padding: 0.2em 1em; text-align: left } tr:nth-child(even) { background: #eee }"
)

_GENERATED_CODE = """\
The C files in sources/ and the binaries made of them are part of mobod, a multibody dynamics engine, under the licence below.
Those that say that mobod made them (model.c, tangents.c, variables.c, ...) were generated from a model: mobod claims no right in them,
they belong to the author of the model.

"""


def index_html(interface: Interface) -> bytes:
    """documentation/index.html: what can be set and what can be read."""
    rows = interface.rows
    page = builder.HTML(
        builder.HEAD(builder.META(charset="utf-8"), builder.TITLE(interface.model_name), builder.STYLE(_STYLE)),
        builder.BODY(
            builder.H1(interface.model_name),
            builder.P("A multibody model. Its bodies, forces and equations were made into C by mobod; it runs without Python."),
            *_section("Inputs", (row for row in rows if row.causality == "input")),
            *_section("Outputs", (row for row in rows if row.causality == "output")),
            *_section(
                "Initial conditions, to be set before the start",
                (row for row in rows if row.settable is Settable.BEFORE_START and row.variability == "fixed"),
            ),
            *_section(
                "Parameters, to be set at any time", (row for row in rows if row.causality == "parameter" and row.variability == "tunable")
            ),
            *_section(
                "Set by events, while time goes on; their start values before it",
                (row for row in rows if row.variability == "discrete" and row.settable is Settable.BEFORE_START),
            ),
        ),
    )
    return etree.tostring(page, method="html", encoding="UTF-8", doctype="<!DOCTYPE html>", pretty_print=True)


def licence_text() -> bytes:
    """documentation/licenses/license.txt"""
    return (_GENERATED_CODE + _licence_of_mobod()).encode()


def _licence_of_mobod() -> str:
    try:
        text = distribution("mobod").read_text("licenses/LICENSE")
    except PackageNotFoundError:
        checkout = native_sources().parent.parent / "LICENSE"
        text = checkout.read_text(encoding="utf-8") if checkout.is_file() else None
    if text is None:
        raise MobodError(
            "the file LICENSE of mobod is missing, which goes into each FMU. Install mobod again, from a wheel or from a whole checkout."
        )
    return text


def _section(title: str, rows: Iterable[Row]) -> list[etree._Element]:
    listed = list(rows)
    if not listed:
        return [builder.H2(title), builder.P("none")]
    table = builder.TABLE(builder.TR(*map(builder.TH, ("name", "start", "unit", "least", "greatest", "meaning"))))
    for row in listed:
        unit = "true or false" if row.is_boolean else row.unit
        cells = (row.name, _value(row, row.start), unit, _value(row, row.minimum), _value(row, row.maximum), row.description)
        table.append(builder.TR(*map(builder.TD, cells)))
    return [builder.H2(title), table]


def _value(row: Row, value: float | None) -> str:
    if value is None:
        return ""
    return str(bool(value)).lower() if row.is_boolean else repr(value)
