/** The pointer on the picture: turn, move, zoom, point at bodies, and pull them in a live run. */

const TURN = 0.008; // rad for a pixel
const STILL = 4; // pixels that a click may move

/**
 * @param {HTMLCanvasElement} canvas
 * @param {OrbitCamera} orbit
 * @param {{changed(): void, aimed(): void, hover(x: number, y: number): void, click(x: number, y: number): void, double(): void,
 *          grab(x: number, y: number): boolean, drag(x: number, y: number): void, drop(): void}} actions
 */
export function followPointer(canvas, orbit, actions) {
    const pointers = new Map();
    let [moved, isPulling] = [0, false];

    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("pointerdown", (event) => {
        canvas.focus({ preventScroll: true });
        canvas.setPointerCapture(event.pointerId);
        moved = 0;
        if (pointers.size === 0 && event.button === 0 && !event.shiftKey) {
            isPulling = actions.grab(event.offsetX, event.offsetY);
        } else if (isPulling) {
            isPulling = false;
            actions.drop();
        }
        pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
    });
    canvas.addEventListener("pointermove", (event) => {
        const before = pointers.get(event.pointerId);
        if (before === undefined) {
            actions.hover(event.offsetX, event.offsetY);
            return;
        }
        const [dx, dy] = [event.offsetX - before[0], event.offsetY - before[1]];
        moved += Math.abs(dx) + Math.abs(dy);
        if (isPulling) {
            actions.drag(event.offsetX, event.offsetY);
        } else if (pointers.size > 1) {
            pinch(event.pointerId, [event.offsetX, event.offsetY], dx, dy);
        } else if (event.buttons & 6 || event.shiftKey) {
            orbit.panBy(dx / canvas.clientHeight, dy / canvas.clientHeight);
            actions.aimed();
        } else {
            orbit.turnBy(dx * TURN, dy * TURN);
        }
        pointers.set(event.pointerId, [event.offsetX, event.offsetY]);
        actions.changed();
    });
    const release = (event) => {
        if (!pointers.delete(event.pointerId)) {
            return;
        }
        if (isPulling) {
            isPulling = false;
            actions.drop();
        }
        if (event.type === "pointerup" && moved < STILL) {
            actions.click(event.offsetX, event.offsetY);
        }
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("dblclick", () => actions.double());
    canvas.addEventListener(
        "wheel",
        (event) => {
            event.preventDefault();
            const pixels = event.deltaY * (event.deltaMode === 1 ? 20 : 1);
            orbit.zoomBy(Math.exp(0.0012 * Math.max(-300, Math.min(300, pixels))));
            actions.aimed();
            actions.changed();
        },
        { passive: false },
    );

    /** Two fingers: their distance zooms, their common movement pans. */
    function pinch(id, now, dx, dy) {
        const other = [...pointers].find(([each]) => each !== id)[1];
        const before = pointers.get(id);
        const distance = (point) => Math.hypot(point[0] - other[0], point[1] - other[1]);
        orbit.zoomBy(distance(before) / Math.max(1, distance(now)));
        orbit.panBy(dx / 2 / canvas.clientHeight, dy / 2 / canvas.clientHeight);
        actions.aimed();
    }
}
