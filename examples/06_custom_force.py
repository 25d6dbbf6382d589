"""Write a force, check it, and export it: its strength is a parameter of the FMU (seed 000, sections 2.3 to 3.1)."""

import mobod as mb
from mobod.scalar import norm


class Repulsion(mb.CustomForce):
    """All body origins repel each other. The force is strength r / |r|^3."""

    strength: mb.Parameter[float] = mb.parameter("N.m2", "force at a distance of 1 m", least=0.0)
    depends_only_on_positions = True  # so that it is not recomputed when only speeds change

    def pairs(self, state):
        bodies = [self.matter.ground, *self.matter.bodies]
        return [(a, b, a.X_GB(state).p - b.X_GB(state).p) for i, a in enumerate(bodies) for b in bodies[:i]]

    def calc_force(self, state, body_forces, mobility_forces):
        for a, b, r in self.pairs(state):
            force = self.strength(state) * r / norm(r) ** 3
            body_forces[a.index, 3:] += force
            body_forces[b.index, 3:] -= force

    def calc_potential_energy(self, state):
        return sum(self.strength(state) / norm(r) for _, _, r in self.pairs(state))


class AttractiveEnergy(Repulsion):
    """The potential energy with the wrong sign, as in seed 000."""

    def calc_potential_energy(self, state):
        return -super().calc_potential_energy(state)


def charges(kind: type[Repulsion] = Repulsion) -> mb.MultibodySystem:
    """Two point masses of 1 and 2 kg. The origin of Ground repels them, too."""
    system = mb.MultibodySystem("charges")
    matter = mb.MatterSubsystem(system)
    for number, start in ((1, [1.0, 0.2, -0.3]), (2, [-0.4, 0.9, 0.5])):
        mb.Translation(matter.ground, mb.MassProperties.point(number, [0, 0, 0]), name=f"charge{number}").set_default_q(start)
    kind(mb.ForceSubsystem(system), strength=0.8, name="repulsion")
    return system


if __name__ == "__main__":
    for kind in (Repulsion, AttractiveEnergy):
        (force,) = charges(kind).subsystems[-1].elements
        print(mb.check_element(force, n_states=2))

    system = charges()
    results = mb.Simulation(system, accuracy=1e-10).run(system.realize_topology(), until=1.0)
    print(f"after 1 s: {results['charge1.q'][-1].round(8)} m")
    path = mb.export_fmu(system, "charges.fmu", outputs=["charge1.p_GB", "energy"])
    print(f"wrote {path}, with the parameter repulsion.strength")
