/** Plots of variables over time: one chart for each unit, with a cursor at the time that is shown. */

import { placeOf, valueAt } from "./motion.js";
import { rangeOf, shown, ticks, withoutRoundOff } from "./numbers.js";

export const PLOT_COLORS = ["#2e86de", "#e8743b", "#19a979", "#d1495b", "#8e5ea2", "#13a4b4", "#c79a1b", "#945ecf"];
const HEIGHT = 150;
const EDGE = { left: 52, right: 10, top: 8, bottom: 22 };

/** Variables in groups, each of one unit, in the order of their first variable. */
export function groupsOf(series) {
    const groups = new Map();
    for (const each of series) {
        groups.set(each.unit, [...(groups.get(each.unit) ?? []), each]);
    }
    return [...groups].map(([unit, members]) => ({ unit, members }));
}

/** A chart of variables with one unit. `times` and the tracks of the members may grow. */
export class Chart {
    /**
     * @param {{unit: string, members: {name: string, values: ArrayLike<number>}[]}} group
     * @param {(time: number) => void} seek  called with the time where the user clicks
     * @param {number} usual  how large values of this unit usually are, beside which round-off is 0
     */
    constructor(group, seek, usual = 0) {
        this.usual = usual;
        this.group = group;
        this.element = document.createElement("figure");
        this.legend = document.createElement("figcaption");
        this.canvas = document.createElement("canvas");
        this.canvas.setAttribute("role", "img");
        this.canvas.setAttribute("aria-label", `${group.members.map((each) => each.name).join(", ")} over time`);
        this.element.append(this.legend, this.canvas);
        this.values = group.members.map((member, i) => {
            const item = document.createElement("span");
            const [swatch, value] = [document.createElement("i"), document.createElement("b")];
            swatch.style.background = PLOT_COLORS[i % PLOT_COLORS.length];
            item.append(swatch, `${member.name} `, value);
            item.title = member.description ?? "";
            this.legend.append(item);
            return value;
        });
        const unit = document.createElement("em");
        unit.textContent = group.unit === "1" ? "" : group.unit;
        this.legend.append(unit);
        this.back = document.createElement("canvas");
        const seekTo = (event) => event.buttons === 1 && seek(this.#timeAt(event.offsetX));
        this.canvas.addEventListener("pointerdown", (event) => {
            this.canvas.setPointerCapture(event.pointerId);
            seekTo(event);
        });
        this.canvas.addEventListener("pointermove", seekTo);
    }

    #timeAt(x) {
        const [start, end] = this.span;
        return start + ((x - EDGE.left) / Math.max(1, this.width - EDGE.left - EDGE.right)) * (end - start);
    }

    /** Draw the lines and the axes again. span: the first and the last time */
    redraw(times, span) {
        const ratio = window.devicePixelRatio || 1;
        this.width = this.element.clientWidth;
        this.span = span;
        this.times = times;
        for (const canvas of [this.canvas, this.back]) {
            canvas.width = Math.round(this.width * ratio);
            canvas.height = Math.round(HEIGHT * ratio);
        }
        this.canvas.style.height = `${HEIGHT}px`;
        const context = this.back.getContext("2d");
        context.scale(ratio, ratio);
        const range = rangeOf(this.group.members.map((each) => each.values), this.usual);
        const x = (t) => EDGE.left + ((t - span[0]) / (span[1] - span[0] || 1)) * (this.width - EDGE.left - EDGE.right);
        const y = (v) => HEIGHT - EDGE.bottom - ((v - range[0]) / (range[1] - range[0])) * (HEIGHT - EDGE.top - EDGE.bottom);
        this.x = x;
        this.range = range;
        this.#drawAxes(context, span, range, x, y);
        context.save();
        context.beginPath();
        context.rect(EDGE.left, 0, this.width - EDGE.left - EDGE.right, HEIGHT);
        context.clip();
        this.group.members.forEach((member, i) => this.#drawLine(context, times, member.values, PLOT_COLORS[i % PLOT_COLORS.length], x, y));
        context.restore();
    }

    #drawAxes(context, span, range, x, y) {
        const style = getComputedStyle(this.element);
        context.strokeStyle = style.getPropertyValue("--line");
        context.fillStyle = style.getPropertyValue("--faint");
        context.font = "11px system-ui, sans-serif";
        context.lineWidth = 1;
        context.textBaseline = "middle";
        context.textAlign = "right";
        for (const value of ticks(...range, 4)) {
            context.strokeRect(EDGE.left, Math.round(y(value)) + 0.5, this.width - EDGE.left - EDGE.right, 0);
            context.fillText(shown(value), EDGE.left - 6, y(value));
        }
        context.textAlign = "center";
        for (const time of ticks(...span, this.width / 70)) {
            context.fillText(shown(time), x(time), HEIGHT - EDGE.bottom + 12);
        }
    }

    #drawLine(context, times, values, color, x, y) {
        context.strokeStyle = color;
        context.lineWidth = 1.5;
        context.lineJoin = "round";
        context.beginPath();
        let isDown = false;
        for (let frame = 0; frame < times.length; frame++) {
            if (!Number.isFinite(values[frame])) {
                isDown = false;
                continue;
            }
            context[isDown ? "lineTo" : "moveTo"](x(times[frame]), y(values[frame]));
            isDown = true;
        }
        context.stroke();
    }

    /** Put the cursor at a time, and the values there into the legend. */
    show(time) {
        const context = this.canvas.getContext("2d");
        context.setTransform(1, 0, 0, 1, 0, 0);
        context.clearRect(0, 0, this.canvas.width, this.canvas.height);
        if (this.back.width === 0) {
            return;
        }
        context.drawImage(this.back, 0, 0);
        const ratio = this.canvas.width / this.width;
        context.scale(ratio, ratio);
        context.fillStyle = getComputedStyle(this.element).getPropertyValue("--text");
        context.fillRect(this.x(time) - 0.5, EDGE.top, 1, HEIGHT - EDGE.top - EDGE.bottom);
        if (this.times.length > 0) {
            const place = placeOf(this.times, time);
            this.group.members.forEach((member, i) => {
                this.values[i].textContent = shown(withoutRoundOff(valueAt(member.values, place), this.usual, this.range));
            });
        }
    }
}
