import assert from "node:assert/strict";
import test from "node:test";

import { arrowOf, coneOf, seenContact } from "../../../engine/mobod/viewer/page/contacts.js";
import { LiveRun } from "../../../engine/mobod/viewer/page/live_run.js";
import { RecordedRun } from "../../../engine/mobod/viewer/page/recorded_run.js";
import { spheresOf } from "../../../engine/mobod/viewer/page/stage.js";
import { StreamedRun } from "../../../engine/mobod/viewer/page/streamed_run.js";

const numbers = (mode, force) => Float64Array.from([mode, 0.5, 1, 2, 0, 0, 0, 1, ...force]);

test("a feature is seen while it sticks or slips with a force", () => {
    assert.deepEqual(seenContact(numbers(1, [3, 0, 4]), 10), {
        mode: "stick",
        friction: 0.5,
        point: [1, 2, 0],
        normal: [0, 0, 1],
        vector: [3, 0, 4],
    });
    assert.equal(seenContact(numbers(2, [3, 0, 4]), 10).mode, "slip");
    assert.equal(seenContact(numbers(0, [3, 0, 4]), 10), null);
    assert.equal(seenContact(numbers(1, [0, 0, 0]), 10), null);
    assert.equal(seenContact(numbers(1, [0, 0, 0.009]), 10), null);
    assert.equal(seenContact(numbers(1, [0, NaN, 0]), 10), null);
});

test("the arrow of the usual force is 0.3 of the mechanism, and none is longer than 0.45", () => {
    const close = (found, wanted) => found.forEach((each, i) => assert.ok(Math.abs(each - wanted[i]) < 1e-14));
    close(arrowOf([0, 0, 10], 10, 2), [0, 0, 0.6]);
    close(arrowOf([3, 0, 4], 10, 2), [0.18, 0, 0.24]);
    close(arrowOf([0, -1000, 0], 10, 2), [0, -0.9, 0]);
});

test("half the angle of a cone has the coefficient of friction as its tangent", () => {
    for (const friction of [0, 0.3, 1, 20]) {
        const { radius, height } = coneOf(friction);
        assert.ok(Math.abs(radius - friction * height) < 1e-14 && Math.abs(Math.hypot(radius, height) - 1) < 1e-14);
    }
});

test("a recorded run has the mode of the last frame, and the other numbers between frames", () => {
    const tracks = [[0, 1, 2, 0], ...Array.from({ length: 10 }, (_, i) => [0, i, i + 1, 0])];
    const contacts = { force: 10, features: [{ name: "floor", tracks: [...tracks.keys()] }] };
    const header = { times: [0, 1, 2, 3], poses: [], series: [], arrows: [], events: [], contacts };
    const run = new RecordedRun(header, tracks);
    assert.equal(run.contactAt(0), null);
    run.seek(1.25);
    assert.deepEqual(run.contactAt(0), [1, ...Array.from({ length: 10 }, (_, i) => i + 0.25)]);
    run.seek(2);
    assert.equal(run.contactAt(0)[0], 2);
    run.seek(3);
    assert.equal(run.contactAt(0), null);
});

test("contacts of a program come between poses and variables, those of a model from its numbers", () => {
    const contacts = { force: 10, features: [{ name: "a" }, { name: "b" }] };
    const header = { time: 0, start: [[1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]], variables: [{ name: "q", unit: "m" }], shown: ["q"], contacts };
    const run = new StreamedRun(header, () => {});
    assert.equal(run.contactAt(0), null);
    run.take(Float64Array.from([1, ...header.start[0], ...numbers(1, [0, 0, 5]), ...numbers(2, [0, 0, 6]), 7]));
    assert.deepEqual([run.contactAt(0)[10], run.contactAt(1)[0], run.contactAt(1)[10]], [5, 2, 6]);
    assert.deepEqual(run.series[0].values, [7]);
    const model = { header: { variables: [], contacts }, time: 0, contact: (number) => numbers(number + 1, [0, 0, 3]) };
    const live = new LiveRun(model, []);
    assert.equal(live.contacts, contacts);
    assert.equal(live.contactAt(1)[0], 2);
});

test("the camera does not look at the floor that is drawn for a half-space", () => {
    const shapes = [{ type: "Box", half_lengths: [9, 9, 0.1], role: "floor" }, { type: "Sphere", radius: 2 }];
    const still = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];
    const { ofGround, ofBodies } = spheresOf({ bodies: [{ shapes }, { shapes }], up: [0, 0, 1] }, [...still, ...still]);
    assert.deepEqual(ofGround.map((each) => each[3]), [2]);
    assert.equal(ofBodies.length, 2);
});
