import assert from "node:assert/strict";
import test from "node:test";

import { History } from "../../../engine/mobod/viewer/page/history.js";
import { LiveRun } from "../../../engine/mobod/viewer/page/live_run.js";
import { StreamedRun } from "../../../engine/mobod/viewer/page/streamed_run.js";

/** A LiveModel whose only variable is its time; `cost` ms for a step. */
class Clock {
    constructor(cost = 0) {
        this.cost = cost;
        this.header = { variables: [{ name: "q", unit: "rad", role: "state" }, { name: "k", unit: "N", role: "parameter" }] };
        this.parameters = this.inputs = [];
        this.time = this.events = 0;
        this.warning = this.fails = "";
        this.durations = [];
        this.calls = [];
    }
    value() {
        return 2 * this.time;
    }
    poses() {
        return new Float64Array(12).fill(this.time);
    }
    advance(duration) {
        for (const end = performance.now() + this.cost; performance.now() < end; );
        this.durations.push(duration);
        this.time += duration;
        return { ok: this.fails === "", isUnderWay: false, message: this.fails };
    }
    reset(keepsValues) {
        this.calls.push(["reset", keepsValues]);
        this.time = 0;
    }
    save = () => this.time;
    restore(time) {
        this.time = time;
    }
    set(name) {
        throw new Error(`'${name}' cannot be set.`);
    }
    pull(body) {
        this.calls.push(["pull", body]);
        return body > 0;
    }
    release() {
        this.calls.push(["release"]);
    }
}

test("a live run takes equal steps, as many as belong to the time", () => {
    const model = new Clock();
    const run = new LiveRun(model, ["q"]);
    assert.deepEqual(run.series.map((each) => [each.name, each.isShown]), [["q", true]]);
    run.advance(0.025);
    run.advance(0.026);
    assert.deepEqual(model.durations, [1 / 60, 1 / 60, 1 / 60]);
    run.changeSpeed(-1);
    run.advance(1 / 60);
    assert.equal(model.durations.at(-1), 0.5 / 60);
    run.changeSpeed(1);
    run.changeSpeed(1);
    assert.equal(run.speed, 1); // as fast as the clock at most
    assert.deepEqual(run.series[0].values.at(-1), 2 * run.time);
});

test("a model slower than the clock does not fall behind more and more", () => {
    const model = new Clock(10);
    const run = new LiveRun(model, []);
    for (let i = 0; i < 5; i++) {
        run.advance(0.1);
    }
    assert.ok(model.durations.length <= 10);
    assert.ok(run.due <= 1 / 60);
});

test("a failure stops a live run and is said", () => {
    const model = new Clock();
    const run = new LiveRun(model, []);
    model.fails = "The bodies are apart.";
    assert.equal(run.advance(0.05), "The bodies are apart.");
    assert.equal(run.isPlaying, false);
    assert.equal(run.set("k", 3), "'k' cannot be set.");
});

test("reset, pulls, and the look ahead", () => {
    const model = new Clock();
    const run = new LiveRun(model, []);
    run.advance(0.1);
    const time = run.time;
    const poses = [...run.posesOverTime()].length;
    assert.ok(poses > 10);
    assert.equal(run.time, time);
    run.pull({ body: 0, point: [0, 0, 0], target: [1, 0, 0] });
    assert.equal(run.pulled, null);
    run.pull({ body: 2, point: [0, 0, 0], target: [1, 0, 0] });
    assert.equal(run.pulled.body, 2);
    run.pull(null);
    run.seek(-Infinity);
    assert.deepEqual(model.calls, [["pull", 0], ["pull", 2], ["release"], ["reset", true]]);
    assert.deepEqual([run.time, run.times.length, run.span[0]], [0, 1, 0]);
});

test("a history forgets the oldest values", () => {
    const history = new History([{ name: "q", unit: "m" }], []);
    assert.deepEqual(history.span, [0, 1e-3]);
    for (let i = 0; i < 3000; i++) {
        history.add(i / 10, () => i);
        history.add(i / 10, () => -1); // the same time again
    }
    assert.ok(history.times.length <= 1200 && history.times.length > 1000);
    assert.deepEqual(history.span, [history.times[0], 299.9]);
    assert.equal(history.series[0].values.at(-1), 2999);
});

test("a streamed run shows what comes, or holds it", () => {
    let changes = 0;
    const header = { time: 0, start: [[1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]], variables: [{ name: "q", unit: "m" }], shown: ["q"], contacts: { features: [] } };
    const run = new StreamedRun(header, () => changes++);
    const message = (time, q) => Float64Array.from([time, 1, 0, 0, 0, 1, 0, 0, 0, 1, 5, 6, time, q]);
    run.take(message(1, 3));
    run.take(message(2, 4));
    assert.deepEqual([run.time, run.poses()[11], run.series[0].values, changes], [2, 2, [3, 4], 2]);
    run.toggle();
    run.take(message(3, 5));
    assert.equal(run.time, 2);
    run.toggle();
    run.take(message(0.5, 6)); // the program began again
    assert.deepEqual([run.times, run.series[0].values], [[0.5], [6]]);
});

test("a live run gives the modal coordinates after the poses", () => {
    const model = new Clock();
    model.value = (name) => ({ "a.eta[1]": 7, "a.eta[2]": 8, q: 0 })[name];
    const run = new LiveRun(model, [], ["a.eta[2]", "a.eta[1]"]);
    assert.deepEqual([...run.poses().subarray(12)], [8, 7]);
});

test("a streamed run gives the modal coordinates after the poses, and contacts after them", () => {
    const header = { time: 0, variables: [], shown: [], start: [new Array(12).fill(1), [5, 6]], contacts: { features: [] } };
    const run = new StreamedRun(header, () => {});
    assert.deepEqual([...run.poses().subarray(12)], [5, 6]);
    run.take(Float64Array.from([1, ...new Array(12).fill(2), 7, 8]));
    assert.deepEqual([...run.poses().subarray(12)], [7, 8]);
});
