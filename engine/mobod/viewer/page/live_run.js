/** A run that the page computes itself, as the page shows it. RecordedRun has the same methods. */

import { fillLiveBar } from "./bar.js";
import { RememberedRun } from "./history.js";
import { SPEEDS } from "./player.js";

const STEPS = 60; // in a second of the page
const BUSY = 12; // ms, the most that one picture may compute
const LOOK_AHEAD = { seconds: 3, steps: 60, milliseconds: 150 };

export class LiveRun extends RememberedRun {
    /** model: a LiveModel; shown: the names of the variables that are plotted at first; modal: of those that deform bodies */
    constructor(model, shown, modal = []) {
        super(
            model.header.variables.filter((each) => !["parameter", "input"].includes(each.role)),
            shown,
        );
        this.movesByItself = true;
        this.model = model;
        this.modal = modal;
        this.contacts = model.header.contacts;
        this.isPlaying = true;
        this.speed = 1;
        this.load = 0; // part of the time that is spent computing
        this.due = 0; // s of the page that are still to be computed
        this.#remember();
    }

    get time() {
        return this.model.time;
    }

    get parameters() {
        return this.model.parameters;
    }

    get inputs() {
        return this.model.inputs;
    }

    get events() {
        return this.model.events;
    }

    toggle() {
        this.isPlaying = !this.isPlaying;
        this.due = 0;
    }

    /** Back to the start. Parameters and inputs keep their values. */
    reset(keepsValues = true) {
        this.pulled = null;
        this.model.reset(keepsValues);
        this.history.clear();
        this.#remember();
    }

    /** Home goes back to the start; a live run has no other times. */
    seek(time) {
        if (time === -Infinity) {
            this.reset();
        }
    }

    /** Pause, and take one step. */
    stepBy(direction) {
        this.isPlaying = false;
        if (direction > 0) {
            this.model.advance(this.speed / STEPS);
            this.#remember();
        }
    }

    changeSpeed(direction) {
        const slow = SPEEDS.filter((each) => each <= 1);
        this.speed = slow[Math.min(slow.length - 1, Math.max(0, slow.indexOf(this.speed) + direction))];
    }

    /** Compute what belongs to so much real time, or as much as there is time for. Returns why the run cannot go on, or "". */
    advance(seconds) {
        const began = performance.now();
        this.due = Math.min(0.1, this.due + seconds);
        let message = "";
        while (this.due >= 1 / STEPS && message === "") {
            const left = BUSY - (performance.now() - began);
            const done = left > 0 ? this.model.advance(this.speed / STEPS, left) : { ok: true, isUnderWay: true, message: "" };
            if (done.isUnderWay) {
                this.due = 0; // the model is slower than the clock
                break;
            }
            message = done.message;
            this.due -= 1 / STEPS;
        }
        if (message !== "") {
            this.isPlaying = false;
        }
        const spent = (performance.now() - began) / 1000;
        this.load += 0.05 * (Math.min(1, spent / Math.max(1e-3, seconds)) - this.load);
        this.#remember();
        return message || this.model.warning;
    }

    #remember() {
        this.history.add(this.model.time, (i) => this.model.value(this.series[i].name));
    }

    fillBar(bar, changed) {
        return fillLiveBar(bar, this, changed);
    }

    /** The poses of all bodies, then the modal coordinates. */
    poses() {
        const poses = this.model.poses();
        if (this.modal.length === 0) {
            return poses;
        }
        this.placed ??= new Float64Array(poses.length + this.modal.length);
        this.placed.set(poses);
        this.modal.forEach((name, i) => {
            this.placed[poses.length + i] = this.model.value(name);
        });
        return this.placed;
    }

    /** The numbers of a feature of the contacts, see contacts.js; null where they have no value. */
    contactAt(number) {
        return this.model.contact(number);
    }

    /** Poses of the start, and of what would follow without being touched, for the camera. */
    *posesOverTime() {
        const saved = this.model.save();
        const end = performance.now() + LOOK_AHEAD.milliseconds;
        yield this.poses();
        for (let step = 0; step < LOOK_AHEAD.steps && performance.now() < end; step++) {
            const done = this.model.advance(LOOK_AHEAD.seconds / LOOK_AHEAD.steps, end - performance.now());
            if (!done.ok || done.isUnderWay) {
                break;
            }
            yield this.poses();
        }
        this.model.restore(saved);
    }

    /** Set a parameter or an input. Returns why it cannot be set, or "". */
    set(name, value) {
        try {
            this.model.set(name, value);
            return "";
        } catch (error) {
            return error.message;
        }
    }

    /** Pull a point of a body to a target, {body, point, target}; with null no longer. */
    pull(wanted) {
        if (wanted === null) {
            this.model.release();
            this.pulled = null;
        } else {
            this.pulled = this.model.pull(wanted.body, wanted.point, wanted.target) ? wanted : null;
        }
    }
}
