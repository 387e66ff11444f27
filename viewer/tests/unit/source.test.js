import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteCache } from '../../src/data/cache.js';
import { Source } from '../../src/data/source.js';
import { frameBytes } from './sample.js';

/** A run of so many frames, and a server that answers by the number of a frame. */
function sourceOf(run, count, answer) {
    const asked = [];
    globalThis.fetch = async (path) => {
        const number = Number(/frames\/(\d+)/.exec(path)[1]);
        asked.push(number);
        return answer(number);
    };
    const source = new Source(run, { generation: 0, n_frames: count }, () => asked.push('silence'));
    Object.assign(source, { generation: 0, description: {}, times: Array.from({ length: count }, (_, k) => k) });
    return { source, asked };
}

const sound = () => new Response(frameBytes());
const damaged = () => new Response('damaged', { status: 422 });

test('what is held stays beyond the limit, and the rest goes oldest first', () => {
    const held = new Set(['a', 'b']);
    const cache = new ByteCache(10, (key) => held.has(key));
    for (const key of ['a', 'b', 'c', 'd']) cache.set(key, key, 6);
    assert.deepEqual([...cache.entries.keys()], ['a', 'b', 'd']);
    held.clear();
    cache.set('e', 'e', 6);
    assert.deepEqual([...cache.entries.keys()], ['e']);
    assert.equal(cache.bytes, 6);
});

test('a connection that breaks is no damage to the frame, and is not tried at once again', async () => {
    let broken = true;
    const { source, asked } = sourceOf(100, 3, () => {
        if (broken) throw new TypeError('fetch failed');
        return sound();
    });
    assert.equal(await source.load(1, false), false);
    assert.equal(source.failures.size, 0);
    assert.equal(await source.load(1, false), false);
    assert.deepEqual(asked, [1, 'silence']);
    broken = false;
    source.forgive();
    assert.equal(await source.load(1, false), true);
    assert.equal(source.frame(1).count, 2);
});

test('a server that is busy is asked again, one that refuses is not', async () => {
    const { source, asked } = sourceOf(101, 3, (number) => (number === 0 ? new Response('busy', { status: 503 }) : damaged()));
    assert.equal(await source.load(0, false), false);
    source.forgive();
    assert.equal(await source.load(2, false), true);
    assert.equal(await source.load(2, false), true);
    assert.deepEqual([...source.failures], [[2, 'damaged']]);
    assert.deepEqual(asked, [0, 'silence', 2]);
});

test('an answer that is no frame is refused for good', async () => {
    const { source } = sourceOf(102, 1, () => new Response(new Uint8Array(200)));
    assert.equal(await source.load(0, false), true);
    assert.match(source.failures.get(0), /not what was asked for/);
});

test('if both ends are damaged, a frame between them tells the size', async () => {
    const { source, asked } = sourceOf(103, 6, (number) => (number === 3 || number === 4 ? sound() : damaged()));
    assert.equal((await source.samples()).length, 1);
    assert.deepEqual(asked, [0, 5, 1, 2, 3]);
    const ends = sourceOf(104, 6, sound);
    assert.equal((await ends.source.samples()).length, 2);
    assert.deepEqual(ends.asked, [0, 5]);
    const none = sourceOf(105, 3, damaged);
    assert.deepEqual(await none.source.samples(), []);
});
