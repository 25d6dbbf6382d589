/** In place of a Stage, where there is nothing but plots. */
export class NoStage {
    constructor() {
        this.layers = {};
        this.size = 1;
    }

    showLayer() {}
    setColors() {}
    add() {}
    remove() {}
    place() {}
    draw() {}
    highlight() {}

    pick() {
        return null;
    }
}
