/** The page: begins with what the server has, and grows with it. */

import { Refusal, listen, server } from './data/network.js';
import { RETRY, Source } from './data/source.js';
import { byId, setOptions } from './page/elements.js';
import { bindControls, bindTheKeys, setClip, setDark, setGrains, tellPlot } from './page/controls.js';
import { plottable } from './page/plot.js';
import { colourBy, select, showFrames } from './page/show.js';
import { look, page, playback, sources, stage, views } from './page/state.js';
import { tellFields, tellGrain, tellLegend, tellPlaying, tellStatus } from './page/tell.js';
import { drawTriad } from './page/triad.js';
import { RunView } from './stage/run_view.js';

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
    if (frames.length === 0) return;
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
    if (page.series.length > 0 && wait > 0) {
        // Put off, not left out: these rows may be the last.
        later ||= window.setTimeout(() => {
            later = 0;
            tellSeries();
        }, wait);
        return;
    }
    asked = performance.now();
    page.series = await Promise.all(sources.map(({ run }) => server.series(run).catch((error) =>
        (error instanceof Refusal ? [] : page.series[run] ?? []))));
    const choice = byId('plot-column');
    const columns = plottable(page.series);
    const chosen = choice.value || (choice.options.length === 0 && columns.some(([name]) => name === 'kinetic_translation_J') ? 'kinetic_translation_J' : '');
    setOptions(choice, columns);
    choice.value = chosen;
    choice.parentElement.hidden = columns.length < 2;
    tellPlot();
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
        const source = new Source(run, summary, retry);
        sources.push(source);
        views.push(new RunView(source));
    });
    stage.views = views;
    playback.following = summaries.some(({ status }) => status === 'running');
    colourBy('species');
    tellGrain(select);
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
        const isBack = now && !page.connected;
        page.connected = now;
        tellStatus();
        if (!isBack) return;
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
        // When the server is there again, everything is asked anew.
        if (!page.connected) return;
        sources.forEach((source, run) => {
            source.silent = false;
            queue(run);
        });
    }, RETRY);
}

begin().catch((error) => {
    byId('veil').textContent = error.message;
    document.documentElement.dataset.state = 'broken';
});
