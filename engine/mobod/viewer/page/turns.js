/* global THREE */
/** Torques as arcs about their axes: the longer the arc, the larger the torque; its head shows the sense of the turn. */

import { materialInFront } from "./arrows.js";

const FULL = (5 / 3) * Math.PI; // rad, of the longest arc
const PIECES = 60; // of that
const SIDES = 8; // of the tube

/** How many pieces of the tube show a torque, and the angle of their end, rad; null if it is too small to be seen. vector: of at most
 * the length 1, which is the longest arc */
export function arcOf(vector) {
    const size = Math.min(1, Math.hypot(...vector));
    if (!(size > 0.01)) {
        return null;
    }
    const pieces = Math.max(1, Math.round(PIECES * size));
    return { pieces, angle: (FULL * pieces) / PIECES };
}

/** A tube along a circle about z of the radius 1, piece after piece, so that a part of it can be drawn. */
function tube(thickness) {
    const places = [];
    const faces = [];
    for (let i = 0; i <= PIECES; i++) {
        const angle = (FULL * i) / PIECES;
        for (let j = 0; j < SIDES; j++) {
            const around = (2 * Math.PI * j) / SIDES;
            const radius = 1 + thickness * Math.cos(around);
            places.push(radius * Math.cos(angle), radius * Math.sin(angle), thickness * Math.sin(around));
            if (i < PIECES) {
                const [a, b] = [i * SIDES + j, i * SIDES + ((j + 1) % SIDES)];
                faces.push(a, a + SIDES, b, b, a + SIDES, b + SIDES);
            }
        }
    }
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.Float32BufferAttribute(places, 3));
    geometry.setIndex(faces);
    geometry.computeVertexNormals();
    return geometry;
}

/** Arcs, which are set as arrows are. radius: of the circles; width: of the tubes, m */
export class Turns {
    constructor(count, radius, width) {
        this.object = new THREE.Group();
        this.material = materialInFront("torque"); // joints are inside of bodies
        this.radius = radius;
        this.head = 4 * width; // its length
        const head = new THREE.ConeGeometry(2.6 * width, this.head, 16).translate(0, this.head / 2, 0);
        this.parts = Array.from({ length: count }, () => {
            const arc = new THREE.Mesh(tube(width / radius), this.material);
            const tip = new THREE.Mesh(head, this.material);
            arc.scale.setScalar(radius);
            arc.renderOrder = tip.renderOrder = 1;
            const group = new THREE.Group().add(arc, tip);
            this.object.add(group);
            return { arc, tip, group };
        });
        this.zAxis = new THREE.Vector3(0, 0, 1);
    }

    /** Draw arc `number` about a point, along the axis of a vector, see arcOf. */
    set(number, point, vector) {
        const { arc, tip, group } = this.parts[number];
        const seen = arcOf(vector);
        group.visible = seen !== null;
        if (seen === null) {
            return;
        }
        const { pieces, angle } = seen;
        arc.geometry.setDrawRange(0, 6 * SIDES * pieces);
        tip.position.set(this.radius * Math.cos(angle), this.radius * Math.sin(angle), 0);
        tip.rotation.set(0, 0, angle); // its y axis is the tangent there
        group.position.set(...point);
        group.quaternion.setFromUnitVectors(this.zAxis, new THREE.Vector3(...vector).normalize());
    }
}
