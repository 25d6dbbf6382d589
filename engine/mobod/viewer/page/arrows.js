/* global THREE */
/** Forces as arrows: each begins, or ends, at its point, and its length is its size. */

import { materialOf } from "./shapes.js";

const ARROW_COLORS = { reaction: [0.85, 0.25, 0.5], force: [0.95, 0.6, 0.1], torque: [0.55, 0.4, 0.95], pull: [0.2, 0.7, 0.9], stick: [0.0, 0.66, 0.58], slip: [1.0, 0.32, 0.1] };

/** Red, green and blue of a kind of arrows. */
export const colorOf = (kind) => ARROW_COLORS[kind] ?? ARROW_COLORS.force;

/** The material of a kind of arrows that nothing hides: it is drawn after what is transparent. */
export function materialInFront(kind) {
    const material = Object.assign(materialOf(colorOf(kind)), { depthTest: false, transparent: true, emissiveIntensity: 0.4 });
    material.emissive.copy(material.color);
    return material;
}

/** Arrows of one kind. width: of a shaft, m; isInFront: whether nothing hides them */
export class Arrows {
    constructor(kind, count, width, isInFront = false) {
        this.object = new THREE.Group();
        this.material = isInFront ? materialInFront(kind) : materialOf(colorOf(kind));
        this.order = isInFront ? 1 : 0;
        this.shaft = new THREE.CylinderGeometry(1, 1, 1, 12).translate(0, 0.5, 0);
        this.head = new THREE.ConeGeometry(2.6, 1, 16).translate(0, -0.5, 0);
        this.width = width;
        this.parts = [];
        this.#grow(count);
        this.from = new THREE.Vector3();
        this.along = new THREE.Vector3();
        this.yAxis = new THREE.Vector3(0, 1, 0);
    }

    #grow(count) {
        while (this.parts.length < count) {
            const parts = [this.shaft, this.head].map((each) => new THREE.Mesh(each, this.material));
            parts.forEach((each) => (each.renderOrder = this.order));
            this.object.add(...parts);
            this.parts.push(parts);
        }
    }

    /** Draw no arrow from `number` on. */
    hideFrom(number) {
        this.parts.slice(number).flat().forEach((each) => (each.visible = false));
    }

    /** Draw arrow `number`, which may be a new one, from a point along a vector, both in m; a short one is not drawn. */
    set(number, point, vector) {
        this.#grow(number + 1);
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
