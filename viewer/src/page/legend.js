/** The colour bar, or the list of kinds. */

import { colourOfKind, cssOf, tableOf } from '../look/colour.js';
import { ticks } from '../look/ticks.js';
import { make } from './elements.js';

/** Two marks nearer than this share of the bar would run into each other. */
const LEAST_GAP = 0.09;

/** A colour bar as pixels. @param {import('../look/colour.js').MapName} map */
export function barOf(map) {
    const canvas = /** @type {HTMLCanvasElement} */ (make('canvas', { width: '256', height: '1' }));
    const context = canvas.getContext('2d');
    if (!context) return canvas;
    const pixels = context.createImageData(256, 1);
    const table = tableOf(map);
    for (let k = 0; k < 256; k++) pixels.data.set([table[3 * k], table[3 * k + 1], table[3 * k + 2], 255], 4 * k);
    context.putImageData(pixels, 0, 0);
    return canvas;
}

/**
 * Where marks stand, from 0 to 1, none too near the next.
 * @param {readonly [number, number]} range
 * @param {string} unit
 */
export function marksOf(range, unit) {
    const { marks, unit: prefixed } = ticks(range, 4, unit);
    let before = -1;
    const placed = marks.map(({ value, text }) => ({ at: (value - range[0]) / (range[1] - range[0]), text }));
    const kept = placed.filter(({ at }) => {
        const far = at - before >= LEAST_GAP;
        if (far) before = at;
        return far;
    });
    return { marks: kept, unit: prefixed };
}

/**
 * @param {HTMLElement} figure
 * @param {import('../look/fields.js').Field} field
 * @param {readonly [number, number]} range
 * @param {import('../look/colour.js').MapName} map
 * @param {string[]} kinds
 */
export function drawLegend(figure, field, range, map, kinds) {
    figure.hidden = field.name === 'constant' || (field.kind === true && kinds.length === 0);
    if (field.kind) {
        const list = make('ul', {}, ...kinds.map((name, k) => {
            const item = make('li', {}, name);
            item.style.setProperty('--kind', cssOf(colourOfKind(k)));
            return item;
        }));
        figure.replaceChildren(list);
        return;
    }
    const { marks, unit } = marksOf(range, field.unit);
    const row = make('div', { class: 'ticks' }, ...marks.map(({ at, text }) => {
        const mark = make('span', {}, text);
        mark.style.left = `${100 * at}%`;
        return mark;
    }));
    const caption = make('figcaption', {}, unit ? `${field.title} (${unit})` : field.title);
    figure.replaceChildren(caption, make('div', { class: 'bar' }, barOf(map)), row);
}
