"""The bodies that a constraint is between: what they must be, and their common ancestor."""

from collections.abc import Sequence

from mobod.errors import InputError
from mobod.matter.bodies.body import Ground, MobilizedBody
from mobod.matter.equations.constraint_equations import ConstraintEquations

Body = MobilizedBody | Ground


def seen_from_ground(kind: str, *bodies: Body) -> tuple[Ground, tuple[Body, ...], tuple[int | None, ...]]:
    """(base, followers, the number of each body among the followers or None for Ground), for errors that do not depend on the observer."""
    for number, body in enumerate(bodies):
        check_is_body(body, kind)
        bodies[0].matter.checked(body, kind)
        check_differ(body, bodies[:number], kind)
    followers = tuple(body for body in bodies if isinstance(body, MobilizedBody))
    return bodies[0].matter.ground, followers, tuple(followers.index(body) if body in followers else None for body in bodies)


def checked_mobilizer(body: object, what: str) -> MobilizedBody:
    if not isinstance(body, MobilizedBody):
        raise InputError(f"{what}: a mobilized body is needed, whose coordinates or speeds it constrains, not {type(body).__name__}.")
    return body


def checked_index(index: object, count: int, body: MobilizedBody, what: str, kind: str) -> int:
    """Return the index. Raises InputError for an invalid one.

    index   of one of a body's coordinates or speeds; kind: 'coordinates' or 'speeds'
    """
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < count:
        raise InputError(
            f"{what}: '{body.name}' ({type(body).__name__}) has {count} {kind}, numbered from 0; {index!r} is not one of them."
        )
    return index


def different(bodies: Sequence[MobilizedBody]) -> tuple[MobilizedBody, ...]:
    """The different bodies, in the order of their first occurrence."""
    return tuple(dict.fromkeys(bodies))


def outmost_common_ancestor(bodies: Sequence[Body]) -> Body:
    """The outmost common ancestor of these bodies, which may be one of them."""
    paths = [_path_to_ground(body) for body in bodies]
    common = set(paths[0]).intersection(*paths[1:])
    return bodies[0].matter.body(max(common))


def check_constrains(equations: object, bodies: Sequence[Body], mobilizers: Sequence[MobilizedBody], what: str) -> None:
    """Raise InputError unless these are equations between at least one body or mobilizer."""
    if not isinstance(equations, ConstraintEquations):
        raise InputError(f"{what}: the equations are ConstraintEquations, not {type(equations).__name__}.")
    equations.check_recordable(what)
    for body in (*bodies, *mobilizers):
        check_is_body(body, what)
    if not bodies and not mobilizers:
        raise InputError(f"{what}: it constrains nothing. Give bodies or mobilizers.")


def check_is_body(body: object, kind: str) -> None:
    if not isinstance(body, (MobilizedBody, Ground)):
        raise InputError(f"{kind}: a constraint is between bodies, not {type(body).__name__}.")


def check_differ(body: Body, others: Sequence[Body], kind: str) -> None:
    if body in others:
        raise InputError(f"{kind}: it is between '{body.name}' and itself, which cannot move relative to each other.")


def _path_to_ground(body: Body) -> list[int]:
    path = [body.index]
    while isinstance(body, MobilizedBody):
        body = body.parent
        path.append(body.index)
    return path
