/* global THREE */
/** Springs, dampers and rods: what is drawn between a point of each of two bodies. */

import { materialOf } from "./shapes.js";
import { pointOf } from "./vectors.js";

const TURNS = 9;
const SLENDER = 12; // how long a coil of radius 1 is when its wire is round

/** A coil about y, from y = -1/2 to 1/2, whose radius grows from 0 at its ends. */
function coil(size) {
    const curve = new THREE.Curve();
    curve.getPoint = (part, target = new THREE.Vector3()) => {
        const radius = Math.min(1, 8 * Math.min(part, 1 - part));
        const angle = 2 * Math.PI * TURNS * part;
        return target.set(radius * Math.cos(angle), SLENDER * (part - 0.5), radius * Math.sin(angle));
    };
    const geometry = new THREE.TubeGeometry(curve, 24 * TURNS, 0.16, 6);
    const positions = geometry.attributes.position;
    for (let i = 0; i < positions.count; i++) {
        positions.setXYZ(i, positions.getX(i) * size, positions.getY(i) / SLENDER, positions.getZ(i) * size);
    }
    geometry.computeVertexNormals();
    return [geometry];
}

const cylinder = (radius, from, to) => new THREE.CylinderGeometry(radius, radius, to - from, 16).translate(0, (from + to) / 2, 0);

const PARTS = {
    spring: coil,
    damper: (size) => [cylinder(0.8 * size, -0.3, 0.2), cylinder(0.25 * size, -0.5, 0.5)],
    rod: (size) => [cylinder(size, -0.5, 0.5)],
    line: (size) => [cylinder(size, -0.5, 0.5)],
};
const CONNECTION_COLORS = { spring: [0.45, 0.48, 0.52], damper: [0.3, 0.42, 0.5], rod: [0.45, 0.48, 0.52], line: [0.6, 0.4, 0.65] };

/** The object of a connection; `update(poses)` puts it between its points. */
export function connectionOf(connection) {
    const object = new THREE.Group();
    const material = materialOf(CONNECTION_COLORS[connection.kind] ?? CONNECTION_COLORS.line);
    for (const geometry of (PARTS[connection.kind] ?? PARTS.line)(connection.radius)) {
        const mesh = new THREE.Mesh(geometry, material);
        mesh.castShadow = true;
        object.add(mesh);
    }
    const [from, to, along, yAxis] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3(0, 1, 0)];
    const update = (poses) => {
        from.set(...pointOf(poses, connection.body1, connection.point1));
        to.set(...pointOf(poses, connection.body2, connection.point2));
        along.subVectors(to, from);
        const length = along.length();
        object.visible = length > 0;
        if (length > 0) {
            object.position.addVectors(from, to).multiplyScalar(0.5);
            object.quaternion.setFromUnitVectors(yAxis, along.divideScalar(length));
            object.scale.set(1, length, 1);
        }
    };
    return { object, update };
}
