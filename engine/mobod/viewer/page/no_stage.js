/** In place of a Stage, where there is nothing but plots. */
export class NoStage {
    constructor() {
        this.parts = [];
        this.size = 1;
    }

    castShadows() {}
    showPart() {}
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
