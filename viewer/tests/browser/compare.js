/** Compares pictures: software and hardware rendering differ in single pixels at edges, not in what is shown. */

import { PNG } from 'pngjs';

/** Colours that differ by no more than this in each of three bytes are alike. */
const ALIKE = 24;

/**
 * The share of pixels that differ from each other.
 * @param {Buffer} a
 * @param {Buffer} b
 */
export function difference(a, b) {
    const [one, other] = [PNG.sync.read(a), PNG.sync.read(b)];
    if (one.width !== other.width || one.height !== other.height) return 1;
    let differing = 0;
    for (let k = 0; k < one.data.length; k += 4) {
        const apart = Math.max(...[0, 1, 2].map((c) => Math.abs(one.data[k + c] - other.data[k + c])));
        if (apart > ALIKE) differing += 1;
    }
    return differing / (one.width * one.height);
}

/** The mean colour of a picture. @param {Buffer} picture */
export function meanColour(picture) {
    const { data } = PNG.sync.read(picture);
    const sum = [0, 0, 0];
    for (let k = 0; k < data.length; k += 4) for (let c = 0; c < 3; c++) sum[c] += data[k + c];
    return sum.map((total) => total / (data.length / 4));
}
