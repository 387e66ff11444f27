import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boundsOf, isOutgrown, takeIn } from '../../src/stage/bounds.js';

const HALF = Math.SQRT1_2;
const UNBOUNDED = { lower: [null, null, null], upper: [null, null, null], periodic: [false, false, false] };

function frameOf(places, walls = []) {
    return {
        count: places.length,
        origin: [1, 0, 0],
        position: Float32Array.from(places.flat()),
        scale: new Float32Array(places.length).fill(2),
        species: new Uint16Array(places.length),
        walls: Float64Array.from(walls.flat()),
    };
}

const species = [{ bounding_radius: 0.5 }];
const near = (found, wanted) => found.every((c, k) => Math.abs(c - wanted[k]) < 1e-6);

test('the box holds the grains of all frames, with some room', () => {
    const { lower, upper } = boundsOf({ species, walls: [], domain: UNBOUNDED }, [frameOf([[0, 0, 0]]), frameOf([[9, 0, 0]])]);
    assert.ok(lower[0] < 0 && lower[0] > -1 && upper[0] > 11 && upper[0] < 12, `${lower} ${upper}`);
    assert.ok(lower[1] < -1 && upper[1] > 1);
});

test('planes along the axes are sides of the box, and far ones are left alone', () => {
    const walls = [{ surface: 'half_space' }, { surface: 'half_space' }, { surface: 'half_space' }];
    const poses = [[0, 0, -3, 0, 0, 0, 1], [-2, 0, 0, 0, HALF, 0, HALF], [0, 0, -1e6, 0, 0, 0, 1]];
    const { lower } = boundsOf({ species, walls, domain: UNBOUNDED }, [frameOf([[0, 0, 0], [8, 8, 8]], poses)]);
    assert.ok(Math.abs(lower[0] + 2) < 1e-9 && Math.abs(lower[2] + 3) < 1e-9, `${lower}`);
});

test('drums, meshes and periodic sides are inside', () => {
    const walls = [{ surface: { revolved: { profile: [[0, 0], [5, 0], [5, 2]] } } }, { surface: { mesh: { vertices: [[0, 0, -7]], triangles: [] } } }];
    const poses = [[0, 0, 0, 0, 0, 0, 1], [0, 0, 0, 0, 0, 0, 1]];
    const domain = { lower: [null, -20, null], upper: [null, 20, null], periodic: [false, true, false] };
    const { lower, upper } = boundsOf({ species, walls, domain }, [frameOf([[0, 0, 0]], poses)]);
    assert.ok(lower[0] < -5 && upper[0] > 5 && lower[2] < -7);
    assert.ok(near([lower[1], upper[1]], [-20, 20]), 'the periodic sides are where they are');
});

test('an empty run and grains that are nowhere have a box all the same', () => {
    for (const frames of [[], [frameOf([])], [frameOf([[NaN, Infinity, NaN]])]]) {
        const { lower, upper } = boundsOf({ species, walls: [], domain: UNBOUNDED }, frames);
        assert.ok([...lower, ...upper].every(Number.isFinite) && lower.every((low, k) => low < upper[k]));
    }
});

test('grains well outside are noticed', () => {
    const box = { lower: [0, 0, 0], upper: [10, 10, 10] };
    const limits = { lower: [-90, -90, -90], upper: [90, 90, 90] };
    assert.equal(isOutgrown(box, frameOf([[4, 5, 5]]), limits), false);
    assert.equal(isOutgrown(box, frameOf([[9.5, 5, 5]]), limits), false);
    assert.equal(isOutgrown(box, frameOf([[4, 5, 12]]), limits), true);
});

test('a grain that flies away for ever is taken in once', () => {
    const box = { lower: [0, 0, 0], upper: [10, 10, 10] };
    const limits = { lower: [-90, -90, -90], upper: [90, 90, 90] };
    const away = [frameOf([[4, 5, 200], [4, 5, 5]]), frameOf([[4, 5, 1e6], [4, NaN, -Infinity]])];
    assert.equal(isOutgrown(box, away[0], limits), true);
    takeIn(box, away[0], limits);
    assert.deepEqual(box, { lower: [0, 0, 0], upper: [10, 10, 90] });
    assert.equal(isOutgrown(box, away[1], limits), false);
});

test('a wall that is not there takes no room', () => {
    const walls = [{ surface: { mesh: { vertices: [[0, 0, -7]], triangles: [] } } }];
    for (const [pose, deepest] of [[[0, 0, 0, 0, 0, 0, 1], -7], [[0, 0, 0, 0, 0, 0, 0], -1]]) {
        const { lower } = boundsOf({ species, walls, domain: UNBOUNDED }, [frameOf([[0, 0, 0]], [pose])]);
        assert.ok(lower[2] <= deepest && lower[2] > deepest - 1, `${lower}`);
    }
});
