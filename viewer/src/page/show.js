/** Which frames are shown, and in which colours. */

import { paint, paintKinds } from '../look/colour.js';
import { fieldOf, robustRange, valuesOf } from '../look/fields.js';
import { byId } from './elements.js';
import { look, page, playback, stage, views } from './state.js';
import { tellFields, tellGrain, tellLegend, tellPlaying, tellRange, tellTime } from './tell.js';

/** @typedef {import('../stage/run_view.js').RunView} RunView */

/** While playing, frames are fetched for this long ahead [s]. */
const AHEAD = 0.6;
/** But never more than this many at once, so that the server serves the nearest first. */
const MOST_AHEAD = 6;
/** Marks of what is selected and of what touches it, in the last byte of a colour. */
const SELECTED = 255;
const TOUCHING = 90;

const needsContacts = () => look.chains || page.selected !== null || look.field.contacts === true;

// ---- frames -------------------------------------------------------------------------------------------------------

/** Shows the frames that belong to the present time, or asks for them. Returns whether all are shown. */
export function showFrames() {
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
            source.load(number, needsContacts()).then((answered) => {
                if (answered) showFrames();
            });
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

export function togglePlaying() {
    if (playback.playing) playback.pause();
    else {
        playback.play();
        before = performance.now();
        requestAnimationFrame(tick);
    }
    tellPlaying();
}

/** @param {number} time */
export function seek(time) {
    playback.pause();
    playback.seek(time);
    tellPlaying();
    showFrames();
}

/** @param {number} count */
export function stepBy(count) {
    playback.pause();
    playback.stepBy(count);
    tellPlaying();
    showFrames();
}

// ---- colours ------------------------------------------------------------------------------------------------------

/** @param {RunView} view */
function valuesIn(view) {
    const frame = /** @type {import('../data/frame.js').Frame} */ (view.frame);
    return valuesOf(look.field, frame, view.source.contacts(view.number), view.source.description.kinds);
}

/** @param {RunView} view */
function paintView(view) {
    const { frame, source } = view;
    if (!frame || !view.grains) return;
    if (view.colours.length !== 4 * frame.count) view.colours = new Uint8Array(4 * frame.count);
    view.colours.fill(0);
    const contacts = source.contacts(view.number);
    const { selected } = page;
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
    if (selected && views[selected.run] === view) tellGrain(select);
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

export function repaint() {
    for (const view of views) paintView(view);
    stage.request();
    tellLegend();
}

/** @param {string} name */
export function colourBy(name) {
    look.field = fieldOf(name);
    look.map = look.field.map;
    fitRange();
    byId('colour').value = look.field.name;
    byId('map').value = look.map;
    byId('scale').hidden = look.field.kind === true;
    showFrames();
}

export function fitRange() {
    look.fits = true;
    fresh = true;
    repaint();
    tellRange();
}

/** @param {typeof page.selected} grain */
export function select(grain) {
    page.selected = grain;
    document.documentElement.dataset.selected = grain ? String(grain.id) : '';
    repaint();
    tellGrain(select);
    showFrames();
}
