/** Asks the server, and listens to it. */

import { decodeContacts, decodeFrame } from './frame.js';

/**
 * @typedef {object} Summary
 * @property {string} name
 * @property {string | null} title
 * @property {'running' | 'finished' | 'interrupted' | 'failed' | null} status
 * @property {string | null} message
 * @property {number | null} end_time
 * @property {number} n_frames
 * @property {number} generation
 * @property {string} instance names the server: another one knows nothing of what this page has
 * @property {string[]} missing
 */

/** What the server says when it has no such thing, or cannot read it: asking again would bring the same answer. */
export class Refusal extends Error {}

/** Not found, and found but damaged. */
const FINAL = [404, 422];

/** @param {string} path @returns {Promise<Response>} */
async function ask(path) {
    const response = await fetch(path);
    if (response.ok) return response;
    const why = (await response.text()) || `the server answered ${response.status}`;
    throw FINAL.includes(response.status) ? new Refusal(why) : new Error(why);
}

/** @template T @param {(bytes: ArrayBuffer) => T} decode @param {ArrayBuffer} content @returns {T} */
function decoded(decode, content) {
    try {
        return decode(content);
    } catch (error) {
        throw new Refusal(error instanceof Error ? error.message : String(error));
    }
}

/** @param {string} path */
const json = async (path) => (await ask(path)).json();
/** @param {string} path */
const bytes = async (path) => (await ask(path)).arrayBuffer();

export const server = {
    /** @returns {Promise<Summary[]>} */
    runs: () => json('/api/runs'),
    /** @param {number} run */
    description: (run) => json(`/api/runs/${run}/description`),
    /** @param {number} run @param {number} from */
    index: (run, from) => json(`/api/runs/${run}/frames?from=${from}`),
    /** @param {number} run @param {number} frame */
    frame: async (run, frame) => decoded(decodeFrame, await bytes(`/api/runs/${run}/frames/${frame}`)),
    /** @param {number} run @param {number} frame */
    contacts: async (run, frame) => decoded(decodeContacts, await bytes(`/api/runs/${run}/frames/${frame}/contacts`)),
    /** @param {number} run @returns {Promise<{ name: string, values: (number | null)[] }[]>} */
    series: (run) => json(`/api/runs/${run}/series`),
};

/**
 * Listens for news, and listens anew when the connection breaks.
 * @param {(news: Summary & { run: number }) => void} heard
 * @param {(connected: boolean) => void} changed
 */
export function listen(heard, changed) {
    let delay = 250;
    const connect = () => {
        const socket = new WebSocket(`ws://${location.host}/api/live`);
        socket.onopen = () => {
            delay = 250;
            changed(true);
        };
        socket.onmessage = (event) => heard(JSON.parse(event.data));
        socket.onclose = () => {
            changed(false);
            setTimeout(connect, delay);
            delay = Math.min(2 * delay, 4000);
        };
    };
    connect();
}
