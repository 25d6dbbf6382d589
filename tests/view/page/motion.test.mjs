import assert from "node:assert/strict";
import test from "node:test";

import { Motion, frameBefore, placeOf, writeRotation } from "../../../engine/mobod/viewer/page/motion.js";
import { Player, SPEEDS } from "../../../engine/mobod/viewer/page/player.js";
import { pointIn, pointOf } from "../../../engine/mobod/viewer/page/vectors.js";

const near = (a, b, tolerance = 1e-12) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b}`);
const tracks = (...rows) => rows.map((each) => Float64Array.from(each));

test("the frame before a time, with a jump at 1 s", () => {
    const times = [0, 0.5, 1, 1, 2];
    assert.deepEqual([-1, 0, 0.4, 0.5, 0.99, 1, 1.5, 2, 9].map((t) => frameBefore(times, t)), [0, 0, 0, 1, 1, 3, 3, 4, 4]);
    assert.deepEqual(placeOf(times, 0.75), { frame: 1, part: 0.5 });
    assert.deepEqual(placeOf(times, 1), { frame: 3, part: 0 });
    assert.deepEqual(placeOf(times, 7), { frame: 4, part: 0 });
    assert.deepEqual(placeOf(times, -7), { frame: 0, part: 0 });
});

test("a quaternion of any length is a rotation by rows", () => {
    const R = new Float64Array(9);
    const [w, z] = [Math.cos(0.35), Math.sin(0.35)];
    writeRotation(R, 0, 3 * w, 0, 0, 3 * z);
    [Math.cos(0.7), -Math.sin(0.7), 0, Math.sin(0.7), Math.cos(0.7), 0, 0, 0, 1].forEach((each, i) => near(R[i], each));
});

test("a body moves between its frames, one without tracks stays", () => {
    const [c, s] = [Math.cos(0.1), Math.sin(0.1)];
    const still = [1, 0, 0, 0, 1, 0, 0, 0, 1, 7, 8, 9];
    const motion = new Motion([0, 1], [still, { tracks: [0, 1, 2, 3, 4, 5, 6] }], tracks([0, 2], [1, 1], [0, 0], [1, c], [0, 0], [0, 0], [0, s]));
    const poses = motion.posesAt(0.5);
    assert.deepEqual([...poses.slice(0, 12)], still);
    near(poses[12 + 9], 1);
    near(poses[12 + 10], 1);
    near(poses[12 + 3], Math.sin(0.1), 1e-5); // half of the turn of 0.2 rad
    const point = pointOf(poses, 1, [0.3, -0.2, 0.5]);
    pointIn(poses, 1, point).forEach((each, i) => near(each, [0.3, -0.2, 0.5][i]));
});

test("modal coordinates follow the poses", () => {
    const motion = new Motion([0, 2], [[1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]], tracks([9, 9], [4, 8], [0, -1]), [1, 2]);
    const poses = motion.posesAt(0.5);
    assert.deepEqual([...poses.subarray(12)], [5, -0.25]);
});

test("the player loops, or ends", () => {
    const player = new Player([1, 2, 3]);
    player.tick(1);
    assert.equal(player.time, 1);
    player.toggle();
    player.tick(1.5);
    assert.equal(player.time, 2.5);
    player.tick(1);
    assert.equal(player.time, 1.5);
    player.loops = false;
    player.tick(5);
    assert.equal(player.time, 3);
    assert.equal(player.isPlaying, false);
    player.toggle();
    assert.equal(player.time, 1);
});

test("the player goes to times, frames and speeds", () => {
    const player = new Player([0, 1, 1, 2]);
    player.seek(0.4);
    player.stepBy(1);
    assert.equal(player.time, 1);
    player.stepBy(1);
    assert.equal(player.time, 2);
    player.stepBy(1);
    assert.equal(player.time, 2);
    player.stepBy(-1);
    assert.equal(player.time, 1);
    player.seek(-Infinity);
    assert.equal(player.time, 0);
    for (let i = 0; i < 20; i++) {
        player.changeSpeed(1);
    }
    assert.equal(player.speed, SPEEDS.at(-1));
    assert.equal(new Player([0, 0.06]).speed, 0.02); // a short run is shown slower
    assert.equal(new Player([0, 1e-5]).speed, SPEEDS[0]);
    const still = new Player([0]);
    still.toggle();
    assert.equal(still.isPlaying, false);
});
