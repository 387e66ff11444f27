/** The controls: what a click or a key does. */

import { SPEEDS } from '../data/playback.js';
import { MAP_NAMES } from '../look/colour.js';
import { FIELDS } from '../look/fields.js';
import { quantity } from '../look/ticks.js';
import { uniforms } from '../stage/shading.js';
import { byId, setOptions } from './elements.js';
import { bindKeys } from './keys.js';
import { download, pictureOf } from './picture.js';
import { drawPlot } from './plot.js';
import { colourBy, fitRange, repaint, seek, select, showFrames, stepBy, togglePlaying } from './show.js';
import { look, page, playback, sources, stage, views } from './state.js';
import { tellPlaying, tellRange } from './tell.js';

// ---- clip plane, walls, theme ---------------------------------------------------------------------------------------

export function setClip() {
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

/** @param {import('../stage/walls.js').WallLook} walls */
function setWalls(walls) {
    look.walls = walls;
    byId(`walls-${walls}`).checked = true;
    for (const view of views) view.setWallLook(walls, look.dark);
    stage.request();
}

/** @param {boolean} dark */
export function setDark(dark) {
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

export function setGrains() {
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

export function bindControls() {
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

export function bindTheKeys() {
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

export function tellPlot() {
    drawPlot(page.series, byId('plot-column').value, [playback.first, playback.last]);
}
