/** Meshes of the scene, as mobod/viewer/scene_data.py packs them. */

import { inflatedBase64 } from "./data.js";

/** Give each mesh of a scene its vertices, a Float32Array, and its faces, a Uint32Array; one that deforms its shapes too. */
export async function unpackMeshes(scene) {
    const meshes = scene.bodies.flatMap((body) => (body.shapes ?? []).filter((each) => each.type === "Mesh" || each.type === "ModalMesh"));
    for (const mesh of meshes) {
        mesh.vertices = new Float32Array((await inflatedBase64(mesh.vertices)).buffer);
        mesh.faces = new Uint32Array((await inflatedBase64(mesh.faces)).buffer);
        if (mesh.type === "ModalMesh") {
            mesh.shapes = new Float32Array((await inflatedBase64(mesh.shapes)).buffer);
        }
    }
}
