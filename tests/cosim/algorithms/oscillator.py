"""Oscillators of two masses, cut between them, with halves that are advanced exactly."""

import numpy as np

from mobod.cosim import Network, PythonComponent, Signal


def exponential(A):
    """The exponential of a small matrix, by its series at a power of 1/2; quicker than SciPy's."""
    halvings = max(0, int(np.ceil(np.log2(max(np.abs(A).sum(axis=1).max(), 1e-9)))) + 3)
    A = A / 2**halvings
    term = found = np.eye(len(A))
    for k in range(1, 14):  # (1/8)^14 / 14! < 1e-23
        term = term @ A / k
        found = found + term
    for _ in range(halvings):
        found = found @ found
    return found


def exact_half(A, B, C, D, x, *, inputs, outputs, input_order=2):
    """x' = A x + B u, y = C x + D u, solved exactly for inputs that are polynomials of this degree at most in a step.

    A (n, n), B (n, m), C (l, n), D (l, m), x (n,) at the start
    """
    A, B, C, D = (np.atleast_2d(np.asarray(each, dtype=float)) for each in (A, B, C, D))
    n, m = B.shape
    flows = {}

    def flow(step):
        # x, u, u', u'' together are linear
        if step not in flows:
            whole = np.zeros((n + 3 * m, n + 3 * m))
            whole[:n, :n], whole[:n, n : n + m] = A, B
            whole[n : n + 2 * m, n + m :] = np.eye(2 * m)
            flows[step] = exponential(whole * step)[:n]
        return flows[step]

    def update(t, step, values, state, derivatives=None):
        u = np.zeros((3, m))
        for k, name in enumerate(inputs):
            u[0, k] = values[name]
            if derivatives is not None:
                u[1 : 1 + len(derivatives[name]), k] = derivatives[name]
        return flow(step) @ np.concatenate([state, u.ravel()])

    def output(t, values, state):
        y = C @ state + D @ np.array([values[name] for name in inputs])
        return dict(zip(outputs, y.tolist(), strict=True))

    return PythonComponent(
        output,
        update=update,
        state=np.array(x, dtype=float),
        inputs={name: Signal() for name in inputs},
        outputs=outputs,
        is_direct=bool(np.any(D)),
        input_order=input_order,
    )


def displacement_half(mass, stiffness, coupling, x, v=0.0, **options):
    """A mass on a spring to the wall and one to the other mass, whose displacement is the input."""
    A = [[0, 1], [-(stiffness + coupling) / mass, 0]]
    return exact_half(A, [[0], [coupling / mass]], np.eye(2), np.zeros((2, 1)), [x, v], inputs=["other"], outputs=["x", "v"], **options)


def force_half(mass, stiffness, x, v=0.0, **options):
    """A mass on a spring to the wall, whose other input is the force of the coupling."""
    A = [[0, 1], [-stiffness / mass, 0]]
    return exact_half(A, [[0], [1 / mass]], np.eye(2), np.zeros((2, 1)), [x, v], inputs=["force"], outputs=["x", "v"], **options)


def giving_half(mass, stiffness, coupling, x, v=0.0, **options):
    """As displacement_half, with the force of the coupling on the other mass as an output."""
    A = [[0, 1], [-(stiffness + coupling) / mass, 0]]
    C, D = [[1, 0], [0, 1], [coupling, 0]], [[0], [0], [-coupling]]
    return exact_half(A, [[0], [coupling / mass]], C, D, [x, v], inputs=["other"], outputs=["x", "v", "force"], **options)


WALL, BETWEEN = 4 * np.pi**2, 16 * np.pi**2  # N/m


def displacement_coupling(**options):
    """The oscillator of the preCICE tutorials with displacements exchanged."""
    network = Network()
    network.add(displacement_half(1.0, WALL, BETWEEN, 1.0, **options), "left")
    network.add(displacement_half(1.0, WALL, BETWEEN, 0.0, **options), "right")
    network.connect("left.x", "right.other")
    network.connect("right.x", "left.other")
    return network


def force_coupling(**options):
    """The same, where the left mass takes the force, and the right one the displacement."""
    network = Network()
    network.add(force_half(1.0, WALL, 1.0, **options), "left")
    network.add(giving_half(1.0, WALL, BETWEEN, 0.0, **options), "right")
    network.connect("left.x", "right.other")
    network.connect("right.force", "left.force")
    return network


def largest_error(results):
    """Of the displacements, m."""
    t = results.time
    left = results["left.x"] - (np.cos(2 * np.pi * t) + np.cos(6 * np.pi * t)) / 2
    right = results["right.x"] - (np.cos(2 * np.pi * t) - np.cos(6 * np.pi * t)) / 2
    return np.abs([left, right]).max()
