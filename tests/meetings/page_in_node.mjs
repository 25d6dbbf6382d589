/* Run the model of a page, which standard input holds, with the page's script: {data, duration, steps, states} -> rows of
 * [time, ...states], as JSON, and the sentence of a failure. tests/meetings/page_in_node.py calls it. */
import { readFileSync } from "node:fs";

import { loadLiveData } from "../../engine/mobod/viewer/page/live_model.js";

const { data, duration, steps, states } = JSON.parse(readFileSync(0, "utf8"));
const rows = [];
let failure = "";
try {
    const model = await loadLiveData(data);
    while (rows.length < steps && !failure && !model.endedBy) {
        const done = model.advance(duration);
        if (done.ok || model.endedBy) {
            rows.push([model.time, ...states.map((each) => model.value(each))]);
        } else {
            failure = done.message || "no message";
        }
    }
} catch (error) {
    failure = error.message;
}
process.stdout.write(JSON.stringify({ rows, failure }));
