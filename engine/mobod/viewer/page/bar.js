/** The bar under the picture: play, time, speed. */

import { make } from "./dom.js";
import { shown } from "./numbers.js";
import { SPEEDS } from "./player.js";

/** Fill the bar for a recorded run. Returns a function that shows the present time. */
export function fillPlayBar(bar, player, changed) {
    const act = (action) => () => {
        action();
        changed();
    };
    const play = make("button", { className: "play", title: "Play or pause (space)", on: { click: act(() => player.toggle()) } });
    const slider = make("input", {
        type: "range",
        min: 0,
        max: 1000,
        step: "any",
        ariaLabel: "time",
        on: { input: act(() => player.seek(player.start + (slider.value / 1000) * (player.end - player.start))) },
    });
    const time = make("output");
    const speed = make(
        "select",
        { title: "Speed (- and +)", ariaLabel: "speed", on: { change: act(() => (player.speed = Number(speed.value))) } },
        ...SPEEDS.map((each) => make("option", { value: each, textContent: `${each} \u00d7` })),
    );
    const loop = make("button", { title: "Begin again at the end (L)", textContent: "Loop", on: { click: act(() => (player.loops = !player.loops)) } });
    bar.replaceChildren(play, slider, time, speed, loop);
    return () => {
        play.textContent = player.isPlaying ? "Pause" : "Play";
        const span = player.end - player.start;
        slider.value = span > 0 ? ((player.time - player.start) / span) * 1000 : 0;
        time.textContent = `${player.time.toFixed(3)} s of ${shown(player.end)} s`;
        speed.value = String(player.speed);
        loop.setAttribute("aria-pressed", String(player.loops));
    };
}

/** Fill the bar for a live run. */
export function fillLiveBar(bar, run, changed) {
    const act = (action) => () => {
        action();
        changed();
    };
    const play = make("button", { className: "play", title: "Run or pause (space)", on: { click: act(() => run.toggle()) } });
    const time = make("output");
    const reset = make("button", { title: "Back to the start (Home)", textContent: "Reset", on: { click: act(() => run.reset()) } });
    const speed = make(
        "select",
        { title: "Speed (- and +)", ariaLabel: "speed", on: { change: act(() => (run.speed = Number(speed.value))) } },
        ...SPEEDS.filter((each) => each <= 1).map((each) => make("option", { value: each, textContent: `${each} \u00d7` })),
    );
    const load = make("output", { title: "computing time for a second of the page" });
    const events = make("output", { title: "events and impacts since the start" });
    bar.replaceChildren(play, reset, time, speed, events, load);
    return () => {
        play.textContent = run.isPlaying ? "Pause" : "Run";
        time.textContent = `${run.time.toFixed(2)} s`;
        speed.value = String(run.speed);
        events.textContent = run.events > 0 ? `${run.events} events` : "";
        load.textContent = run.load > 0 ? `${Math.round(100 * run.load)} % busy` : "";
    };
}

/** Fill the bar for States that a program shows. */
export function fillStreamBar(bar, run, changed) {
    const hold = make("button", {
        className: "play",
        title: "Hold the picture, or show what comes (space)",
        on: {
            click: () => {
                run.toggle();
                changed();
            },
        },
    });
    const [time, status] = [make("output"), make("output")];
    bar.replaceChildren(hold, time, status);
    return () => {
        hold.textContent = run.isPlaying ? "Hold" : "Go on";
        time.textContent = `${run.time.toFixed(3)} s`;
        status.textContent = run.status;
    };
}
