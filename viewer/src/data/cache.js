/** A cache that lets go of what was not used for the longest time once it holds too many bytes. */

/** @template T */
export class ByteCache {
    /**
     * @param {number} limit largest sum of sizes [bytes]
     * @param {(key: string) => boolean} isHeld whether something is in use, and stays even beyond the limit
     */
    constructor(limit, isHeld = () => false) {
        this.limit = limit;
        this.isHeld = isHeld;
        this.bytes = 0;
        /** @type {Map<string, { value: T, bytes: number }>} */
        this.entries = new Map();
    }

    /** @param {string} key @returns {T | undefined} */
    get(key) {
        const entry = this.entries.get(key);
        if (!entry) return undefined;
        // A map keeps the order in which entries came: the newest goes last.
        this.entries.delete(key);
        this.entries.set(key, entry);
        return entry.value;
    }

    /** @param {string} key */
    has(key) {
        return this.entries.has(key);
    }

    /** @param {string} key @param {T} value @param {number} bytes */
    set(key, value, bytes) {
        this.delete(key);
        this.entries.set(key, { value, bytes });
        this.bytes += bytes;
        for (const oldest of [...this.entries.keys()]) {
            // The newest stays, however large: somebody has just asked for it.
            if (this.bytes <= this.limit || oldest === key) break;
            if (!this.isHeld(oldest)) this.delete(oldest);
        }
    }

    /** @param {string} key */
    delete(key) {
        const entry = this.entries.get(key);
        if (entry && this.entries.delete(key)) this.bytes -= entry.bytes;
    }

    clear() {
        this.entries.clear();
        this.bytes = 0;
    }
}
