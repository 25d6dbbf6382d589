"""Random MJCF worlds: trees with joints of all kinds, several a body, with everything that load_mjcf reads beside contacts."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

FRAMES = ("framepos", "framequat", "framexaxis", "framelinvel", "frameangvel", "framelinacc", "frameangacc")
OF_SITES = ("accelerometer", "gyro", "velocimeter", "magnetometer", "force", "torque")


@dataclass
class World:
    """The parts of a file while it is written. of_kind: names of joints by their kind."""

    rng: np.random.Generator
    of_kind: dict[str, list[str]] = field(default_factory=lambda: {"hinge": [], "slide": [], "ball": [], "free": []})
    bodies: list[str] = field(default_factory=list)
    sites: list[str] = field(default_factory=list)
    tendons: list[str] = field(default_factory=list)
    actuators: list[str] = field(default_factory=list)

    @property
    def scalars(self) -> list[str]:
        return [*self.of_kind["hinge"], *self.of_kind["slide"]]

    def some(self, chance: float) -> bool:
        return bool(self.rng.random() < chance)

    def number(self, low: float, high: float) -> str:
        return f"{self.rng.uniform(low, high):.4f}"

    def numbers(self, n: int, low: float = -1.0, high: float = 1.0) -> str:
        return " ".join(self.number(low, high) for _ in range(n))

    def one(self, of: list[str]) -> str:
        return of[int(self.rng.integers(len(of)))]


def random_world(seed: int) -> str:
    """The text of a file."""
    w = World(np.random.default_rng(seed))
    trees = "\n".join(_body(w, f"t{t}", 0) for t in range(1 + w.some(0.4)))
    parts = {"tendon": _tendons(w), "actuator": _actuators(w), "sensor": _sensors(w), "equality": _equalities(w)}
    rest = "\n".join(f"<{name}>{text}</{name}>" for name, text in parts.items() if text)
    angle, sequence = ("radian" if w.some(0.7) else "degree"), w.one(["xyz", "zyx", "XYZ", "ZXZ"])
    return f"""<mujoco model="world {seed}"><compiler angle="{angle}" eulerseq="{sequence}" autolimits="true"/>
<option gravity="{w.numbers(3, -9, 3)}" magnetic="{w.numbers(3)}"/>
<default><geom contype="0" conaffinity="0" density="{w.number(300, 2000)}"/><joint damping="{w.number(0, 0.3)}"/>
<default class="stiff"><joint stiffness="{w.number(1, 9)}" armature="{w.number(0.01, 0.3)}"/></default></default>
<worldbody><site name="fixed" pos="{w.numbers(3)}" euler="{w.numbers(3)}"/>
{trees}</worldbody>
{rest}</mujoco>"""


def _body(w: World, name: str, depth: int) -> str:
    w.bodies.append(name)
    w.sites.append(f"{name}_site")
    gravity = f' gravcomp="{w.number(0, 1.5)}"' if w.some(0.3) else ""
    turned = w.one([f'euler="{w.numbers(3)}"', f'quat="{w.numbers(4, 0.1, 1)}"', f'axisangle="{w.numbers(4, 0.1, 1)}"', ""])
    pose = f'pos="{w.numbers(3)}" {turned}'
    inside = "".join(_body(w, f"{name}_{child}", depth + 1) for child in range(int(w.rng.integers(0, 3))) if depth < 3)
    joints = _joints(w, name, depth)
    site = f'<site name="{name}_site" pos="{w.numbers(3)}" euler="{w.numbers(3)}"/>'
    return f'<body name="{name}" {pose}{gravity}>{joints}{_masses(w)}{site}\n{inside}</body>'


def _joints(w: World, body: str, depth: int) -> str:
    if depth == 0 and w.some(0.3):
        w.of_kind["free"].append(f"{body}_free")
        return f'<freejoint name="{body}_free"/>'
    several = ["hinge hinge", "slide hinge", "hinge slide hinge", "slide slide slide hinge", "slide ball"]
    kinds = w.one(["hinge", "slide", "ball", "", *several]).split()
    return "".join(_joint(w, kind, f"{body}_j{j}") for j, kind in enumerate(kinds))


def _joint(w: World, kind: str, name: str) -> str:
    w.of_kind[kind].append(name)
    if kind == "ball":
        return f'<joint name="{name}" type="ball" pos="{w.numbers(3)}" armature="{w.number(0.01, 0.2)}" damping="{w.number(0, 1)}"/>'
    choices: list[Callable[[], str]] = [
        lambda: f' ref="{w.number(-0.5, 0.5)}"',
        lambda: f' stiffness="{w.number(0.5, 20)}" springref="{w.number(-0.4, 0.4)}"',
        lambda: f' armature="{w.number(0.001, 0.4)}"',
        lambda: f' damping="{w.number(0.1, 2)}"',
        lambda: f' frictionloss="{w.number(0.1, 2)}"',
        lambda: f' range="-{w.number(0.3, 1)} {w.number(0.3, 1)}"',
        lambda: f' actuatorfrcrange="-{w.number(1, 5)} {w.number(1, 5)}"',
        lambda: ' class="stiff"',
    ]
    chosen = "".join(choice() for choice in choices if w.some(0.3))
    return f'<joint name="{name}" type="{kind}" axis="{w.numbers(3)}" pos="{w.numbers(3)}"{chosen}/>'


def _masses(w: World) -> str:
    """Geoms of all simple shapes; sometimes an inertia of its own."""
    shapes = [
        f'type="sphere" size="{w.number(0.05, 0.3)}" pos="{w.numbers(3)}"',
        f'type="box" size="{w.numbers(3, 0.05, 0.3)}" pos="{w.numbers(3)}" euler="{w.numbers(3)}"',
        f'type="capsule" size="{w.number(0.03, 0.1)}" fromto="{w.numbers(6)}"',
        f'type="cylinder" size="{w.numbers(2, 0.05, 0.3)}" quat="{w.numbers(4, 0.1, 1)}"',
        f'type="ellipsoid" size="{w.numbers(3, 0.05, 0.3)}" mass="{w.number(0.2, 3)}" euler="{w.numbers(3)}"',
    ]
    own = f'<inertial pos="{w.numbers(3)}" mass="{w.number(0.5, 3)}" fullinertia="{w.numbers(3, 0.5, 0.8)} {w.numbers(3, -0.1, 0.1)}"/>'
    return (own if w.some(0.3) else "") + "".join(f"<geom {w.one(shapes)}/>" for _ in range(1 + w.some(0.4)))


def _tendons(w: World) -> str:
    if len(w.scalars) < 2:
        return ""
    found = ""
    for t in range(int(w.rng.integers(0, 3))):
        name = f"tendon{t}"
        w.tendons.append(name)
        chosen = w.rng.permutation(w.scalars)[: int(w.rng.integers(1, 4))]
        terms = "".join(f'<joint joint="{joint}" coef="{w.number(-2, 2)}"/>' for joint in chosen)
        spring = f' stiffness="{w.number(1, 30)}" damping="{w.number(0, 2)}"' if w.some(0.6) else ""
        slack = f' springlength="-{w.number(0.01, 0.3)} {w.number(0.01, 0.3)}"' if w.some(0.4) else ""
        length = f' range="-{w.number(2, 5)} {w.number(2, 5)}"' if w.some(0.3) else ""
        found += f'<fixed name="{name}"{spring}{slack}{length}>{terms}</fixed>'
    return found


def _actuators(w: World) -> str:
    found = ""
    for a in range(int(w.rng.integers(1, 7))):
        gear = f' gear="{w.number(-3, 3)}"' if w.some(0.5) else ""
        places = [(f'joint="{joint}"', gear) for joint in w.scalars] + [(f'tendon="{tendon}"', gear) for tendon in w.tendons]
        of_length = len(places)
        places += [(f'joint="{joint}"', f' gear="{w.numbers(3)}"') for joint in w.of_kind["ball"]]
        # a site's actuator counts in actuatorfrcrange of the joints that carry it, which mobod leaves out
        if not places:
            return found
        number = int(w.rng.integers(len(places)))
        where, its_gear = places[number]
        of_force = f'<motor name="a{a}" {where}{its_gear}'
        kinds = (
            [of_force]
            if number >= of_length
            else [
                of_force,
                f'<position name="a{a}" {where}{its_gear} kp="{w.number(1, 50)}" kv="{w.number(0, 5)}"',
                f'<velocity name="a{a}" {where}{its_gear} kv="{w.number(1, 9)}"',
                f'<position name="a{a}" {where}{its_gear} kp="{w.number(1, 50)}" timeconst="{w.number(0.01, 0.3)}"',
                f'<intvelocity name="a{a}" {where}{its_gear} kp="{w.number(1, 50)}" actrange="-9 9"',
                f'<damper name="a{a}" {where}{its_gear} kv="{w.number(1, 5)}" ctrlrange="0 1"',
                f'<general name="a{a}" {where}{its_gear} gaintype="affine" gainprm="{w.numbers(3)}" biastype="affine" '
                f'biasprm="{w.numbers(3)}"',
            ]
        )
        kind = w.one(kinds)
        command = f' ctrlrange="-{w.number(0.3, 1)} {w.number(0.3, 1)}"' if "ctrlrange" not in kind and w.some(0.5) else ""
        force = f' forcerange="-{w.number(1, 8)} {w.number(1, 8)}"' if w.some(0.4) else ""
        w.actuators.append(f"a{a}")
        found += f"{kind}{command}{force}/>"
    return found


def _sensors(w: World) -> str:
    found, sites = "", [*w.sites, "fixed"]
    for s in range(12):
        name = f'name="s{s}"'
        body, site = w.one(w.bodies), w.one(w.sites)
        seen = w.one([f'objtype="site" objname="{w.one(sites)}"', f'objtype="body" objname="{body}"', f'objtype="xbody" objname="{body}"'])
        seen_from = f' reftype="{w.one(["body", "xbody"])}" refname="{w.one(w.bodies)}"' if w.some(0.4) else ""
        kinds = [f"<{w.one(list(FRAMES[:5]))} {name} {seen}{seen_from}/>", f"<{w.one(list(FRAMES))} {name} {seen}/>"]
        kinds += [f'<{w.one(list(OF_SITES))} {name} site="{site}"/>' for _ in range(2)]
        kinds += [f'<{kind} {name} body="{body}"/>' for kind in ("subtreecom", "subtreelinvel", "subtreeangmom")]
        kinds += [f'<{kind} {name} joint="{w.one(w.scalars)}"/>' for kind in ("jointpos", "jointvel", "jointactuatorfrc") if w.scalars]
        kinds += [f'<{kind} {name} joint="{w.one(w.of_kind["ball"])}"/>' for kind in ("ballquat", "ballangvel") if w.of_kind["ball"]]
        kinds += [f'<{kind} {name} tendon="{w.one(w.tendons)}"/>' for kind in ("tendonpos", "tendonvel") if w.tendons]
        of_drives = ("actuatorpos", "actuatorvel", "actuatorfrc") if w.actuators else ()
        kinds += [f'<{kind} {name} actuator="{w.one(w.actuators)}"/>' for kind in of_drives]
        kind = w.one(kinds)
        has_bound = not any(word in kind for word in ("quat", "axis"))
        found += kind.replace("/>", f' cutoff="{w.number(0.5, 20)}"/>') if has_bound and w.some(0.2) else kind
    return found


def _equalities(w: World) -> str:
    """Such as hold at qpos0; those of joints hold at their references, or not."""
    found = ""
    if len(w.scalars) >= 2 and w.some(0.6):
        one, other = w.rng.permutation(w.scalars)[:2]
        found += f'<joint joint1="{one}" joint2="{other}" polycoef="0 {w.numbers(4, -2, 2)}"/>'
    if len(w.bodies) >= 3 and w.some(0.4):
        found += f'<{w.one(["connect", "weld"])} body1="{w.bodies[-1]}" anchor="{w.numbers(3)}"/>'
    return found
