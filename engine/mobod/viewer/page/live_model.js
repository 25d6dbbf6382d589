/* A model that this page runs: the C runtime as WebAssembly, with the tables that mobod/viewer/live_model.py has made. */

import { CONTACT_NUMBERS } from "./contacts.js";
import { inflatedBase64 } from "./data.js";

/* stages, and results of a step: stage.py, live_model.h */
const LIVE_STAGE = { model: 2, position: 5, dynamics: 7, report: 9 };
const LIVE_RESULT = { reached: 0, underWay: 1, ended: 2, failed: 3 };

/* how many integration steps the runtime takes in one call: all, or some between two looks at the clock */
const LIVE_STEPS = { all: 0x7fffffff, some: 50 };

/* Where the numbers of a pull lie. Its spring gives the mass that it moves this frequency, in rad/s, and this part of critical damping. */
const LIVE_PULL = { stiffness: 0, damping: 1, station: 2, target: 5, frequency: 12, ratio: 0.7 };

/**
 * A model from what `live_data` of Python returns.
 *
 * @param {object} data the header, with the members wasm and model
 * @returns {Promise<LiveModel>}
 */
export async function loadLiveData(data) {
    return loadLiveModel(await inflatedBase64(data.wasm), data, await inflatedBase64(data.model));
}

/**
 * A model at its start. Throws an Error with a sentence where the bytes are not those of a model.
 *
 * @param {Uint8Array} wasmBytes the runtime
 * @param {object} header see docs/concepts/view.md
 * @param {Uint8Array} bytes the tables of the model
 * @returns {Promise<LiveModel>}
 */
export async function loadLiveModel(wasmBytes, header, bytes) {
    if (typeof WebAssembly === "undefined") {
        throw new Error("This browser does not run WebAssembly, which the model needs.");
    }
    const { instance } = await WebAssembly.instantiate(wasmBytes, {});
    return new LiveModel(instance.exports, header, bytes);
}

/** One model and its run. Times are in s, all values in the units of the model. */
export class LiveModel {
    constructor(runtime, header, bytes) {
        this.runtime = runtime;
        this.header = header;
        this.entries = new Map(header.variables.map((each) => [each.name, each]));
        this.pulled = -1;
        this.fault = "";
        const at = runtime.live_allocate(bytes.length);
        if (!at) {
            throw new Error("There is no memory for the model.");
        }
        new Uint8Array(runtime.memory.buffer).set(bytes, at);
        const isOpen = runtime.live_open(at, bytes.length, header.pull);
        runtime.live_release(at);
        if (!isOpen) {
            throw new Error(liveSentence(this.text(runtime.live_message())));
        }
        this.beginGrid();
        /** names that value() accepts */
        this.names = ["time", ...this.entries.keys()];
        /** what set() changes: {name, unit, type, value, start, min, max, low, high}; low and high are the ends of a slider */
        this.parameters = this.settable("parameter");
        this.inputs = this.settable("input");
    }

    get time() {
        return this.runtime.live_time();
    }

    /** the name of the event that has ended the run, or "" */
    get endedBy() {
        return this.header.allEvents[this.runtime.live_ended_by() - 1] || "";
    }

    /** how many events were handled since the start */
    get events() {
        const counts = new Int32Array(this.runtime.memory.buffer, this.runtime.live_events(), this.header.events.length);
        return this.header.events.reduce((sum, each, i) => sum + (each.isShown ? counts[i] : 0), 0);
    }

    /** integration steps since the start */
    get steps() {
        return this.runtime.live_n_steps();
    }

    /** the last warning of the run, or "" */
    get warning() {
        return liveSentence(this.text(this.runtime.live_warning()));
    }

    /**
     * The poses of all bodies, Ground first: for each 9 numbers of R by rows, and p. NaN where the model has no value.
     *
     * @returns {Float64Array} its contents change with the next call
     */
    poses() {
        const bodies = this.header.bodies;
        const numbers = this.numbers(LIVE_STAGE.position);
        if (!this.placed) {
            this.placed = new Float64Array(12 * bodies.length);
        }
        bodies.forEach((body, i) => {
            for (let k = 0; k < 12; k++) {
                this.placed[12 * i + k] = numbers ? numbers[k < 9 ? body.R + k : body.p + k - 9] : NaN;
            }
        });
        return this.placed;
    }

    /**
     * The numbers of a feature of the contacts, see contacts.js; null where the model has no values.
     *
     * @param {number} number of the feature in the header
     * @returns {Float64Array | null} its contents change with the next call
     */
    contact(number) {
        const numbers = this.numbers(LIVE_STAGE.report);
        const { at } = this.header.contacts.features[number];
        return numbers && numbers.subarray(at, at + CONTACT_NUMBERS);
    }

    /** The value of a variable; NaN where it has none. */
    value(name) {
        if (name === "time") {
            return this.time;
        }
        const entry = this.entry(name);
        const numbers = this.numbers(entry.stage);
        return numbers ? numbers[entry.at] : NaN;
    }

    /** Set a parameter, an input or a state from now on. Throws an Error if it cannot be set, or not to this value. */
    set(name, value) {
        const entry = this.entry(name);
        if (entry.sets === undefined) {
            throw new Error(`'${name}' cannot be set: the model computes it.`);
        }
        const isBoolean = entry.type === "boolean";
        const { minimum = isBoolean ? 0 : -Infinity, maximum = isBoolean ? 1 : Infinity } = entry;
        const number = typeof value === "boolean" ? Number(value) : value;
        if (!Number.isFinite(number) || number < minimum || number > maximum || (entry.type && !Number.isInteger(number))) {
            const bounds = Number.isFinite(minimum) || Number.isFinite(maximum) ? ` from ${minimum} to ${maximum}` : "";
            throw new Error(`'${name}' must be a ${entry.type ? "whole " : ""}number${bounds}, not ${value}.`);
        }
        this.runtime.live_set(entry.at, number, entry.sets);
    }

    /**
     * Advance by a duration. Equal durations are counted from the first of them, so that times are not a running sum: the bits are those of
     * SteppedRun.step in Python.
     *
     * @param {number} duration s
     * @param {number} milliseconds of this call. A step that takes longer is under way when it returns, and the next call goes on with it
     * @returns {{ok: boolean, isUnderWay: boolean, message: string}} not ok after a failure, with the state from before the step, or if an
     *     event has ended the run
     */
    advance(duration, milliseconds = Infinity) {
        if (this.pendingEnd === null) {
            const grid = this.grid;
            if (duration !== grid.size || this.time !== grid.reached) {
                this.grid = { start: this.time, size: duration, count: 0, reached: this.time };
            }
            const end = this.grid.start + (this.grid.count + 1) * this.grid.size;
            if (!(duration > 0 && Number.isFinite(duration) && end > this.time)) {
                throw new Error(`The duration of a step must be positive, finite, and long enough to change the time, not ${duration} s.`);
            }
            return this.go(end, milliseconds);
        }
        return this.go(this.pendingEnd, milliseconds);
    }

    /**
     * Pull a body by a spring from one of its points to a point of Ground, until release(). Another call moves the points.
     *
     * @param {number|string} body its number, Ground is 0, or its name
     * @param {ArrayLike<number>} point m, in the body's frame
     * @param {ArrayLike<number>} target m, in Ground
     * @returns {boolean} whether the body can be pulled
     */
    pull(body, point, target) {
        const bodies = this.header.bodies;
        const number = typeof body === "number" ? body : bodies.findIndex((each) => each.name === body);
        const chosen = bodies[number];
        if (!chosen || !chosen.mass || this.fault) {
            return false;
        }
        const at = this.header.pull;
        const put = (place, value) => this.runtime.live_set(at + place, value, LIVE_STAGE.dynamics);
        put(LIVE_PULL.stiffness, chosen.mass * LIVE_PULL.frequency ** 2);
        put(LIVE_PULL.damping, 2 * LIVE_PULL.ratio * chosen.mass * LIVE_PULL.frequency);
        for (let k = 0; k < 3; k++) {
            put(LIVE_PULL.station + k, point[k]);
            put(LIVE_PULL.target + k, target[k]);
        }
        if (number !== this.pulled) {
            this.pulled = this.runtime.live_pull(chosen.forces) ? number : -1;
        }
        return this.pulled === number;
    }

    /** End a pull. */
    release() {
        if (this.pulled >= 0) {
            this.runtime.live_pull(-1);
            this.pulled = -1;
        }
    }

    /**
     * Back to the start, with nothing pulled. Throws an Error if that fails.
     *
     * @param {boolean} keepsValues whether parameters and inputs keep the values that were set; else they have their start values
     */
    reset(keepsValues = false) {
        const settable = keepsValues ? [...this.parameters, ...this.inputs] : [];
        const kept = settable.map((each) => [each, each.value]).filter(([each, value]) => value !== each.start && !Number.isNaN(value));
        this.release();
        if (!this.runtime.live_reset()) {
            throw new Error(liveSentence(this.text(this.runtime.live_message())));
        }
        this.beginGrid();
        kept.forEach(([each, value]) => this.set(each.name, value));
    }

    /** The state of the run, for restore() of this model. */
    save() {
        const size = this.runtime.live_size();
        const at = this.runtime.live_allocate(size);
        this.runtime.live_save(at);
        const bytes = new Uint8Array(this.runtime.memory.buffer, at, size).slice();
        this.runtime.live_release(at);
        return { bytes, grid: { ...this.grid }, pendingEnd: this.pendingEnd };
    }

    /** Back to a saved state. What is pulled stays. */
    restore(saved) {
        const at = this.runtime.live_allocate(saved.bytes.length);
        new Uint8Array(this.runtime.memory.buffer).set(saved.bytes, at);
        this.runtime.live_restore(at);
        this.runtime.live_release(at);
        this.grid = { ...saved.grid };
        this.pendingEnd = saved.pendingEnd;
    }

    /* inside */

    /** Equal steps are counted from here. */
    beginGrid() {
        this.grid = { start: this.time, size: 0, count: 0, reached: this.time };
        this.pendingEnd = null;
    }

    go(end, milliseconds) {
        if (this.fault) {
            return { ok: false, isUnderWay: false, message: this.fault };
        }
        const until = performance.now() + milliseconds;
        const most = milliseconds === Infinity ? LIVE_STEPS.all : LIVE_STEPS.some;
        const { reached, underWay, ended } = LIVE_RESULT;
        let result;
        try {
            const nearEnd = this.runtime.live_end_near(end);
            const isNew = this.pendingEnd === null;
            result = isNew ? this.runtime.live_begin_step(nearEnd, most) : this.runtime.live_continue(nearEnd, most);
            while (result === underWay && performance.now() < until) {
                result = this.runtime.live_continue(nearEnd, most);
            }
        } catch (error) {
            this.fault = `The runtime has stopped: ${error.message}. Load the page again.`;
            return { ok: false, isUnderWay: false, message: this.fault };
        }
        this.pendingEnd = result === underWay ? end : null;
        if (result === reached || result === ended) {
            this.grid.count += 1;
            this.grid.reached = this.time; // of a time event, if that is round-off later
        }
        if (result === reached || result === underWay) {
            return { ok: true, isUnderWay: result === underWay, message: "" };
        }
        const message =
            result === ended
                ? `Event '${this.endedBy}' has ended the run at ${Number(this.time.toPrecision(6))} s.`
                : liveSentence(this.text(this.runtime.live_message()));
        return { ok: false, isUnderWay: false, message };
    }

    entry(name) {
        const entry = this.entries.get(name);
        if (!entry) {
            throw new Error(`The model has no variable '${name}'.`);
        }
        return entry;
    }

    /** All numbers of the model, computed up to a stage; null if they do not exist. The array is valid until the next call of the runtime. */
    numbers(stage) {
        const at = this.fault ? 0 : this.runtime.live_numbers(Math.max(stage, LIVE_STAGE.model));
        return at ? new Float64Array(this.runtime.memory.buffer, at, this.header.size) : null;
    }

    settable(role) {
        const model = this;
        return this.header.variables
            .filter((each) => each.role === role && each.sets !== undefined)
            .map((each) => ({
                name: each.name,
                unit: each.unit,
                type: each.type || "real",
                start: each.value,
                min: each.minimum === undefined ? -Infinity : each.minimum,
                max: each.maximum === undefined ? Infinity : each.maximum,
                low: each.range[0],
                high: each.range[1],
                get value() {
                    return model.value(each.name);
                },
            }));
    }

    /** the text at a place in the runtime's memory */
    text(at) {
        const bytes = new Uint8Array(this.runtime.memory.buffer, at);
        return new TextDecoder().decode(bytes.subarray(0, bytes.indexOf(0)));
    }
}

/* a message of the runtime without the name of the call that it begins with */
function liveSentence(message) {
    const text = message.replace(/^run: /, "");
    return text && text[0].toUpperCase() + text.slice(1);
}
