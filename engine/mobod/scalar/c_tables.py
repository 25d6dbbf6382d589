"""Static tables in C, each defined once in a file, and the functions that look up values in them."""

from collections.abc import Iterable

from mobod.runtime.c_literal import c_literal
from mobod.scalar.recording import Recording
from mobod.scalar.table import StaticTable

# name of an operation -> definition of the C function that it calls
TABLE_FUNCTIONS = {
    "interval": """\
/* the number of the interval between breakpoints that holds x; the first or the last if none does, the last if x is not a number */
static double mobod_interval(const double *breakpoints, int n, double x) {
    int low = 0, high = n - 1;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (x < breakpoints[middle])
            high = middle;
        else
            low = middle;
    }
    return low;
}
""",
    "lookup": """\
static double mobod_lookup(const double *table, int n, double index) {
    return index > -1 && index < n ? table[(int)index] : NAN;
}
""",
}


def c_table_name(table: StaticTable) -> str:
    """A name derived from the contents, so that equal tables share it."""
    return f"table_{table.digest[:20]}"


def c_tables(recordings: Iterable[Recording]) -> list[str]:
    """C code that must precede the code of these recordings: their tables, and the lookup functions. Needs number.h."""
    tables: dict[StaticTable, None] = {}
    operations = set()
    for recording in recordings:
        for number in recording.needed:
            operation, operands = recording.tape.entries[number]
            operations.add(operation)
            if operation == "table":
                tables[operands] = None
    return [text for name, text in TABLE_FUNCTIONS.items() if name in operations] + [_array(table) for table in tables]


def _array(table: StaticTable) -> str:
    literals = [c_literal(number) for number in table.numbers.tolist()]
    lines = [", ".join(literals[i : i + 6]) for i in range(0, len(literals), 6)]
    return f"static const double {c_table_name(table)}[] = {{\n    " + ",\n    ".join(lines) + ",\n};\n"
