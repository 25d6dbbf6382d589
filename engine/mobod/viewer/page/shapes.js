/* global THREE */
/** Shapes of scene.json as objects of three.js, and spheres that contain them. */

import { DeformingMesh } from "./deforming.js";

const TWO_SIDED = ["Arc", "Mesh"];
const AXES = [0xcc4545, 0x4d9e4d, 0x456bcc];

/** The material of a colour, and of an opacity below 1. */
export function materialOf(color, opacity = 1) {
    const parameters = { color: new THREE.Color(...color).convertSRGBToLinear(), roughness: 0.62, metalness: 0.08 };
    return new THREE.MeshStandardMaterial(opacity < 1 ? { ...parameters, transparent: true, opacity, depthWrite: false } : parameters);
}

function lineOf(points, color) {
    const geometry = new THREE.BufferGeometry().setFromPoints(points.map((each) => new THREE.Vector3(...each)));
    return new THREE.Line(geometry, new THREE.LineBasicMaterial({ color }));
}

function meshGeometry({ vertices, faces }) {
    const geometry = new THREE.BufferGeometry();
    geometry.setAttribute("position", new THREE.BufferAttribute(vertices, 3));
    geometry.setIndex(new THREE.BufferAttribute(faces, 1));
    const flat = geometry.toNonIndexed();
    flat.computeVertexNormals(); // each triangle has its own corners: edges are sharp
    return flat;
}

function textOf({ text, height, color }) {
    const canvas = document.createElement("canvas");
    const context = canvas.getContext("2d");
    const font = "48px system-ui, sans-serif";
    context.font = font;
    canvas.width = Math.max(1, Math.ceil(context.measureText(text).width));
    canvas.height = 64;
    context.font = font;
    context.fillStyle = `rgb(${color.map((each) => Math.round(255 * each)).join(",")})`;
    context.textBaseline = "middle";
    context.fillText(text, 0, 32);
    const sprite = new THREE.Sprite(new THREE.SpriteMaterial({ map: new THREE.CanvasTexture(canvas) }));
    sprite.center.set(0, 0.5);
    sprite.scale.set((height * canvas.width) / 64, height, 1);
    return sprite;
}

function axesOf(length) {
    const group = new THREE.Group();
    AXES.forEach((color, i) => group.add(lineOf([[0, 0, 0], [0, 1, 2].map((k) => (k === i ? length : 0))], color)));
    return group;
}

function arcGeometry({ radius, width, start, end }) {
    const segments = Math.max(2, Math.ceil(Math.abs(end - start) * 16));
    return new THREE.RingGeometry(Math.max(0, radius - width), radius, segments, 1, start, end - start);
}

const GEOMETRIES = {
    Sphere: ({ radius }) => new THREE.SphereGeometry(radius, 32, 20),
    Box: ({ half_lengths }) => new THREE.BoxGeometry(...half_lengths.map((each) => 2 * each)),
    Cylinder: ({ radius, half_length }) => new THREE.CylinderGeometry(radius, radius, 2 * half_length, 32),
    Ellipsoid: ({ radii }) => new THREE.SphereGeometry(1, 32, 20).scale(...radii),
    Mesh: meshGeometry,
    Arc: arcGeometry,
};

/** The materials of merged shapes, whose vertices have colours: of those seen from outside, and from both sides. */
const mergedMaterials = new Map();

function mergedMaterial(isTwoSided) {
    if (!mergedMaterials.has(isTwoSided)) {
        const material = materialOf([1, 1, 1]);
        material.vertexColors = true;
        material.side = isTwoSided ? THREE.DoubleSide : THREE.FrontSide;
        mergedMaterials.set(isTwoSided, material);
    }
    return mergedMaterials.get(isTwoSided);
}

/** One geometry of the opaque meshes of some shapes, in the frame of their body: a body is drawn by one call. */
function mergedGeometry(shapes) {
    const [positions, normals, colors] = [[], [], []];
    for (const shape of shapes) {
        const object = objectOf(shape);
        const geometry = object.geometry.index === null ? object.geometry : object.geometry.toNonIndexed();
        geometry.applyMatrix4(object.matrix);
        const color = object.material.color;
        positions.push(geometry.attributes.position.array);
        normals.push(geometry.attributes.normal.array);
        colors.push(Float32Array.from(geometry.attributes.position.array, (_, i) => [color.r, color.g, color.b][i % 3]));
    }
    const geometry = new THREE.BufferGeometry();
    for (const [name, arrays] of Object.entries({ position: positions, normal: normals, color: colors })) {
        const joined = new Float32Array(arrays.reduce((sum, each) => sum + each.length, 0));
        arrays.reduce((at, each) => (joined.set(each, at), at + each.length), 0);
        geometry.setAttribute(name, new THREE.BufferAttribute(joined, 3));
    }
    return geometry;
}

/** The objects of the shapes of a body: opaque shapes in one mesh, or two. */
export function objectsOf(shapes) {
    const isMerged = (shape) => shape.type in GEOMETRIES && shape.opacity === 1;
    const found = shapes.filter((each) => !isMerged(each)).map(objectOf);
    for (const isTwoSided of [false, true]) {
        const members = shapes.filter((each) => isMerged(each) && TWO_SIDED.includes(each.type) === isTwoSided);
        if (members.length > 0) {
            const object = new THREE.Mesh(mergedGeometry(members), mergedMaterial(isTwoSided));
            object.castShadow = object.receiveShadow = true;
            object.matrixAutoUpdate = false;
            found.push(object);
        }
    }
    return found.filter((each) => each !== null);
}

function deformingOf(shape) {
    const material = materialOf([1, 1, 1], shape.opacity);
    Object.assign(material, { vertexColors: true, flatShading: true, side: THREE.DoubleSide }); // normals follow the deformation
    const { object } = new DeformingMesh(shape, material);
    object.castShadow = object.receiveShadow = true;
    return object;
}

/** The object of a shape in the frame of its body; null for a type that this page does not know, such as a file with a mesh. */
export function objectOf(shape) {
    let object = null;
    if (shape.type in GEOMETRIES) {
        const material = materialOf(shape.color, shape.opacity);
        if (TWO_SIDED.includes(shape.type)) {
            material.side = THREE.DoubleSide;
        }
        object = new THREE.Mesh(GEOMETRIES[shape.type](shape), material);
        object.receiveShadow = shape.type !== "Arc";
        object.castShadow = object.receiveShadow && shape.role !== "floor";
        if (shape.role === "floor") {
            object.userData = { normal: [2, 5, 8].map((i) => (shape.X ?? [1, 0, 0, 0, 1, 0, 0, 0, 1])[i]), half: shape.half_lengths };
        }
    } else if (shape.type === "ModalMesh") {
        object = deformingOf(shape);
    } else if (shape.type === "Line") {
        object = lineOf([shape.start, shape.end], new THREE.Color(...shape.color));
    } else if (shape.type === "Frame") {
        object = axesOf(shape.axis_length);
    } else if (shape.type === "Text") {
        object = textOf(shape);
    }
    if (object !== null && shape.X) {
        setPose(object, shape.X, 0);
    }
    return object;
}

/** Place an object by the pose that begins at `at`. */
export function setPose(object, numbers, at) {
    object.matrixAutoUpdate = false;
    const n = (i) => numbers[at + i];
    object.matrix.set(n(0), n(1), n(2), n(9), n(3), n(4), n(5), n(10), n(6), n(7), n(8), n(11), 0, 0, 0, 1);
    object.matrixWorldNeedsUpdate = true;
}

/** The greatest of a measure of the vertices (x, y, z one after the other), but not below 0. */
function farthest(vertices, measure) {
    let most = 0;
    for (let i = 0; i < vertices.length; i += 3) {
        most = Math.max(most, measure(vertices[i], vertices[i + 1], vertices[i + 2]));
    }
    return most;
}

const RADII = {
    Sphere: ({ radius }) => radius,
    Box: ({ half_lengths }) => Math.hypot(...half_lengths),
    Cylinder: ({ radius, half_length }) => Math.hypot(radius, half_length),
    Ellipsoid: ({ radii }) => Math.max(...radii),
    Mesh: ({ vertices }) => farthest(vertices, (x, y, z) => Math.hypot(x, y, z)),
    ModalMesh: ({ vertices }) => farthest(vertices, (x, y, z) => Math.hypot(x, y, z)),
    Line: ({ start, end }) => Math.max(Math.hypot(...start), Math.hypot(...end)),
    Frame: ({ axis_length }) => axis_length,
    Text: ({ height }) => height,
    Arc: ({ radius }) => radius,
};

/** [x, y, z, radius] of a sphere about the origin of the shape, in the frame of its body; null for an unknown type. */
export function sphereOf(shape) {
    const radius = RADII[shape.type]?.(shape);
    return radius === undefined ? null : [...(shape.X ? shape.X.slice(9) : [0, 0, 0]), radius];
}

/** How far a shape reaches from its origin in a direction, a unit vector in the frame of its body; m */
export function reachOf(shape, direction) {
    const X = shape.X ?? [1, 0, 0, 0, 1, 0, 0, 0, 1];
    const along = [0, 1, 2].map((i) => X[i] * direction[0] + X[3 + i] * direction[1] + X[6 + i] * direction[2]);
    switch (shape.type) {
        case "Box":
            return shape.half_lengths.reduce((sum, half, i) => sum + half * Math.abs(along[i]), 0);
        case "Cylinder":
            return shape.half_length * Math.abs(along[1]) + shape.radius * Math.sqrt(Math.max(0, 1 - along[1] ** 2));
        case "Ellipsoid":
            return Math.hypot(...shape.radii.map((radius, i) => radius * along[i]));
        case "Mesh":
        case "ModalMesh":
            return farthest(shape.vertices, (x, y, z) => x * along[0] + y * along[1] + z * along[2]);
        default:
            return sphereOf(shape)[3];
    }
}
