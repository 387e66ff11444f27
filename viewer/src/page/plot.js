/** The small plot above the time line: one column of the time series, on the time line's own axis. */

import { quantity } from '../look/ticks.js';
import { byId, make, makeSvg } from './elements.js';

/** @typedef {{ name: string, values: (number | null)[] }} Column */

/** A column's name and its unit: `kinetic_translation_J`. @param {string} name @returns {[string, string]} */
export function titleOf(name) {
    const found = /^(.*)_(s|m|J|N|W|Pa|m\/s)$/.exec(name);
    const [title, unit] = found ? [found[1], found[2]] : [name, ''];
    return [title.replaceAll('_', ' '), unit];
}

/**
 * A line through numbers, in a box one wide and one high, upside down as pictures are; gaps where there is no number.
 * @param {(number | null)[]} times
 * @param {(number | null)[]} values
 * @param {readonly [number, number]} across
 */
export function lineOf(times, values, [from, to]) {
    const known = /** @type {number[]} */ (values.filter((value) => typeof value === 'number' && Number.isFinite(value)));
    const [low, high] = [Math.min(0, ...known), Math.max(...known)];
    if (known.length === 0 || !(to > from)) return { path: '', low: 0, high: 0 };
    let path = '';
    let pen = 'M';
    values.forEach((value, k) => {
        const time = times[k];
        if (value === null || time === null || !Number.isFinite(value)) {
            pen = 'M';
            return;
        }
        const x = (time - from) / (to - from);
        const y = high > low ? 1 - (value - low) / (high - low) : 1;
        path += `${pen}${x.toFixed(4)} ${y.toFixed(4)}`;
        pen = 'L';
    });
    return { path, low, high };
}

/**
 * @param {Column[][]} runs columns of each run
 * @param {string} name of the column to show
 * @param {readonly [number, number]} across first and last time
 */
export function drawPlot(runs, name, across) {
    const svg = byId('plot');
    const timeline = byId('timeline');
    svg.setAttribute('viewBox', '0 0 1 1');
    byId('timeline').dataset.plot = name ? 'on' : 'off';
    document.getElementById('plot-label')?.remove();
    svg.replaceChildren();
    if (!name) return;
    const [title, unit] = titleOf(name);
    let most = -Infinity;
    runs.forEach((columns, run) => {
        const times = columns.find((column) => column.name === 'time_s')?.values;
        const values = columns.find((column) => column.name === name)?.values;
        if (!times || !values) return;
        const { path, high } = lineOf(times, values, across);
        most = Math.max(most, high);
        const line = makeSvg('path', { d: path });
        if (run > 0) line.setAttribute('stroke-dasharray', '4 3');
        svg.append(line);
    });
    const label = make('span', { id: 'plot-label' }, Number.isFinite(most) ? `${title}, up to ${quantity(most, unit)}` : title);
    timeline.append(label);
}

/** Columns that can be plotted. @param {Column[][]} runs @returns {[string, string][]} */
export function plottable(runs) {
    const names = new Set(runs.flatMap((columns) => columns.map((column) => column.name)));
    for (const name of ['time_s', 'step']) names.delete(name);
    return [['', 'none'], ...[...names].map((name) => /** @type {[string, string]} */ ([name, titleOf(name)[0]]))];
}
