"""Slots and shapes of the numbers of each body."""

from collections.abc import Sequence
from dataclasses import dataclass

from mobod.matter.tree.tree_body import TreeBody
from mobod.scalar.slot import Slot
from mobod.system import Stage


@dataclass(frozen=True, kw_only=True)
class BodySlots:
    """Arrays with the body as their first axis, Ground at 0. H, G, D_inverse and arrays with an entry for each speed are flat.

    given         R_PF p_PF R_BM p_BM mass com inertia, from the bodies' own frames; parameters: flat, those of the mobilizers
    instance      R_MF p_MF (F from the parent's M) R_MB p_MB mc inertia_M      see kinematics.constants
    position      R_GF R_GM p_GM l H mc_G inertia_G                             see kinematics.position
                  R_GB p_GB r (p_MB in G)
    velocity      V_GM A_c F_c, V_GB                                            see kinematics.velocity
    dynamics      P: sums of the children's articulated inertias; D_inverse G
                  body_forces (about the origins of M) mobility_forces: the sums of all applied forces
    acceleration  Z: sums of the children's z; eps A_r, A_GB
    lazy          kinetic_energy q_dot_dot B_forces (body_forces about the bodies' own origins)
                  reactions: the force that each mobilizer transmits to its body, at M
                  total_mass mass_center momentum mass_center_velocity central_momentum mass_center_acceleration: see momentum.SUMS
    operator      operand A_v Z_v result: see OperatorSweeps; temporary memory of a single sweep
    """

    R_PF: Slot
    p_PF: Slot
    R_BM: Slot
    p_BM: Slot
    mass: Slot
    com: Slot
    inertia: Slot
    parameters: Slot
    R_MF: Slot
    p_MF: Slot
    R_MB: Slot
    p_MB: Slot
    mc: Slot
    inertia_M: Slot
    R_GF: Slot
    R_GM: Slot
    p_GM: Slot
    l: Slot
    H: Slot
    mc_G: Slot
    inertia_G: Slot
    R_GB: Slot
    p_GB: Slot
    r: Slot
    V_GM: Slot
    A_c: Slot
    F_c: Slot
    V_GB: Slot
    P: Slot
    D_inverse: Slot
    G: Slot
    body_forces: Slot
    mobility_forces: Slot
    Z: Slot
    eps: Slot
    A_r: Slot
    A_GB: Slot
    kinetic_energy: Slot
    q_dot_dot: Slot
    B_forces: Slot
    operand: Slot
    A_v: Slot
    Z_v: Slot
    result: Slot
    reactions: Slot
    total_mass: Slot
    mass_center: Slot
    momentum: Slot
    mass_center_velocity: Slot
    central_momentum: Slot
    mass_center_acceleration: Slot


def shapes_of_bodies(bodies: Sequence[TreeBody]) -> dict[Stage, dict[str, tuple[int, ...]]]:
    """The shapes of what is computed at each stage (see BodySlots), Ground first."""
    n, nu = 1 + len(bodies), sum(body.nu for body in bodies)
    return {
        Stage.INSTANCE: {"R_MF": (n, 3, 3), "p_MF": (n, 3), "R_MB": (n, 3, 3), "p_MB": (n, 3), "mc": (n, 3), "inertia_M": (n, 6)},
        Stage.POSITION: {
            "R_GF": (n, 3, 3),
            "R_GM": (n, 3, 3),
            "p_GM": (n, 3),
            "l": (n, 3),
            "H": (6 * nu,),
            "mc_G": (n, 3),
            "inertia_G": (n, 6),
            "R_GB": (n, 3, 3),
            "p_GB": (n, 3),
            "r": (n, 3),
        },
        Stage.VELOCITY: {"V_GM": (n, 6), "A_c": (n, 6), "F_c": (n, 6), "V_GB": (n, 6)},
        Stage.DYNAMICS: {
            "P": (n, 21),
            "D_inverse": (sum(body.nu**2 for body in bodies),),
            "G": (6 * nu,),
            "body_forces": (n, 6),
            "mobility_forces": (nu,),
        },
        Stage.ACCELERATION: {"Z": (n, 6), "eps": (nu,), "A_r": (n, 6), "A_GB": (n, 6)},
    }
