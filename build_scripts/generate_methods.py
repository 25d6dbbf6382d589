"""Writes what Python and the documentation say of the integration methods, from the table of the C runtime (fmu_src/native/methods).

    python build_scripts/generate_methods.py

The results are engine/mobod/runtime/integrator_names.py, whose types a type checker reads, and the table in
docs/numerics/integrators.md. Both are committed; a test checks that they are up to date. The first run after a new line in method_list.h
builds the library of the runtime.
"""

# Decision: docs/decisions/172-one-table-of-methods.md

import re
from pathlib import Path
from typing import Any

from mobod.runtime.library import enumerators, ffi, runtime

ROOT = Path(__file__).resolve().parents[1]
NAMES = ROOT / "engine" / "mobod" / "runtime" / "integrator_names.py"
PAGE = ROOT / "docs" / "numerics" / "integrators.md"
BEGIN, END = "<!-- written by build_scripts/generate_methods.py -->\n", "<!-- end -->\n"

_NAMES = '''\
"""The names of the integrators. Written by build_scripts/generate_methods.py from fmu_src/native/methods; do not edit."""

from typing import Literal, get_args

ErrorControlled = Literal[{error_controlled}]
FixedStep = Literal[{fixed_step}]
Integrator = Literal["auto", {all}, "velocity_level"]
"""The names for users: in the order of their numbers in C, and last that at velocity level, which is not in the table."""

METHODS: tuple[str, ...] = get_args(ErrorControlled)
"""Methods under error control."""
FIXED_STEP_METHODS: tuple[str, ...] = get_args(FixedStep)
INTEGRATORS: tuple[str, ...] = get_args(Integrator)[:-1]
"""The integrators in the order of their numbers in C, which begin at 1; without that at velocity level."""
RUNGE_KUTTA_METHODS: tuple[str, ...] = ({runge_kutta})
"""Explicit Runge-Kutta methods. Their steps have tangents, and run side by side."""
IMPLICIT_METHODS: tuple[str, ...] = ({implicit})
'''

_AUTO = (
    "RK45, or DOP853 for an accuracy of 1e-8 or below; Rodas5P while the system is stiff",
    "default; not for [hard real time](../concepts/fmi.md#real-time)",
)
_VELOCITY_LEVEL = ("fixed steps, order 2, and 1 at impacts", "real time, many limits and contacts: see [its page](velocity_level.md)")


def methods() -> dict[int, Any]:
    """Number -> `Method *` of method.h."""
    numbers = enumerators("Integrator")
    return {number: runtime().mobod_method(number) for number in range(numbers["INTEGRATOR_AUTO"] + 1, numbers["N_INTEGRATORS"])}


def text(characters: Any) -> str:
    return bytes(ffi.string(characters)).decode()


def names_text() -> str:
    """The text of integrator_names.py."""
    found = list(methods().values())

    def listed(some: list[Any]) -> str:
        return ", ".join(f'"{text(method.name)}"' for method in some)

    def several(some: list[Any]) -> str:
        return listed(some) + ("," if len(some) == 1 else "")

    return _NAMES.format(
        error_controlled=listed([method for method in found if method.estimate_order]),
        fixed_step=listed([method for method in found if not method.estimate_order]),
        all=listed(found),
        runge_kutta=several([method for method in found if method.pair]),
        implicit=several([method for method in found if method.rosenbrock]),
    )


def table_text() -> str:
    """The table of docs/numerics/integrators.md."""
    rows = [
        ("number", "name", "method", "evaluations in a step", "degree of the interpolant", "h lambda", "h w", "use"),
        ("---",) * 8,
        ("1", "`auto`", _AUTO[0], "", "", "", "", _AUTO[1]),
        *(_row(number, method) for number, method in methods().items()),
        ("", "`velocity_level`", _VELOCITY_LEVEL[0], "", "", "", "", _VELOCITY_LEVEL[1]),
    ]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _row(number: int, method: Any) -> tuple[str, ...]:
    form = "implicit" if method.rosenbrock else "explicit"
    kind = form if method.estimate_order else f"fixed steps, {form}"
    evaluations = method.rosenbrock.n_stages if method.rosenbrock else method.last
    return (
        str(number),
        f"`{text(method.name)}`",
        f"{kind}, {text(method.title)}",
        str(evaluations),
        str(method.degree),
        f"{method.stability:g}" if method.stability else "any",
        f"{method.oscillations:g}" if method.oscillations else "",
        text(method.use),
    )


def page_text(page: str) -> str:
    """The page with the table between its marks."""
    return re.sub(f"(?<={re.escape(BEGIN)}).*?(?={re.escape(END)})", lambda _: "\n" + table_text() + "\n", page, count=1, flags=re.DOTALL)


def main() -> None:
    NAMES.write_text(names_text(), encoding="utf-8", newline="\n")
    PAGE.write_text(page_text(PAGE.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
