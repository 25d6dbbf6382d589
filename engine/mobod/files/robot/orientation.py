"""A tree of links from Ground outward: joints that the tree passes backward, joints that close loops, and bases of root links."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from mobod.files.robot.joints import RobotJoint
from mobod.files.robot.links import WORLD, RobotLink
from mobod.spatial import Transform
from mobod.system.names import marked


def oriented(
    links: Mapping[str, RobotLink], joints: Mapping[str, RobotJoint], poses: Mapping[str, Transform], fixed: Iterable[str]
) -> dict[str, RobotJoint]:
    """The joints of a forest in which each link is reached from 'world', which is among the links, by joints in their order.

    A joint whose child is reached before its parent is reversed, with the same coordinate; one whose ends both are reached closes a loop.
    Links that nothing connects with the world get a joint of their own: links in `fixed` are fixed to it, others move freely.

    poses  of links in the world, for these joints
    """
    found: dict[str, RobotJoint] = {name: joint for name, joint in joints.items() if joint.closes_loop}
    fixed = set(fixed)
    reached, waiting = {WORLD}, [joint for joint in joints.values() if not joint.closes_loop]
    children = {joint.child for joint in waiting}

    def grow() -> None:
        """Reach what joints connect: forward first, and backward where that leads no further."""
        while True:
            nearest = next((j for j in waiting if j.parent in reached), None) or next((j for j in waiting if j.child in reached), None)
            if nearest is None:
                return
            waiting.remove(nearest)
            if nearest.parent in reached and nearest.child in reached:
                found[nearest.name] = replace(nearest, closes_loop=True)
                continue
            joint = nearest if nearest.parent in reached else nearest.reversed()
            reached.add(joint.child)
            found[joint.name] = joint

    def add_base(link: RobotLink, *, floating: bool) -> None:
        name = marked(link.name, {*joints, *found})
        base = RobotJoint(
            name=name,
            path=link.path,
            line=link.line,
            kind="fixed",
            parent=WORLD,
            child=link.name,
            X_PC=poses.get(link.name, Transform()),
            is_base=floating,
        )
        found[name] = base.as_base(floating=True) if floating else base
        reached.add(link.name)

    for link in links.values():
        if link.name in fixed:
            add_base(link, floating=False)
    grow()
    roots = [link for link in links.values() if link.name not in children]
    for link in (*roots, *links.values()):
        if link.name not in reached:
            add_base(link, floating=True)
            grow()
    order = {name: number for number, name in enumerate(joints)}
    return dict(sorted(found.items(), key=lambda item: order.get(item[0], -1)))
