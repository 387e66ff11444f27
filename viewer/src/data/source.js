/**
 * The frames of one run: its index as it grows, frames on demand from a cache with a limit, and the next ones ahead of
 * their time.
 */

import { ByteCache } from './cache.js';
import { Refusal, server } from './network.js';

/** All frames of all runs together [bytes]. */
const CACHE_LIMIT = 384 * 1024 * 1024;
/** After an answer that did not come, nothing is to be asked for this long [ms]. */
export const RETRY = 1000;

/** @typedef {import('./frame.js').Frame} Frame */
/** @typedef {import('./frame.js').Contacts} Contacts */

/** @type {ByteCache<Frame | Contacts>} */
const cache = new ByteCache(CACHE_LIMIT, (key) => [...held.values()].some((keys) => keys.has(key)));
/** Keys of what each run shows or is about to show: without them it would have to be fetched again at once. @type {Map<number, Set<string>>} */
const held = new Map();

export class Source {
    /**
     * @param {number} run
     * @param {import('./network.js').Summary} summary
     * @param {() => void} fellSilent called when an answer did not come
     */
    constructor(run, summary, fellSilent) {
        this.fellSilent = fellSilent;
        this.run = run;
        this.summary = summary;
        /** @type {any} description of grains, walls and domain; null while there is none */
        this.description = null;
        /** @type {number[]} */
        this.times = [];
        /** @type {number[]} */
        this.steps = [];
        /** @type {Map<number, string>} why frames cannot be shown */
        this.failures = new Map();
        /** @type {Map<string, Promise<boolean>>} */
        this.pending = new Map();
        this.generation = -1;
        /** Whether an answer did not come: nothing is asked until somebody says so. */
        this.silent = false;
        /** Size of the last frame that was looked at, with its contacts [bytes]. */
        this.usualBytes = 0;
    }

    /** Forgets that anything failed: the server is there again. */
    forgive() {
        this.failures.clear();
        this.silent = false;
    }

    /** Keeps frames and their contacts in memory, and no others. @param {number[]} numbers */
    hold(numbers) {
        const keys = numbers.flatMap((number) => [this.key('frame', number), this.key('contacts', number)]);
        held.set(this.run, new Set(keys));
    }

    /** How many frames like one there is room for, beside those that all runs hold. @param {number} number */
    room(number) {
        const bytes = (this.frame(number)?.bytes ?? 0) + (this.contacts(number)?.bytes ?? 0);
        if (bytes > 0) this.usualBytes = bytes;
        return this.usualBytes > 0 ? Math.floor(CACHE_LIMIT / Math.max(1, held.size) / this.usualBytes) - 1 : 0;
    }

    /** Some frames that tell the size of things: the first and the last, or else the first that can be read. */
    async samples() {
        const last = this.times.length - 1;
        const ends = [...new Set([0, last])];
        this.hold(ends);
        await Promise.all(ends.map((number) => this.load(number, false)));
        const sound = ends.map((number) => this.frame(number)).filter((frame) => frame !== undefined);
        for (let number = 1; number < last && sound.length === 0; number++) {
            if (!(await this.load(number, false))) break;
            const frame = this.frame(number);
            if (frame) sound.push(frame);
        }
        return sound;
    }

    /** Brings description and index up to what the summary tells. Returns whether anything came. */
    async refresh() {
        if (this.summary.generation !== this.generation || !this.description) {
            this.generation = this.summary.generation;
            this.times = [];
            this.steps = [];
            this.failures.clear();
            this.description = await server.description(this.run).catch(() => null);
        }
        if (!this.description || this.summary.n_frames === this.times.length) return false;
        const index = await server.index(this.run, this.times.length);
        if (index.generation !== this.generation || index.from !== this.times.length) return false;
        this.times = this.times.concat(index.time);
        this.steps = this.steps.concat(index.step);
        return index.time.length > 0;
    }

    /** The last frame that is not after a time; the first if all are. @param {number} time */
    frameAt(time) {
        let low = 0;
        let high = this.times.length;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (this.times[middle] <= time) low = middle + 1;
            else high = middle;
        }
        return Math.max(0, low - 1);
    }

    /** @param {'frame' | 'contacts'} what @param {number} number */
    key(what, number) {
        return `${this.run}/${this.generation}/${what}/${number}`;
    }

    /** What is here already. @param {number} number @returns {Frame | undefined} */
    frame(number) {
        return /** @type {Frame | undefined} */ (cache.get(this.key('frame', number)));
    }

    /** @param {number} number @returns {Contacts | undefined} */
    contacts(number) {
        return /** @type {Contacts | undefined} */ (cache.get(this.key('contacts', number)));
    }

    /**
     * Fetches a frame, and its contacts if they are wanted, unless it is here or on its way.
     * @param {number} number
     * @param {boolean} withContacts
     * @returns {Promise<boolean>} whether there was an answer, be it that the frame is damaged
     */
    async load(number, withContacts) {
        if (number < 0 || number >= this.times.length || this.failures.has(number)) return true;
        if (this.silent) return false;
        /** @param {'frame' | 'contacts'} what */
        const fetched = (what) => {
            const key = this.key(what, number);
            if (cache.has(key)) return true;
            const known = this.pending.get(key);
            if (known) return known;
            const generation = this.generation;
            const coming = server[what](this.run, number)
                .then((value) => {
                    cache.set(key, value, value.bytes);
                    return true;
                })
                .catch((error) => {
                    // A connection that broke says nothing of the frame.
                    const isFinal = error instanceof Refusal;
                    if (isFinal && generation === this.generation) this.failures.set(number, error.message);
                    if (!isFinal) {
                        this.silent = true;
                        this.fellSilent();
                    }
                    return isFinal;
                })
                .finally(() => this.pending.delete(key));
            this.pending.set(key, coming);
            return coming;
        };
        const answers = await Promise.all([fetched('frame'), withContacts && this.description?.contacts ? fetched('contacts') : true]);
        return answers.every(Boolean);
    }
}
