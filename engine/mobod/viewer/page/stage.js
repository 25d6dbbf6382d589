/* global THREE */
/** The three-dimensional picture: bodies, connections, floor, light. */

import { connectionOf } from "./connections.js";
import { objectOf, objectsOf, reachOf, setPose, sphereOf } from "./shapes.js";
import { crossOf, dot, minus, pointIn, pointOf, times } from "./vectors.js";

const HIGHLIGHT = 0x3366aa;
const LEVEL = 1 - 1e-8; // cosine of the lean of a floor

/**
 * Spheres [x, y, z, radius, height] in Ground that contain the bodies in these poses, and those of Ground; height: of the lowest point of
 * the shape.
 */
export function spheresOf({ bodies, up }, poses) {
    const spheres = bodies.map((body, number) => {
        const origin = pointOf(poses, number, [0, 0, 0]);
        const down = pointIn(poses, number, minus(origin, up)); // in the body's frame
        const known = (body.shapes ?? []).filter((shape) => sphereOf(shape) !== null && !(number === 0 && shape.role === "floor"));
        const found = known.map((shape) => {
            const [x, y, z, radius] = sphereOf(shape);
            const center = pointOf(poses, number, [x, y, z]);
            return [...center, radius, dot(center, up) - reachOf(shape, down)];
        });
        return found.length > 0 || number === 0 ? found : [[...origin, 0, dot(origin, up)]];
    });
    return { ofBodies: spheres.slice(1).flat(), ofGround: spheres[0] ?? [] };
}

/** The spheres of a motion, and those of Ground that are no larger than it: a floor is left out. */
export function spheresOfMotion(scene, manyPoses) {
    const [all, grounds] = [[], []];
    for (const poses of manyPoses) {
        const { ofBodies, ofGround } = spheresOf(scene, poses);
        all.push(...ofBodies);
        grounds.push(...ofGround);
    }
    const spans = [0, 1, 2].map((i) => Math.max(...all.map((each) => each[i] + each[3])) - Math.min(...all.map((each) => each[i] - each[3])));
    const size = all.length > 0 ? Math.hypot(...spans) : Infinity;
    return [...all, ...grounds.filter((each) => each[3] < size)];
}

/** The extent of spheres, m */
export function extentOf(spheres) {
    const spans = [0, 1, 2].map((i) => Math.max(...spheres.map((each) => each[i] + each[3])) - Math.min(...spheres.map((each) => each[i] - each[3])));
    return Math.max(1e-6, Math.hypot(...spans));
}

/** The height of the lowest point of spheres of a motion. */
export function lowestOf(spheres) {
    return Math.min(...spheres.map((each) => each[4]));
}

export class Stage {
    /**
     * @param {HTMLCanvasElement} canvas
     * @param {object} scene  as in docs/concepts/scene.md
     * @param {number[][]} spheres  of spheresOf, over what is shown at first
     * @param {number} lowest  height of the lowest point of the motion, m
     */
    constructor(canvas, scene, spheres, lowest) {
        this.canvas = canvas;
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, preserveDrawingBuffer: true });
        this.renderer.outputEncoding = THREE.sRGBEncoding;
        this.renderer.shadowMap.enabled = true;
        this.renderer.shadowMap.type = THREE.PCFSoftShadowMap;
        this.root = new THREE.Scene();
        this.camera = new THREE.PerspectiveCamera();
        this.up = scene.up;
        this.#measure(spheres);
        this.floorHeight = scene.floor ?? lowest;
        this.layers = {};
        this.hidden = new Set(["frame"]); // layers, and roles of shapes
        this.mostDeflection = 0; // so far, m
        this.#addBodies(scene.bodies);
        this.#addConnections(scene.connections ?? []);
        this.#addLight();
        this.#addFloor();
        this.raycaster = new THREE.Raycaster();
    }

    #measure(spheres) {
        const low = [0, 1, 2].map((i) => Math.min(...spheres.map((each) => each[i] - each[3])));
        const high = [0, 1, 2].map((i) => Math.max(...spheres.map((each) => each[i] + each[3])));
        this.center = low.map((each, i) => (each + high[i]) / 2);
        this.size = extentOf(spheres);
    }

    #layer(name) {
        this.layers[name] ??= [];
        return this.layers[name];
    }

    #addBodies(bodies) {
        this.roles = new Set(bodies.flatMap((body) => (body.shapes ?? []).map((each) => each.role)).filter((each) => each));
        this.bodies = bodies.map((body, number) => {
            const group = new THREE.Group();
            const shapes = new THREE.Group();
            const frame = objectOf({ type: "Frame", axis_length: 0.08 * this.size });
            group.userData = { body: number, shapes };
            group.add(shapes, frame);
            frame.visible = false;
            this.#layer("frame").push(frame);
            this.root.add(group);
            return group;
        });
        this.scene = bodies;
        this.#buildShapes();
    }

    /** Make the objects of the shapes that are not hidden. */
    #buildShapes() {
        this.moved = null;
        this.deforming = [];
        this.scene.forEach((body, number) => {
            const shapes = body.shapes ?? [];
            const hasMeshes = shapes.some((each) => each.type === "Mesh");
            const shown = shapes.filter((each) => !(each.stand_in && hasMeshes) && !this.hidden.has(each.role));
            const group = this.bodies[number].userData.shapes;
            group.children.forEach((each) => each.geometry?.dispose());
            group.clear();
            if (shown.length > 0) {
                group.add(...objectsOf(shown));
            }
            this.deforming.push(...group.children.map((each) => each.userData.deforming).filter((each) => each));
        });
    }

    #addConnections(connections) {
        this.connections = connections.map((each) => {
            const made = connectionOf(each);
            this.root.add(made.object);
            this.#layer("connection").push(made.object);
            return made;
        });
    }

    #addLight() {
        this.root.add(new THREE.HemisphereLight(0xffffff, 0x8a8f98, 0.75));
        const light = new THREE.DirectionalLight(0xffffff, 0.75);
        const beside = crossOf(this.up, Math.abs(this.up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0]);
        const from = [0, 1, 2].map((i) => this.center[i] + this.size * (1.4 * this.up[i] + 0.6 * beside[i] + 0.35 * crossOf(beside, this.up)[i]));
        light.position.set(...from);
        this.lightAt = light.position.clone();
        light.target.position.set(...this.center);
        light.castShadow = true;
        light.shadow.mapSize.set(2048, 2048);
        light.shadow.normalBias = 0.004 * this.size;
        const reach = 0.8 * this.size;
        Object.assign(light.shadow.camera, { left: -reach, right: reach, bottom: -reach, top: reach, near: 0.1 * this.size, far: 4 * this.size });
        this.light = light;
        this.root.add(light, light.target);
    }

    #addFloor() {
        const size = 4 * this.size;
        const step = 10 ** Math.floor(Math.log10(this.size / 3));
        const floor = new THREE.Group();
        const shade = new THREE.Mesh(new THREE.PlaneGeometry(size, size), new THREE.ShadowMaterial({ opacity: 0.22 }));
        shade.receiveShadow = true;
        shade.visible = !this.scene[0]?.shapes?.some((each) => each.role === "floor"); // else there would be two shadows
        const divisions = Math.min(200, 2 * Math.round(size / step / 2));
        this.grid = new THREE.GridHelper(divisions * step, divisions);
        this.grid.material = new THREE.LineBasicMaterial({ transparent: true, opacity: 0.25 });
        this.grid.rotateX(Math.PI / 2);
        floor.add(shade, this.grid);
        floor.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), new THREE.Vector3(...this.up));
        const beside = this.center.map((each, i) => each - dot(this.center, this.up) * this.up[i]);
        floor.position.set(...beside.map((each) => Math.round(each / step) * step));
        floor.position.add(new THREE.Vector3(...times(this.up, this.floorHeight - 0.002 * this.size)));
        this.floor = floor;
        this.floorAt = floor.position.clone();
        this.root.add(floor);
        this.#layer("floor").push(floor);
    }

    castShadows(wanted) {
        this.light.castShadow = wanted;
    }

    /** The names of what can be shown or hidden: layers, and roles of shapes. */
    get parts() {
        return [...Object.keys(this.layers), ...this.roles, ...(this.deforming.length > 0 ? ["deflection"] : [])];
    }

    /** Show or hide what belongs to a layer, or shapes with a role. */
    showPart(name, isShown) {
        this.hidden[isShown ? "delete" : "add"](name);
        for (const object of this.layers[name] ?? []) {
            object.visible = isShown;
        }
        if (this.roles.has(name)) {
            this.#buildShapes();
        }
    }

    /** Colours of the background and the grid, as CSS writes them. */
    setColors(background, grid) {
        this.root.background = new THREE.Color(background);
        this.grid.material.color = new THREE.Color(grid);
        this.grid.material.vertexColors = false;
        this.grid.material.needsUpdate = true;
    }

    add(object, layer) {
        this.root.add(object);
        if (layer) {
            this.#layer(layer).push(object);
        }
    }

    remove(object) {
        this.root.remove(object);
        object.geometry?.dispose();
    }

    /** The height below which the camera does not go: of the floor, while it is shown. */
    get lowestView() {
        return this.hidden.has("floor") ? -Infinity : this.floorHeight + 0.01 * this.size;
    }

    /** Spheres [x, y, z, radius] about the bodies in these poses, without Ground. */
    spheresOfBodies(poses) {
        this.reaches ??= this.scene.map((body) => {
            const known = (body.shapes ?? []).map(sphereOf).filter((each) => each !== null);
            return Math.max(0, ...known.map(([x, y, z, radius]) => Math.hypot(x, y, z) + radius));
        });
        return this.reaches.slice(1).map((reach, i) => [...pointOf(poses, i + 1, [0, 0, 0]), reach]);
    }

    /** Bring floor and light to where the camera looks, and level plates of Ground, if it is not known how far they have to reach. */
    moveFloor(target, movesPlates) {
        const off = minus(target, this.center);
        const level = minus(off, times(this.up, dot(off, this.up)));
        const steps = level.map((each) => Math.round(each / this.size) * this.size); // the grid is the same after whole steps
        if (this.moved?.every((each, i) => each === steps[i])) {
            return;
        }
        this.moved = steps;
        const by = new THREE.Vector3(...minus(steps, times(this.up, dot(steps, this.up))));
        this.floor.position.copy(this.floorAt).add(by);
        this.light.position.copy(this.lightAt).add(by);
        this.light.target.position.set(...this.center).add(by);
        const isLevel = (each) => Math.abs(dot(each.userData.normal ?? [0, 0, 0], this.up)) > LEVEL;
        if (movesPlates) {
            this.bodies[0].userData.shapes.children.filter(isLevel).forEach((each) => {
                const { half, home = each.matrix.clone() } = each.userData;
                const [x, y] = half.map((length) => Math.max(1, (2 * this.size) / length)); // as far as the grid
                each.userData.home = home;
                each.matrix.copy(home).scale(new THREE.Vector3(x, y, 1));
                each.matrix.setPosition(new THREE.Vector3().setFromMatrixPosition(home).add(by));
                each.matrixWorldNeedsUpdate = true;
            });
        }
    }

    /** Deform the bodies by the modal coordinates that follow the poses. */
    deform(poses) {
        let at = 12 * this.bodies.length;
        for (const mesh of this.deforming) {
            const eta = poses.subarray(at, at + mesh.n);
            at += mesh.n;
            if (eta.length === mesh.n && eta.every(Number.isFinite)) {
                this.mostDeflection = Math.max(this.mostDeflection, mesh.deform(eta));
            }
        }
    }

    /** Put all bodies into these poses, and deform them by the modal coordinates that follow the poses. */
    place(poses) {
        this.bodies.forEach((body, number) => setPose(body, poses, 12 * number));
        this.deform(poses);
        this.deforming.forEach((mesh) => mesh.paint(this.hidden.has("deflection") ? 0 : this.mostDeflection));
        for (const connection of this.connections) {
            if (connection.object.parent !== null) {
                connection.update(poses);
            }
        }
    }

    /** Draw, as an OrbitCamera sees it. */
    draw(orbit) {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        const ratio = Math.min(2, window.devicePixelRatio || 1);
        if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
            this.renderer.setPixelRatio(ratio);
            this.renderer.setSize(width, height, false);
        }
        orbit.aspect = width / Math.max(1, height);
        const camera = this.camera;
        const near = Math.max(1e-3 * orbit.distance, orbit.distance - 3 * this.size);
        Object.assign(camera, { fov: (orbit.angle * 180) / Math.PI, aspect: orbit.aspect, near, far: orbit.distance + 5 * this.size });
        camera.up.set(...this.up);
        camera.position.set(...orbit.position());
        camera.lookAt(...orbit.target);
        camera.updateProjectionMatrix();
        this.renderer.render(this.root, camera);
    }

    /** The body under a place of the canvas and the point in Ground that is seen there; null where there is none. x, y: pixels */
    pick(x, y) {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        this.raycaster.setFromCamera({ x: (2 * x) / width - 1, y: 1 - (2 * y) / height }, this.camera);
        this.raycaster.params.Line.threshold = 0.005 * this.size;
        const hits = this.raycaster.intersectObjects(this.bodies, true).filter((each) => each.object.visible);
        if (hits.length === 0) {
            return null;
        }
        let object = hits[0].object;
        while (object.userData.body === undefined) {
            object = object.parent;
        }
        return { body: object.userData.body, point: hits[0].point.toArray() };
    }

    /** The point in Ground under a place of the canvas, in the plane through `point` that faces the viewer. */
    pointUnder(x, y, point) {
        const { clientWidth: width, clientHeight: height } = this.canvas;
        this.raycaster.setFromCamera({ x: (2 * x) / width - 1, y: 1 - (2 * y) / height }, this.camera);
        const normal = this.camera.getWorldDirection(new THREE.Vector3());
        const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal, new THREE.Vector3(...point));
        return this.raycaster.ray.intersectPlane(plane, new THREE.Vector3())?.toArray() ?? point;
    }

    /** Let one body, or with null none, stand out. */
    highlight(number) {
        this.bodies.forEach((body, each) =>
            body.traverse((object) => {
                if (object.material?.emissive) {
                    object.userData.plain ??= object.material;
                    object.material = each === number ? brightened(object.userData.plain) : object.userData.plain;
                }
            }),
        );
    }
}

/** The same material, lit up; made once. */
function brightened(material) {
    if (!material.userData.bright) {
        const bright = material.clone();
        bright.emissive.setHex(HIGHLIGHT);
        material.userData.bright = bright;
    }
    return material.userData.bright;
}
