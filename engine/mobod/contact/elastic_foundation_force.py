"""ElasticFoundationForce: a mesh on a bed of springs, one for each face."""

from typing import Any, Literal, final

import numpy as np

from mobod.contact.contact_force import ContactForce
from mobod.contact.material import NAMES, MaterialParameter, checked_material, material_of, parameters_of_material
from mobod.contact.mesh_rows import FoundationLaw, face_contact, face_energy, face_loss, face_proximity
from mobod.contact.shapes import ContactShape
from mobod.contact.triangle_mesh import TriangleMesh
from mobod.errors import InputError, UnsupportedError
from mobod.forces.two_point.stations import fixed_motion
from mobod.matter import Ground, MobilizedBody, Tree
from mobod.scalar import Slot, Sweep
from mobod.spatial import Transform
from mobod.system import Layout, Stage
from mobod.system.elements import Given, Parameter, argument, parameter


@final
class ElasticFoundationForce(ContactForce):
    """A mesh that presses against a half-space or a sphere, with a spring at the centroid of each face:

        f = k A x (1 + c x_dot) along the shortest way out of the other shape, friction mu(s) f against the slip

    of a face of the area A whose centroid is at the depth x. It never pulls; what a spring has stored where it would is dissipated.
    Potential energy k A x^2 / 2. Faces count by their centroids, whatever their angle: a coarse mesh is a poor surface.

    body1, body2      mobilized bodies or Ground, not welded to each other
    shape1            mb.contact.HalfSpace or Sphere, on body 1
    mesh              mb.contact.TriangleMesh, on body 2
    X_B1S1, X_B2S2    Transform  frames of the shape and of the mesh on the bodies; default: the bodies' own. A half-space is below z = 0 of
                      its frame, not at x > 0 as in Simbody: see mb.contact.HalfSpace.frame_of_simbody
    material          mb.ContactMaterial, of the contact; stiffness in Pa/m: a modulus over the thickness of the elastic layer
    share             0 to 1, how much of the depth is in shape 1; forces act where both surfaces meet. 0: at the surface of shape 1
    friction          "hollars", or "step5" (see CompliantContact)
    transition_speed  m/s, above 0

    There is a feature, and a row of each output, for each face.

    Sources: Simbody 3.7, ElasticFoundationForce, whose shape 1 is rigid; of its CompliantContactSubsystem a mesh has friction="step5", the
    material mb.contact.combined_linear of both (Pa/m), and their share k2 / (k1 + k2).
    """

    parameters: Any = parameters_of_material()

    body1: MobilizedBody | Ground = argument("a body, or Ground", kw_only=False)
    shape1: ContactShape = argument("a half-space or a sphere, on body 1", kw_only=False)
    body2: MobilizedBody | Ground = argument("another body, or Ground", kw_only=False)
    mesh: TriangleMesh = argument("the mesh on body 2", kw_only=False)
    material: MaterialParameter = material_of("", "material of the contact")
    set_material, default_material, set_default_material = material.accessors
    X_B1S1: Given[Transform, Transform | None] = argument("frame of shape 1 on body 1; default: the body's own", default=None)
    X_B2S2: Given[Transform, Transform | None] = argument("frame of the mesh on body 2; default: the body's own", default=None)
    share: Parameter[float] = parameter("1", "how much of the depth is in shape 1", default=0.0, least=0.0, greatest=1.0)
    set_share, default_share, set_default_share = share.accessors
    friction: Literal["hollars", "step5"] = argument("law of friction", default="hollars")
    transition_speed: Parameter[float] = parameter("m/s", "speed of the transition from rest to slip", default=0.01, above=0.0)
    set_transition_speed, default_transition_speed, set_default_transition_speed = transition_speed.accessors

    def __post_init__(self) -> None:
        owner = self.given["name"] or "ElasticFoundationForce"
        if not isinstance(self.mesh, TriangleMesh):
            raise InputError(f"'{owner}': mesh is a TriangleMesh of mb.contact, not {type(self.mesh).__name__}.")
        pressed: object = self.shape1
        if not (isinstance(pressed, ContactShape) and pressed.touches_meshes):
            raise UnsupportedError(
                f"'{owner}': a mesh presses against a HalfSpace or a Sphere of mb.contact, not against {type(self.shape1).__name__}. For "
                "others take CompliantContact with a ConvexMesh."
            )
        self._place(self.body1, self.X_B1S1, self.body2, self.X_B2S2)
        self.X_B1S1, self.X_B2S2 = self._frames
        self.stiffness_unit, self.dissipation_unit = "Pa/m", "s/m"
        material = checked_material(self.given["material"], f"'{owner}': material").parameter_values()
        self.given.update(zip(NAMES, material, strict=True))
        faces = np.column_stack([self.mesh.centroids, self.mesh.areas])
        self._complete(
            pair=(self.shape1, self.mesh),
            law=FoundationLaw(self.friction),
            law_numbers=(*NAMES, "share", "transition_speed"),
            feature_names=tuple(f"face_{i}" for i in range(len(self.mesh.faces))),
            numbers_of_shapes={"lengths": self.shape1.parameter_values(), "faces": faces},
        )

    # for ForceSubsystem
    def tabulate(self, layout: Layout, tree: Tree) -> None:
        """Write the rows that compute its values, when the layout is known."""
        faces, entries = self._slot(layout, "faces"), self._entry_slots(layout, *self._at_position)
        common = [self._slot(layout, "lengths"), *self._frame_slots(layout), *self._bodies.poses(tree)]
        for i in range(self.n_features):
            self.forces.sweep(layout, Stage.POSITION).add(
                face_proximity,
                [faces[i], *common],
                [each[i] for each in entries],
                structure=(self.shape1.structure,),
                constants=fixed_motion(tree),
            )

    def write_forces(self, sweep: Sweep, tree: Tree, layout: Layout) -> None:
        """Add the rows that add this force to the sums of body forces and generalized forces."""
        results, sums = self._entry_slots(layout, *self._results), self._bodies.sums(tree)
        for i in range(self.n_features):
            outputs = [*(each[i] for each in results), *sums]
            inputs = self._inputs(tree, layout, i)
            sweep.add(face_contact, inputs, outputs, structure=(self.law,), constants=fixed_motion(tree), adds=(5, 6))

    def write_potential_energy(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add its potential energy to `total`, J."""
        (distance,), numbers = self._entry_slots(layout, "distance"), [self._slot(layout, name) for name in self.law_numbers]
        enabled, faces = self._slot(layout, "enabled"), self._slot(layout, "faces")
        for i in range(self.n_features):
            sweep.add(face_energy, [enabled, distance[i], faces[i], *numbers], [total], structure=(self.law,), adds=(0,))

    def write_power_dissipation(self, sweep: Sweep, tree: Tree, layout: Layout, total: Slot) -> None:
        """Add the rows that add the power that it dissipates to `total`, W."""
        for i in range(self.n_features):
            inputs = self._inputs(tree, layout, i)
            sweep.add(face_loss, inputs, [total], structure=(self.law,), constants=fixed_motion(tree), adds=(0,))

    # inside
    def _inputs(self, tree: Tree, layout: Layout, face: int) -> list[Slot]:
        inputs = [self._slot(layout, "enabled"), *(each[face] for each in self._entry_slots(layout, *self._at_position))]
        inputs += [self._slot(layout, "faces")[face], tree.slots.p_GM[self._bodies.body1.index], *self._bodies.speeds(tree)]
        return inputs + [self._slot(layout, name) for name in self.law_numbers]
