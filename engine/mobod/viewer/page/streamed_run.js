/** A run whose States a program shows, one after the other: mobod.view of Python. RecordedRun has the same methods. */

import { fillStreamBar } from "./bar.js";
import { CONTACT_NUMBERS } from "./contacts.js";
import { RememberedRun } from "./history.js";

export class StreamedRun extends RememberedRun {
    /** header: of the page; changed: called when there is something to draw */
    constructor(header, changed) {
        super(header.variables, header.shown);
        this.movesByItself = false;
        this.isPlaying = true;
        this.parameters = this.inputs = [];
        this.status = "waits for the program";
        this.numbers = Float64Array.from([header.time, ...header.start.flat()]);
        this.nPoses = this.numbers.length - 1; // with the modal coordinates
        this.contacts = header.contacts;
        this.nContacts = CONTACT_NUMBERS * header.contacts.features.length;
        this.changed = changed;
        this.isNew = true;
    }

    get time() {
        return this.numbers[0];
    }

    /** Begin to listen. */
    connect(address) {
        const socket = new WebSocket(address);
        socket.binaryType = "arraybuffer";
        socket.addEventListener("message", (event) => this.take(new Float64Array(event.data)));
        socket.addEventListener("close", () => {
            this.status = "the program has ended";
            this.changed();
        });
    }

    /** Take the numbers of a State: the time, 12 of each body's pose, the modal coordinates, CONTACT_NUMBERS of each feature in contact, the values of the variables. */
    take(numbers) {
        this.status = "";
        if (this.isPlaying) {
            if (numbers[0] < this.numbers[0]) {
                this.history.clear(); // the program began again
            }
            this.numbers = numbers;
            this.history.add(numbers[0], (i) => numbers[1 + this.nPoses + this.nContacts + i]);
        }
        this.changed();
    }

    poses() {
        return this.numbers.subarray(1, 1 + this.nPoses);
    }

    /** The numbers of a feature of the contacts, see contacts.js; null before the first State. */
    contactAt(number) {
        const at = 1 + this.nPoses + CONTACT_NUMBERS * number;
        return this.numbers.length > at ? this.numbers.subarray(at, at + CONTACT_NUMBERS) : null;
    }

    *posesOverTime() {
        yield this.poses();
    }

    advance() {
        return "";
    }

    /** Hold the picture, or show again what comes. */
    toggle() {
        this.isPlaying = !this.isPlaying;
    }

    fillBar(bar, changed) {
        return fillStreamBar(bar, this, changed);
    }

    pull() {}
    seek() {}
    stepBy() {}
    changeSpeed() {}
}
