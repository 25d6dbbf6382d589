/** What the page was given: a header, which is JSON, and packed numbers. */

import { decodeTracks } from "./tracks.js";

/** The bytes that were deflated (zlib) and written in base64. Rejects with a sentence if they are damaged. */
export async function inflatedBase64(text) {
    const deflated = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([deflated]).stream().pipeThrough(new DecompressionStream("deflate"));
    try {
        return new Uint8Array(await new Response(stream).arrayBuffer());
    } catch {
        throw new Error("The data of the page are cut off or were changed.");
    }
}

/** The tracks of a header's `tracks`: {frames, offsets, steps, bytes}, where bytes is base64 of deflated bytes. */
export async function tracksOf({ frames, offsets, steps, bytes }) {
    return decodeTracks(await inflatedBase64(bytes), frames, offsets, steps);
}
