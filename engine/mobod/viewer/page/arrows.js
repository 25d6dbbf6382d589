/* global THREE */
/** Forces as arrows: each begins, or ends, at its point, and its length is its size. */

import { materialOf } from "./shapes.js";

const ARROW_COLORS = { reaction: [0.85, 0.25, 0.5], force: [0.95, 0.6, 0.1], pull: [0.2, 0.7, 0.9] };

/** Arrows of one kind. width: of a shaft, m */
export class Arrows {
    constructor(kind, count, width) {
        this.object = new THREE.Group();
        const material = materialOf(ARROW_COLORS[kind] ?? ARROW_COLORS.force);
        const shaft = new THREE.CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0);
        const head = new THREE.ConeGeometry(2.6, 1, 16).translate(0, -0.5, 0);
        this.width = width;
        this.parts = Array.from({ length: count }, () => {
            const parts = [new THREE.Mesh(shaft, material), new THREE.Mesh(head, material)];
            this.object.add(...parts);
            return parts;
        });
        this.from = new THREE.Vector3();
        this.along = new THREE.Vector3();
        this.yAxis = new THREE.Vector3(0, 1, 0);
    }

    /** Draw arrow `number` from a point along a vector, both in m; a short one is not drawn. */
    set(number, point, vector) {
        const [shaft, head] = this.parts[number];
        const length = Math.hypot(...vector);
        const isDrawn = length > 0.5 * this.width && Number.isFinite(length);
        shaft.visible = head.visible = isDrawn;
        if (!isDrawn) {
            return;
        }
        this.from.set(...point);
        this.along.set(...vector);
        const headLength = Math.min(0.5 * length, 7 * this.width);
        shaft.position.copy(this.from);
        head.position.addVectors(this.from, this.along);
        shaft.quaternion.setFromUnitVectors(this.yAxis, this.along.divideScalar(length));
        head.quaternion.copy(shaft.quaternion);
        shaft.scale.set(this.width, length - headLength, this.width);
        head.scale.set(this.width, headLength, this.width);
    }
}
