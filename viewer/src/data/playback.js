/** The clock of the page: simulated time, played at a speed. Knows nothing of drawing or of where frames come from. */

/** Simulated seconds a second: 1, 2 and 5 times powers of ten. */
export const SPEEDS = [-5, -4, -3, -2, -1, 0, 1].flatMap((power) => [1, 2, 5].map((digit) => digit * 10 ** power));

/** Played at the usual speed, a run takes about this long [s]. */
const USUAL_DURATION = 8;

export class Playback {
    constructor() {
        /** @type {number[]} the moments at which any run has a frame, in order [s] */
        this.moments = [];
        this.time = 0;
        this.playing = false;
        this.speed = 1;
        /** Whether the newest moment is shown as soon as it comes. */
        this.following = false;
        this.chosen = false;
    }

    get first() {
        return this.moments[0] ?? 0;
    }

    get last() {
        return this.moments[this.moments.length - 1] ?? 0;
    }

    /**
     * Takes in the times of all runs' frames.
     * @param {number[][]} runs each in order
     */
    setMoments(runs) {
        const all = [...new Set(runs.flat())].filter(Number.isFinite).sort((a, b) => a - b);
        this.moments = all;
        if (!this.chosen && all.length > 1) this.speed = usualSpeed(this.last - this.first);
        this.time = this.following ? this.last : this.held(this.time);
    }

    /** @param {number} time */
    held(time) {
        return Math.min(Math.max(time, this.first), this.last);
    }

    /** @param {number} time */
    seek(time) {
        this.time = this.held(time);
        this.following = false;
    }

    /** Goes some moments on, or back. @param {number} count */
    stepBy(count) {
        let place = this.moments.findLastIndex((moment) => moment <= this.time);
        place = Math.min(Math.max(place + count, 0), this.moments.length - 1);
        this.seek(this.moments[place] ?? 0);
    }

    /** Plays; from the beginning if it stands at the end. */
    play() {
        if (this.time >= this.last) this.time = this.first;
        this.playing = this.moments.length > 1;
        this.following = false;
    }

    pause() {
        this.playing = false;
    }

    /** Where it will be in a while, if nothing holds it up. @param {number} seconds */
    ahead(seconds) {
        return this.held(this.time + seconds * this.speed);
    }

    /** Lets time pass while it plays; it pauses at the end. @param {number} seconds */
    advance(seconds) {
        if (!this.playing) return;
        this.time = this.ahead(seconds);
        if (this.time >= this.last) this.playing = false;
    }

    /** The next faster speed, or the next slower. @param {1 | -1} direction */
    changeSpeed(direction) {
        const nearest = SPEEDS.reduce((best, speed, place) =>
            Math.abs(Math.log(speed / this.speed)) < Math.abs(Math.log(SPEEDS[best] / this.speed)) ? place : best, 0);
        this.setSpeed(SPEEDS[Math.min(Math.max(nearest + direction, 0), SPEEDS.length - 1)]);
    }

    /** @param {number} speed */
    setSpeed(speed) {
        this.speed = speed;
        this.chosen = true;
    }
}

/** The speed at which a duration [s] plays in about the usual time. @param {number} duration */
export function usualSpeed(duration) {
    return SPEEDS.findLast((speed) => speed <= (duration / USUAL_DURATION) * 1.5) ?? SPEEDS[0];
}
