"""Generates C99 from recordings: one statement for each operation.

A function is small (one kind of element), so compilers handle it well, and has a signature for calls by tables.
"""

# Decision: docs/decisions/004-one-function-per-kind.md

from collections.abc import Mapping
from typing import Literal

from mobod.runtime.c_literal import c_literal
from mobod.scalar.c_tables import c_table_name
from mobod.scalar.operations import LEAVES, OPERATIONS
from mobod.scalar.recording import Recording


def c_function(recording: Recording, name: str) -> str:
    """`void name(const double *x0, ..., double *y0, ...)`, which reads all arguments before it writes the first result.

    Arrays are in C order. Needs number.h and, before the function, the output of c_tables.
    """
    parameters = [f"const double *x{i}" for i in range(len(recording.inputs))] + [f"double *y{i}" for i in range(len(recording.outputs))]
    read = inputs_read(recording)
    unused = [f"x{i}" for i in range(len(recording.inputs)) if i not in read]
    unused += [f"y{i}" for i, output in enumerate(recording.outputs) if not output.size]
    lines = [f"void {name}({', '.join(parameters) or 'void'}) {{"]
    lines += [f"    (void){parameter};" for parameter in unused]
    lines += statements(recording, adds=frozenset(), writes_early=False, access=Access())
    return "\n".join([*lines, "}", ""])


def c_kernel(recording: Recording, name: str, *, adds: frozenset[int], writes_early: bool) -> str:
    """A kernel function of fmu_src/native/tables/kernel.h. The results in `adds` are added to existing values.

    writes_early  write each result as soon as it is known, so that the compiler must keep fewer values; only if no result overlaps an
                  argument
    """
    inputs = [f"w + at[{i}]" for i in range(len(recording.inputs))]
    outputs = [f"w + at[{len(inputs) + i}]" for i in range(len(recording.outputs))]
    return _kernel_function(name, _body(recording, inputs, outputs, adds=adds, writes_early=writes_early))


def c_tangent(tangent: Recording, name: str, *, adds: frozenset[int], writes_early: bool) -> str:
    """The tangent of a kernel, from the recording of the derivatives. It reads w and dw, and writes dw."""
    n_in = len(tangent.inputs) // 2
    inputs = [f"w + at[{i}]" for i in range(n_in)] + [f"dw + at[{i}]" for i in range(n_in)]
    outputs = [f"dw + at[{n_in + i}]" for i in range(len(tangent.outputs))]
    return _kernel_function(name, _body(tangent, inputs, outputs, adds=adds, writes_early=writes_early))


def c_adjoint(adjoint: Recording, name: str, *, adds: frozenset[int], writes_early: bool) -> str:
    """The adjoint of a kernel, from the recording that adjoint_twin makes. It reads w and the adjoints of the kernel's results in dw, sets
    these to 0 unless the kernel adds, and adds to the adjoints of its arguments in dw.
    """
    n_in = len(adjoint.outputs)
    inputs = [f"{'w' if i < n_in else 'dw'} + at[{i}]" for i in range(len(adjoint.inputs))]
    lines = _body(adjoint, inputs, [f"dw + at[{i}]" for i in range(n_in)], adds=frozenset(range(n_in)), writes_early=writes_early)
    cleared = {i: array.size for i, array in enumerate(adjoint.inputs) if i >= n_in and i - n_in not in adds and array.size}
    clears = [f"    Number *cleared{i} = dw + at[{i}];" for i in cleared]
    for i, size in cleared.items():
        clears += [f"    for (int k = 0; k < {size}; k++)", f"        cleared{i}[k] = NUMBER(0);"]
    # an argument may lie where a result does: then its adjoint follows
    n_read = len(lines) if writes_early else next((i for i, line in enumerate(lines) if "+=" in line), len(lines))
    return _kernel_function(name, [*lines[:n_read], *clears, *lines[n_read:]])


Form = Literal["kernel", "tangent", "adjoint"]
"""What a function computes of a recording."""


def c_adding(setting: str, name: str, sizes: dict[int, int], *, form: Form) -> str:
    """A function of a kernel that adds some results to existing values. It calls the function named `setting` of one that sets them.

    sizes  for each result that is added: its place in `at` -> its number of entries; it must not overlap an argument
    """
    # the adjoints of results that are set are 0 afterwards, those of results that are added stay
    target, assigns = "w" if form == "kernel" else "dw", "=" if form == "adjoint" else "+="
    lines = [f"    Number *y{i} = NUMBERS(call->{target}) + at[{i}];" for i in sizes]
    lines += [f"    const Number before{i}[] = {{{', '.join(f'y{i}[{k}]' for k in range(size))}}};" for i, size in sizes.items()]
    lines.append(f"    {setting}(context, call, at);")
    for i, size in sizes.items():
        lines += [f"    for (int k = 0; k < {size}; k++)", f"        y{i}[k] {assigns} before{i}[k];"]
    return "\n".join([f"int {name}{KERNEL_PARAMETERS} {{", *lines, "    return 0;", "}", ""])


KERNEL_PARAMETERS = "(const void *context, Call *call, const int *at)"


def _kernel_function(name: str, body: list[str]) -> str:
    """A kernel of recorded code, which ignores its context and never stops the sweep."""
    arrays = [each for each in ("w", "dw") if any(f" {each} + at" in line for line in body)]
    lines = [
        "    (void)context;",
        *(f"    {'const ' if each == 'w' and len(arrays) == 2 else ''}Number *{each} = NUMBERS(call->{each});" for each in arrays),
    ]
    if not arrays:
        lines.append("    (void)call, (void)at;")
    return "\n".join([f"int {name}{KERNEL_PARAMETERS} {{", *lines, *body, "    return 0;", "}", ""])


def _body(recording: Recording, inputs: list[str], outputs: list[str], *, adds: frozenset[int], writes_early: bool) -> list[str]:
    """Pointers to the used arguments and results, then the statements."""
    lines = [f"    const Number *x{i} = {inputs[i]};" for i in sorted(inputs_read(recording))]
    for i, output in enumerate(recording.outputs):
        if any(not (i in adds and entry.value == 0.0) for entry in output.flat):
            lines.append(f"    Number *y{i} = {outputs[i]};")
    return lines + statements(recording, adds=adds, writes_early=writes_early, access=Access())


class Access:
    """Statements that read the arguments x0, x1, ... and write the results y0, y1, ...: numbers at pointers."""

    def read(self, i: int, k: int, names: Mapping[int, str]) -> tuple[str, tuple[int, ...]]:
        """A statement that declares entries of an argument, among them k; and these entries. names: of the entries."""
        return f"    const Number {names[k]} = x{i}[{k}];", (k,)

    def write(self, i: int, k: int, value: str, *, adds: bool) -> list[str]:
        """The statements that can follow when the value of an entry of a result is known, after those of the entries before it."""
        return [f"    y{i}[{k}] {'+=' if adds else '='} {value};"]


def statements(recording: Recording, *, adds: frozenset[int], writes_early: bool, access: Access) -> list[str]:
    """The statements: for each result its operands, then the result itself; if not writes_early, all results are written at the end."""
    entries = recording.tape.entries
    sources = {entry.number: (i, k) for i, array in enumerate(recording.inputs) for k, entry in enumerate(array.flat)}
    names = [{k: f"v{entry.number}" for k, entry in enumerate(array.flat)} for array in recording.inputs]
    pairs = _sines_and_cosines(recording)
    known: dict[int, str] = {}
    lines: list[str] = []
    writes: list[str] = []
    for i, output in enumerate(recording.outputs):
        for k, entry in enumerate(output.flat):
            if i in adds and entry.value == 0.0:
                continue
            waiting = [entry.number]
            while waiting:
                number = waiting[-1]
                operation, operands = entries[number]
                missing = () if operation in LEAVES else [operand for operand in operands if operand not in known]
                if number not in known and not missing:
                    if operation == "constant":
                        known[number] = c_literal(operands)
                    elif operation == "table":
                        known[number] = f"{c_table_name(operands)}, {len(operands)}"
                    elif number in pairs:
                        sine, cosine = (f"v{each}" for each in pairs[number])
                        lines += [f"    Number {sine}, {cosine};", f"    number_sincos({known[operands[0]]}, &{sine}, &{cosine});"]
                        known |= zip(pairs[number], (sine, cosine), strict=True)
                    elif operation == "symbol":
                        i_read, k_read = sources[number]
                        line, read = access.read(i_read, k_read, names[i_read])
                        lines.append(line)
                        known |= {recording.inputs[i_read].flat[each].number: names[i_read][each] for each in read}
                    else:
                        known[number] = f"v{number}"
                        values = (_operand(operation, known[operand], entries[operand][0]) for operand in operands)
                        lines.append(f"    const Number v{number} = {OPERATIONS[operation].c.format(*values)};")
                if missing:
                    waiting.extend(reversed(missing))
                else:
                    waiting.pop()
            value = _number(known[entry.number], entries[entry.number][0])
            (lines if writes_early else writes).extend(access.write(i, k, value, adds=i in adds))
    return lines + writes


# C converts a double to the type of the other operand of these
_CONVERTS = frozenset(["add", "subtract", "multiply", "divide"])


def _operand(operation: str, text: str, leaf: str) -> str:
    return text if operation in _CONVERTS else _number(text, leaf)


def _number(text: str, leaf: str) -> str:
    """A value as a Number of number.h."""
    return f"NUMBER({text})" if leaf == "constant" else text


def _sines_and_cosines(recording: Recording) -> dict[int, tuple[int, int]]:
    """Pairs of a sine and a cosine of the same angle, by the tape number of each. C computes both in one call."""
    entries = recording.tape.entries
    sines, cosines = ({entries[n][1][0]: n for n in recording.needed if entries[n][0] == operation} for operation in ("sin", "cos"))
    pairs = [(sine, cosines[angle]) for angle, sine in sines.items() if angle in cosines]
    return {number: pair for pair in pairs for number in pair}


def inputs_read(recording: Recording) -> set[int]:
    """The indices of the inputs on which the results depend."""
    return {i for entries in recording.dependencies for sources in entries for i, _ in sources}
