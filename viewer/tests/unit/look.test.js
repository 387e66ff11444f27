import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ByteCache } from '../../src/data/cache.js';
import { decodeContacts, decodeFrame } from '../../src/data/frame.js';
import { MAP_NAMES, colourOfKind, paint, paintKinds, tableOf } from '../../src/look/colour.js';
import { FIELDS, fieldOf, robustRange, valuesOf } from '../../src/look/fields.js';
import { quantity, ticks } from '../../src/look/ticks.js';
import { lineOf, titleOf } from '../../src/page/plot.js';
import { contactsBytes, frameBytes } from './sample.js';

const KINDS = [{ diameter: 2, long_axis: [0, 0, 1] }, null, null, { diameter: 1, long_axis: null }];
const frame = decodeFrame(frameBytes());
const contacts = decodeContacts(contactsBytes());
const of = (name) => [...valuesOf(fieldOf(name), frame, contacts, KINDS)];

test('fields have the numbers they say', () => {
    assert.deepEqual(of('species'), [0, 3]);
    assert.deepEqual(of('speed'), [1, 5]);
    assert.deepEqual(of('velocity_z'), [1, 4]);
    assert.ok(Math.abs(of('angular_speed')[0] - Math.sqrt(12)) < 1e-6);
    assert.deepEqual(of('orientation'), [0, NaN]);
    assert.deepEqual(of('coordination'), [1, 2]);
    assert.ok(Math.abs(of('force')[1] - (Math.sqrt(77) + 5)) < 1e-5);
    assert.deepEqual(of('overlap'), [0.5, 0.5]);
    assert.deepEqual(of('size'), [2, 1.5]);
    assert.deepEqual(of('height'), [30, 30]);
    assert.deepEqual(of('id'), [4, 9]);
    for (const field of FIELDS) assert.equal(valuesOf(field, frame, undefined, KINDS).length, 2);
    assert.ok(valuesOf(fieldOf('force'), frame, undefined, KINDS).every(Number.isNaN));
});

test('a turned axis is found where it points', () => {
    const half = Math.SQRT1_2 * 32767;
    // A quarter turn about x takes z to -y.
    const turned = { ...frame, orientation: Int16Array.from([half, 0, 0, half, 0, 0, 0, 32767]) };
    const [angle] = valuesOf(fieldOf('orientation'), turned, contacts, KINDS);
    const [heading] = valuesOf(fieldOf('heading'), turned, contacts, KINDS);
    assert.ok(Math.abs(angle - 90) < 0.01 && Math.abs(heading - 90) < 0.01, `${angle} ${heading}`);
});

test('a few strays do not stretch a range', () => {
    const values = Float32Array.from([...Array.from({ length: 1000 }, (_, k) => k / 1000), 1e6, NaN]);
    const [low, high] = robustRange(fieldOf('height'), values);
    assert.ok(low > 0.005 && low < 0.02 && high > 0.98 && high < 1, `${low} ${high}`);
    assert.deepEqual(robustRange(fieldOf('speed'), Float32Array.from([2, 3])), [0, 3]);
    assert.deepEqual(robustRange(fieldOf('velocity_z'), Float32Array.from([-2, 1])), [-2, 2]);
    assert.deepEqual(robustRange(fieldOf('height'), new Float32Array(0)), [0, 1]);
    const [same, more] = robustRange(fieldOf('height'), new Float32Array(4).fill(0.5));
    assert.ok(same < 0.5 && more > 0.5);
});

test('colours are those of their maps, grey where there is no number', () => {
    const out = new Uint8Array(16).fill(7);
    paint(Float32Array.from([-1, 0.5, 9, NaN]), [0, 1], 'viridis', out);
    assert.deepEqual([...out.subarray(0, 4)], [0x44, 0x01, 0x54, 7]);
    assert.deepEqual([...out.subarray(8, 12)], [0xfd, 0xe7, 0x25, 7]);
    assert.deepEqual([...out.subarray(12, 16)], [128, 128, 128, 7]);
    paintKinds(Uint16Array.from([0, 15]), out);
    assert.deepEqual([...out.subarray(0, 3)], colourOfKind(0));
    assert.deepEqual([...out.subarray(4, 7)], colourOfKind(1), 'after the last kind the first comes again');
    for (const name of MAP_NAMES) assert.equal(new Set(tableOf(name)).size > 20, true, name);
});

test('ticks are round and carry a prefix', () => {
    const { marks, unit } = ticks([0, 0.014], 4, 'm/s');
    assert.equal(unit, 'mm/s');
    assert.deepEqual(marks.map(({ text }) => text), ['0', '5', '10']);
    assert.deepEqual(ticks([-2, 2], 4, '').marks.map(({ text }) => text), ['\u22122', '\u22121', '0', '1', '2']);
    assert.equal(ticks([3, 3], 4, 'm').marks.length, 1);
    assert.equal(quantity(0.00125, 'm'), '1.25\u00a0mm');
    assert.equal(quantity(-12.34, 'rad/s'), '\u221212.3\u00a0rad/s');
    assert.equal(quantity(0, 's'), '0\u00a0s');
    assert.equal(quantity(NaN, 's'), '\u2013');
});

test('the cache keeps to its limit and lets go of what was not used', () => {
    const cache = new ByteCache(100);
    cache.set('a', 1, 40);
    cache.set('b', 2, 40);
    assert.equal(cache.get('a'), 1);
    cache.set('c', 3, 40);
    assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [1, undefined, 3]);
    cache.set('large', 4, 500);
    assert.deepEqual([cache.get('large'), cache.entries.size, cache.bytes], [4, 1, 500]);
});

test('a plot leaves gaps where there is no number', () => {
    const { path, high } = lineOf([0, 1, 2, 3], [0, null, 2, 4], [0, 4]);
    assert.equal(path, 'M0.0000 1.0000M0.5000 0.5000L0.7500 0.0000');
    assert.equal(high, 4);
    assert.equal(lineOf([0], [null], [0, 1]).path, '');
    assert.deepEqual(titleOf('kinetic_translation_J'), ['kinetic translation', 'J']);
    assert.deepEqual(titleOf('coordination'), ['coordination', '']);
});
