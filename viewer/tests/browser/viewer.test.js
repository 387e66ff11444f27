/** The page, end to end: the real program, a real browser. */

import assert from 'node:assert/strict';
import { readFile, writeFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { difference, meanColour } from './compare.js';
import { PATIENCE, SCENE, endServers, eventually, openBrowser, openPage, picture, serve, state, until, workshop } from './page.js';

const here = dirname(fileURLToPath(import.meta.url));
const REFERENCE = join(here, 'reference/last_frame.png');
/** Edges are drawn a little differently by each renderer; a grain that is missing changes far more. */
const TOLERANCE = 0.01;

let place;
let browser;
let served;
let page;
let faults;
/** Number of the last frame. */
let last;

before(async () => {
    place = await workshop();
    browser = await openBrowser();
    await place.tumble('run', SCENE, '--out', 'small', '--quiet');
    served = await serve(place.directory, 'view', 'small', '--no-open');
    ({ page, faults } = await openPage(browser, served.address));
    await until(page, 'state', 'ready');
    last = Number(await page.getAttribute('#scrub', 'max'));
}, { timeout: 3 * PATIENCE });

after(async () => {
    endServers();
    await browser?.close();
    await place?.end();
});

/** The picture once it differs from another by more than a share of the pixels, or by no more than what renderers may. */
const unlike = (other, share, what) => eventually(() => picture(page), (seen) => difference(other, seen) > share, what);
const like = (other, what) => eventually(() => picture(page), (seen) => difference(other, seen) < TOLERANCE, what);

/** Presses a key with nothing in focus. */
const press = async (key) => {
    await page.evaluate(() => document.activeElement?.blur());
    await page.keyboard.press(key);
};

test('it loads, and shows the first frame with its time, step and grains', async () => {
    assert.equal((await state(page)).frame, '0');
    assert.ok(last >= 12);
    assert.equal(await page.textContent('#title'), 'Five kinds in a box');
    assert.match(await page.textContent('#clock'), /t = 0\ss.*step 0.*frame 0 of \d+.*40 grains/);
    assert.equal(await page.textContent('#status'), 'finished');
    assert.deepEqual(await page.locator('#legend li').allTextContents(), ['bead', 'brick', 'lentil', 'pill', 'tablet']);
});

test('it looks as it should', async () => {
    await press('End');
    await until(page, 'frame', last);
    const seen = await picture(page);
    if (process.env.UPDATE_REFERENCE) {
        await mkdir(dirname(REFERENCE), { recursive: true });
        await writeFile(REFERENCE, seen);
    }
    const share = difference(seen, await readFile(REFERENCE));
    if (share > TOLERANCE) await writeFile(join(place.directory, '../tumble-viewer-seen.png'), seen);
    assert.ok(share <= TOLERANCE, `${(100 * share).toFixed(2)} % of the pixels differ from ${REFERENCE}`);
});

test('it plays, pauses, scrubs and steps', async () => {
    await press('Home');
    await until(page, 'frame', 0);
    await page.click('#play');
    await until(page, 'playing', true);
    await page.waitForFunction(() => Number(document.documentElement.dataset.frame) >= 2);
    await press(' ');
    await until(page, 'playing', false);
    await page.locator('#scrub').fill('5');
    await until(page, 'frame', 5);
    await press('ArrowRight');
    await until(page, 'frame', 6);
    await press('ArrowLeft');
    await until(page, 'frame', 5);
    const speed = Number(await page.inputValue('#speed'));
    await press('+');
    assert.ok(Number(await page.inputValue('#speed')) > speed);
    await press('-');
    assert.equal(Number(await page.inputValue('#speed')), speed);
    await page.selectOption('#speed', '1');
    await press(' ');
    await until(page, 'frame', last);
    await until(page, 'playing', false);
});

test('it colours by any field, with a bar and a range that can be set', async () => {
    const options = await page.locator('#colour option').evaluateAll((all) => all.map((option) => option.value));
    for (const name of ['species', 'speed', 'angular_speed', 'orientation', 'force', 'overlap', 'coordination', 'size', 'id', 'height']) {
        assert.ok(options.includes(name), name);
    }
    let before = await picture(page);
    for (const [name, title] of [['height', 'height (mm)'], ['coordination', 'contacts'], ['force', 'sum of contact forces (mN)']]) {
        await page.selectOption('#colour', name);
        await page.waitForFunction((wanted) => document.querySelector('#legend figcaption')?.textContent === wanted, title);
        before = await unlike(before, 0.02, `${name} looks unlike the one before`);
    }
    await page.selectOption('#colour', 'height');
    await page.fill('#range-high', '1');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.querySelector('#legend figcaption')?.textContent === 'height (m)');
    await unlike(before, 0.02, 'another range gives other colours');
    await page.click('#range-fit');
    await page.waitForFunction(() => document.querySelector('#legend figcaption')?.textContent === 'height (mm)');
    await press('2');
    assert.equal(await page.inputValue('#colour'), 'speed');
    await press('1');
    assert.equal(await page.inputValue('#colour'), 'species');
});

/** Clicks about the picture until a grain is hit. */
async function pickAny(wanted = () => true) {
    const box = await page.locator('#canvas').boundingBox();
    for (let row = 0.5; row < 0.95; row += 0.06) {
        for (let column = 0.35; column < 0.65; column += 0.05) {
            await page.mouse.click(box.x + column * box.width, box.y + row * box.height);
            const { selected } = await state(page);
            if (selected && (await wanted())) return selected;
        }
    }
    throw new Error('no grain was hit');
}

test('a grain can be picked, read, and its partners gone to', async () => {
    await press('End');
    await until(page, 'frame', last);
    const touches = async () => {
        await page.waitForFunction(() => document.querySelector('#grain table, #grain dl + p'));
        return (await page.locator('#grain td button').count()) > 0;
    };
    const id = await pickAny(touches);
    assert.equal(await page.textContent('#grain strong'), id);
    for (const name of ['kind', 'diameter', 'position', 'speed', 'spin']) {
        assert.ok((await page.locator('#grain dt').allTextContents()).includes(name), name);
    }
    assert.match(await page.textContent('#grain tbody tr'), /(grain \d+|box\.\w+).*N.*m/);
    const partner = page.locator('#grain td button').first();
    const name = await partner.textContent();
    await partner.click();
    await page.waitForFunction((wanted) => `grain ${document.documentElement.dataset.selected}` === wanted, name);
    // The grain stays picked from frame to frame.
    await press('ArrowLeft');
    await until(page, 'frame', last - 1);
    assert.equal(`grain ${await page.textContent('#grain strong')}`, name);
    await press('Escape');
    assert.equal((await state(page)).selected, '');
    await press('r');
});

test('the clip plane cuts, on either side', async () => {
    await press('End');
    await until(page, 'frame', last);
    const whole = await picture(page);
    await press('c');
    const cut = await unlike(whole, 0.02, 'it cuts');
    await page.check('#clip-flip');
    await unlike(cut, 0.02, 'the other side');
    await page.click('label[for=axis-z]');
    await page.locator('#clip-at').fill('1000');
    assert.match(await page.textContent('#clip-text'), /^z = /);
    await page.uncheck('#clip-flip');
    await unlike(whole, 0.02, 'all is above the plane or below it');
    await page.click('label[for=axis-y]');
    await page.uncheck('#clip');
    await like(whole, 'without the plane all is there again');
});

test('walls, force chains and the camera', async () => {
    await press('r');
    const glass = await picture(page);
    await press('w');
    const solid = await unlike(glass, 0.02, 'solid walls');
    await press('w');
    await unlike(solid, 0.02, 'no walls');
    await press('w');
    await like(glass, 'walls of glass again');
    await press('f');
    await unlike(glass, 0.02, 'force chains show');
    await press('f');
    const box = await page.locator('#canvas').boundingBox();
    await page.mouse.move(box.x + 200, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(box.x + 320, box.y + 240, { steps: 4 });
    await page.mouse.up();
    await unlike(glass, 0.02, 'dragging turns');
    await page.mouse.wheel(0, -400);
    await press('r');
    await like(glass, 'the view goes back');
    await press('Shift+ArrowLeft');
    await unlike(glass, 0.005, 'keys turn too');
    await press('r');
});

test('light and dark, and the wish of the system', async () => {
    const light = meanColour(await picture(page));
    await press('d');
    await eventually(async () => meanColour(await picture(page)), (dark) => dark[0] < light[0] - 60, 'the page is dark');
    await page.click('#theme');
    const opened = await openPage(browser, served.address, { colorScheme: 'dark' });
    await until(opened.page, 'theme', 'dark');
    await opened.page.close();
});

test('the sheet of keys opens, lists them and closes', async () => {
    await press('?');
    assert.ok(await page.locator('#help').isVisible());
    const listed = await page.textContent('#keys');
    for (const word of ['play or pause', 'force chains', 'clip', 'save the picture']) assert.ok(listed.includes(word), word);
    await page.keyboard.press('Escape');
    assert.ok(!(await page.locator('#help').isVisible()));
});

test('the picture is saved with its colour bar', async () => {
    await press('2');
    const [download] = await Promise.all([page.waitForEvent('download'), press('s')]);
    assert.match(download.suggestedFilename(), /^small-\d{5}\.png$/);
    const [red, green, blue] = meanColour(await readFile(await download.path()));
    assert.ok(red > 100 && red < 254 && Math.abs(green - blue) < 60, 'it is neither blank nor black');
    await press('1');
});

test('every control can be reached and has a name', async () => {
    const nameless = await page.locator('button, select, input').evaluateAll((all) =>
        all.filter((element) => !(element.getAttribute('aria-label') || element.title || element.textContent.trim() || element.labels?.[0]?.textContent.trim())).map((element) => element.outerHTML));
    assert.deepEqual(nameless, []);
    await page.evaluate(() => document.activeElement?.blur());
    const reached = new Set();
    for (let k = 0; k < 40; k++) {
        await page.keyboard.press('Tab');
        reached.add(await page.evaluate(() => document.activeElement?.id));
    }
    for (const id of ['canvas', 'play', 'scrub', 'colour', 'chains', 'clip', 'save']) assert.ok(reached.has(id), id);
});

test('runs side by side share camera and clock', async () => {
    await place.tumble('run', SCENE, '--out', 'other', '--quiet', '--set', 'seed=8', '--set', 'time.end=0.09 s');
    const both = await serve(place.directory, 'view', 'small', 'other', SCENE, '--no-open');
    const opened = await openPage(browser, both.address);
    await until(opened.page, 'state', 'ready');
    await opened.page.waitForFunction(() => document.querySelectorAll('.field h2').length === 3);
    assert.deepEqual(await opened.page.locator('.field h2').allTextContents(), ['small', 'other', 'small.toml']);
    const box = await opened.page.locator('#canvas').boundingBox();
    const third = (k) => opened.page.screenshot({ clip: { x: box.x + (k * box.width) / 3, y: box.y, width: Math.floor(box.width / 3), height: box.height } });
    const thirds = async () => [await third(0), await third(1)];
    const bothDiffer = (before) => (now) => before.every((seen, k) => difference(seen, now[k]) > 0.01);
    const before = await thirds();
    await opened.page.keyboard.press('End');
    await until(opened.page, 'frame', last);
    const still = await eventually(thirds, bothDiffer(before), 'both move on');
    for (let k = 0; k < 6; k++) await opened.page.keyboard.press('Shift+ArrowLeft');
    await eventually(thirds, bothDiffer(still), 'both turn');
    assert.deepEqual(opened.faults, []);
    await opened.page.close();
    await both.end();
});

test('a broken run shows what there is and says what is missing', async () => {
    await place.tumble('run', SCENE, '--out', 'broken', '--quiet', '--set', 'time.end=0.09 s');
    const path = place.path('broken/trajectory.tumble');
    const bytes = await readFile(path);
    // A frame in the middle is damaged, behind its header, and the last one is cut short.
    bytes[Math.floor(bytes.length * 0.5) + 300] ^= 255;
    await writeFile(path, bytes.subarray(0, bytes.length - 100));
    const viewing = await serve(place.directory, 'view', 'broken', '--no-open');
    const opened = await openPage(browser, viewing.address);
    await until(opened.page, 'state', 'ready');
    await opened.page.waitForSelector('.field li');
    assert.match(await opened.page.textContent('.field li'), /The last \d+ bytes of the trajectory, after frame \d, cannot be shown: the file ends inside a frame\./);
    const end = Number(await opened.page.getAttribute('#scrub', 'max'));
    const told = [];
    for (let k = 1; k <= end; k++) {
        await opened.page.keyboard.press('ArrowRight');
        // The frame is there, or it is said why it is not.
        const answer = await opened.page.waitForFunction((number) => {
            const why = [...document.querySelectorAll('.field li')].find((item) => item.textContent?.startsWith(`Frame ${number} `));
            return why?.textContent ?? (document.documentElement.dataset.frame === String(number) ? 'shown' : null);
        }, k);
        told.push(await answer.jsonValue());
    }
    const missing = told.filter((text) => text !== 'shown');
    assert.equal(missing.length, 1, told.join('\n'));
    assert.match(missing[0], /^Frame \d cannot be shown: .*its payload does not fit its checksum\.$/);
    await opened.page.keyboard.press('Home');
    await until(opened.page, 'frame', 0);
    await opened.page.close();
    await viewing.end();
});

test('a run whose ends are damaged shows its middle', async () => {
    await place.tumble('run', SCENE, '--out', 'ends', '--quiet', '--set', 'time.end=0.09 s');
    const path = place.path('ends/trajectory.tumble');
    const bytes = await readFile(path);
    bytes[bytes.length - 10] ^= 255;
    // Inside the first frame, which stands behind the description, and beyond its own header.
    const header = 32 + Number(bytes.readBigUInt64LE(16));
    bytes[header + 300] ^= 255;
    await writeFile(path, bytes);
    const viewing = await serve(place.directory, 'view', 'ends', '--no-open');
    const opened = await openPage(browser, viewing.address);
    await until(opened.page, 'state', 'ready');
    await opened.page.waitForFunction(() => /^Frame 0 cannot be shown: .*frame 0 is damaged/.test(document.querySelector('.field li')?.textContent ?? ''));
    await opened.page.keyboard.press('ArrowRight');
    await until(opened.page, 'frame', 1);
    assert.match(await opened.page.textContent('#clock'), /frame 1 of \d+.*40 grains/);
    await opened.page.close();
    await viewing.end();
});

test('another server in the same place is not taken for the one before', async () => {
    const first = await serve(place.directory, 'view', 'small', '--no-open');
    const { port } = new URL(first.address);
    const opened = await openPage(browser, first.address);
    await until(opened.page, 'state', 'ready');
    assert.equal(await opened.page.textContent('#title'), 'Five kinds in a box');
    await first.end();
    await opened.page.waitForFunction(() => document.querySelector('#status')?.textContent?.startsWith('the server is gone'));
    await place.tumble('run', SCENE, '--out', 'second', '--quiet', '--set', 'title=Another', '--set', 'time.end=0.09 s');
    const second = await serve(place.directory, 'view', 'second', '--no-open', '--port', port);
    await opened.page.waitForFunction(() => document.querySelector('#title')?.textContent === 'Another');
    // It has half the frames of the first, and those are its own.
    await opened.page.waitForFunction((end) => {
        const most = Number(document.querySelector('#scrub')?.max);
        return document.documentElement.dataset.state === 'ready' && most > 0 && most < end;
    }, last);
    await until(opened.page, 'state', 'ready');
    await opened.page.close();
    await second.end();
});

test('a run is watched while it computes', async () => {
    const watched = await serve(place.directory, 'run', SCENE, '--out', 'live', '--view', '--no-open', '--set', 'time.end=2 s', '--set', 'output.trajectory=5 ms');
    const opened = await openPage(browser, watched.address);
    await until(opened.page, 'state', 'ready');
    assert.equal(await opened.page.textContent('#status'), 'running');
    const frame = async () => Number((await state(opened.page)).frame);
    const first = await frame();
    await opened.page.waitForFunction((from) => Number(document.documentElement.dataset.frame) > from + 2, first);
    await opened.page.close();
    assert.equal(await watched.end(), 130, 'it was interrupted, and wrote a checkpoint');
});

test('nothing went wrong in the page, and nothing was asked of another server', () => {
    assert.deepEqual(faults, []);
});
