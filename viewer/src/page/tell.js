/** What the page tells: the clock, the colour bar, how runs stand and what is missing, the grain that was picked. */

import { quantity } from '../look/ticks.js';
import { drawDetails } from './details.js';
import { byId, make } from './elements.js';
import { drawLegend } from './legend.js';
import { look, page, playback, sources, stage, views } from './state.js';

export function tellPlaying() {
    byId('play').setAttribute('aria-label', playback.playing ? 'Pause' : 'Play');
    byId('play-shape').setAttribute('d', playback.playing ? 'M4 2.5h3v11H4zM9 2.5h3v11H9z' : 'M4 2.5v11l9.5-5.5z');
    document.documentElement.dataset.playing = String(playback.playing);
    const speeds = /** @type {HTMLSelectElement} */ (byId('speed'));
    speeds.value = String(playback.speed);
}

export function tellTime() {
    const view = views.find((candidate) => candidate.frame);
    const place = Math.max(0, playback.moments.findLastIndex((moment) => moment <= playback.time));
    const scrub = byId('scrub');
    scrub.max = String(Math.max(0, playback.moments.length - 1));
    scrub.value = String(place);
    scrub.disabled = playback.moments.length < 2;
    const time = `t = ${quantity(playback.time, 's')}`;
    const shown = frameNumbers();
    scrub.setAttribute('aria-valuetext', [shown, time].filter(Boolean).join(', '));
    const step = view?.frame ? `step ${view.frame.step.toLocaleString('en')}` : '';
    const count = view?.frame ? `${view.frame.count.toLocaleString('en')} grains` : '';
    byId('clock').replaceChildren(time, ...[step, shown, count].filter(Boolean).map((text) => make('span', {}, text)));
    document.documentElement.dataset.frame = String(view?.number ?? -1);
}

/** Which frames are shown, numbered from 0 as everywhere, so that a number can be given to `tumble render --frame`. */
function frameNumbers() {
    const runs = sources.filter(({ times }) => times.length > 0);
    const numbers = [...new Set(runs.map((source) => source.frameAt(playback.time)))];
    if (numbers.length === 0) return '';
    if (runs.length === 1) return `frame ${numbers[0]} of ${runs[0].times.length - 1}`;
    return `frame${numbers.length > 1 ? 's' : ''} ${numbers.join(', ')}`;
}

export function tellRange() {
    for (const [id, value] of [['range-low', look.range[0]], ['range-high', look.range[1]]]) {
        const input = byId(String(id));
        if (document.activeElement !== input) input.value = String(Number(Number(value).toPrecision(3)));
    }
    byId('range-unit').textContent = look.field.unit ? `in ${look.field.unit}` : '';
    tellLegend();
}

export function tellLegend() {
    const species = views.map((view) => view.source.description?.species ?? []);
    const longest = species.reduce((a, b) => (b.length > a.length ? b : a), []);
    drawLegend(byId('legend'), look.field, look.range, look.map, longest.map((/** @type {any} */ kind) => kind.name));
}

const STATUS = /** @type {const} */ ({
    running: ['running', 'live'],
    finished: ['finished', 'good'],
    interrupted: ['interrupted', ''],
    failed: ['failed', 'bad'],
});

/** @param {import('../data/network.js').Summary} summary */
function statusOf(summary) {
    const [text, kind] = summary.status ? STATUS[summary.status] : ['', ''];
    return { text: summary.message ? `${text}: ${summary.message}` : text, kind };
}

export function tellStatus() {
    const chip = byId('status');
    const live = sources.some(({ summary }) => summary.status === 'running');
    const { text, kind } = sources.length === 1 ? statusOf(sources[0].summary) : { text: '', kind: '' };
    chip.textContent = page.connected ? text : 'the server is gone: start `tumble view` again';
    chip.dataset.kind = page.connected ? kind : 'bad';
    byId('follow-label').hidden = !live;
    byId('follow').checked = playback.following;
    const titles = sources.map(({ summary }) => summary.title || summary.name);
    byId('title').textContent = titles.length === 1 ? titles[0] : 'Tumble';
    document.title = `${titles.join(' | ')} \u2013 Tumble`;
}

let told = '';
/** Names of runs side by side, and what is missing of each. */
export function tellFields() {
    const fields = stage.fields();
    const content = views.map((view, k) => {
        const { summary, failures, times } = view.source;
        const number = times.length > 0 ? view.source.frameAt(playback.time) : -1;
        const failure = failures.get(number);
        const missing = [...summary.missing, ...(failure ? [`Frame ${number} cannot be shown: ${failure}.`] : [])];
        return { field: fields[k], name: views.length > 1 ? summary.name : '', status: views.length > 1 ? statusOf(summary).text : '', missing };
    });
    const now = JSON.stringify(content);
    if (now === told) return;
    told = now;
    byId('fields').replaceChildren(...content.map(({ field, name, status, missing }) => {
        const box = make('div', { class: field.y > 0 ? 'field below' : 'field' });
        Object.assign(box.style, { left: `${field.x}px`, top: `${field.y}px`, width: `${field.width}px`, height: `${field.height}px` });
        if (name) box.append(make('h2', {}, name), make('p', { class: 'quiet' }, status));
        if (missing.length > 0) box.append(make('ul', {}, ...missing.map((text) => make('li', {}, text))));
        return box;
    }));
}

/** @param {(grain: typeof page.selected) => void} select picks another grain, or none */
export function tellGrain(select) {
    const { selected } = page;
    const view = selected && views[selected.run];
    const place = view?.frame && selected ? view.frame.id.indexOf(selected.id) : -1;
    const missing = selected && place < 0 ? `Grain ${selected.id} is not in this frame.` : null;
    const state = view && place >= 0 ? view.stateOf(place, view.source.contacts(view.number)) : null;
    drawDetails(byId('grain'), state, {
        run: views.length > 1 && view ? view.source.summary.name : '',
        missing,
        close: () => select(null),
        goTo: (partner) => {
            if (!view?.frame || !selected) return;
            select({ run: selected.run, id: view.frame.id[partner] });
            stage.lookAt(view.placeOf(partner));
        },
    });
}
