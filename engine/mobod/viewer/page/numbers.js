/** Numbers as text, and numbers for the lines of axes. */

/** Four digits, without zeros at the end; small and large numbers with a power of ten. */
export function shown(value) {
    if (!Number.isFinite(value)) {
        return "\u2013";
    }
    const size = Math.abs(value);
    const text = size !== 0 && (size < 1e-3 || size >= 1e5) ? value.toExponential(3) : value.toPrecision(4);
    return text.includes(".") ? text.replace(/\.?0+(e|$)/, "$1") : text;
}

/** Round numbers from low to high, about `wanted` of them, with equal distances of 1, 2 or 5 times a power of ten. */
export function ticks(low, high, wanted) {
    const span = high - low;
    if (!(span > 0) || !Number.isFinite(span)) {
        return Number.isFinite(low) ? [low] : [];
    }
    const rough = span / Math.max(1, wanted);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = power * [1, 2, 5, 10].find((each) => each * power >= rough * (1 - 1e-12));
    const found = [];
    for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * span; i++) {
        found.push(Number((i * step).toPrecision(12)));
    }
    return found;
}

const ROUND_OFF = 1e-12; // of what is usual for a unit

/** A value, or 0 if it is round-off beside what is usual for its unit, or beside the range of its chart if one is given. */
export function withoutRoundOff(value, usual, range = [0]) {
    const size = Math.max(usual, ...range.map(Math.abs));
    return Number.isFinite(size) && Math.abs(value) <= ROUND_OFF * size ? 0 : value;
}

/**
 * The lowest and the highest of all finite numbers of some tracks, with a little room; equal numbers get some. Where all are round-off
 * beside what is usual, they look like 0.
 */
export function rangeOf(tracks, usual = 0) {
    let [low, high] = [Infinity, -Infinity];
    for (const track of tracks) {
        for (const value of track) {
            if (value < low) {
                low = value;
            }
            if (value > high && value !== Infinity) {
                high = value;
            }
        }
    }
    if (low > high) {
        return [0, 1];
    }
    if (withoutRoundOff(low, usual) === 0 && withoutRoundOff(high, usual) === 0) {
        return usual > 0 ? [-0.1 * usual, 0.1 * usual] : [-1e-9, 1e-9];
    }
    const room = high > low ? 0.06 * (high - low) : Math.max(1e-9, 0.1 * Math.abs(high));
    return [low - room, high + room];
}
