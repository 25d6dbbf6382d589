/** Numbers that change over the frames of a run, as packed by mobod/viewer/tracks.py. */

const MISSING = -0x80000000;

/**
 * The tracks, each a Float64Array with a number for each frame.
 *
 * @param {Uint8Array} bytes  four planes: the lowest byte of all numbers, the next byte of all numbers, ...
 * @param {number} frames
 * @param {number[]} offsets  of each track
 * @param {number[]} steps  of each track: a number is offset + step * integer
 */
export function decodeTracks(bytes, frames, offsets, steps) {
    const count = offsets.length * frames;
    if (bytes.length !== 4 * count) {
        throw new Error(`There are ${bytes.length} bytes of numbers where ${4 * count} belong.`);
    }
    return offsets.map((offset, track) => {
        const numbers = new Float64Array(frames);
        let [rate, whole] = [0, 0];
        for (let frame = 0; frame < frames; frame++) {
            const at = track * frames + frame;
            const code = bytes[at] | (bytes[at + count] << 8) | (bytes[at + 2 * count] << 16) | (bytes[at + 3 * count] << 24);
            rate = (rate + ((code >>> 1) ^ -(code & 1))) | 0; // the codes are differences of differences, the sign in the lowest bit
            whole = (whole + rate) | 0;
            numbers[frame] = whole === MISSING ? NaN : offset + steps[track] * whole;
        }
        return numbers;
    });
}
