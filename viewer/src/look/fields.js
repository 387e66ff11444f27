/** What grains can be coloured by: a number for each grain of a frame. The words are those of `tumble render --colour`. */

import { WALL } from '../data/frame.js';

/** @typedef {import('../data/frame.js').Frame} Frame */
/** @typedef {import('../data/frame.js').Contacts} Contacts */
/** @typedef {{ diameter: number, long_axis: [number, number, number] | null }} Kind */

/**
 * @typedef {object} Field
 * @property {string} name
 * @property {string} title
 * @property {string} unit
 * @property {boolean} [contacts] whether it needs contacts
 * @property {boolean} [kind] whether its numbers are names of kinds
 * @property {boolean} [signed] whether its scale has its middle at zero
 * @property {boolean} [fromZero] whether its scale begins at zero
 * @property {boolean} [whole] whether its scale spans all values
 * @property {readonly [number, number]} [natural] the range it has by its nature
 * @property {import('./colour.js').MapName} map
 */

/** @type {Field[]} */
export const FIELDS = [
    { name: 'species', title: 'kind of grain', unit: '', kind: true, map: 'viridis' },
    { name: 'speed', title: 'speed', unit: 'm/s', fromZero: true, map: 'viridis' },
    { name: 'angular_speed', title: 'angular speed', unit: 'rad/s', fromZero: true, map: 'viridis' },
    { name: 'orientation', title: 'long axis from vertical', unit: '°', natural: [0, 90], map: 'viridis' },
    { name: 'force', title: 'sum of contact forces', unit: 'N', contacts: true, fromZero: true, map: 'viridis' },
    { name: 'overlap', title: 'largest overlap', unit: 'm', contacts: true, fromZero: true, map: 'viridis' },
    { name: 'coordination', title: 'contacts', unit: '', contacts: true, fromZero: true, whole: true, map: 'viridis' },
    { name: 'size', title: 'diameter of equal volume', unit: 'm', map: 'viridis' },
    { name: 'height', title: 'height', unit: 'm', map: 'viridis' },
    { name: 'heading', title: 'long axis from x, seen from above', unit: '°', natural: [0, 180], map: 'wheel' },
    { name: 'velocity_x', title: 'velocity along x', unit: 'm/s', signed: true, map: 'diverging' },
    { name: 'velocity_y', title: 'velocity along y', unit: 'm/s', signed: true, map: 'diverging' },
    { name: 'velocity_z', title: 'velocity along z', unit: 'm/s', signed: true, map: 'diverging' },
    { name: 'id', title: 'grain', unit: '', whole: true, map: 'viridis' },
    { name: 'constant', title: 'all the same', unit: '', kind: true, map: 'viridis' },
];

/** More values than this are not sorted for every frame. */
const MOST_SORTED = 8192;

/** @param {string} name */
export const fieldOf = (name) => FIELDS.find((field) => field.name === name) ?? FIELDS[0];

/** @param {Float32Array} vectors @param {Float32Array} out */
function lengths(vectors, out) {
    // Math.hypot is several times slower, and nothing here overflows.
    for (let k = 0; k < out.length; k++) out[k] = Math.sqrt(vectors[3 * k] ** 2 + vectors[3 * k + 1] ** 2 + vectors[3 * k + 2] ** 2);
}

/** The world direction of each grain's long axis, handed to a function. @param {Frame} frame @param {Kind[]} kinds @param {(x: number, y: number, z: number) => number} measure @param {Float32Array} out */
function overAxes(frame, kinds, measure, out) {
    const q = frame.orientation;
    for (let k = 0; k < out.length; k++) {
        const axis = kinds[frame.species[k]]?.long_axis;
        if (!axis) {
            out[k] = NaN;
            continue;
        }
        const length = Math.hypot(q[4 * k], q[4 * k + 1], q[4 * k + 2], q[4 * k + 3]) || 1;
        const [x, y, z, w] = [q[4 * k] / length, q[4 * k + 1] / length, q[4 * k + 2] / length, q[4 * k + 3] / length];
        const [ax, ay, az] = axis;
        const [tx, ty, tz] = [2 * (y * az - z * ay), 2 * (z * ax - x * az), 2 * (x * ay - y * ax)];
        out[k] = measure(ax + w * tx + y * tz - z * ty, ay + w * ty + z * tx - x * tz, az + w * tz + x * ty - y * tx);
    }
}

/** @param {Contacts} contacts @param {(out: Float32Array, grain: number, contact: number) => void} fold @param {Float32Array} out */
function overContacts(contacts, fold, out) {
    for (let c = 0; c < contacts.count; c++) {
        fold(out, contacts.a[c], c);
        if (contacts.b[c] < WALL) fold(out, contacts.b[c], c);
    }
}

/** Size of a contact's force [N]. @param {Contacts} contacts @param {number} c */
export const forceOf = (contacts, c) =>
    Math.sqrt(contacts.force[3 * c] ** 2 + contacts.force[3 * c + 1] ** 2 + contacts.force[3 * c + 2] ** 2);

/**
 * The field's number for each grain; NaN where a grain has none.
 * @param {Field} field
 * @param {Frame} frame
 * @param {Contacts | undefined} contacts
 * @param {Kind[]} kinds
 */
export function valuesOf(field, frame, contacts, kinds) {
    const out = new Float32Array(frame.count);
    const degrees = 180 / Math.PI;
    if (field.contacts && !contacts) return out.fill(NaN);
    const known = /** @type {Contacts} */ (contacts);
    switch (field.name) {
        case 'species': out.set(frame.species); break;
        case 'speed': lengths(frame.velocity, out); break;
        case 'angular_speed': lengths(frame.spin, out); break;
        case 'velocity_x':
        case 'velocity_y':
        case 'velocity_z': {
            const axis = 'xyz'.indexOf(field.name.slice(-1));
            for (let k = 0; k < out.length; k++) out[k] = frame.velocity[3 * k + axis];
            break;
        }
        case 'orientation': overAxes(frame, kinds, (_x, _y, z) => Math.acos(Math.min(Math.abs(z), 1)) * degrees, out); break;
        case 'heading': overAxes(frame, kinds, (x, y) => (Math.atan2(y, x) * degrees + 360) % 180, out); break;
        case 'force': overContacts(known, (sum, grain, c) => { sum[grain] += forceOf(known, c); }, out); break;
        case 'overlap': overContacts(known, (most, grain, c) => { most[grain] = Math.max(most[grain], known.overlap[c]); }, out); break;
        case 'coordination': overContacts(known, (count, grain) => { count[grain] += 1; }, out); break;
        case 'size': for (let k = 0; k < out.length; k++) out[k] = (kinds[frame.species[k]]?.diameter ?? NaN) * frame.scale[k]; break;
        case 'height': for (let k = 0; k < out.length; k++) out[k] = frame.origin[2] + frame.position[3 * k + 2]; break;
        case 'id': out.set(frame.id); break;
        default: break;
    }
    return out;
}

/**
 * A range for a scale that a few strays do not spoil: from the 1st to the 99th percentile. Something wider than a point
 * even if all values are equal.
 * @param {Field} field
 * @param {Float32Array} values
 * @returns {[number, number]}
 */
export function robustRange(field, values) {
    if (field.natural) return [...field.natural];
    // Of very many values some tell the percentiles well enough; ends that count are looked for among all.
    const stride = field.whole ? 1 : Math.max(1, Math.floor(values.length / MOST_SORTED));
    const sorted = values.filter((value, k) => k % stride === 0 && Number.isFinite(value)).sort();
    if (sorted.length === 0) return [0, 1];
    const last = sorted.length - 1;
    const strays = field.whole ? 0 : Math.floor(last * 0.01);
    let [low, high] = [sorted[strays], sorted[last - strays]];
    if (field.fromZero) low = 0;
    if (field.signed) [low, high] = [-Math.max(high, -low), Math.max(high, -low)];
    const half = 0.5 * Math.max(Math.abs(low), 1e-3);
    return high > low ? [low, high] : [low - half, low + half];
}
