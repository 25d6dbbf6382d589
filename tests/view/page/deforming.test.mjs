import assert from "node:assert/strict";
import test from "node:test";

/** The parts of three.js that DeformingMesh uses. */
globalThis.THREE = {
    BufferAttribute: class {
        constructor(array) {
            this.array = array;
        }
    },
    BufferGeometry: class {
        attributes = {};
        setAttribute(name, attribute) {
            this.attributes[name] = attribute;
        }
        setIndex(index) {
            this.index = index;
        }
    },
    Mesh: class {
        constructor(geometry, material) {
            Object.assign(this, { geometry, material, userData: {} });
        }
    },
    Color: class {
        constructor(r = 0, g = 0, b = 0) {
            this.setRGB(r, g, b);
        }
        setRGB(r, g, b) {
            return Object.assign(this, { r, g, b });
        }
        convertSRGBToLinear() {
            return this;
        }
        toArray(array, at) {
            array.set([this.r, this.g, this.b], at);
        }
    },
};
const { COLORS_OF_DEFLECTION, DeformingMesh } = await import("../../../engine/mobod/viewer/page/deforming.js");

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-6, `${a} is not ${b}`);
const mesh = () =>
    new DeformingMesh({
        vertices: Float32Array.from([0, 0, 0, 1, 2, 3]),
        faces: Uint32Array.from([0, 1, 0]),
        shapes: Float32Array.from([0, 0, 0, 0, 0.5, 0, 0, 0, 0, 0.25, 0, 0]),
        color: [0.1, 0.2, 0.3],
    });

test("vertices move by the sum of the shapes, from where they are without deformation", () => {
    const made = mesh();
    assert.equal(made.n, 2);
    near(made.deform([2, -4]), Math.hypot(1, 1));
    [0, 0, 0, 0, 3, 3].forEach((each, i) => near(made.object.geometry.attributes.position.array[i], each));
    near(made.deform([0, 0]), 0);
    [0, 0, 0, 1, 2, 3].forEach((each, i) => near(made.object.geometry.attributes.position.array[i], each));
});

test("colours go from the first to the last by the deflection, or are plain", () => {
    const made = mesh();
    const colors = made.object.geometry.attributes.color.array;
    [0.1, 0.2, 0.3].forEach((each, i) => near(colors[i], each));
    made.deform([2, 0]);
    made.paint(1);
    COLORS_OF_DEFLECTION[0].forEach((each, i) => near(colors[i], each));
    COLORS_OF_DEFLECTION.at(-1).forEach((each, i) => near(colors[3 + i], each));
    made.paint(2);
    COLORS_OF_DEFLECTION[2].forEach((each, i) => near(colors[3 + i], each));
    made.paint(0);
    [0.1, 0.2, 0.3].forEach((each, i) => near(colors[3 + i], each));
});
