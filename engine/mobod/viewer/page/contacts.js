/* global THREE */
/** Contacts: where a feature presses, its point, the force on body 2, and the cone of friction at rest. */

import { Arrows, colorOf } from "./arrows.js";
import { materialOf } from "./shapes.js";
import { lengthOf, times, unit } from "./vectors.js";

/** The numbers of a feature, from mobod/contact/seen_features.py. */
export const CONTACT_NUMBERS = 11;
const MODE_NAMES = ["free", "stick", "slip"];
const CONTACT_SIZES = { arrow: 0.3, longest: 0.45, point: 0.009, cone: 0.09, width: 0.004 }; // of the mechanism
const LEAST = 1e-3; // of the force that decides the scale: what is smaller is not drawn

/** What is to be seen of a feature; null if it does not press. numbers: of the feature; force: N, for the scale */
export function seenContact(numbers, force) {
    const mode = MODE_NAMES[numbers[0]] ?? "free";
    const vector = Array.from(numbers.slice(8, 11));
    const size = lengthOf(vector);
    if (mode === "free" || !(size > LEAST * force) || !Number.isFinite(size)) {
        return null;
    }
    return { mode, friction: numbers[1], point: Array.from(numbers.slice(2, 5)), normal: Array.from(numbers.slice(5, 8)), vector };
}

/** Length of an arrow along a force; the usual force is as long as the longest of other arrows. size: of the mechanism, m */
export function arrowOf(vector, force, size) {
    const length = (CONTACT_SIZES.arrow * size * lengthOf(vector)) / force;
    return times(unit(vector), Math.min(length, CONTACT_SIZES.longest * size));
}

/** Radius and height of a cone of friction with a side of the length 1. */
export function coneOf(friction) {
    const side = Math.hypot(1, friction);
    return { radius: friction / side, height: 1 / side };
}

/** The marks of all contacts of a run. */
class Contacts {
    /** contacts: of the header of a page; size: of the mechanism, m */
    constructor({ force, features }, size) {
        this.force = Math.max(force, 1e-300);
        this.count = features.length;
        this.size = size;
        this.object = new THREE.Group();
        this.hasCones = true;
        this.kinds = { stick: this.#kind("stick"), slip: this.#kind("slip") };
        this.zAxis = new THREE.Vector3(0, 0, 1);
    }

    #kind(mode) {
        const arrows = new Arrows(mode, 0, CONTACT_SIZES.width * this.size, true);
        const [points, cones] = [new THREE.Group(), new THREE.Group()];
        this.object.add(cones, arrows.object, points);
        const cone = materialOf(colorOf(mode), 0.28);
        cone.side = THREE.DoubleSide;
        return { arrows, points, cones, point: arrows.material, cone };
    }

    /** Draw what presses now. */
    show(run) {
        if (!this.object.visible) {
            return;
        }
        const used = { stick: 0, slip: 0 };
        for (let number = 0; number < this.count; number++) {
            const numbers = run.contactAt(number);
            const seen = numbers === null ? null : seenContact(numbers, this.force);
            if (seen !== null) {
                this.#mark(this.kinds[seen.mode], used[seen.mode]++, seen);
            }
        }
        for (const [mode, { arrows, points, cones }] of Object.entries(this.kinds)) {
            arrows.hideFrom(used[mode]);
            for (const object of [...points.children.slice(used[mode]), ...cones.children.slice(used[mode])]) {
                object.visible = false;
            }
        }
    }

    #mark(kind, number, { friction, point, normal, vector }) {
        if (number === kind.points.children.length) {
            kind.points.add(new THREE.Mesh(POINT_SHAPE(), kind.point));
            kind.cones.add(new THREE.Mesh(CONE_SHAPE(), kind.cone));
        }
        kind.arrows.set(number, point, arrowOf(vector, this.force, this.size));
        const [ball, cone] = [kind.points.children[number], kind.cones.children[number]];
        ball.visible = true;
        ball.position.set(...point);
        ball.scale.setScalar(CONTACT_SIZES.point * this.size);
        ball.renderOrder = 1;
        cone.visible = this.hasCones && friction > 0;
        if (cone.visible) {
            const { radius, height } = coneOf(friction);
            const side = CONTACT_SIZES.cone * this.size;
            cone.position.set(...point);
            cone.quaternion.setFromUnitVectors(this.zAxis, new THREE.Vector3(...unit(normal)));
            cone.scale.set(radius * side, radius * side, height * side);
        }
    }
}

/** The marks of the contacts of a run, on a stage; null if it has none. */
export function contactsOn(stage, run) {
    if (!run.contacts?.features.length) {
        return null;
    }
    const made = new Contacts(run.contacts, stage.size);
    stage.add(made.object);
    return made;
}

const contactShapes = {};
const POINT_SHAPE = () => (contactShapes.point ??= new THREE.SphereGeometry(1, 16, 12));
/** An open cone with its tip at the origin, about z. */
const CONE_SHAPE = () => (contactShapes.cone ??= new THREE.ConeGeometry(1, 1, 32, 1, true).rotateX(-Math.PI / 2).translate(0, 0, 0.5));
