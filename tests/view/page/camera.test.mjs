import assert from "node:assert/strict";
import test from "node:test";

import { OrbitCamera } from "../../../engine/mobod/viewer/page/camera.js";
import { crossOf, dot, lengthOf, minus } from "../../../engine/mobod/viewer/page/vectors.js";

const near = (a, b, tolerance = 1e-12) => assert.ok(Math.abs(a - b) <= tolerance, `${a} is not ${b}`);

/** Where a point is in the picture: from -1 to 1 across and along. */
function inPicture(camera, point) {
    const { right, upward, towards } = camera.axes();
    const from = minus(point, camera.position());
    const depth = -dot(from, towards);
    const tangent = Math.tan(camera.angle / 2);
    return [dot(from, right) / depth / (tangent * camera.aspect), dot(from, upward) / depth / tangent];
}

test("the camera begins where it is told, with right-handed axes", () => {
    const camera = new OrbitCamera([0, 0, 1], [1, -2, 0.5]);
    const { right, upward, towards } = camera.axes();
    const wanted = [1, -2, 0.5].map((each) => each / lengthOf([1, -2, 0.5]));
    wanted.forEach((each, i) => near(towards[i], each));
    crossOf(right, upward).forEach((each, i) => near(each, towards[i]));
    near(dot(right, [0, 0, 1]), 0);
    assert.ok(dot(upward, [0, 0, 1]) > 0);
});

test("a direction straight from above is no special case", () => {
    const { right, upward, towards } = new OrbitCamera([0, 1, 0], [0, 1, 0]).axes();
    for (const each of [right, upward, towards]) {
        near(lengthOf(each), 1);
    }
});

test("all spheres are in the picture, and it is no larger than they need", () => {
    const spheres = [[3, 1, -2, 0.5], [-4, 0, 1, 0.1], [0, 5, 0, 1], [1, -1, 6, 0.2]];
    for (const aspect of [0.4, 1, 2.5]) {
        const camera = new OrbitCamera([0, 1, 0], [0.5, 0.4, 1]);
        camera.aspect = aspect;
        camera.frame(spheres);
        let most = 0;
        for (const [x, y, z, radius] of spheres) {
            for (let i = 0; i < 200; i++) {
                const [a, b] = [Math.acos(1 - (2 * (i + 0.5)) / 200), i * 2.4];
                const point = [x + radius * Math.sin(a) * Math.cos(b), y + radius * Math.sin(a) * Math.sin(b), z + radius * Math.cos(a)];
                most = Math.max(most, ...inPicture(camera, point).map(Math.abs));
            }
        }
        assert.ok(most <= 1 && most > 0.7, `${most} at ${aspect}`);
    }
});

test("turning to the right and back gives the same picture; the camera does not pass over the top", () => {
    const camera = new OrbitCamera([0, 1, 0], [0, 0.3, 1]);
    const before = camera.axes().towards;
    camera.turnBy(0.7, 0.2);
    assert.ok(lengthOf(minus(camera.axes().towards, before)) > 0.1);
    camera.turnBy(-0.7, -0.2);
    camera.axes().towards.forEach((each, i) => near(each, before[i]));
    camera.turnBy(0, 10);
    assert.ok(dot(camera.axes().upward, [0, 1, 0]) > 0);
});

test("what is under the pointer moves with it", () => {
    const camera = new OrbitCamera([0, 1, 0], [0.2, 0.3, 1]);
    camera.aspect = 1.5;
    camera.distance = 4;
    const point = [...camera.target];
    camera.panBy(0.1, 0.2);
    const [x, y] = inPicture(camera, point);
    near(x, (2 * 0.1) / 1.5);
    near(y, -2 * 0.2);
});

test("the camera stays above the floor, however it is turned, moved and zoomed", () => {
    const camera = new OrbitCamera([0, 0, 1], [1, 0.4, 0.3]);
    camera.frame([[2, 1, 3, 0.5]]);
    const height = () => camera.position()[2];
    camera.turnBy(0.3, -10);
    assert.ok(height() < 2.2);
    const target = camera.target.slice();
    camera.stayAbove(2.2);
    near(height(), 2.2, 1e-9);
    camera.target.forEach((each, i) => near(each, target[i])); // it sees the same point
    camera.turnBy(0, 0.9);
    const before = camera.position();
    camera.stayAbove(2.2);
    camera.position().forEach((each, i) => near(each, before[i])); // where it is above, nothing changes
    camera.panBy(0, -20); // far below the floor
    camera.stayAbove(2.2);
    assert.ok(height() >= 2.2 - 1e-9);
});

test("what leaves the picture is kept in it, and nothing else moves the camera", () => {
    for (const towards of [[1, 0.4, 0.3], [0, -1, 0.1]]) {
        const camera = new OrbitCamera([0, 0, 1], towards);
        camera.aspect = 1.6;
        const spheres = (x) => [[x, 0.3, 0.5, 0.2], [x + 0.4, 0, 0.7, 0.1]];
        camera.frame([...spheres(0), [1.5, 0, 0, 0.5], [-1.5, 0, 0, 0.5]]);
        const [target, distance] = [camera.target.slice(), camera.distance];
        camera.keep(spheres(0.3), 100);
        assert.deepEqual([camera.target, camera.distance], [target, distance]);
        for (let x = 0; x < 50; x += 0.4) {
            camera.keep(spheres(x), 100);
            spheres(x).forEach((each) => assert.ok(inPicture(camera, each).every((at) => Math.abs(at) <= 1), `${x}`));
        }
        near(camera.distance, distance, 1e-9); // it goes along, without zooming
        assert.ok(camera.keep(spheres(-400), 100)); // a jump, as to another time
        spheres(-400).forEach((each) => assert.ok(inPicture(camera, each).every((at) => Math.abs(at) <= 1)));
    }
});

test("bodies that part are all seen, from as far as is allowed", () => {
    const camera = new OrbitCamera([0, 1, 0], [0, 0.2, 1]);
    camera.frame([[0, 0, 0, 1]]);
    const parted = (x) => [[-x, 0, 0, 0.1], [x, 0, 0, 0.1]];
    camera.keep(parted(9), 1000);
    parted(9).forEach((each) => assert.ok(camera.sees(each)));
    camera.keep(parted(1e6), 200);
    near(camera.distance, 200);
    for (let i = 0; i < 200; i++) {
        camera.center([[3, -7, 2, 0.5]], 0.1);
    }
    inPicture(camera, [3, -7, 2]).forEach((each) => near(each, 0, 1e-6));
    near(camera.distance, 200);
});
