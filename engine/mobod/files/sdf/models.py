"""The models of an SDF file with all that they include: frames by whole names, and the elements of links and joints."""

import re
from dataclasses import dataclass, field
from typing import final

from lxml import etree

from mobod.files.robot.added_joints import errors_at
from mobod.files.sdf.frames import MODEL, WORLD, Frames, Scope, SdfFrame
from mobod.files.sdf.includes import Includes
from mobod.files.sdf.values import pose_in, text_in, truth_in, truth_of
from mobod.files.xml_source import XmlSource
from mobod.system.names import check_characters

OF_MODEL = ("static", "self_collide", "allow_auto_disable", "frame", "pose", "link", "joint", "model", "include", "enable_wind")
_VERSION = re.compile(r"([0-9]{1,4})\.([0-9]{1,4})")
IGNORED_IN_MODEL = ("plugin", "gripper", "light", "model_state", "sensor")


@final
@dataclass(frozen=True, eq=False, kw_only=True)
class SdfPart:
    """A link or a joint.

    name       whole
    frame      the whole name of its frame: the same, unless a link has the name of a joint
    element    of it
    scope      of its model
    top        name of the model in the world that it belongs to
    is_static  whether its model does not move
    """

    name: str
    frame: str
    element: etree._Element
    scope: Scope
    top: str
    is_static: bool
    self_collide: bool = False


@final
@dataclass(eq=False, kw_only=True)
class _Reference:
    """A name in an attribute or an element of a frame, which is looked up when all names are known."""

    frame: SdfFrame
    field: str
    name: str
    scope: Scope
    at: etree._Element
    what: str


@final
@dataclass(eq=False, kw_only=True)
class _Model:
    """What a model gives to those inside of it."""

    scope: Scope
    top: str
    is_static: bool
    self_collide: bool
    depth: int
    places: dict[str, str] = field(default_factory=dict)  # names in the scope, and the place of each


@final
class Models:
    """Reads models. links, joints: their parts, in the order of the file. Poses and attachments are in `frames` after `resolve`."""

    def __init__(self, includes: Includes):
        self.frames, self.links, self.joints = Frames(), list[SdfPart](), list[SdfPart]()
        self._includes = includes
        self._references: list[_Reference] = []

    def add_world(self, world: etree._Element, source: XmlSource) -> None:
        """Add all models, frames and joints of a <world>."""
        scope = Scope(prefix="", frame=WORLD, source=source)
        model = _Model(scope=scope, top="", is_static=False, self_collide=False, depth=0)
        self._add_frames(world, model)
        self._add_inner_models(world, model)
        self._add_joints(world, model)

    def add_single(self, element: etree._Element, source: XmlSource) -> None:
        """Add a model whose names have no prefix."""
        world = Scope(prefix="", frame=WORLD, source=source)
        outer = _Model(scope=world, top="", is_static=False, self_collide=False, depth=0)
        self._add_model(element, source, outer, _name(source, element), None, prefix="")

    def resolve(self) -> None:
        """Look all names up. Raises ModelFileError for those that do not exist."""
        for each in self._references:
            setattr(each.frame, each.field, self.frames.found(each.name, each.scope, each.at, each.what))

    # models
    def _add_inner_models(self, element: etree._Element, outer: _Model) -> None:
        source = outer.scope.source
        for child in source.elements(element):
            if child.tag == "model":
                name = _name(source, child)
                self._add_model(child, source, outer, name, None, prefix=f"{outer.scope.prefix}{name}::")
            elif child.tag == "include":
                self._include(child, outer)

    def _include(self, include: etree._Element, outer: _Model) -> None:
        source = outer.scope.source
        known = ("uri", "name", "pose", "static", "placement_frame", "plugin", "namespace", "model_state", "experimental:params")
        source.check_content(include, known, ("merge",))
        for plugin in include.findall("plugin"):
            source.ignore(plugin, "<plugin> is ignored: it is code of another simulator.")
        inner = self._includes.source(include, text_in(source, include, "uri"), source, outer.depth + 1)
        root = checked_root(inner)
        models = root.findall("model")
        if len(models) != 1:
            others = [each for each in ("actor", "light") if root.find(each) is not None]
            if others and not models:
                source.ignore(include, f"<include> of a file with <{others[0]}> is ignored: it is no mechanism.")
                return
            source.fail(include, f"<include>: {inner.path} has {len(models)} models. One is needed.")
        name = text_in(source, include, "name", _name(inner, models[0]))
        is_merged = truth_of(source, include, "merge")
        prefix = outer.scope.prefix if is_merged else f"{outer.scope.prefix}{name}::"
        self._add_model(models[0], inner, outer, name, include, prefix=prefix, is_merged=is_merged)

    def _add_model(
        self,
        element: etree._Element,
        source: XmlSource,
        outer: _Model,
        name: str,
        include: etree._Element | None,
        *,
        prefix: str,
        is_merged: bool = False,
    ) -> None:
        source.check_content(element, (*OF_MODEL, *IGNORED_IN_MODEL), ("name", "canonical_link", "placement_frame", "namespace", "version"))
        for tag in IGNORED_IN_MODEL:
            for child in element.findall(tag):
                source.ignore(child, f"<{tag}> of a <model> is ignored: it is no part of the mechanism.")
        of_include = outer.scope.source
        frame = f"{prefix}_merged__{name}__{MODEL}" if is_merged else f"{prefix}{MODEL}"
        is_static = truth_in(source, element, "static", default=False)
        if include is not None:
            is_static = truth_in(of_include, include, "static", default=is_static)
        model = _Model(
            scope=Scope(prefix=prefix, frame=frame, source=source),
            top=outer.top or name,
            is_static=outer.is_static or is_static,
            self_collide=truth_in(source, element, "self_collide", default=outer.self_collide),
            depth=outer.depth + (include is not None),
            places=outer.places if is_merged else {},
        )
        if not is_merged:
            self._check_new(name, element, source, outer)
        self._add_frame_of_model(element, include, model, outer)
        for link in element.findall("link"):
            self._add_link(link, model)
        self._add_frames(element, model)
        self._add_inner_models(element, model)
        self._add_joints(element, model)
        self._attach(element, model)

    def _add_frame_of_model(self, element: etree._Element, include: etree._Element | None, model: _Model, outer: _Model) -> None:
        """The frame of a model, whose pose and placement an <include> may give."""
        source, own = outer.scope.source, model.scope
        placed, at_placed = element.get("placement_frame", "").strip(), element
        (pose, relative_to), at, of = pose_in(own.source, element), element, own.source
        if include is not None:
            if include.find("pose") is not None:
                (pose, relative_to), at, of = pose_in(source, include), include, source
            if include.find("placement_frame") is not None:
                placed, at_placed = text_in(source, include, "placement_frame"), include
        frame = SdfFrame(relative_to=outer.scope.frame, pose=pose, attached_to=WORLD, place=of.place(at))
        self.frames.add(own.frame, frame)
        if relative_to is not None:
            self._refer(frame, "relative_to", relative_to, outer.scope, at, "relative_to of <pose>")
        if placed:
            scope = Scope(prefix=own.prefix, frame=own.frame, source=source if at_placed is include else own.source)
            self._refer(frame, "placed", placed, scope, at_placed, "placement_frame")

    def _attach(self, element: etree._Element, model: _Model) -> None:
        """Let the frame of a model move with its canonical link."""
        scope, frame = model.scope, self.frames.frame(model.scope.frame)
        canonical = element.get("canonical_link", "").strip()
        inner = next(iter(element.findall("link")), None)
        if canonical and not model.is_static:
            self._refer(frame, "attached_to", canonical, scope, element, "canonical_link")
        elif inner is not None and not model.is_static:
            frame.attached_to = f"{scope.prefix}{inner.get('name')}"
        elif not model.is_static:
            links = [part for part in self.links if part.name.startswith(scope.prefix)]
            frame.attached_to = links[0].name if links else WORLD
            if not links:
                source = scope.source
                source.mend(element, "model", f"model '{element.get('name')}' has no link.", "It is a frame of the world.")

    # parts
    def _add_link(self, element: etree._Element, model: _Model) -> None:
        source, scope = model.scope.source, model.scope
        name = _name(source, element)
        self._check_new(name, element, source, model)
        pose, relative_to = pose_in(source, element)
        frame = SdfFrame(relative_to=scope.frame, pose=pose, attached_to=None, place=source.place(element))
        self.frames.add(scope.whole(name), frame)
        if relative_to is not None:
            self._refer(frame, "relative_to", relative_to, scope, element, "relative_to of <pose>")
        self_collide = truth_in(source, element, "self_collide", default=model.self_collide)
        self.links.append(
            SdfPart(
                name=scope.whole(name),
                frame=scope.whole(name),
                element=element,
                scope=scope,
                top=model.top,
                is_static=model.is_static,
                self_collide=self_collide,
            )
        )

    def _add_frames(self, element: etree._Element, model: _Model) -> None:
        source, scope = model.scope.source, model.scope
        for child in element.findall("frame"):
            name = _name(source, child)
            self._check_new(name, child, source, model)
            source.check_content(child, ("pose",), ("name", "attached_to"))
            pose, relative_to = pose_in(source, child)
            frame = SdfFrame(relative_to=scope.frame, pose=pose, attached_to=scope.frame, place=source.place(child))
            self.frames.add(scope.whole(name), frame)
            attached_to = child.get("attached_to", "").strip()
            if attached_to:
                self._refer(frame, "attached_to", attached_to, scope, child, "attached_to")
            if relative_to or attached_to:
                self._refer(frame, "relative_to", relative_to or attached_to, scope, child, "relative_to of <pose>")

    def _add_joints(self, element: etree._Element, model: _Model) -> None:
        source, scope = model.scope.source, model.scope
        for child in element.findall("joint"):
            name = _name(source, child)
            whole = frame_name = scope.whole(name)
            if whole in self.frames or name == WORLD:  # versions up to 1.6 allow a link and a joint of one name
                if any(part.name == whole for part in self.joints) or not _may_repeat(source):
                    source.fail(child, f"there is something named '{name}' already. Give the joint a name of its own.")
                frame_name = f"{whole} (joint)"
            pose, relative_to = pose_in(source, child)
            inner = text_in(source, child, "child")
            frame = SdfFrame(relative_to=WORLD, pose=pose, attached_to=WORLD, place=source.place(child))
            self.frames.add(frame_name, frame)
            self._refer(frame, "attached_to", inner, scope, child, f"<child> of joint '{name}'")
            self._refer(frame, "relative_to", relative_to or inner, scope, child, "relative_to of <pose>")
            self.joints.append(SdfPart(name=whole, frame=frame_name, element=child, scope=scope, top=model.top, is_static=model.is_static))

    # names
    def _refer(self, frame: SdfFrame, field: str, name: str, scope: Scope, at: etree._Element, what: str) -> None:
        self._references.append(_Reference(frame=frame, field=field, name=name, scope=scope, at=at, what=what))

    def _check_new(self, name: str, element: etree._Element, source: XmlSource, model: _Model) -> None:
        """Raise ModelFileError for a second thing of a name in a scope."""
        known = model.places.get(name)
        if known is not None and not (_may_repeat(source) and not known.endswith(f"<{source.tag(element)}>")):
            source.fail(element, f"there is something named '{name}' already, at {known}. Give each a name of its own.")
        model.places[name] = f"{source.place(element)}, <{source.tag(element)}>"


def checked_root(source: XmlSource) -> etree._Element:
    """The root element. Raises ModelFileError if it is not <sdf>."""
    if source.root.tag != "sdf":
        source.fail(source.root, f"it is not an SDF file. The root element is <{source.tag(source.root)}>, not <sdf>.")
    return source.root


def version_of(source: XmlSource) -> tuple[int, int]:
    """(1, 11) for version 1.11. Raises ModelFileError for what is no version."""
    text = source.root.get("version", "")
    found = _VERSION.match(text)
    if found is None:
        source.fail(source.root, f"the version of <sdf> is {text!r}. There are 1.4 to 1.12.")
    return int(found[1]), int(found[2])


def _may_repeat(source: XmlSource) -> bool:
    """Whether things of different kinds may have one name."""
    return version_of(source) < (1, 7)


def _name(source: XmlSource, element: etree._Element) -> str:
    name = source.text(element, "name").strip()
    with errors_at(source.place(element)):
        check_characters(name, f"a <{source.tag(element)}>")
    if any(character in name for character in "'\"\n"):
        source.fail(element, f"the name {name!r} has a quote or a line break, which no name may have.")
    if name == WORLD and element.tag == "joint" and _may_repeat(source):
        return name
    if name in (WORLD, "__root__") or (name.startswith("__") and name.endswith("__")):
        source.fail(element, f"the name '{name}' is reserved. Give it another one.")
    return name
