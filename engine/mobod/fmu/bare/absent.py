"""C sources without the parts that a model does not need: the pointer to a missing table is a constant there."""

# Decision: docs/decisions/204-bare.md

import re
from collections.abc import Iterable, Mapping
from typing import Final

from mobod.runtime.integrators import FIXED_STEP_METHODS

HEADER: Final = "absent.h"

# member of Model -> type of its table
_TABLES: Final = {
    "rows": "RowTable",
    "own_errors": "OwnErrorTable",
    "delays": "DelayTable",
    "events": "EventTable",
    "contacts": "ContactTable",
    "frictions": "FrictionTable",
    "auto_updates": "AutoUpdateTable",
}
_BEFORE = r"(?<![\w>.])(?:\w+(?:->|\.))*"  # instance->model->


def absent_tables(model_source: str) -> frozenset[str]:
    """The tables that the generated model.c does not name."""
    return frozenset(name for name in _TABLES if not re.search(rf"\.{name} = &", model_source))


def without_absent(sources: Mapping[str, str], absent: Iterable[str], integrator: str) -> dict[str, str]:
    """The sources with constants in place of missing tables, of steps that are not taken, and of their workspaces: the compiler then leaves
    out what only these use, and the linker the functions that nothing calls.

    integrator  of the model, which the program cannot change
    """
    absent = sorted(absent)
    places = [_place("model", name, name) for name in absent]
    if "events" in absent:
        places.append(_place("work", "events", "event_work"))
    if integrator in FIXED_STEP_METHODS:
        places += [
            _place("instance", "of_fixed_steps", "of_fixed_steps"),
            _place("interface", "fixed_steps", "fixed_steps"),
            _place("work", "implicit", "implicit"),
            (re.compile(r"\bhas_fixed_steps\(((?:&?\w+(?:->state)?))\)"), r"((void)(\1), 1)"),
            (re.compile(r"\bmay_be_implicit\(model, integrator\)"), "(may_be_implicit(model, integrator) && 0)"),
        ]
    texts = dict(sources)
    for file, text in sources.items():
        for place, constant in places:
            if file.endswith((".c", ".h")) and file not in ("model.c", "variables.c"):
                text = place.sub(constant, text)
        texts[file] = text
    bare = texts["bare.h"]
    end = bare.rindex("#endif")
    return texts | {"bare.h": f'{bare[:end]}#include "{HEADER}"\n\n{bare[end:]}', HEADER: _header(absent)}


def _place(owner: str, member: str, constant: str) -> tuple[re.Pattern[str], str]:
    """Where a member is read, and the constant in place of it. The owner stays in the text, so that no parameter is unused."""
    return re.compile(rf"({_BEFORE}\b{owner})(?:->|\.){member}\b(?! =[^=])"), rf"((void)(\1), mobod_absent.{constant})"


def _header(absent: Iterable[str]) -> str:
    members = "".join(f"    const struct {_TABLES[name]} *{name};\n" for name in absent)
    return f"""/* Made by mobod: what the model does not have. */
#ifndef MOBOD_ABSENT_H
#define MOBOD_ABSENT_H

struct EventWork;
struct ImplicitWork;
static const struct {{
{members}    struct EventWork *event_work;
    struct ImplicitWork *implicit;
    const struct FixedSteps *fixed_steps;
    void *of_fixed_steps;
}} mobod_absent = {{0}};

#endif
"""
