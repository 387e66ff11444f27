/** The page: brings data, picture and controls together. */

import { RETRY, Source } from './data/source.js';
import { listen, server } from './data/network.js';
import { Playback, SPEEDS } from './data/playback.js';
import { MAP_NAMES, paint, paintKinds } from './look/colour.js';
import { FIELDS, fieldOf, robustRange, valuesOf } from './look/fields.js';
import { quantity } from './look/ticks.js';
import { RunView } from './stage/run_view.js';
import { Stage } from './stage/stage.js';
import { uniforms } from './stage/shading.js';
import { byId, make, setOptions } from './page/elements.js';
import { bindKeys } from './page/keys.js';
import { download, pictureOf } from './page/picture.js';
import { drawDetails } from './page/details.js';
import { drawLegend } from './page/legend.js';
import { drawPlot, plottable } from './page/plot.js';
import { drawTriad } from './page/triad.js';

/** While playing, frames are fetched for this long ahead [s]. */
const AHEAD = 0.6;
/** But never more than this many at once, so that the server serves the nearest first. */
const MOST_AHEAD = 6;
/** Marks of what is selected and of what touches it, in the last byte of a colour. */
const SELECTED = 255;
const TOUCHING = 90;

/** @type {Source[]} */
const sources = [];
/** @type {RunView[]} */
const views = [];
const playback = new Playback();
const stage = new Stage(byId('canvas'));

const look = {
    field: fieldOf('species'),
    map: /** @type {import('./look/colour.js').MapName} */ ('viridis'),
    range: /** @type {[number, number]} */ ([0, 1]),
    /** Whether the range grows with what is shown. */
    fits: true,
    walls: /** @type {import('./stage/walls.js').WallLook} */ ('glass'),
    chains: false,
    dark: false,
};
/** The grain that was picked, by its run and its name, which frames keep. @type {{ run: number, id: number } | null} */
let selected = null;
/** @type {import('./page/plot.js').Column[][]} */
let series = [];
let connected = true;

const needsContacts = () => look.chains || selected !== null || look.field.contacts === true;

// ---- frames -------------------------------------------------------------------------------------------------------

/** Shows the frames that belong to the present time, or asks for them. Returns whether all are shown. */
function showFrames() {
    let complete = true;
    for (const view of views) {
        const { source } = view;
        if (!source.description || source.times.length === 0) continue;
        const number = source.frameAt(playback.time);
        source.hold([view.number, number]);
        if (source.failures.has(number)) continue;
        const frame = source.frame(number);
        const lacksContacts = needsContacts() && source.description.contacts && !source.contacts(number);
        if (!frame || lacksContacts) {
            complete = false;
            source.load(number, needsContacts()).then((answered) => (answered ? showFrames() : retry()));
        }
        if (frame && (view.number !== number || view.frame !== frame) && !(lacksContacts && playback.playing)) {
            view.show(frame, number);
            paintView(view);
        } else if (frame && view.lacked && !lacksContacts) {
            paintView(view);
        }
        view.lacked = Boolean(lacksContacts);
    }
    stage.request();
    tellTime();
    tellFields();
    return complete;
}

/** Fetches what will soon be wanted. */
function prefetch() {
    for (const { source } of views) {
        const from = source.frameAt(playback.time);
        const to = Math.min(source.frameAt(playback.ahead(AHEAD)), from + Math.min(MOST_AHEAD, source.room(from)));
        for (let number = from + 1; number <= to; number++) source.load(number, needsContacts());
    }
}

let before = 0;
/** @param {number} now [ms] */
function tick(now) {
    const elapsed = Math.min((now - before) / 1000, 0.25);
    before = now;
    if (!playback.playing) return;
    const time = playback.time;
    playback.advance(elapsed);
    if (!showFrames()) {
        // What has not come yet holds the clock: nothing is left out for being slow.
        playback.time = time;
        playback.playing = true;
    }
    prefetch();
    if (playback.playing) requestAnimationFrame(tick);
    else tellPlaying();
}

function togglePlaying() {
    if (playback.playing) playback.pause();
    else {
        playback.play();
        before = performance.now();
        requestAnimationFrame(tick);
    }
    tellPlaying();
}

/** @param {number} time */
function seek(time) {
    playback.pause();
    playback.seek(time);
    tellPlaying();
    showFrames();
}

/** @param {number} count */
function stepBy(count) {
    playback.pause();
    playback.stepBy(count);
    tellPlaying();
    showFrames();
}

// ---- colours ------------------------------------------------------------------------------------------------------

/** @param {RunView} view */
function valuesIn(view) {
    const frame = /** @type {import('./data/frame.js').Frame} */ (view.frame);
    return valuesOf(look.field, frame, view.source.contacts(view.number), view.source.description.kinds);
}

/** @param {RunView} view */
function paintView(view) {
    const { frame, source } = view;
    if (!frame || !view.grains) return;
    if (view.colours.length !== 4 * frame.count) view.colours = new Uint8Array(4 * frame.count);
    view.colours.fill(0);
    const contacts = source.contacts(view.number);
    if (look.field.name === 'species') paintKinds(frame.species, view.colours);
    else if (look.field.name === 'constant') paint(new Float32Array(frame.count).fill(0.35), [0, 1], 'grey', view.colours);
    else {
        const values = valuesIn(view);
        if (look.fits && values.some(Number.isFinite)) growRange(robustRange(look.field, values));
        paint(values, look.range, look.map, view.colours);
    }
    if (selected && views[selected.run] === view) {
        const place = frame.id.indexOf(selected.id);
        if (place >= 0) {
            const state = view.stateOf(place, contacts);
            for (const contact of state.contacts ?? []) if (contact.place >= 0) view.colours[4 * contact.place + 3] = TOUCHING;
            view.colours[4 * place + 3] = SELECTED;
        }
    }
    view.grains.paint(view.colours);
    view.chains.object.visible = look.chains && contacts !== undefined;
    if (look.chains && contacts) view.showChains(contacts);
    if (selected && views[selected.run] === view) tellGrain();
}

let fresh = true;
/** Widens the range; a range that followed each frame would make colours flicker. @param {[number, number]} range */
function growRange(range) {
    const grown = fresh ? range : /** @type {[number, number]} */ ([Math.min(look.range[0], range[0]), Math.max(look.range[1], range[1])]);
    const changed = grown[0] !== look.range[0] || grown[1] !== look.range[1];
    fresh = false;
    if (!changed) return;
    look.range = grown;
    tellRange();
    // The other runs were painted with the range as it was.
    queueMicrotask(() => {
        for (const view of views) {
            if (view.frame && view.grains) {
                paint(valuesIn(view), look.range, look.map, view.colours);
                view.grains.paint(view.colours);
            }
        }
        stage.request();
    });
}

function repaint() {
    for (const view of views) paintView(view);
    stage.request();
    tellLegend();
}

/** @param {string} name */
function colourBy(name) {
    look.field = fieldOf(name);
    look.map = look.field.map;
    fitRange();
    byId('colour').value = look.field.name;
    byId('map').value = look.map;
    byId('scale').hidden = look.field.kind === true;
    showFrames();
}

function fitRange() {
    look.fits = true;
    fresh = true;
    repaint();
    tellRange();
}

// ---- what the page tells --------------------------------------------------------------------------------------------

function tellPlaying() {
    byId('play').setAttribute('aria-label', playback.playing ? 'Pause' : 'Play');
    byId('play-shape').setAttribute('d', playback.playing ? 'M4 2.5h3v11H4zM9 2.5h3v11H9z' : 'M4 2.5v11l9.5-5.5z');
    document.documentElement.dataset.playing = String(playback.playing);
    const speeds = /** @type {HTMLSelectElement} */ (byId('speed'));
    speeds.value = String(playback.speed);
}

function tellTime() {
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

function tellRange() {
    for (const [id, value] of [['range-low', look.range[0]], ['range-high', look.range[1]]]) {
        const input = byId(String(id));
        if (document.activeElement !== input) input.value = String(Number(Number(value).toPrecision(3)));
    }
    byId('range-unit').textContent = look.field.unit ? `in ${look.field.unit}` : '';
    tellLegend();
}

function tellLegend() {
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

/** @param {import('./data/network.js').Summary} summary */
function statusOf(summary) {
    const [text, kind] = summary.status ? STATUS[summary.status] : ['', ''];
    return { text: summary.message ? `${text}: ${summary.message}` : text, kind };
}

function tellStatus() {
    const chip = byId('status');
    const live = sources.some(({ summary }) => summary.status === 'running');
    const { text, kind } = sources.length === 1 ? statusOf(sources[0].summary) : { text: '', kind: '' };
    chip.textContent = connected ? text : 'the server is gone: start `tumble view` again';
    chip.dataset.kind = connected ? kind : 'bad';
    byId('follow-label').hidden = !live;
    byId('follow').checked = playback.following;
    const titles = sources.map(({ summary }) => summary.title || summary.name);
    byId('title').textContent = titles.length === 1 ? titles[0] : 'Tumble';
    document.title = `${titles.join(' | ')} \u2013 Tumble`;
}

let told = '';
/** Names of runs side by side, and what is missing of each. */
function tellFields() {
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

function tellGrain() {
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

/** @param {typeof selected} grain */
function select(grain) {
    selected = grain;
    document.documentElement.dataset.selected = grain ? String(grain.id) : '';
    repaint();
    tellGrain();
    showFrames();
}

// ---- clip plane, walls, theme ---------------------------------------------------------------------------------------

function setClip() {
    const { clip } = stage;
    clip.on = byId('clip').checked;
    clip.axis = /** @type {0 | 1 | 2} */ (Number(/** @type {HTMLInputElement} */ (document.querySelector('input[name=axis]:checked')).value));
    clip.flip = byId('clip-flip').checked;
    const [low, high] = [0, 1].map((side) => {
        const ends = views.map((view) => (side ? view.box.upper : view.box.lower)[clip.axis]);
        return side ? Math.max(...ends) : Math.min(...ends);
    });
    clip.at = low + (byId('clip-at').valueAsNumber / 1000) * (high - low);
    byId('clip-more').hidden = !clip.on;
    byId('clip-text').textContent = `${'xyz'[clip.axis]} = ${quantity(clip.at, 'm')}`;
    stage.request();
}

/** @param {import('./stage/walls.js').WallLook} walls */
function setWalls(walls) {
    look.walls = walls;
    byId(`walls-${walls}`).checked = true;
    for (const view of views) view.setWallLook(walls, look.dark);
    stage.request();
}

/** @param {boolean} dark */
function setDark(dark) {
    look.dark = dark;
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    const button = byId('theme');
    button.textContent = dark ? 'Light' : 'Dark';
    button.setAttribute('aria-pressed', String(dark));
    stage.background.set(getComputedStyle(document.documentElement).getPropertyValue('--picture').trim());
    uniforms.accent.value.set(dark ? 0xff7a3d : 0xff4d12);
    setWalls(look.walls);
}

/** @param {HTMLInputElement} box @param {() => void} changed */
function flip(box, changed) {
    box.checked = !box.checked;
    changed();
}

function setChains() {
    look.chains = byId('chains').checked;
    // Chains are inside: the grains step back.
    if (look.chains && byId('grains').checked) byId('grains').checked = false;
    else if (!look.chains) byId('grains').checked = true;
    setGrains();
    showFrames();
    repaint();
}

function setGrains() {
    for (const view of views) if (view.grains) view.grains.group.visible = byId('grains').checked;
    stage.request();
}

async function savePicture() {
    stage.draw();
    const style = getComputedStyle(document.documentElement);
    const kinds = views[0]?.source.description?.species.map((/** @type {any} */ kind) => kind.name) ?? [];
    const name = sources.map(({ summary }) => summary.name).join('-');
    const blob = await pictureOf(stage.canvas, {
        ratio: stage.renderer.getPixelRatio(),
        text: style.getPropertyValue('--text'),
        quiet: style.getPropertyValue('--quiet'),
        field: look.field,
        range: look.range,
        map: look.map,
        kinds,
        caption: `${byId('title').textContent}   t = ${quantity(playback.time, 's')}`,
    });
    const frame = String(Math.max(0, views[0]?.number ?? 0)).padStart(5, '0');
    if (blob) download(blob, `${name}-${frame}.png`);
}

// ---- controls -------------------------------------------------------------------------------------------------------

/** @param {string} id @param {string} event @param {(event: any) => void} act */
const on = (id, event, act) => byId(id).addEventListener(event, act);

function bindControls() {
    setOptions(byId('colour'), FIELDS.map(({ name, title }) => [name, name === 'constant' ? title : name.replaceAll('_', ' ')]));
    setOptions(byId('map'), MAP_NAMES.map((name) => [name, name]));
    setOptions(byId('speed'), SPEEDS.map((speed) => [String(speed), `${Number(speed.toPrecision(1))} ×`]));
    on('play', 'click', togglePlaying);
    on('first', 'click', () => seek(playback.first));
    on('last', 'click', () => seek(playback.last));
    on('back', 'click', () => stepBy(-1));
    on('forward', 'click', () => stepBy(1));
    on('scrub', 'input', () => seek(playback.moments[byId('scrub').valueAsNumber] ?? 0));
    on('speed', 'change', () => playback.setSpeed(Number(byId('speed').value)));
    on('follow', 'change', () => {
        playback.following = byId('follow').checked;
        if (playback.following) {
            playback.pause();
            playback.time = playback.last;
            showFrames();
        }
        tellPlaying();
    });
    on('colour', 'change', () => colourBy(byId('colour').value));
    on('map', 'change', () => {
        look.map = byId('map').value;
        repaint();
    });
    for (const [id, end] of /** @type {const} */ ([['range-low', 0], ['range-high', 1]])) {
        on(id, 'change', () => {
            const value = Number(byId(id).value.replace('\u2212', '-'));
            if (!Number.isFinite(value) || byId(id).value.trim() === '') return tellRange();
            look.fits = false;
            look.range[end] = value;
            if (look.range[0] >= look.range[1]) look.range[1 - end] = value + (end === 0 ? 1 : -1) * Math.max(1e-12, Math.abs(value) * 0.1);
            repaint();
            return tellRange();
        });
    }
    on('range-fit', 'click', fitRange);
    for (const radio of document.querySelectorAll('input[name=walls]')) {
        radio.addEventListener('change', () => setWalls(/** @type {any} */ (radio).value));
    }
    for (const control of [...document.querySelectorAll('input[name=axis]'), byId('clip'), byId('clip-flip')]) {
        control.addEventListener('change', setClip);
    }
    on('clip-at', 'input', setClip);
    on('chains', 'change', setChains);
    on('grains', 'change', setGrains);
    on('reset', 'click', () => stage.resetView());
    on('save', 'click', savePicture);
    on('theme', 'click', () => setDark(!look.dark));
    on('help-open', 'click', () => byId('help').showModal());
    on('panel-toggle', 'click', togglePanel);
    on('plot-column', 'change', () => tellPlot());
    bindPicking();
    const dark = matchMedia('(prefers-color-scheme: dark)');
    dark.addEventListener('change', () => setDark(dark.matches));
    setDark(dark.matches);
}

function togglePanel() {
    const hidden = document.body.classList.toggle('no-panel');
    byId('panel-toggle').setAttribute('aria-expanded', String(!hidden));
}

/** A click that is no drag picks a grain; a double click turns the camera about it. */
function bindPicking() {
    let down = { x: 0, y: 0 };
    on('canvas', 'pointerdown', (event) => {
        down = { x: event.clientX, y: event.clientY };
    });
    on('canvas', 'pointerup', (event) => {
        if (event.button !== 0 || Math.hypot(event.clientX - down.x, event.clientY - down.y) > 4) return;
        const { run, grain } = stage.pick(event.clientX, event.clientY);
        const id = views[run]?.frame?.id[grain];
        select(id === undefined ? null : { run, id });
    });
    on('canvas', 'dblclick', (event) => {
        const { run, grain } = stage.pick(event.clientX, event.clientY);
        if (grain >= 0) stage.lookAt(views[run].placeOf(grain));
    });
}

function bindTheKeys() {
    const turn = Math.PI / 36;
    bindKeys([
        { keys: [' ', 'k'], shown: 'space', does: 'play or pause', act: togglePlaying },
        { keys: ['ArrowLeft'], shown: '← →', does: 'one frame back or on', act: () => stepBy(-1) },
        { keys: ['ArrowRight'], shown: '', does: '', act: () => stepBy(1) },
        { keys: ['Home'], shown: 'Home End', does: 'first or last frame', act: () => seek(playback.first) },
        { keys: ['End'], shown: '', does: '', act: () => seek(playback.last) },
        { keys: ['+', '='], shown: '+ −', does: 'faster or slower', act: () => changeSpeed(1) },
        { keys: ['-', '\u2212'], shown: '', does: '', act: () => changeSpeed(-1) },
        { keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9'], shown: '1 … 9', does: `colour by ${FIELDS.slice(0, 9).map(({ name }) => name.replaceAll('_', ' ')).join(', ')}`, act: ({ key }) => colourBy(FIELDS[Number(key) - 1].name) },
        { keys: ['w'], shown: 'w', does: 'walls: off, glass, solid', act: () => setWalls(look.walls === 'glass' ? 'solid' : look.walls === 'solid' ? 'off' : 'glass') },
        { keys: ['f'], shown: 'f', does: 'force chains', act: () => flip(byId('chains'), setChains) },
        { keys: ['g'], shown: 'g', does: 'grains on or off', act: () => flip(byId('grains'), setGrains) },
        { keys: ['c'], shown: 'c', does: 'clip', act: () => flip(byId('clip'), setClip) },
        { keys: ['r'], shown: 'r', does: 'reset the view', act: () => stage.resetView() },
        { keys: ['s'], shown: 's', does: 'save the picture', act: savePicture },
        { keys: ['d'], shown: 'd', does: 'light or dark', act: () => setDark(!look.dark) },
        { keys: ['p'], shown: 'p', does: 'panel on or off', act: togglePanel },
        { keys: ['Escape'], shown: 'Esc', does: 'let go of the grain', act: () => select(null) },
        { keys: ['?'], shown: '?', does: 'this sheet', act: () => byId('help').showModal() },
        { keys: ['Shift+ArrowLeft'], shown: 'Shift ←↑↓→', does: 'turn the camera', act: () => stage.orbit(-turn, 0, 1) },
        { keys: ['Shift+ArrowRight'], shown: '', does: '', act: () => stage.orbit(turn, 0, 1) },
        { keys: ['Shift+ArrowUp'], shown: '', does: '', act: () => stage.orbit(0, -turn, 1) },
        { keys: ['Shift+ArrowDown'], shown: '', does: '', act: () => stage.orbit(0, turn, 1) },
        { keys: ['PageUp'], shown: 'PgUp PgDn', does: 'nearer or farther', act: () => stage.orbit(0, 0, 1.15) },
        { keys: ['PageDown'], shown: '', does: '', act: () => stage.orbit(0, 0, 1 / 1.15) },
    ], byId('keys'));
}

/** @param {1 | -1} direction */
function changeSpeed(direction) {
    playback.changeSpeed(direction);
    tellPlaying();
}

// ---- beginning and growing --------------------------------------------------------------------------------------------

/** Brings one run up to what the server knows. @param {number} run */
async function refresh(run) {
    const [source, view] = [sources[run], views[run]];
    await source.refresh();
    if (source.description && source.times.length > 0 && view.generation !== source.generation) await beginView(view);
    playback.setMoments(sources.map(({ times }) => times));
    tellStatus();
    tellPlaying();
    showFrames();
    await tellSeries();
}

/** @param {RunView} view */
async function beginView(view) {
    const { source } = view;
    const frames = await source.samples();
    if (frames.length === 0) {
        if (source.silentUntil > performance.now()) retry();
        return;
    }
    view.begin(frames);
    // Seen from above if nothing has a third dimension.
    const shapes = views.flatMap(({ source: { description } }) => description?.species ?? []).map((/** @type {any} */ kind) => Object.keys(kind.shape)[0]);
    stage.planar = shapes.length > 0 && shapes.every((/** @type {string} */ kind) => kind === 'disc' || kind === 'polygon');
    setDark(look.dark);
    setClip();
    setGrains();
    tellLegend();
    stage.resetView();
    document.documentElement.dataset.state = 'ready';
}

/** A live run appends rows all the time; the small plot need not know them sooner than this [ms]. */
const SERIES_INTERVAL = 1000;
let asked = -SERIES_INTERVAL;
let later = 0;
async function tellSeries() {
    const wait = asked + SERIES_INTERVAL - performance.now();
    if (series.length > 0 && wait > 0) {
        // Put off, not left out: these rows may be the last.
        later ||= window.setTimeout(() => {
            later = 0;
            tellSeries();
        }, wait);
        return;
    }
    asked = performance.now();
    series = await Promise.all(sources.map(({ run }) => server.series(run).catch(() => [])));
    const select = byId('plot-column');
    const columns = plottable(series);
    const chosen = select.value || (select.options.length === 0 && columns.some(([name]) => name === 'kinetic_translation_J') ? 'kinetic_translation_J' : '');
    setOptions(select, columns);
    select.value = chosen;
    select.parentElement.hidden = columns.length < 2;
    tellPlot();
}

function tellPlot() {
    drawPlot(series, byId('plot-column').value, [playback.first, playback.last]);
}

async function begin() {
    bindControls();
    bindTheKeys();
    stage.drawn = () => {
        drawTriad(byId('triad'), stage.camera);
        tellFields();
    };
    const summaries = await server.runs();
    summaries.forEach((summary, run) => {
        const source = new Source(run, summary);
        sources.push(source);
        views.push(new RunView(source));
    });
    stage.views = views;
    playback.following = summaries.some(({ status }) => status === 'running');
    colourBy('species');
    tellGrain();
    tellStatus();
    await Promise.all(sources.map((_, run) => refresh(run)));
    if (!views.some((view) => view.grains)) {
        byId('veil').textContent = 'There is nothing to show yet.';
        document.documentElement.dataset.state = 'empty';
    }
    const { instance } = summaries[0] ?? {};
    listen((news) => {
        // Another server at the same place: nothing of what this page has is its.
        if (news.instance !== instance) return location.reload();
        if (!sources[news.run]) return;
        const was = sources[news.run].summary;
        sources[news.run].summary = news;
        tellStatus();
        tellFields();
        if (was.n_frames !== news.n_frames || was.generation !== news.generation) queue(news.run);
        else if (was.status !== news.status) tellSeries();
    }, (now) => {
        connected = now;
        tellStatus();
        if (!now) return;
        for (const source of sources) source.forgive();
        sources.forEach((_, run) => queue(run));
    });
}

/** Refreshes of a run come one after another, never two at once. @type {Map<number, Promise<void>>} */
const queues = new Map();
/** @param {number} run */
function queue(run) {
    const next = (queues.get(run) ?? Promise.resolve()).then(() => refresh(run)).catch(retry);
    queues.set(run, next);
}

let retrying = 0;
/** Asks once more, in a while, for what did not come. */
function retry() {
    retrying ||= window.setTimeout(() => {
        retrying = 0;
        sources.forEach((_, run) => queue(run));
    }, RETRY);
}

begin().catch((error) => {
    byId('veil').textContent = error.message;
    document.documentElement.dataset.state = 'broken';
});
