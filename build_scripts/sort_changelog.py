"""Moves the entries of CHANGELOG.md under [Unreleased] into the page of a version, where they stand by topic.

    python build_scripts/sort_changelog.py

Entries are added under [Unreleased] while work goes on, so that branches merge. Before a release this moves each to the topic whose words
it has most of, in docs/changes_of_X_Y.md of the first version in the file, and prints where; an entry that is there already is left out,
as a merge may bring it back. One with no such word stays. Read what is printed.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHANGELOG = ROOT / "CHANGELOG.md"
KINDS = ("Added", "Changed", "Fixed")
FIRST_LINES = 130  # characters of an entry whose words count three times

# topic -> words, as a regular expression; the order is that of the file, and the first of two topics with as many words takes an entry
TOPICS = {
    "Flexible bodies": r"flexible|FlexibleB\w+|ModalData|Craig|deflect\w*|modal",
    "Contact and friction": (
        r"contacts?|RigidContact|CompliantContact|ContactSet|friction\w*|slips?|slide|boxes|bricks|stacks?|corners?|walls?"
        r"|hulls?|shapes that touch|restitution|bounces?|impacts?|Painlev\w*|rolling|slots?|stick\w*|dominoes|half-spaces?"
        r"|penetration\w*|engagement"
    ),
    "Forces, drives and tendons": (
        r"Servo|SiteServo|MotorDC|drives?|drive_limit|tendons?|FixedTendon|GearPair|springs?|dampers?|forces?|rotor\w*|gravity"
        r"|actuators?|MobilityLinearStop"
    ),
    "Sensors and measures": (
        r"sensors?|Imu|Touch|RangeFinder|Sampled|ShapeDistance|FrameSensor|JointSensor|measures?|Delay|SampleAndHold"
        r"|Readout"
    ),
    "Bodies, joints and constraints": (
        r"mobilizers?|joints?|constraints?|closed loops?|loops|coupling\w*|Inertia|MassProperties|limits?|quaternions?|locks?"
        r"|motions?|Motion|Assembler|MultibodyBuilder|bearings?|RigidBody|redundant|four-bars?|coordinates"
    ),
    "Simulation": (
        r"Simulation|integrators?|accuracy|steps?|RK\d+|DOP853|Rodas\w*|stiff\w*|events?|handlers?|witness\w*|velocity level"
        r"|start values?|tolerance|scales?|backend|run\.step|stepped|run of|State|states|\w+_scale|energy"
    ),
    "Ensembles, sweeps and learning": (
        r"[Ee]nsembles?|SystemEnv|SystemVectorEnv|Gymnasium|sweeps?|lanes|vector environment|episodes?|rollout|side by side"
        r"|journal"
    ),
    "Analysis, fits and gradients": (
        r"lineari[sz]e\w*|equilibri\w+|modes|sensitivit\w+|fit|fits|to_jax|JAX|[Dd]erivatives|gradients?|adjoints?"
        r"|inverse dynamics|tangents?|directional|inverse kinematics"
    ),
    "Robot and model files": (
        r"URDF|load_urdf|SDF|load_sdf|MJCF|load_mjcf|MuJoCo compiles|model files?|save_model|load_model|mesh\w*|xacro|read_\w+"
        r"|Robot|robots|convert|keyframes?"
    ),
    "FMUs": (
        r"FMUs?|FMI|fmi\d\w+|export_fmu|export_c|mobod export|importers?|model exchange|validate\w*|acceptance|GUIDs?"
        r"|modelDescription|CVODE|FMPy"
    ),
    "Co-simulation": (
        r"[Cc]o-simulation|Network|networks?|Master|masters?|SSPs?|ssp|cosim|connections?|[Cc]heckpoints?|algebraic|isolate\w*"
        r"|isolated|waveform|bonds?|communication step|components?"
    ),
    "Pages, pictures and scenes": (
        r"[Pp]ages?|animate|to_html|scenes?|pictures?|three\.js|camera|drawn|notebooks?|WebAssembly|viewer|arrows"
        r"|browser"
    ),
    "Results and tables": r"[Rr]esults|CSV|HDF5|\.mat|tables?|Table|compare|plot|data frames|columns?",
    "Command line": (
        r"mobod (?:info|simulate|new|doctor|bench|demo|view|plot|compare|validate|cosim)|command line|--\w[\w-]*|exit code"
        r"|terminal|Tab key"
    ),
    "Names, errors and warnings": (
        r"refuse[sd]?|errors?|Error\w*|warn\w*|MobodWarning|messages?|ArgumentsError|InputError|damaged|Ctrl-C"
        r"|findings?"
    ),
    "Installation and speed": (
        r"wheels?|pip|install\w*|cache|ziglang|zig|compiler|faster|[Ll]ibraries|processor time|us\b|start of|takes? \w+ less"
        r"|import\w*"
    ),
    "Handbook": r"handbook|docs/\S+|tutorial|glossary|[Hh]ow do I|README|index|questions",
    "For developers of mobod": (
        r"[Tt]ests?|build_scripts/\S+|check\.py|`Any`|[Tt]ypes|fuzz\w*|mypy|folders?|modules?|benchmark|meetings|tests/\S+"
        r"|decisions?|import-linter|pages of public"
    ),
}


def main() -> int:
    changelog = CHANGELOG.read_text(encoding="utf-8")
    page = page_of(changelog)
    changelog, text, moved = sorted_by_topic(changelog, page.read_text(encoding="utf-8"))
    CHANGELOG.write_text(changelog, encoding="utf-8")
    page.write_text(text, encoding="utf-8")
    for topic, entry in moved:
        print(f"{topic:32} {entry[:90]}")
    return 0


def page_of(changelog: str) -> Path:
    """The page of the newest version in the changelog. Raises ValueError if it has none."""
    found = re.search(r"^## \[(\d+)\.(\d+)\.", changelog, re.MULTILINE)
    if found is None:
        raise ValueError("CHANGELOG.md has no version below [Unreleased]: add a heading '## [X.Y.Z]'.")
    return ROOT / "docs" / f"changes_of_{found[1]}_{found[2]}.md"


def sorted_by_topic(changelog: str, page: str) -> tuple[str, str, list[tuple[str, str]]]:
    """Both texts after the move, and the moved entries with their topics; "there already" for those that the page had."""
    at = changelog.index("## [Unreleased]")
    end = changelog.index("\n## [", at)
    unreleased, moved = changelog[at:end], []
    for kind in KINDS:
        for entry in reversed(entries_of(unreleased, kind)):  # each comes to the head of a list
            on_page = entry.replace("](docs/", "](")
            topic = "there already" if on_page in page else topic_of(entry)
            if topic is None:
                continue
            unreleased = unreleased.replace(entry, "", 1)
            if on_page not in page:
                page = _with_entry(page, topic, kind, on_page)
            moved.append((topic, entry))
    return changelog[:at] + re.sub(r"\n{3,}", "\n\n", unreleased).rstrip() + "\n" + changelog[end:], page, moved


def entries_of(section: str, kind: str) -> list[str]:
    """The entries below a heading of a kind, each with its line ends."""
    found = re.search(rf"^#+ {kind}\n\n(.*?)(?=^#|\Z)", section, re.MULTILINE | re.DOTALL)
    return [] if found is None else [each + "\n" for each in re.findall(r"^- .*(?:\n  .*)*", found[1], re.MULTILINE)]


def topic_of(entry: str) -> str | None:
    """The topic whose words it has most of, those of its first lines above all; None if it has none."""
    counts = {topic: _count(words, entry) + 2 * _count(words, entry[:FIRST_LINES]) for topic, words in TOPICS.items()}
    best = max(counts, key=lambda topic: counts[topic])
    return best if counts[best] else None


def _count(words: str, text: str) -> int:
    return len(re.findall(rf"(?<!\w)(?:{words})(?!\w)", text))


def _with_entry(page: str, topic: str, kind: str, entry: str) -> str:
    """Puts an entry at the head of a topic's list."""
    head, *parts = re.split(r"^## (.*)\n", page, flags=re.MULTILINE)
    lists = dict(zip(parts[::2], parts[1::2], strict=True))
    texts = {each: entries_of(lists.get(topic, ""), each) for each in KINDS}
    texts[kind].insert(0, entry)
    lists[topic] = "\n" + "".join(f"### {each}\n\n{''.join(texts[each])}\n" for each in KINDS if texts[each])
    order = [each for each in {**dict.fromkeys(TOPICS), **lists} if each in lists]
    return (head + "".join(f"## {each}\n{lists[each].rstrip()}\n\n" for each in order)).rstrip() + "\n"


if __name__ == "__main__":
    sys.exit(main())
