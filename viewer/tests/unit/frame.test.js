import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WALL, decodeContacts, decodeFrame } from '../../src/data/frame.js';
import { contactsBytes, frameBytes } from './sample.js';

test('a frame is read where its layout says', () => {
    const frame = decodeFrame(frameBytes());
    assert.equal(frame.count, 2);
    assert.equal(frame.step, 7);
    assert.equal(frame.time, 0.25);
    assert.deepEqual(frame.origin, [10, 20, 30]);
    assert.deepEqual([...frame.walls], [0, 0, -1, 0, 0, 0, 1]);
    assert.deepEqual([...frame.id], [4, 9]);
    assert.deepEqual([...frame.scale], [1, 1.5]);
    assert.deepEqual([...frame.position], [1, 0, 0, 0, 1, 0]);
    assert.deepEqual([...frame.velocity], [0, 0, 1, -3, 0, 4]);
    assert.deepEqual([...frame.spin], [2, 2, 2, 0, 0, 0]);
    assert.deepEqual([...frame.orientation], [0, 0, 0, 32767, 32767, 0, 0, 0]);
    assert.deepEqual([...frame.species], [0, 3]);
});

test('contacts are read where their layout says', () => {
    const contacts = decodeContacts(contactsBytes());
    assert.deepEqual([...contacts.a], [0, 1]);
    assert.deepEqual([...contacts.b], [1, WALL]);
    assert.deepEqual([...contacts.force], [-4, 5, -6, 3, 0, 4]);
    assert.deepEqual([...contacts.overlap], [0.5, 0.25]);
});

test('what is cut short or is something else is refused', () => {
    for (const [decode, whole] of [[decodeFrame, frameBytes()], [decodeContacts, contactsBytes()]]) {
        for (let length = 0; length < whole.byteLength; length++) assert.throws(() => decode(whole.slice(0, length)), /server/);
    }
    assert.throws(() => decodeFrame(contactsBytes()), /not what was asked for/);
    assert.throws(() => decodeContacts(frameBytes()), /not what was asked for/);
});
