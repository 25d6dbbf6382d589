/* global THREE */
/** The path of a point of a body. */

import { pointOf } from "./vectors.js";

const MOST_POINTS = 4000;
const TRACE_COLORS = [0xd1495b, 0x2e86ab, 0x6a994e, 0xf2a541, 0x7b5ea7, 0x3d9a8b];

/** The points of a path, in a line that grows. In a live run the oldest ones go. */
export class Trace {
    constructor(number, body, point) {
        this.body = body;
        this.point = point;
        this.positions = new Float32Array(3 * MOST_POINTS);
        this.count = 0;
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("position", new THREE.BufferAttribute(this.positions, 3));
        this.object = new THREE.Line(geometry, new THREE.LineBasicMaterial({ color: TRACE_COLORS[number % TRACE_COLORS.length] }));
        this.object.frustumCulled = false;
        this.#draw();
    }

    /** The whole path of a recorded run. */
    fill(motion) {
        this.count = 0;
        const every = Math.max(1, Math.ceil(motion.times.length / MOST_POINTS));
        for (let frame = 0; frame < motion.times.length; frame += every) {
            this.add(motion.posesAt(motion.times[frame]));
        }
    }

    add(poses) {
        if (this.count === MOST_POINTS) {
            this.positions.copyWithin(0, 3);
            this.count--;
        }
        this.positions.set(pointOf(poses, this.body, this.point), 3 * this.count++);
        this.#draw();
    }

    clear() {
        this.count = 0;
        this.#draw();
    }

    #draw() {
        this.object.geometry.setDrawRange(0, this.count);
        this.object.geometry.attributes.position.needsUpdate = true;
    }
}
