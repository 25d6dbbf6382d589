/** The last values of some variables, while time goes on. */

const REMEMBERED = 1200;

export class History {
    /** names: {name, unit}; shown: the names of the variables that are plotted at first */
    constructor(variables, shown) {
        this.times = [];
        this.series = variables.map(({ name, unit }) => ({ name, unit, description: "", isShown: shown.includes(name), values: [] }));
    }

    /** Values at a time; `value(i)` is that of variable i. A time that is there already is left out. */
    add(time, value) {
        if (this.times[this.times.length - 1] === time) {
            return;
        }
        if (this.times.length === REMEMBERED) {
            this.times.splice(0, REMEMBERED / 10);
            this.series.forEach((each) => each.values.splice(0, REMEMBERED / 10));
        }
        this.times.push(time);
        this.series.forEach((each, i) => each.values.push(value(i)));
    }

    clear() {
        this.times.length = 0;
        this.series.forEach((each) => (each.values.length = 0));
    }

    /** The first and the last time. */
    get span() {
        const first = this.times[0] ?? 0;
        return [first, Math.max(this.times[this.times.length - 1] ?? 0, first + 1e-3)];
    }
}

/** A run that remembers the last values alone: its plots show a history. */
export class RememberedRun {
    constructor(variables, shown) {
        this.isLive = true;
        this.history = new History(variables, shown);
        this.pulled = null; // {body, point, target}
    }

    get times() {
        return this.history.times;
    }

    get series() {
        return this.history.series;
    }

    get span() {
        return this.history.span;
    }

    toggleLoop() {}
}
