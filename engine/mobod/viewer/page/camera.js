/** Where the picture is taken from: a camera that turns about a point, with one direction of Ground always upward. */

import { crossOf, dot, lengthOf, minus, plus, times, unit } from "./vectors.js";

const STEEPEST = 1.55; // rad
const DEEPEST = 3; // distances to what is looked at
const IN_VIEW = 0.98; // of the picture, in which bodies are kept

export class OrbitCamera {
    /**
     * @param {number[]} up  a unit vector in Ground
     * @param {number[]} towards  from what is seen to the viewer, in Ground
     * @param {number} angle  of view from the lower to the upper edge, rad
     */
    constructor(up, towards, angle = 0.6) {
        this.up = up;
        const level = minus(towards, times(up, dot(up, towards)));
        this.front = unit(lengthOf(level) > 1e-6 ? level : crossOf(up, Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0]));
        this.side = crossOf(up, this.front);
        this.home = { turn: 0, height: Math.asin(Math.min(1, Math.max(-1, dot(up, unit(towards))))) };
        this.angle = angle;
        this.aspect = 1;
        this.target = [0, 0, 0];
        this.distance = 1;
        Object.assign(this, this.home);
    }

    /** Unit vectors in Ground: to the right of the picture, upward in it, and towards the viewer. */
    axes() {
        const [c, s] = [Math.cos(this.height), Math.sin(this.height)];
        const level = plus(times(this.front, Math.cos(this.turn)), times(this.side, Math.sin(this.turn)));
        const towards = plus(times(level, c), times(this.up, s));
        const right = plus(times(this.side, Math.cos(this.turn)), times(this.front, -Math.sin(this.turn)));
        return { right, upward: crossOf(towards, right), towards };
    }

    position() {
        return plus(this.target, times(this.axes().towards, this.distance));
    }

    /** Turn by angles of a movement of the pointer to the right and downward. */
    turnBy(right, down) {
        this.turn -= right;
        this.height = Math.min(STEEPEST, Math.max(-STEEPEST, this.height + down));
    }

    /** Move what is seen by fractions of the picture's height, to the right and downward. */
    panBy(right, down) {
        const size = 2 * this.distance * Math.tan(this.angle / 2);
        const axes = this.axes();
        this.target = plus(this.target, plus(times(axes.right, -right * size), times(axes.upward, down * size)));
    }

    zoomBy(factor) {
        this.distance = Math.max(1e-6, this.distance * factor);
    }

    /** Rise, and turn downward, until the camera is above a height along `up`; where that is too steep, what is seen rises too. */
    stayAbove(height) {
        const above = height - dot(this.target, this.up);
        const steepest = this.distance * Math.sin(STEEPEST);
        if (above > steepest) {
            this.target = plus(this.target, times(this.up, above - steepest));
        }
        this.height = Math.max(this.height, Math.asin(Math.min(Math.sin(STEEPEST), above / this.distance)));
    }

    /** Whether the picture shows a point, with some room to the edge, and not from far away. */
    sees(point) {
        const { right, upward, towards } = this.axes();
        const from = minus(point, this.target);
        const depth = this.distance - dot(from, towards);
        const reach = IN_VIEW * depth * Math.tan(this.angle / 2);
        return depth <= DEEPEST * this.distance && Math.abs(dot(from, right)) <= reach * this.aspect && Math.abs(dot(from, upward)) <= reach;
    }

    /**
     * Move as little as it takes to see spheres [x, y, z, radius] that are not all seen; and back, as far as `farthest`. Returns whether it
     * did.
     */
    keep(spheres, farthest) {
        if (spheres.every((each) => this.sees(each))) {
            return false;
        }
        const { target, distance } = this;
        this.frame(spheres);
        const [wanted, needed] = [this.target, this.distance];
        this.distance = Math.min(Math.max(distance, needed), Math.max(farthest, distance));
        const { right, upward, towards } = this.axes();
        const off = minus(wanted, target);
        const free = Math.max(0, this.distance - needed) * Math.tan(this.angle / 2);
        const clamped = (value, most) => Math.min(most, Math.max(-most, value));
        const moved = [[right, free * this.aspect], [upward, free], [towards, 0]].map(([axis, most]) => {
            const along = dot(off, axis);
            return times(axis, along - clamped(along, most));
        });
        this.target = moved.reduce(plus, target);
        return true;
    }

    /** Move by a part of the way until the spheres are in the middle. */
    center(spheres, part) {
        const { target, distance } = this;
        this.frame(spheres);
        this.target = plus(target, times(minus(this.target, target), part));
        this.distance = distance;
    }

    /** See all of the spheres [x, y, z, radius], from the direction of now. */
    frame(spheres) {
        if (spheres.length === 0) {
            return;
        }
        const { right, upward, towards } = this.axes();
        const seen = spheres.map(([x, y, z, radius]) => [dot([x, y, z], right), dot([x, y, z], upward), dot([x, y, z], towards), radius]);
        const middle = [0, 1, 2].map((i) => {
            const low = Math.min(...seen.map((each) => each[i] - each[3]));
            return (low + Math.max(...seen.map((each) => each[i] + each[3]))) / 2;
        });
        this.target = plus(plus(times(right, middle[0]), times(upward, middle[1])), times(towards, middle[2]));
        const tangent = Math.tan(this.angle / 2);
        const [across, along] = [tangent * this.aspect, tangent].map((each) => [each, Math.hypot(1, each)]);
        const needed = seen.map(([x, y, z, radius]) => {
            const wide = (Math.abs(x - middle[0]) + radius * across[1]) / across[0];
            const high = (Math.abs(y - middle[1]) + radius * along[1]) / along[0];
            return z - middle[2] + Math.max(wide, high);
        });
        this.distance = 1.08 * Math.max(1e-6, ...needed);
    }

    /** The direction of the start. */
    reset() {
        Object.assign(this, this.home);
    }
}
