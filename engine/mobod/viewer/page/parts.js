/** The panel of what is shown: layers, arrows and bodies. */

import { colorOf } from "./arrows.js";
import { COLORS_OF_DEFLECTION } from "./deforming.js";
import { make } from "./dom.js";
import { shown } from "./numbers.js";

const LAYERS = {
    floor: "Floor",
    axis: "Joints",
    limit: "Limits",
    constraint: "Constraints",
    connection: "Springs and rods",
    mass: "Blocks with the inertia",
    contact: "Shapes of contacts",
    sensor: "Sensors",
    deflection: "Colours by deflection",
    frame: "Frames of bodies",
};

/** A box with a label. */
export function checkbox(label, checked, toggled, title = "") {
    const box = make("input", { type: "checkbox", checked, on: { change: () => toggled(box.checked) } });
    return make("label", { title }, box, make("span", { textContent: label }));
}

/** Boxes for the layers that a stage has. */
export function layerBoxes(stage, changed) {
    return Object.entries(LAYERS)
        .filter(([name]) => stage.parts.includes(name))
        .map(([name, label]) =>
            checkbox(label, !stage.hidden.has(name), (checked) => {
                stage.showPart(name, checked);
                changed();
            }),
        );
}

/** The scale of the colours of deflections; `show(most)` writes the largest one, m. */
export function deflectionScale() {
    const bar = make("i");
    bar.style.width = "4em";
    bar.style.background = `linear-gradient(to right, ${COLORS_OF_DEFLECTION.map((each) => `rgb(${each.map((part) => Math.round(255 * part))})`)})`;
    const text = make("span", { textContent: "" });
    return { element: make("p", { className: "keys" }, make("span", {}, bar, text)), show: (most) => (text.textContent = `0 to ${shown(most)} m`) };
}

/** Boxes for the points and forces of contacts, and for the cones of friction, with their colours. */
export function contactBoxes(contacts, changed) {
    const cones = checkbox("Friction cones", contacts.hasCones, (checked) => {
        contacts.hasCones = checked;
        changed();
    });
    const forces = checkbox("Points and forces", contacts.object.visible, (checked) => {
        contacts.object.visible = checked;
        changed();
    });
    const keys = Object.entries({ stick: "sticks", slip: "slips" }).map(([kind, label]) => {
        const swatch = make("i");
        swatch.style.background = `rgb(${colorOf(kind).map((each) => Math.round(255 * each))})`;
        return make("span", {}, swatch, label);
    });
    return [make("h2", { textContent: "Contacts" }), forces, cones, make("p", { className: "keys" }, ...keys)];
}

/** A slider with its name and value. `moved` is called with each new value. */
export function slider({ name, unit, value, low, high }, moved) {
    const readout = make("b", { textContent: shown(value) });
    const input = make("input", {
        type: "range",
        min: low,
        max: high,
        step: "any",
        value,
        on: {
            input: () => {
                readout.textContent = shown(Number(input.value));
                moved(Number(input.value));
            },
        },
    });
    const label = make("label", { className: "slider" }, make("span", { textContent: name }), make("span", {}, readout, unit === "1" ? "" : ` ${unit}`), input);
    return label;
}

/** Variables by their element, the part of the name before its last dot; gravity first, since it is tried most. */
export function elementsOf(variables) {
    const found = new Map();
    for (const each of variables) {
        const element = each.name.slice(0, Math.max(0, each.name.lastIndexOf("."))) || each.name;
        found.set(element, [...(found.get(element) ?? []), each]);
    }
    const rank = (element) => (element.toLowerCase().includes("gravity") ? 0 : 1);
    return [...found].sort((a, b) => rank(a[0]) - rank(b[0]));
}

/** The list of bodies, each with buttons: follow it with the camera, trace its mass center. */
export function bodyList(bodies, { choose, follow, trace }) {
    return bodies.slice(1).map((body, i) => {
        const number = i + 1;
        const button = (text, title, action) =>
            make("button", {
                textContent: text,
                title,
                ariaPressed: "false",
                on: { click: (event) => event.currentTarget.setAttribute("aria-pressed", String(action(number))) },
            });
        return make(
            "div",
            { className: "body", on: { pointerenter: () => choose(number), pointerleave: () => choose(null) } },
            make("span", { textContent: body.name }),
            make("span", {}, button("Trace", "The path of its mass center", trace), " ", button("Follow", "The camera moves with it", follow)),
        );
    });
}
