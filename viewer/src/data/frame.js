/**
 * Reads the frames and contacts that the server sends: plain little-endian arrays, over which views are laid without a
 * copy. The layout is written down in crates/tumble-viewer/src/wire.rs.
 */

const HEADER_LENGTH = 64;
const WALL_NUMBERS = 7;
/** Added to the place of a wall, to tell it from that of a grain. */
export const WALL = 0x80000000;

/**
 * @typedef {object} Frame
 * @property {number} count number of grains
 * @property {number} nContacts number of contacts
 * @property {number} step steps done
 * @property {number} time simulated time [s]
 * @property {[number, number, number]} origin to which positions are relative [m]
 * @property {Float64Array} walls position [m] and quaternion of each wall, 7 numbers each; all 0: it is not there
 * @property {Uint32Array} id
 * @property {Float32Array} scale sizes relative to the species' shape
 * @property {Float32Array} position [m], 3 each
 * @property {Float32Array} velocity [m/s], 3 each
 * @property {Float32Array} spin angular velocity [rad/s], 3 each
 * @property {Int16Array} orientation quaternions in units of 1/32767, 4 each
 * @property {Uint16Array} species
 * @property {number} bytes
 */

/**
 * @typedef {object} Contacts
 * @property {number} count
 * @property {Uint32Array} a places of the grains
 * @property {Uint32Array} b places of the partners; of a wall plus 2^31
 * @property {Float32Array} point [m], relative to the frame's origin, 3 each
 * @property {Float32Array} force on a [N], 3 each
 * @property {Float32Array} overlap [m]
 * @property {number} bytes
 */

/** Hands out one array after another. */
class Walk {
    /** @param {ArrayBuffer} buffer @param {number} at */
    constructor(buffer, at) {
        this.buffer = buffer;
        this.at = at;
    }

    /**
     * @template T
     * @param {{ new (buffer: ArrayBuffer, at: number, length: number): T, BYTES_PER_ELEMENT: number }} Kind
     * @param {number} length
     * @returns {T}
     */
    next(Kind, length) {
        const array = new Kind(this.buffer, this.at, length);
        this.at += length * Kind.BYTES_PER_ELEMENT;
        return array;
    }
}

/** @param {ArrayBuffer} buffer @param {string} marker @param {number} least */
function begin(buffer, marker, least) {
    const bytes = new Uint8Array(buffer);
    if (bytes.length < least || String.fromCharCode(...bytes.subarray(0, 4)) !== marker) {
        throw new Error('what the server sent is not what was asked for');
    }
    return new DataView(buffer);
}

/** @param {boolean} fits */
function assertFits(fits) {
    if (!fits) throw new Error('what the server sent has not the length it tells');
}

/** @param {ArrayBuffer} buffer @returns {Frame} */
export function decodeFrame(buffer) {
    const view = begin(buffer, 'TVF1', HEADER_LENGTH);
    const count = view.getUint32(4, true);
    const nWalls = view.getUint32(8, true);
    assertFits(buffer.byteLength === HEADER_LENGTH + nWalls * WALL_NUMBERS * 8 + count * 54);
    const walk = new Walk(buffer, HEADER_LENGTH);
    return {
        count,
        nContacts: view.getUint32(12, true),
        step: Number(view.getBigUint64(16, true)),
        time: view.getFloat64(24, true),
        origin: [view.getFloat64(32, true), view.getFloat64(40, true), view.getFloat64(48, true)],
        walls: walk.next(Float64Array, nWalls * WALL_NUMBERS),
        id: walk.next(Uint32Array, count),
        scale: walk.next(Float32Array, count),
        position: walk.next(Float32Array, 3 * count),
        velocity: walk.next(Float32Array, 3 * count),
        spin: walk.next(Float32Array, 3 * count),
        orientation: walk.next(Int16Array, 4 * count),
        species: walk.next(Uint16Array, count),
        bytes: buffer.byteLength,
    };
}

/** Whether a wall is there: one that is not has no orientation. @param {Float64Array} poses @param {number} wall */
export function wallIsThere(poses, wall) {
    return poses.subarray(WALL_NUMBERS * wall + 3, WALL_NUMBERS * (wall + 1)).some((number) => number !== 0);
}

/** @param {ArrayBuffer} buffer @returns {Contacts} */
export function decodeContacts(buffer) {
    const view = begin(buffer, 'TVC1', 8);
    const count = view.getUint32(4, true);
    assertFits(buffer.byteLength === 8 + 36 * count);
    const walk = new Walk(buffer, 8);
    return {
        count,
        a: walk.next(Uint32Array, count),
        b: walk.next(Uint32Array, count),
        point: walk.next(Float32Array, 3 * count),
        force: walk.next(Float32Array, 3 * count),
        overlap: walk.next(Float32Array, count),
        bytes: buffer.byteLength,
    };
}
