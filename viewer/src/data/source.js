/**
 * The frames of one run: its index as it grows, frames on demand from a cache with a limit, and the next ones ahead of
 * their time.
 */

import { ByteCache } from './cache.js';
import { server } from './network.js';

/** All frames of all runs together [bytes]. */
const CACHE_LIMIT = 384 * 1024 * 1024;

/** @typedef {import('./frame.js').Frame} Frame */
/** @typedef {import('./frame.js').Contacts} Contacts */

/** @type {ByteCache<Frame | Contacts>} */
const cache = new ByteCache(CACHE_LIMIT);

export class Source {
    /** @param {number} run @param {import('./network.js').Summary} summary */
    constructor(run, summary) {
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
        /** @type {Map<string, Promise<unknown>>} */
        this.pending = new Map();
        this.generation = -1;
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
     * @returns {Promise<void>}
     */
    async load(number, withContacts) {
        if (number < 0 || number >= this.times.length || this.failures.has(number)) return;
        /** @param {'frame' | 'contacts'} what */
        const fetched = (what) => {
            const key = this.key(what, number);
            if (cache.has(key)) return undefined;
            const known = this.pending.get(key);
            if (known) return known;
            const generation = this.generation;
            const coming = server[what](this.run, number)
                .then((value) => cache.set(key, value, value.bytes))
                .catch((error) => {
                    if (generation === this.generation) this.failures.set(number, error.message);
                })
                .finally(() => this.pending.delete(key));
            this.pending.set(key, coming);
            return coming;
        };
        await Promise.all([fetched('frame'), withContacts && this.description?.contacts ? fetched('contacts') : undefined]);
    }
}
