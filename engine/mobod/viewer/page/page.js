/** The page: the picture, its panels, and the loop that keeps them up to date. */

import { Arrows } from "./arrows.js";
import { OrbitCamera } from "./camera.js";
import { contactsOn } from "./contacts.js";
import { byId, make } from "./dom.js";
import { bodyList, checkbox, contactBoxes, deflectionScale, elementsOf, layerBoxes, slider } from "./parts.js";
import { NoStage } from "./no_stage.js";
import { followPointer } from "./pointer.js";
import { Chart, groupsOf } from "./plots.js";
import { Stage, extentOf, lowestOf, spheresOfMotion } from "./stage.js";
import { Trace } from "./traces.js";
import { Turns } from "./turns.js";
import { minus, plus, pointIn, pointOf, times } from "./vectors.js";

const KEYS = [
    ["space", "play, pause"],
    ["\u2190 \u2192", "one frame back, on"],
    ["Home, End", "first, last time"],
    ["\u2212 +", "slower, faster"],
    ["L", "begin again at the end"],
    ["F", "see all of the motion"],
    ["B, P", "show parts, plots"],
    ["D", "light or dark"],
    ["drag", "turn; with Shift, the right button or two fingers: move"],
    ["wheel, pinch", "zoom"],
    ["click", "trace the path of the point"],
    ["drag a body", "pull it, where the page runs the model"],
];

const SLOW = 12; // ms of script for a picture
const BUTTONS = 44; // pixels, the height of the buttons at the top
const FAR = 25; // times the size of the mechanism: a longer motion is not shown as a whole
const FARTHEST = 20; // times the size: the camera does not go farther away to see bodies that part

export class Page {
    /** header: of the page; run: RecordedRun or LiveRun */
    constructor(header, run) {
        this.header = header;
        this.run = run;
        this.hasScene = header.scene !== null;
        this.scene = header.scene ?? { up: [0, 1, 0], bodies: [], connections: [] };
        this.followed = null;
        this.traces = new Map();
        this.frames = 0;
        this.scriptTime = 0; // ms, of all frames
        byId("title").replaceChildren(header.title, make("small", { textContent: header.subtitle }));
        const atFirst = spheresOfMotion(this.scene, [run.poses()]);
        const ofMotion = spheresOfMotion(this.scene, run.posesOverTime(60));
        this.goesFar = extentOf(ofMotion) > FAR * extentOf(atFirst); // then the bodies would be dots, and the camera goes with them
        this.spheres = this.goesFar ? atFirst : ofMotion;
        this.stage = this.hasScene ? new Stage(byId("view"), this.scene, this.spheres, lowestOf(ofMotion)) : new NoStage();
        if (!run.isLive && this.stage.deforming?.length > 0) {
            for (const poses of run.posesOverTime(200)) {
                this.stage.deform(poses); // so that colours mean the same all the time
            }
        }
        this.hasLeft = false; // whether bodies would have left the picture
        this.keepsInView = true; // until the reader moves the picture or zooms
        byId("app").classList.toggle("plots-alone", !this.hasScene);
        this.orbit = new OrbitCamera(this.scene.up, header.towards);
        this.charts = [];
        this.arrows = (run.arrowSets ?? []).map((set) => this.#makeArrows(set));
        this.contacts = contactsOn(this.stage, run);
        this.#fillParts();
        this.#fillPlots();
        this.showTime = run.fillBar(byId("bar"), () => this.changed());
        this.#listen();
        this.setTheme(window.matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
        this.setPanel("plots", !this.hasScene || (this.charts.length > 0 && window.innerWidth > 640));
        this.setPanel("parts", run.isLive && run.inputs.length + run.parameters.length > 0 && window.innerWidth > 1000);
        this.resized();
        this.fit();
    }

    /** Something is to be drawn again. */
    changed() {
        this.isStale = true;
    }

    /** Draw frame after frame. */
    start() {
        let before = null;
        const frame = (now) => {
            requestAnimationFrame(frame);
            const seconds = before === null ? 0 : Math.min(0.1, (now - before) / 1000);
            before = now;
            const began = performance.now();
            if (this.run.isPlaying && this.run.movesByItself) {
                this.say(this.run.advance(seconds));
                this.isStale = true;
            }
            if (this.isStale) {
                this.isStale = false;
                this.draw();
                this.frames++;
                const spent = performance.now() - began;
                this.scriptTime += spent;
                this.#watchTime(spent);
            }
        };
        requestAnimationFrame(frame);
    }

    /** Where drawing takes long, as without a graphics card, the shadows go. */
    #watchTime(spent) {
        this.usual = 0.9 * (this.usual ?? spent) + 0.1 * spent;
        if (this.frames > 10 && this.usual > SLOW) {
            this.stage.castShadows(false);
        }
    }

    draw() {
        const poses = this.run.poses();
        this.stage.place(poses);
        this.scale?.show(this.stage.mostDeflection);
        this.#aim(poses);
        for (const { isShown, set, object, scale } of this.arrows) {
            if (isShown) {
                set.arrows.forEach((arrow, number) => {
                    const { point, vector } = this.run.arrowAt(arrow);
                    object.set(number, point, times(vector, scale));
                });
            }
        }
        this.contacts?.show(this.run);
        if (this.run.isLive) {
            this.#drawLive(poses);
        }
        this.showTime();
        this.charts.forEach((chart) => chart.show(this.run.time));
        this.stage.draw(this.orbit);
    }

    /** Keep the bodies in the picture, and the camera above the floor. */
    #aim(poses) {
        if (!this.hasScene) {
            return;
        }
        if (this.followed !== null) {
            const now = pointOf(poses, this.followed.body, [0, 0, 0]);
            this.orbit.target = plus(this.orbit.target, minus(now, this.followed.at));
            this.followed.at = now;
        } else if (this.keepsInView) {
            const spheres = this.stage.spheresOfBodies(poses).filter((each) => each.every(Number.isFinite));
            this.hasLeft = this.orbit.keep(spheres, FARTHEST * this.stage.size) || this.hasLeft;
            if (this.hasLeft && this.run.isLive && this.run.isPlaying) {
                this.orbit.center(spheres, 0.04);
            }
        }
        this.orbit.stayAbove(this.stage.lowestView);
        this.stage.moveFloor(this.orbit.target, this.run.motion === undefined);
    }

    #drawLive(poses) {
        if (this.run.isPlaying) {
            this.traces.forEach((trace) => trace.add(poses));
        }
        const { pulled } = this.run;
        this.pull ??= this.#addPull();
        this.pull.object.visible = pulled !== null;
        if (pulled !== null) {
            const point = pointOf(poses, pulled.body, pulled.point);
            this.pull.set(0, point, minus(pulled.target, point));
        }
        if (this.frames % 3 === 0) {
            this.charts.forEach((chart) => chart.redraw(this.run.times, this.run.span));
        }
    }

    #addPull() {
        const arrows = new Arrows("pull", 1, 0.004 * this.stage.size);
        this.stage.add(arrows.object);
        return arrows;
    }

    #makeArrows(set) {
        const { size } = this.stage;
        const isTurn = set.kind === "torque";
        const object = isTurn ? new Turns(set.arrows.length, 0.07 * size, 0.004 * size) : new Arrows(set.kind, set.arrows.length, 0.004 * size);
        object.object.visible = false;
        this.stage.add(object.object);
        return { set, object, isShown: false, scale: (isTurn ? 1 : 0.3 * size) / Math.max(1e-300, this.run.greatest(set)) };
    }

    #fillParts() {
        const layers = layerBoxes(this.stage, () => this.changed());
        const arrows = this.arrows.map((each) => checkbox(each.set.label, false, (checked) => this.#showArrows(each, checked), `longest: ${each.set.unit}`));
        const bodies = bodyList(this.scene.bodies, {
            choose: (number) => this.choose(number),
            follow: (number) => this.follow(number),
            trace: (number) => this.traceCenter(number),
        });
        const live = this.run.isLive ? this.#sliders() : [];
        byId("parts").replaceChildren(
            ...live,
            ...(layers.length > 0 ? [make("h2", { textContent: "Shown" }), ...layers] : []),
            ...(this.stage.deforming?.length > 0 ? [this.#scale().element] : []),
            ...(this.contacts === null ? [] : contactBoxes(this.contacts, () => this.changed())),
            ...(arrows.length > 0 ? [make("h2", { textContent: "Arrows" }), ...arrows] : []),
            make("details", { open: bodies.length <= 12 }, make("summary", { textContent: `Bodies (${bodies.length})` }), ...bodies),
        );
    }

    #scale() {
        this.scale = deflectionScale();
        return this.scale;
    }

    /** Sliders for the inputs and parameters of a live run; boxes for those that are true or false. */
    #sliders() {
        const set = (each, value) => {
            this.say(this.run.set(each.name, value));
            this.changed();
        };
        const control = (each) =>
            each.type === "boolean"
                ? checkbox(each.name, each.value === 1, (checked) => set(each, checked ? 1 : 0))
                : slider(each, (value) => set(each, each.type === "integer" ? Math.round(value) : value));
        const group = (title, settable) => (settable.length > 0 ? [make("h2", { textContent: title }), ...settable.map(control)] : []);
        const back = make("button", {
            textContent: "Start values",
            on: {
                click: () => {
                    this.run.reset(false);
                    this.#fillParts();
                    this.changed();
                },
            },
        });
        const { inputs, parameters } = this.run;
        const elements = elementsOf(parameters).map(([element, members]) =>
            make("details", { open: parameters.length <= 12 }, make("summary", { textContent: element }), ...members.map(control)),
        );
        const heading = elements.length > 0 ? [make("h2", { textContent: "Parameters" })] : [];
        const groups = [...group("Inputs", inputs), ...heading, ...elements];
        return groups.length > 0 ? [...groups, back] : [];
    }

    #showArrows(each, isShown) {
        each.isShown = each.object.object.visible = isShown;
        this.changed();
    }

    #fillPlots() {
        const panel = byId("plots");
        const isChosen = new Set(this.run.series.filter((each) => each.isShown).map((each) => each.name));
        const charts = make("div");
        const fill = () => {
            const chosen = this.run.series.filter((each) => isChosen.has(each.name));
            this.charts = groupsOf(chosen).map((group) => new Chart(group, (time) => this.seek(time), this.header.usual?.[group.unit] ?? 0));
            charts.replaceChildren(...this.charts.map((each) => each.element));
            this.resized();
        };
        const boxes = this.run.series.map((each) =>
            checkbox(each.name, isChosen.has(each.name), (checked) => {
                isChosen[checked ? "add" : "delete"](each.name);
                fill();
            }, each.description),
        );
        panel.replaceChildren(charts, make("details", {}, make("summary", { textContent: `Variables (${boxes.length})` }), ...boxes));
        fill();
    }

    #listen() {
        const actions = {
            changed: () => this.changed(),
            hover: (x, y) => this.#hover(x, y),
            click: (x, y) => this.#click(x, y),
            double: () => this.fit(),
            aimed: () => {
                this.keepsInView = false;
            },
            grab: (x, y) => this.#grab(x, y),
            drag: (x, y) => {
                if (this.run.pulled !== null) {
                    this.run.pull({ ...this.run.pulled, target: this.stage.pointUnder(x, y, this.run.pulled.target) });
                }
                this.changed();
            },
            drop: () => {
                this.run.pull(null);
                this.changed();
            },
        };
        followPointer(byId("view"), this.orbit, actions);
        byId("show-parts").addEventListener("click", () => this.togglePanel("parts"));
        byId("show-plots").addEventListener("click", () => this.togglePanel("plots"));
        byId("fit").addEventListener("click", () => this.fit());
        byId("theme").addEventListener("click", () => this.toggleTheme());
        byId("show-help").addEventListener("click", () => this.#help());
        window.addEventListener("resize", () => this.resized());
        window.addEventListener("keydown", (event) => this.#key(event));
        new ResizeObserver(() => this.changed()).observe(byId("view"));
    }

    #key(event) {
        const isTyping = ["INPUT", "SELECT"].includes(event.target.tagName) || (event.target.tagName === "BUTTON" && event.key === " ");
        if (isTyping || event.ctrlKey || event.metaKey || event.altKey) {
            return;
        }
        const run = this.run;
        const keys = {
            " ": () => run.toggle(),
            ArrowLeft: () => run.stepBy(-1),
            ArrowRight: () => run.stepBy(1),
            Home: () => run.seek(-Infinity),
            End: () => run.seek(Infinity),
            "-": () => run.changeSpeed(-1),
            "+": () => run.changeSpeed(1),
            l: () => run.toggleLoop(),
            f: () => this.fit(),
            b: () => this.togglePanel("parts"),
            p: () => this.togglePanel("plots"),
            d: () => this.toggleTheme(),
            "?": () => this.#help(),
        };
        const action = keys[event.key] ?? keys[event.key.toLowerCase()];
        if (action) {
            event.preventDefault();
            action();
            this.changed();
        }
    }

    #help() {
        const rows = KEYS.map(([key, what]) => make("tr", {}, make("td", { textContent: key }), make("td", { textContent: what })));
        const close = make("button", { textContent: "Close", on: { click: () => byId("help").close() } });
        byId("help").replaceChildren(make("table", {}, ...rows), make("p", { textContent: this.header.footer }), close);
        byId("help").showModal();
    }

    #hover(x, y) {
        const hit = this.stage.pick(x, y);
        const hover = byId("hover");
        hover.textContent = hit === null ? "" : this.scene.bodies[hit.body].name;
        hover.style.left = `${byId("view").offsetLeft + x + 14}px`;
        hover.style.top = `${y + 10}px`;
    }

    #click(x, y) {
        const hit = this.stage.pick(x, y);
        if (hit !== null && hit.body > 0) {
            this.trace(hit.body, pointIn(this.run.poses(), hit.body, hit.point));
        }
    }

    #grab(x, y) {
        const hit = this.run.isLive ? this.stage.pick(x, y) : null;
        if (hit === null || hit.body === 0) {
            return false;
        }
        this.run.pull({ body: hit.body, point: pointIn(this.run.poses(), hit.body, hit.point), target: hit.point });
        return this.run.pulled !== null;
    }

    /** Trace a point of a body; a trace of the same point ends. Returns whether there is one now. */
    trace(body, point) {
        const key = `${body}: ${point.map((each) => each.toPrecision(6))}`;
        const before = this.traces.get(key);
        this.changed();
        if (before !== undefined) {
            this.stage.remove(before.object);
            this.traces.delete(key);
            return false;
        }
        const made = new Trace(this.traces.size, body, point);
        if (!this.run.isLive) {
            made.fill(this.run.motion);
        }
        this.stage.add(made.object);
        this.traces.set(key, made);
        return true;
    }

    traceCenter(number) {
        return this.trace(number, this.header.centers[number]);
    }

    /** Let the camera move with a body, or no longer. Returns whether it does. */
    follow(number) {
        this.followed = this.followed?.body === number ? null : { body: number, at: pointOf(this.run.poses(), number, [0, 0, 0]) };
        return this.followed !== null;
    }

    choose(number) {
        this.stage.highlight(number);
        this.changed();
    }

    seek(time) {
        this.run.seek(time);
        this.changed();
    }

    /** See all of the motion, from the direction of the start. */
    fit() {
        this.orbit.reset();
        this.orbit.aspect = byId("view").clientWidth / Math.max(1, byId("view").clientHeight);
        this.orbit.frame(this.spheres);
        const buttons = BUTTONS / Math.max(4 * BUTTONS, byId("view").clientHeight); // they cover this part of the picture
        this.orbit.zoomBy((1 + buttons) * (this.goesFar ? 2.5 : 1)); // from farther away with some of what is around
        this.orbit.panBy(0, buttons / 2);
        this.keepsInView = true;
        this.hasLeft = false;
        this.changed();
    }

    /** What is drawn has another size. */
    resized() {
        this.charts.forEach((chart) => chart.redraw(this.run.times, this.run.span));
        this.changed();
    }

    togglePanel(name) {
        this.setPanel(name, !byId("app").dataset.panels.split(" ").includes(name));
    }

    setPanel(name, isShown) {
        const others = byId("app").dataset.panels.split(" ").filter((each) => each !== name);
        byId("app").dataset.panels = [...others, ...(isShown ? [name] : [])].join(" ");
        byId(`show-${name}`).setAttribute("aria-pressed", String(isShown));
        this.resized();
    }

    toggleTheme() {
        this.setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
    }

    setTheme(theme) {
        document.documentElement.dataset.theme = theme;
        const style = getComputedStyle(document.documentElement);
        this.stage.setColors(style.getPropertyValue("--back").trim(), style.getPropertyValue("--grid").trim());
        this.resized();
    }

    /** A sentence to the reader; an empty one takes the last one away. */
    say(sentence) {
        byId("note").hidden = sentence === "";
        byId("note").textContent = sentence;
    }

    /** The pose of a body, named or numbered, at a time: 12 numbers. */
    pose(body, time) {
        const number = typeof body === "number" ? body : this.scene.bodies.findIndex((each) => each.name === body);
        this.seek(time);
        return Array.from(this.run.poses().subarray(12 * number, 12 * number + 12));
    }
}
