/** The clock of a page: where a recorded run is shown. */

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

export class Player {
    /** times: of the frames, s */
    constructor(times) {
        this.times = times;
        this.start = times[0];
        this.end = times[times.length - 1];
        this.time = this.start;
        const span = this.end - this.start;
        this.speed = span >= 1 || span <= 0 ? 1 : (SPEEDS.filter((each) => span / each >= 2).pop() ?? SPEEDS[0]); // a short run is shown slower
        this.isPlaying = false;
        this.loops = true;
    }

    /** Let `seconds` of real time pass. */
    tick(seconds) {
        if (!this.isPlaying) {
            return;
        }
        const span = this.end - this.start;
        const time = this.time + seconds * this.speed;
        if (time <= this.end) {
            this.time = time;
        } else if (this.loops && span > 0) {
            this.time = this.start + ((time - this.start) % span);
        } else {
            this.time = this.end;
            this.isPlaying = false;
        }
    }

    /** Play, from the start if the end was reached; or pause. */
    toggle() {
        if (!this.isPlaying && this.time >= this.end) {
            this.time = this.start;
        }
        this.isPlaying = !this.isPlaying && this.end > this.start;
    }

    /** Show a time, or the nearest one that the run has. */
    seek(time) {
        this.time = Math.min(this.end, Math.max(this.start, time));
    }

    /** Pause, and show the next frame with another time, or with -1 the one before. */
    stepBy(direction) {
        this.isPlaying = false;
        const tiny = 1e-9 * (this.end - this.start);
        const later = this.times.filter((each) => (each - this.time) * direction > tiny);
        if (later.length > 0) {
            this.time = direction > 0 ? later[0] : later[later.length - 1];
        }
    }

    /** The next faster speed, or with -1 the next slower one. */
    changeSpeed(direction) {
        const at = SPEEDS.indexOf(this.speed) + direction;
        this.speed = SPEEDS[Math.min(SPEEDS.length - 1, Math.max(0, at))];
    }
}
