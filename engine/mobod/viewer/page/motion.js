/** The motion of a recorded run: poses of bodies between its frames. */

/** The number of the last frame whose time is at most t; 0 before the first. Of two frames at one time it is the second. */
export function frameBefore(times, t) {
    let [low, high] = [0, times.length - 1];
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (times[middle] <= t) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

/** The frame before t, and how far t is from it to the next frame, from 0 to 1. */
export function placeOf(times, t) {
    const frame = frameBefore(times, t);
    const span = frame + 1 < times.length ? times[frame + 1] - times[frame] : 0;
    return { frame, part: span > 0 ? Math.min(1, Math.max(0, (t - times[frame]) / span)) : 0 };
}

/** The value of a track at a place, between its frames on a straight line. */
export function valueAt(track, { frame, part }) {
    return part > 0 ? track[frame] + part * (track[frame + 1] - track[frame]) : track[frame];
}

/** Write the rotation of a quaternion (w, x, y, z) of any length by rows into `into` from `at` on. */
export function writeRotation(into, at, w, x, y, z) {
    const s = 2 / (w * w + x * x + y * y + z * z);
    into[at] = 1 - s * (y * y + z * z);
    into[at + 1] = s * (x * y - w * z);
    into[at + 2] = s * (x * z + w * y);
    into[at + 3] = s * (x * y + w * z);
    into[at + 4] = 1 - s * (x * x + z * z);
    into[at + 5] = s * (y * z - w * x);
    into[at + 6] = s * (x * z - w * y);
    into[at + 7] = s * (y * z + w * x);
    into[at + 8] = 1 - s * (x * x + y * y);
}

/** Poses of all bodies over time, then the modal coordinates. A pose is 12 numbers: the rotation by rows, then the position. */
export class Motion {
    /**
     * @param {number[]} times  of the frames, s
     * @param {(number[] | {tracks: number[]})[]} bodies  for each body its pose, or the numbers of its seven tracks: p, then (w, x, y, z)
     * @param {Float64Array[]} tracks
     * @param {number[]} modal  the numbers of the tracks of modal coordinates
     */
    constructor(times, bodies, tracks, modal = []) {
        this.times = times;
        this.start = times[0];
        this.end = times[times.length - 1];
        this.bodies = bodies;
        this.tracks = tracks;
        this.modal = modal;
        this.poses = new Float64Array(12 * bodies.length + modal.length);
        bodies.forEach((body, number) => {
            if (Array.isArray(body)) {
                this.poses.set(body, 12 * number);
            }
        });
    }

    /** The poses at a time, in an array that the next call overwrites. */
    posesAt(t) {
        const place = placeOf(this.times, t);
        for (let number = 0; number < this.bodies.length; number++) {
            const body = this.bodies[number];
            if (!Array.isArray(body)) {
                this.#place(12 * number, body.tracks, place);
            }
        }
        this.modal.forEach((track, i) => {
            this.poses[12 * this.bodies.length + i] = valueAt(this.tracks[track], place);
        });
        return this.poses;
    }

    #place(at, numbers, place) {
        const [px, py, pz, pw, qx, qy, qz] = numbers;
        const tracks = this.tracks;
        this.poses[at + 9] = valueAt(tracks[px], place);
        this.poses[at + 10] = valueAt(tracks[py], place);
        this.poses[at + 11] = valueAt(tracks[pz], place);
        // quaternions of successive frames have the same sign, so that the straight line between them is the short way
        writeRotation(
            this.poses,
            at,
            valueAt(tracks[pw], place),
            valueAt(tracks[qx], place),
            valueAt(tracks[qy], place),
            valueAt(tracks[qz], place),
        );
    }
}
