import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Playback, SPEEDS, usualSpeed } from '../../src/data/playback.js';

function playing(moments) {
    const playback = new Playback();
    playback.setMoments([moments]);
    playback.setSpeed(1);
    return playback;
}

test('moments of several runs are one line without doubles', () => {
    const playback = new Playback();
    playback.setMoments([[0, 0.1, 0.2], [0, 0.15, NaN], []]);
    assert.deepEqual(playback.moments, [0, 0.1, 0.15, 0.2]);
});

test('it plays to the end, pauses there and begins anew', () => {
    const playback = playing([0, 1, 2]);
    playback.play();
    playback.advance(0.75);
    assert.equal(playback.time, 0.75);
    playback.advance(5);
    assert.equal(playback.time, 2);
    assert.equal(playback.playing, false);
    playback.play();
    assert.equal(playback.time, 0);
    playback.pause();
    playback.advance(1);
    assert.equal(playback.time, 0);
});

test('steps go from moment to moment and stop at the ends', () => {
    const playback = playing([0, 1, 4]);
    playback.seek(1.5);
    playback.stepBy(1);
    assert.equal(playback.time, 4);
    playback.stepBy(1);
    assert.equal(playback.time, 4);
    playback.stepBy(-1);
    assert.equal(playback.time, 1);
    playback.stepBy(-9);
    assert.equal(playback.time, 0);
});

test('a run that grows is followed if that is wanted, and else left where it is', () => {
    const playback = playing([0, 1]);
    playback.following = true;
    playback.setMoments([[0, 1, 2]]);
    assert.equal(playback.time, 2);
    playback.seek(1);
    playback.setMoments([[0, 1, 2, 3]]);
    assert.equal(playback.time, 1);
});

test('a single moment and none at all are no trouble', () => {
    for (const moments of [[], [0.5]]) {
        const playback = playing(moments);
        playback.play();
        playback.stepBy(3);
        playback.advance(1);
        assert.equal(playback.playing, false);
        assert.equal(playback.time, moments[0] ?? 0);
    }
});

test('speeds are round, and the usual one takes some seconds', () => {
    for (const duration of [1e-3, 0.35, 2, 60]) {
        const seconds = duration / usualSpeed(duration);
        assert.ok(seconds > 4 && seconds < 20, `${duration} s plays in ${seconds} s`);
    }
    const playback = playing([0, 1]);
    playback.setSpeed(SPEEDS[0]);
    playback.changeSpeed(-1);
    assert.equal(playback.speed, SPEEDS[0]);
    playback.changeSpeed(1);
    assert.equal(playback.speed, SPEEDS[1]);
});
