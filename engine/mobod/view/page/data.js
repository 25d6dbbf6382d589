/** What the page was given: a header, which is JSON, and packed numbers. */

import { decodeTracks } from "./tracks.js";

/** The bytes of base64 text. */
export function bytesOf(text) {
    const packed = atob(text);
    const bytes = new Uint8Array(packed.length);
    for (let i = 0; i < packed.length; i++) {
        bytes[i] = packed.charCodeAt(i);
    }
    return bytes;
}

/** The bytes that zlib's deflate packed. */
export async function inflated(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** The tracks of a header's `tracks`: {frames, offsets, steps, bytes}, where bytes is base64 of deflated bytes. */
export async function tracksOf({ frames, offsets, steps, bytes }) {
    return decodeTracks(await inflated(bytesOf(bytes)), frames, offsets, steps);
}
