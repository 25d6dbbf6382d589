"""Names of the elements of a compiled model: those of the file, or free variants, since all elements of a System share one space."""

from typing import Any, final

from mobod.files.findings import Findings
from mobod.matter import Ground
from mobod.system.names import check_characters, numbered

GRAVITY = "gravity"


def name_in_file(m: Any, kind: str, number: int) -> str:
    """'' for none. kind: as in MuJoCo's fields name_<kind>adr, such as 'body' or 'jnt'."""
    start = int(getattr(m, f"name_{kind}adr")[number])
    names: bytes = m.names
    return names[start : names.index(b"\0", start)].decode("utf-8", "replace")


@final
class CompiledNames:
    """By MuJoCo's numbers.

    links      of bodies; that of the world is 'world'
    joints     of joints
    welds      of the fixed joints of bodies without joints, by the number of the body: the name of the body
    actuators, tendons, sensors, equalities

    A name that another element has gets a suffix, such as '_actuator', and a finding.
    """

    def __init__(self, m: Any, findings: Findings):
        self._m, self._findings, self._taken = m, findings, {Ground.name, GRAVITY}
        self.links = self._of_links()
        joints = {j: name for j in range(m.njnt) if (name := self._given("jnt", j))}
        self.joints = {j: self._take(name, "_joint") for j, name in joints.items()}
        for j in range(m.njnt):
            if j not in self.joints:
                b = int(m.jnt_bodyid[j])
                self.joints[j] = self._free(f"{self.links[b]}_joint{j - int(m.body_jntadr[b]) + 1}")
        self.welds = {b: self._take(self.links[b], "_body") for b in range(1, m.nbody) if not m.body_jntnum[b]}
        self.actuators = self._all("actuator", int(getattr(m, "nactuator", m.nu)))
        self.tendons = self._all("tendon", m.ntendon)
        self.sensors = self._all("sensor", m.nsensor)
        self.equalities = self._all("eq", m.neq, "equality")
        self.sites = [self._given("site", s) or f"site{s + 1}" for s in range(m.nsite)]

    def shown(self, kind: str, number: int) -> str:
        """The name in the file, or the number, for texts."""
        name = name_in_file(self._m, kind, number)
        return f"'{name}'" if name else f"{number} (without a name)"

    def _of_links(self) -> list[str]:
        links = ["world"]
        for b in range(1, self._m.nbody):
            links.append(numbered(self._given("body", b) or f"body{b}", set(links)))
        return links

    def _given(self, kind: str, number: int) -> str:
        name = check_characters(name_in_file(self._m, kind, number), "an element of an MJCF file")
        plain = name.replace("'", "_").replace('"', "_")
        if plain != name:
            self._findings.note("name", f"{name!r} has quotes, and is called '{plain}'.")
        return plain

    def _all(self, kind: str, n: int, text: str = "") -> list[str]:
        text = text or kind
        given = [self._given(kind, number) for number in range(n)]
        return [self._take(name, f"_{text}") if name else self._free(f"{text}{number + 1}") for number, name in enumerate(given)]

    def _take(self, name: str, suffix: str) -> str:
        found = name if name not in self._taken else self._free(f"{name}{suffix}")
        self._taken.add(found)
        if found != name:
            self._findings.note("name", f"{suffix[1:]} '{name}' is called '{found}': another element has its name.")
        return found

    def _free(self, name: str) -> str:
        found = numbered(name, self._taken)
        self._taken.add(found)
        return found
