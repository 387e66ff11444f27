/** A real `tumble`, a real browser, and ways to look at what the page shows. */

import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const here = dirname(fileURLToPath(import.meta.url));
export const SCENE = join(here, 'small.toml');
const TUMBLE = process.env.TUMBLE ?? join(here, '../../../target/release/tumble');
const BROWSERS = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
/** Software rendering, and a machine that may be busy: patience [ms]. */
export const PATIENCE = 30000;

const run = promisify(execFile);

/** A directory of its own, removed at the end. */
export async function workshop() {
    const directory = await mkdtemp(join(tmpdir(), 'tumble-viewer-'));
    return {
        directory,
        path: (name) => join(directory, name),
        tumble: (...words) => run(TUMBLE, words, { cwd: directory }),
        end: () => rm(directory, { recursive: true, force: true }),
    };
}

/** Servers that run: a test that fails leaves its own behind. @type {Set<import('node:child_process').ChildProcess>} */
const servers = new Set();

/** Ends what tests left running; a server that lived on would keep the tests from ending. */
export function endServers() {
    for (const child of servers) child.kill('SIGKILL');
}

/** Starts a command that serves a page and waits for the address it prints. */
export async function serve(directory, ...words) {
    const child = spawn(TUMBLE, words, { cwd: directory, stdio: ['ignore', 'pipe', 'inherit'] });
    servers.add(child);
    const ended = new Promise((done) => child.once('exit', (code) => (servers.delete(child), done(code))));
    const address = await new Promise((found, failed) => {
        let said = '';
        child.stdout.on('data', (text) => {
            said += text;
            const match = /http:\/\/\S+/.exec(said);
            if (match) found(match[0]);
        });
        child.once('exit', () => failed(new Error(`tumble ${words.join(' ')} ended early: ${said}`)));
    });
    return { address, ended, end: () => (child.kill('SIGTERM'), ended) };
}

export async function openBrowser() {
    const executablePath = BROWSERS.find((path) => path && existsSync(path));
    if (!executablePath) throw new Error('no Chromium: install the package `chromium`, or name the program in CHROMIUM');
    return chromium.launch({
        executablePath,
        args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--force-color-profile=srgb'],
    });
}

/** Opens a page and notes whatever goes wrong in it. */
export async function openPage(browser, address, options = {}) {
    const page = await browser.newPage({ viewport: { width: 960, height: 640 }, colorScheme: 'light', ...options });
    page.setDefaultTimeout(PATIENCE);
    const faults = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => {
        // A frame that is damaged on purpose is refused by the server, which the browser notes.
        if (['error', 'warning'].includes(message.type()) && !/422|GPU stall|swiftshader/i.test(message.text())) faults.push(message.text());
    });
    page.on('request', (request) => {
        if (!request.url().startsWith(address) && !/^(data|blob|ws):/.test(request.url())) faults.push(`asked for ${request.url()}`);
    });
    await page.goto(address);
    return { page, faults };
}

/** @param {import('playwright-core').Page} page */
export const state = (page) => page.evaluate(() => ({ ...document.documentElement.dataset }));

/** Waits until the page says so. */
export const until = (page, name, value) =>
    page.waitForFunction(([key, wanted]) => document.documentElement.dataset[key] === wanted, [name, String(value)]);

/** Asks again and again until the answer is good: a busy machine takes its time. */
export async function eventually(ask, isGood, what) {
    const end = Date.now() + PATIENCE;
    for (;;) {
        const answer = await ask();
        if (isGood(answer)) return answer;
        if (Date.now() > end) throw new Error(`${what}: not within ${PATIENCE / 1000} s`);
        await new Promise((done) => setTimeout(done, 100));
    }
}

/** The picture alone, as it is drawn. */
export async function picture(page) {
    // Two pictures later everything that was asked for is drawn.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    return page.locator('#stage').screenshot();
}
