/** Saves what is seen as a PNG: the grains, the colour bar and the time. */

import { colourOfKind, cssOf } from '../look/colour.js';
import { barOf, marksOf } from './legend.js';

/**
 * @param {HTMLCanvasElement} source just drawn
 * @param {{ ratio: number, text: string, quiet: string, field: import('../look/fields.js').Field, range: readonly [number, number], map: import('../look/colour.js').MapName, kinds: string[], caption: string }} look
 * @returns {Promise<Blob | null>}
 */
export function pictureOf(source, { ratio, text, quiet, field, range, map, kinds, caption }) {
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [source.width, source.height];
    const context = canvas.getContext('2d');
    if (!context) return Promise.resolve(null);
    context.drawImage(source, 0, 0);
    context.scale(ratio, ratio);
    const [width, height] = [source.width / ratio, source.height / ratio];
    context.font = '13px system-ui, sans-serif';
    context.fillStyle = text;
    context.textBaseline = 'alphabetic';
    context.fillText(caption, 16, 26);
    if (field.name === 'constant') return blobOf(canvas);
    if (field.kind) {
        kinds.forEach((name, k) => {
            const y = height - 18 - 18 * (kinds.length - 1 - k);
            context.fillStyle = cssOf(colourOfKind(k));
            context.fillRect(width - 150, y - 10, 11, 11);
            context.fillStyle = text;
            context.fillText(name, width - 133, y);
        });
        return blobOf(canvas);
    }
    const { marks, unit } = marksOf(range, field.unit);
    const [left, top, length] = [width - 246, height - 44, 226];
    context.fillText(unit ? `${field.title} (${unit})` : field.title, left, top - 8);
    context.drawImage(barOf(map), left, top, length, 12);
    context.textAlign = 'center';
    context.fillStyle = quiet;
    for (const mark of marks) {
        context.fillRect(left + mark.at * length, top + 12, 1, 4);
        context.fillText(mark.text, left + mark.at * length, top + 29);
    }
    return blobOf(canvas);
}

/** @param {HTMLCanvasElement} canvas @returns {Promise<Blob | null>} */
const blobOf = (canvas) => new Promise((done) => canvas.toBlob(done, 'image/png'));

/** Hands a file to the browser's downloads. @param {Blob} blob @param {string} name */
export function download(blob, name) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
