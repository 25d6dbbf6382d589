// tests/view/test_live_page.py writes the models and the values of runs in Python, and runs these tests
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { inflatedBase64 } from "../../../engine/mobod/viewer/page/data.js";
import { loadLiveData, loadLiveModel } from "../../../engine/mobod/viewer/page/live_model.js";

const folder = process.env.MOBOD_LIVE_CASES;
const skip = folder ? false : "MOBOD_LIVE_CASES is not set: run tests/view/test_live_page.py";
const names = folder ? readdirSync(folder).map((file) => file.replace(".json", "")) : [];
const read = (name) => JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8"));

for (const name of names) {
    test(`${name} has the bits of a run in Python`, async () => {
        const { data, duration, states, rows, events, endedBy } = read(name);
        const model = await loadLiveData(data);
        for (const [i, row] of rows.entries()) {
            const done = model.advance(duration);
            assert.equal(done.ok, !(endedBy && i === rows.length - 1), done.message);
            const found = [model.time, ...states.map((each) => model.value(each))];
            found.forEach((value, k) => assert.ok(Object.is(value, row[k]), `${k}: ${value} is not ${row[k]} after step ${i + 1}`));
        }
        assert.equal(model.events, events);
        assert.equal(model.endedBy, endedBy);
    });
}

test("poses have Ground first, and rotations", { skip }, async () => {
    const model = await loadLiveData(read("arm").data);
    model.advance(0.1);
    const poses = model.poses();
    assert.equal(poses.length, 12 * model.header.bodies.length);
    assert.deepEqual([...poses.subarray(0, 12)], [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
    for (let i = 0; i < poses.length; i += 12) {
        const row = poses.subarray(i, i + 3);
        assert.ok(Math.abs(Math.hypot(...row) - 1) < 1e-12);
    }
});

test("parameters and inputs have names, units, bounds and ranges, and can be set", { skip }, async () => {
    const { data, withGravity, duration } = read("double_pendulum");
    const model = await loadLiveData(data);
    const gravity = model.parameters.find((each) => each.name === "gravity.magnitude");
    const { value, unit, min, max, low, high } = gravity;
    assert.deepEqual([value, unit, min, max, low, high], [9.81, "m/s2", 0, Infinity, 0, 20]);
    model.set("gravity.magnitude", 3);
    assert.equal(gravity.value, 3);
    model.advance(duration);
    assert.ok(Object.is(model.value("upper.q"), withGravity));
    const arm = await loadLiveData(read("arm").data);
    const motor = arm.inputs.find((each) => each.name === "waist_motor.force");
    assert.deepEqual([motor.value, motor.unit, motor.low, motor.high], [0, "N.m", -500, 500]);
    assert.deepEqual([arm.names[0], arm.value("time")], ["time", 0]);
});

test("what cannot be set is refused with a sentence", { skip }, async () => {
    const model = await loadLiveData(read("double_pendulum").data);
    assert.throws(() => model.set("gravity.magnitude", -1), /from 0 to Infinity, not -1/);
    assert.throws(() => model.set("gravity.magnitude", NaN), /must be a number/);
    assert.throws(() => model.set("gravity.enabled", 0.5), /must be a whole number from 0 to 1/);
    assert.throws(() => model.set("energy", 1), /computes it/);
    assert.throws(() => model.value("nothing"), /has no variable 'nothing'/);
    assert.throws(() => model.advance(0), /positive/);
    model.set("gravity.enabled", false);
    assert.equal(model.value("gravity.enabled"), 0);
});

test("a reset takes parameters back to their start values, or keeps them", { skip }, async () => {
    const { data, duration, withGravity } = read("double_pendulum");
    const model = await loadLiveData(data);
    model.set("gravity.magnitude", 3);
    model.advance(0.7);
    model.reset(true);
    assert.deepEqual([model.time, model.value("gravity.magnitude")], [0, 3]);
    model.advance(duration);
    assert.ok(Object.is(model.value("upper.q"), withGravity));
    model.reset();
    assert.deepEqual([model.time, model.value("gravity.magnitude")], [0, 9.81]);
});

test("a step that takes long goes on in the next calls", { skip }, async () => {
    const { data, states } = read("arm");
    const whole = await loadLiveData(data);
    whole.advance(3);
    const model = await loadLiveData(data);
    let calls = 0;
    let done;
    do {
        done = model.advance(3, 0);
        assert.ok(done.ok);
        calls++;
    } while (done.isUnderWay);
    assert.ok(calls > 3);
    assert.equal(model.time, 3);
    assert.equal(model.steps, whole.steps);
    states.forEach((each) => assert.ok(Object.is(model.value(each), whole.value(each)), each));
});

test("a pulled body follows, and a released one moves as if it had not been pulled", { skip }, async () => {
    const { data, duration, states, rows } = read("double_pendulum");
    const model = await loadLiveData(data);
    const target = [0.7, -1.2, 0];
    model.set("gravity.magnitude", 0);
    for (let i = 0; i < 200; i++) {
        assert.ok(model.pull("lower", [0, -1, 0], target));
        assert.ok(model.advance(1 / 30).ok);
    }
    const [R, p] = [model.poses().subarray(24, 33), model.poses().subarray(33, 36)];
    const end = [0, 1, 2].map((k) => p[k] - R[3 * k + 1]);
    end.forEach((value, k) => assert.ok(Math.abs(value - target[k]) < 1e-3, `${end}`));
    model.reset();
    model.advance(duration);
    [model.time, ...states.map((each) => model.value(each))].forEach((value, k) => assert.ok(Object.is(value, rows[0][k])));
    assert.equal(model.pull("ground", [0, 0, 0], target), false);
    assert.equal(model.pull("nobody", [0, 0, 0], target), false);
});

test("hard pulls of every body of the arm keep the run alive and its limits", { skip }, async () => {
    const model = await loadLiveData(read("arm").data);
    const upper = model.value("elbow.limit.upper");
    for (let body = 2; body < model.header.bodies.length; body++) {
        for (let i = 0; i < 15; i++) {
            assert.ok(model.pull(body, [0, 0.05, 0.1], [2 * Math.sin(i), 2 * Math.cos(i), 1.5]));
            const done = model.advance(1 / 60);
            assert.ok(done.ok, done.message);
            assert.ok(model.value("elbow.q") <= upper + 1e-5);
        }
    }
    model.release();
    assert.ok(model.advance(0.5).ok);
});

test("a saved state goes on with the same bits", { skip }, async () => {
    const { data, duration, states, rows } = read("slotted_hinge");
    const model = await loadLiveData(data);
    model.advance(duration);
    const saved = model.save();
    for (let turn = 0; turn < 2; turn++) {
        for (const row of rows.slice(1, 8)) {
            model.advance(duration);
            states.forEach((each, k) => assert.ok(Object.is(model.value(each), row[k + 1])));
        }
        model.restore(saved);
    }
});

test("a failed step leaves the state as it was, and says why", { skip }, async () => {
    const model = await loadLiveData(read("few_steps").data);
    const before = model.value("upper.q");
    const done = model.advance(5);
    assert.equal(done.ok, false);
    assert.match(done.message, /^At time [\d.]+ s 30 steps were tried, and max_steps allows no more\./);
    assert.deepEqual([model.time, model.value("upper.q")], [0, before]);
});

test("data that are cut off or changed are refused with a sentence", { skip }, async () => {
    const { data } = read("double_pendulum");
    await assert.rejects(loadLiveData({ ...data, model: data.model.slice(0, 1000) }), /cut off or were changed/);
    const bytes = await inflatedBase64(data.model);
    bytes[100] ^= 1;
    await assert.rejects(loadLiveModel(await inflatedBase64(data.wasm), data, bytes), /^Error: The tables of the model cannot be used/);
});

test("10 s of the double pendulum and of the arm; the time is printed, docs/concepts/view.md has those of a quiet machine", { skip }, async (context) => {
    for (const name of ["double_pendulum", "arm"]) {
        const model = await loadLiveData(read(name).data);
        const start = performance.now();
        for (let i = 0; i < 600; i++) {
            assert.ok(model.advance(1 / 60).ok);
            model.poses();
        }
        const seconds = (performance.now() - start) / 1000;
        context.diagnostic(`${name}: ${seconds.toFixed(3)} s`);
    }
});
