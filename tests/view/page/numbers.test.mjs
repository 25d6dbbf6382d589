import assert from "node:assert/strict";
import test from "node:test";

import { rangeOf, shown, ticks, withoutRoundOff } from "../../../engine/mobod/viewer/page/numbers.js";
import { elementsOf } from "../../../engine/mobod/viewer/page/parts.js";
import { groupsOf } from "../../../engine/mobod/viewer/page/plots.js";

test("numbers as text", () => {
    const pairs = [[0, "0"], [1, "1"], [-0.5, "-0.5"], [3.14159, "3.142"], [12345.6, "1.235e+4"], [1e-5, "1e-5"], [NaN, "\u2013"], [Infinity, "\u2013"]];
    for (const [value, text] of pairs) {
        assert.equal(shown(value), text);
    }
});

test("ticks are round, within the range, and about as many as wanted", () => {
    assert.deepEqual(ticks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
    assert.deepEqual(ticks(-0.32, 0.31, 4), [-0.2, 0, 0.2]);
    assert.deepEqual(ticks(1.5, 1.5, 4), [1.5]);
    assert.deepEqual(ticks(NaN, 1, 4), []);
    for (const [low, high] of [[1e-9, 3e-9], [-5e6, 1e7], [0.1, 0.4]]) {
        const found = ticks(low, high, 5);
        assert.ok(found.length >= 2 && found.length <= 11);
        assert.ok(found.every((each) => each >= low - 1e-9 * (high - low) && each <= high + 1e-9 * (high - low)));
    }
});

test("ranges leave out what is not finite", () => {
    const [low, high] = rangeOf([[1, NaN, 3], [2, Infinity]]);
    assert.ok(low < 1 && low > 0.8 && high > 3 && high < 3.2);
    assert.deepEqual(rangeOf([[NaN]]), [0, 1]);
    const [below, above] = rangeOf([[5, 5]]);
    assert.ok(below < 5 && above > 5);
});

test("charts have variables of one unit", () => {
    const series = [{ name: "q", unit: "rad" }, { name: "u", unit: "rad/s" }, { name: "p", unit: "rad" }];
    const groups = groupsOf(series);
    assert.deepEqual(groups.map((each) => [each.unit, each.members.map((member) => member.name)]), [["rad", ["q", "p"]], ["rad/s", ["u"]]]);
});

test("parameters are listed by element, gravity first", () => {
    const names = ["spring.stiffness", "elbow.limit.lower", "gravity.magnitude", "elbow.limit.upper", "t0"];
    const found = elementsOf(names.map((name) => ({ name }))).map(([element, members]) => [element, members.length]);
    assert.deepEqual(found, [["gravity", 1], ["spring", 1], ["elbow.limit", 2], ["t0", 1]]);
});

test("round-off is drawn as 0, beside what is usual for the unit", () => {
    assert.deepEqual(rangeOf([[3e-15, -2e-16], [1e-14, NaN]], 20), [-2, 2]);
    assert.equal(withoutRoundOff(-3e-15, 20), 0);
    assert.equal(withoutRoundOff(-3e-9, 20), -3e-9);
    assert.equal(withoutRoundOff(6e-15, 0, [-0.06, 1.06]), 0); // an entry of a quaternion, whose unit has no usual value
    assert.equal(withoutRoundOff(6e-15, 0, [5e-15, 7e-15]), 6e-15); // there is nothing larger in the chart
    assert.equal(withoutRoundOff(6e-15, 0, [-Infinity, 1]), 6e-15);
    const [low, high] = rangeOf([[1e-6, -2e-6]], 20); // small, but no round-off
    assert.ok(low > -2.5e-6 && low < -2e-6 && high < 1.5e-6);
    assert.ok(rangeOf([[3e-15, -2e-16]])[1] < 1e-14); // nothing is known of the unit
});
