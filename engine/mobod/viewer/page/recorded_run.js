/** A run that was recorded, as the page shows it. LiveRun has the same methods. */

import { fillPlayBar } from "./bar.js";
import { Motion, placeOf, valueAt } from "./motion.js";
import { Player } from "./player.js";

export class RecordedRun {
    /** header: of the page; tracks: its numbers */
    constructor(header, tracks) {
        this.isLive = false;
        this.movesByItself = true;
        this.tracks = tracks;
        this.times = header.times;
        this.motion = new Motion(header.times, header.poses, tracks, header.modalTracks);
        this.player = new Player(header.times);
        this.series = header.series.map((each) => ({ ...each, values: tracks[each.track] }));
        this.arrowSets = header.arrows;
        this.contacts = header.contacts;
        this.events = header.events;
        this.span = [this.player.start, this.player.end];
    }

    get time() {
        return this.player.time;
    }

    get isPlaying() {
        return this.player.isPlaying;
    }

    fillBar(bar, changed) {
        bar.hidden = this.times.length === 1;
        return fillPlayBar(bar, this.player, changed);
    }

    toggle() {
        this.player.toggle();
    }

    toggleLoop() {
        this.player.loops = !this.player.loops;
    }

    seek(time) {
        this.player.seek(time);
    }

    stepBy(direction) {
        this.player.stepBy(direction);
    }

    changeSpeed(direction) {
        this.player.changeSpeed(direction);
    }

    /** Let real time pass. Returns why the run cannot go on: a recorded one always can. */
    advance(seconds) {
        this.player.tick(seconds);
        return "";
    }

    /** The poses of all bodies now. */
    poses() {
        return this.motion.posesAt(this.player.time);
    }

    /** {point, vector} in Ground of an arrow now. */
    arrowAt(arrow) {
        const place = placeOf(this.times, this.player.time);
        const [x, y, z, ...vector] = arrow.tracks.map((each) => valueAt(this.tracks[each], place));
        return { point: [x, y, z], vector };
    }

    /** The numbers of a feature of the contacts now, see contacts.js; its mode is that of the last frame. */
    contactAt(number) {
        const place = placeOf(this.times, this.player.time);
        const [mode, ...others] = this.contacts.features[number].tracks.map((each) => this.tracks[each]);
        return mode[place.frame] === 0 ? null : [mode[place.frame], ...others.map((each) => valueAt(each, place))];
    }

    /** The greatest length of the vectors of an arrow set, in its unit. */
    greatest(set) {
        let found = 0;
        for (const { tracks } of set.arrows) {
            const [x, y, z] = tracks.slice(3).map((each) => this.tracks[each]);
            for (let frame = 0; frame < this.times.length; frame++) {
                const length = Math.hypot(x[frame], y[frame], z[frame]);
                if (length > found) {
                    found = length;
                }
            }
        }
        return found;
    }

    /** Poses for the whole motion, at most about `wanted` of them. */
    *posesOverTime(wanted) {
        const every = Math.max(1, Math.ceil(this.times.length / wanted));
        for (let frame = 0; frame < this.times.length; frame += every) {
            yield this.motion.posesAt(this.times[frame]);
        }
    }
}
