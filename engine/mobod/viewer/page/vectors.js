/** Vectors as arrays of three numbers, and poses: 12 numbers, the rotation by rows, then the position. */

export const plus = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const minus = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const times = (a, factor) => [a[0] * factor, a[1] * factor, a[2] * factor];
export const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const crossOf = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const lengthOf = (a) => Math.hypot(a[0], a[1], a[2]);
export const unit = (a) => times(a, 1 / Math.max(1e-300, lengthOf(a)));

/** The point in Ground of a point of body `number`, from the poses of all bodies. */
export function pointOf(poses, number, point) {
    const at = 12 * number;
    const [x, y, z] = point;
    return [0, 1, 2].map((i) => poses[at + 3 * i] * x + poses[at + 3 * i + 1] * y + poses[at + 3 * i + 2] * z + poses[at + 9 + i]);
}

/** The coordinates in the frame of body `number` of a point in Ground. */
export function pointIn(poses, number, point) {
    const at = 12 * number;
    const d = [0, 1, 2].map((i) => point[i] - poses[at + 9 + i]);
    return [0, 1, 2].map((i) => poses[at + i] * d[0] + poses[at + 3 + i] * d[1] + poses[at + 6 + i] * d[2]);
}
