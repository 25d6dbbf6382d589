import assert from "node:assert/strict";
import test from "node:test";

import { arcOf } from "../../../engine/mobod/viewer/page/turns.js";

test("an arc is as long as its torque is large, at most five sixths of a turn", () => {
    assert.ok(Math.abs(arcOf([0, 0, 1]).angle - (5 / 3) * Math.PI) < 1e-12);
    assert.ok(Math.abs(arcOf([0, -0.5, 0]).angle - (5 / 6) * Math.PI) < 1e-12);
    assert.equal(arcOf([3, 0, 0]).angle, arcOf([1, 0, 0]).angle);
});

test("a small torque, or one that is no number, has no arc", () => {
    assert.equal(arcOf([0, 0.005, 0]), null);
    assert.equal(arcOf([0, NaN, 0]), null);
    assert.ok(arcOf([0, 0.02, 0]).pieces >= 1);
});
