/** What is known of the grain that was picked. */

import { prefixFor, quantity } from '../look/ticks.js';
import { make } from './elements.js';

/** More rows than this are counted, not listed. */
const MOST_ROWS = 24;

/** Three components under one prefix. @param {number[]} vector @param {string} unit */
export function components(vector, unit) {
    const [factor, prefix] = prefixFor(Math.max(...vector.map(Math.abs)), unit);
    const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.max(...vector.map((c) => Math.abs(c / factor)), 1))));
    return `${vector.map((c) => (c / factor).toFixed(decimals).replace('-', '\u2212')).join(', ')} ${prefix}${unit}`;
}

/** @param {number[]} vector */
const sizeOf = (vector) => Math.hypot(...vector);

/**
 * @param {HTMLElement} section
 * @param {ReturnType<import('../stage/run_view.js').RunView['stateOf']> | null} state
 * @param {{ run: string, missing: string | null, goTo: (place: number) => void, close: () => void }} context
 */
export function drawDetails(section, state, { run, missing, goTo, close }) {
    if (!state) {
        section.replaceChildren(make('h2', {}, 'Grain'), make('p', { class: 'quiet' }, missing ?? 'Click a grain to read it.'));
        return;
    }
    const shut = make('button', { class: 'small', title: 'Let go of this grain (Esc)' }, 'Close');
    shut.addEventListener('click', close);
    /** @type {[string, string][]} */
    const rows = [
        ['kind', state.species],
        ...(run ? [/** @type {[string, string]} */ (['run', run])] : []),
        ['diameter', quantity(state.size, 'm')],
        ['position', components(state.position, 'm')],
        ['speed', quantity(sizeOf(state.velocity), 'm/s')],
        ['velocity', components(state.velocity, 'm/s')],
        ['spin', quantity(sizeOf(state.spin), 'rad/s')],
    ];
    const list = make('dl', {}, ...rows.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, value)]));
    section.replaceChildren(
        make('h2', {}, 'Grain'),
        make('div', { class: 'head' }, make('strong', {}, `${state.id}`), shut),
        list,
        contactTable(state.contacts, goTo),
    );
}

/** @param {{ place: number, name: string, force: number, overlap: number }[] | undefined} contacts @param {(place: number) => void} goTo */
function contactTable(contacts, goTo) {
    if (!contacts) return make('p', { class: 'quiet' }, 'This trajectory holds no contacts.');
    if (contacts.length === 0) return make('p', { class: 'quiet' }, 'It touches nothing.');
    const head = make('tr', {}, ...['contact', 'force', 'overlap'].map((name) => make('th', { scope: 'col' }, name)));
    const rows = contacts.slice(0, MOST_ROWS).map(({ place, name, force, overlap }) => {
        /** @type {Node | string} */
        let partner = name;
        if (place >= 0) {
            partner = make('button', { title: 'Go there' }, name);
            partner.addEventListener('click', () => goTo(place));
        }
        return make('tr', {}, make('td', {}, partner), make('td', {}, quantity(force, 'N')), make('td', {}, quantity(overlap, 'm')));
    });
    const table = make('table', {}, make('thead', {}, head), make('tbody', {}, ...rows));
    if (contacts.length <= MOST_ROWS) return table;
    return make('div', {}, table, make('p', { class: 'quiet' }, `and ${contacts.length - MOST_ROWS} more`));
}
