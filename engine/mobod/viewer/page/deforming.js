/* global THREE */
/** Bodies that deform: meshes whose vertices move by modal coordinates, coloured by their deflection. */

/** Colours at no deflection, at equal distances up to the largest: dark to bright, also for those who do not tell red from green. */
export const COLORS_OF_DEFLECTION = [
    [0.27, 0.0, 0.33],
    [0.23, 0.32, 0.55],
    [0.13, 0.57, 0.55],
    [0.37, 0.79, 0.38],
    [0.99, 0.91, 0.14],
];

/** The colour, linear, at a part of the largest deflection. */
function colorAt(part, into) {
    const place = part * (COLORS_OF_DEFLECTION.length - 1);
    const first = Math.min(COLORS_OF_DEFLECTION.length - 2, Math.floor(place));
    const [low, high] = [COLORS_OF_DEFLECTION[first], COLORS_OF_DEFLECTION[first + 1]];
    return into.setRGB(...low.map((each, k) => each + (place - first) * (high[k] - each))).convertSRGBToLinear();
}

/** A ModalMesh of the scene as an object of three.js. */
export class DeformingMesh {
    /** shape: with vertices and shapes as a Float32Array, faces as a Uint32Array; material: of meshes with colours at their vertices */
    constructor(shape, material) {
        this.shape = shape;
        this.n = shape.shapes.length / shape.vertices.length;
        this.moved = new Float32Array(shape.vertices.length);
        const geometry = new THREE.BufferGeometry();
        geometry.setAttribute("position", new THREE.BufferAttribute(shape.vertices.slice(), 3));
        geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(shape.vertices.length), 3));
        geometry.setIndex(new THREE.BufferAttribute(shape.faces, 1));
        this.object = new THREE.Mesh(geometry, material);
        this.object.frustumCulled = false; // its sphere changes
        this.object.userData.deforming = this;
        this.plain = new THREE.Color(...shape.color).convertSRGBToLinear();
        this.paint(0);
    }

    /** Move the vertices; returns the largest deflection, m. eta: n modal coordinates, none of them NaN */
    deform(eta) {
        const { vertices, shapes } = this.shape;
        const moved = this.moved.fill(0);
        eta.forEach((coordinate, k) => {
            for (let i = 0, at = k * moved.length; i < moved.length; i++, at++) {
                moved[i] += coordinate * shapes[at];
            }
        });
        const { position } = this.object.geometry.attributes;
        let most = 0;
        for (let i = 0; i < moved.length; i += 3) {
            most = Math.max(most, Math.hypot(moved[i], moved[i + 1], moved[i + 2]));
        }
        for (let i = 0; i < moved.length; i++) {
            position.array[i] = vertices[i] + moved[i];
        }
        position.needsUpdate = true;
        this.object.geometry.boundingSphere = null;
        return most;
    }

    /** Colour the vertices by their deflection. most: the deflection with the strongest colour, m; 0: all have the plain colour */
    paint(most) {
        const { color } = this.object.geometry.attributes;
        const { moved, plain } = this;
        const found = new THREE.Color();
        for (let i = 0; i < moved.length; i += 3) {
            const seen = most > 0 ? colorAt(Math.min(1, Math.hypot(moved[i], moved[i + 1], moved[i + 2]) / most), found) : plain;
            seen.toArray(color.array, i);
        }
        color.needsUpdate = true;
    }
}
