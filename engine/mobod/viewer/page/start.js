/** The start of the page. */

import { tracksOf } from "./data.js";
import { byId, fail } from "./dom.js";
import { loadLiveData } from "./live_model.js";
import { LiveRun } from "./live_run.js";
import { unpackMeshes } from "./meshes.js";
import { Page } from "./page.js";
import { RecordedRun } from "./recorded_run.js";
import { StreamedRun } from "./streamed_run.js";

/** Why this browser cannot show the page; empty if it can. */
function missing(header) {
    const canvas = document.createElement("canvas");
    if (header.scene !== null && !(canvas.getContext("webgl2") || canvas.getContext("webgl"))) {
        return "This page draws with WebGL, which this browser does not have or has switched off.";
    }
    if (typeof DecompressionStream === "undefined") {
        return "This browser is too old for this page: it cannot unpack its data. Any browser of 2023 or later can.";
    }
    if (header.live && typeof WebAssembly === "undefined") {
        return "This page runs the model by WebAssembly, which this browser does not have or has switched off.";
    }
    return "";
}

/** The run of a header. changed: called when there is something to draw */
async function runOf(header, changed) {
    if (header.live) {
        return new LiveRun(await loadLiveData(header.live), header.shown, header.modal);
    }
    if (header.stream) {
        return new StreamedRun(header, changed);
    }
    return new RecordedRun(header, await tracksOf(header.tracks));
}

async function start() {
    const header = JSON.parse(byId("data").textContent);
    const why = missing(header);
    if (why !== "") {
        fail(why);
        return;
    }
    if (header.scene !== null) {
        await unpackMeshes(header.scene);
    }
    let page = null;
    const run = await runOf(header, () => page?.changed());
    page = new Page(header, run);
    window.page = page;
    page.start();
    if (header.stream) {
        run.connect(location.href.replace(/^http/, "ws"));
    }
}

start().catch((error) => {
    console.error(error);
    fail(`This page cannot be shown. ${error.message}`);
});
