"""The tables of causality, variability and initial.

Source: FMI 2.0.5, section 2.2.7; FMI 3.0.2, sections 2.4.7.4 and 2.4.7.5.
"""

from mobod.fmi.rules.rule import Version

_Table = dict[tuple[str, str], tuple[str, ...]]

_COMMON: _Table = {
    ("parameter", "fixed"): ("exact",),
    ("parameter", "tunable"): ("exact",),
    ("calculatedParameter", "fixed"): ("calculated", "approx"),
    ("calculatedParameter", "tunable"): ("calculated", "approx"),
    ("output", "constant"): ("exact",),
    ("output", "discrete"): ("calculated", "exact", "approx"),
    ("output", "continuous"): ("calculated", "exact", "approx"),
    ("local", "constant"): ("exact",),
    ("local", "fixed"): ("calculated", "approx"),
    ("local", "tunable"): ("calculated", "approx"),
    ("local", "discrete"): ("calculated", "exact", "approx"),
    ("local", "continuous"): ("calculated", "exact", "approx"),
    ("independent", "continuous"): (),
}

# allowed values of initial, the default first, for each allowed pair of causality and variability
INITIALS: dict[Version, _Table] = {
    "2": {**_COMMON, ("input", "discrete"): (), ("input", "continuous"): ()},
    "3": {
        **_COMMON,
        ("input", "discrete"): ("exact",),
        ("input", "continuous"): ("exact",),
        ("structuralParameter", "fixed"): ("exact",),
        ("structuralParameter", "tunable"): ("exact",),
    },
}
DEFAULTS: dict[Version, dict[tuple[str, str], str]] = {
    version: {pair: allowed[0] for pair, allowed in table.items() if allowed} for version, table in INITIALS.items()
}
