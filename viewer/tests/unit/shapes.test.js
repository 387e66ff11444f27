import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contactsOf, pick } from '../../src/look/picking.js';
import { meshOf, segmentsFor } from '../../src/look/shapes.js';
import { meshOfSurface, planeInBox } from '../../src/look/surfaces.js';
import { decodeContacts } from '../../src/data/frame.js';
import { contactsBytes } from './sample.js';

/** Volume of a closed mesh by signed tetrahedra: negative or wrong if a triangle is missing or turned. */
function volumeOf({ positions: p, indices }) {
    let six = 0;
    for (let k = 0; k < indices.length; k += 3) {
        const [a, b, c] = [0, 1, 2].map((i) => p.slice(3 * indices[k + i], 3 * indices[k + i] + 3));
        six += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return six / 6;
}

const CUBE = {
    vertices: [[-1, -1, -1], [1, -1, -1], [1, 1, -1], [-1, 1, -1], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]],
    faces: [[3, 2, 1, 0], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]],
};
const FRAME = { position: [0, 0, 0], orientation: [0, 0, 0, 1] };
const SHAPES = [
    [{ sphere: { radius: 2 } }, (4 / 3) * Math.PI * 8],
    [{ cylinder: { radius: 1, height: 3 } }, 3 * Math.PI],
    [{ capsule: { radius: 1, length: 5 } }, 3 * Math.PI + (4 / 3) * Math.PI],
    [{ cone: { lower_radius: 2, upper_radius: 1, lower_z: -1, upper_z: 2 } }, Math.PI * (4 + 2 + 1)],
    [{ cone: { lower_radius: 2, upper_radius: 0, lower_z: -1, upper_z: 2 } }, 4 * Math.PI],
    [{ tablet: { radius: 2, band_height: 1, dome_height: 0.5 } }, Math.PI * (4 + 0.5 * (4 + 0.25 / 3))],
    [{ tablet: { radius: 1, band_height: 0, dome_height: 1 } }, (4 / 3) * Math.PI],
    [{ superquadric: { half_axes: [1, 2, 3], n1: 2, n2: 2 } }, (4 / 3) * Math.PI * 6],
    [{ polyhedron: CUBE }, 8],
    [{ disc: { radius: 1, thickness: 0.5 } }, 0.5 * Math.PI],
    [{ polygon: { corners: [[0, 0], [2, 0], [0, 2]], thickness: 3 } }, 6],
    [{ clump: { parts: [
        { shape: { polyhedron: CUBE }, frame: { position: [5, 0, 0], orientation: [0, 0, Math.SQRT1_2, Math.SQRT1_2] } },
        { shape: { sphere: { radius: 1 } }, frame: FRAME }] } }, 8 + (4 / 3) * Math.PI],
];

test('every shape is closed, faces outwards and has its volume', () => {
    for (const [shape, volume] of SHAPES) {
        for (const [segments, tolerance] of [[10, 0.16], [40, 0.012], [160, 0.001]]) {
            const mesh = meshOf(shape, segments);
            const found = volumeOf(mesh);
            const name = `${Object.keys(shape)[0]}, ${segments} segments: ${found} for ${volume}`;
            // Triangles lie inside curved shapes: the share that is missing falls with the square of the number of parts.
            assert.ok(found <= volume * (1 + 1e-9) && found >= volume * (1 - tolerance), name);
            assert.equal(mesh.positions.length, mesh.normals.length);
            for (let k = 0; k < mesh.normals.length; k += 3) {
                assert.ok(Math.abs(Math.hypot(...mesh.normals.slice(k, k + 3)) - 1) < 1e-6, name);
            }
            assert.ok(mesh.positions.every(Number.isFinite), name);
        }
    }
});

test('a superquadric with large exponents fills its box', () => {
    const volume = volumeOf(meshOf({ superquadric: { half_axes: [1, 1, 1], n1: 12, n2: 12 } }, 64));
    assert.ok(volume > 7.4 && volume < 8, `${volume}`);
});

test('an unknown shape is nothing rather than a fault', () => {
    assert.deepEqual(meshOf({ torus: { radius: 1 } }, 20).indices, []);
});

test('many grains get coarser shapes', () => {
    assert.ok(segmentsFor(100) > segmentsFor(5000) && segmentsFor(5000) > segmentsFor(30000) && segmentsFor(30000) > segmentsFor(1e5));
});

test('a plane is cut to the box around what is shown', () => {
    const polygon = planeInBox([0, 0, 0.5], [0, 0, 1], [0, 0, 0], [2, 3, 1]);
    assert.equal(polygon.length, 4);
    const near = (a, b) => Math.abs(a - b) < 1e-4;
    for (const [x, y, z] of polygon) assert.ok((near(x, 0) || near(x, 2)) && (near(y, 0) || near(y, 3)) && near(z, 0.5));
    assert.equal(planeInBox([0, 0, 5], [0, 0, 1], [0, 0, 0], [1, 1, 1]).length, 0);
    assert.equal(planeInBox([0.5, 0.5, 0.5], [Math.sqrt(1 / 3), Math.sqrt(1 / 3), Math.sqrt(1 / 3)], [0, 0, 0], [1, 1, 1]).length, 6);
    // A side of the box itself, tilted by rounding, is whole.
    const side = planeInBox([0, 0, 0], [1, 0, 2e-16], [0, 0, 0], [1, 1, 1]);
    assert.ok(near(Math.max(...side.map(([, , z]) => z)), 1) && near(Math.min(...side.map(([, , z]) => z)), 0));
    const quarter = [0, 0, 0.5, Math.SQRT1_2, 0, 0, Math.SQRT1_2];
    const mesh = meshOfSurface('half_space', quarter, [-1, -1, 0], [1, 1, 1]);
    assert.equal(mesh.indices.length, 6);
});

test('a vessel faces away from its axis, whichever way its profile is written', () => {
    const profile = [[0, 0], [1, 0], [1, 2], [0, 2]];
    for (const written of [profile, profile.toReversed()]) {
        const volume = volumeOf(meshOfSurface({ revolved: { profile: written } }, [], [0, 0, 0], [1, 1, 1]));
        assert.ok(Math.abs(volume - 2 * Math.PI) < 0.01, `${volume}`);
    }
});

function frameOf(grains) {
    return {
        count: grains.length,
        position: Float32Array.from(grains.flatMap(({ at }) => at)),
        scale: Float32Array.from(grains.map(({ scale }) => scale ?? 1)),
        species: Uint16Array.from(grains.map(({ species }) => species ?? 0)),
        orientation: Int16Array.from(grains.flatMap(({ turn }) => (turn ?? [0, 0, 0, 1]).map((c) => Math.round(c * 32767)))),
    };
}

test('the nearest grain under a ray is picked, by its true shape', () => {
    const bodies = [
        { ball: 1, bound: 1, mesh: meshOf({ sphere: { radius: 1 } }, 8) },
        { ball: null, bound: Math.sqrt(3), mesh: meshOf({ polyhedron: CUBE }, 8) },
    ];
    const always = () => true;
    const frame = frameOf([{ at: [0, 0, 0] }, { at: [0, 0, 3] }, { at: [10, 0, 0], species: 1 }]);
    assert.equal(pick(frame, bodies, [0, 0, 20], [0, 0, -1], always), 1);
    assert.equal(pick(frame, bodies, [0, 0, -20], [0, 0, 1], always), 0);
    assert.equal(pick(frame, bodies, [0, 0, 20], [0, 0, 1], always), -1, 'behind the eye');
    // Inside the cube's bounding ball but beside the cube; turned by 45 degrees the cube reaches there.
    assert.equal(pick(frame, bodies, [11.2, 0, 20], [0, 0, -1], always), -1);
    const turned = frameOf([{ at: [10, 0, 0], species: 1, turn: [0, 0, Math.sin(Math.PI / 8), Math.cos(Math.PI / 8)] }]);
    assert.equal(pick(turned, bodies, [11.2, 0, 20], [0, 0, -1], always), 0);
    // Grown to double size it reaches there too.
    const grown = frameOf([{ at: [10, 0, 0], species: 1, scale: 2 }]);
    assert.equal(pick(grown, bodies, [11.2, 0, 20], [0, 0, -1], always), 0);
    // What is clipped away cannot be picked: the lower ball is seen through the upper one.
    assert.equal(pick(frame, bodies, [0, 0, 20], [0, 0, -1], ([, , z]) => z < 1.5), 0);
});

test('contacts of a grain are told from either side, the strongest first', () => {
    const contacts = decodeContacts(contactsBytes());
    assert.deepEqual(contactsOf(contacts, 1).map(({ partner }) => partner), [0, 0x80000000]);
    assert.deepEqual(contactsOf(contacts, 0).map(({ partner }) => partner), [1]);
});
