/** Walls as triangles, in their own frames. A half-space has no end: it is cut to a box around what is shown. */

import { meshOf } from './shapes.js';

/** @typedef {import('./shapes.js').Mesh} Mesh */
/** @typedef {[number, number, number]} Vector */

/** Planes this near to a side of the box, as a share of its size, lie on it. */
const SLACK = 1e-6;

/** @param {readonly number[]} q @param {readonly number[]} v @returns {Vector} */
export function turn([x, y, z, w], [vx, vy, vz]) {
    const [tx, ty, tz] = [2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)];
    return [vx + w * tx + y * tz - z * ty, vy + w * ty + z * tx - x * tz, vz + w * tz + x * ty - y * tx];
}

/** @param {readonly number[]} a @param {readonly number[]} b */
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/**
 * The part of a plane that lies in a box, as a convex polygon seen from the side of the normal; empty if there is none.
 * A large square in the plane is cut by the six sides of the box.
 * @param {Vector} point
 * @param {Vector} normal
 * @param {Vector} lower
 * @param {Vector} upper
 * @returns {Vector[]}
 */
export function planeInBox(point, normal, lower, upper) {
    const helper = Math.abs(normal[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
    const u = cross(helper, normal);
    const length = Math.hypot(...u);
    /** @type {Vector} */
    const along = [u[0] / length, u[1] / length, u[2] / length];
    const across = cross(normal, along);
    const centre = lower.map((low, k) => 0.5 * (low + upper[k]));
    const size = 2 * Math.hypot(...lower.map((low, k) => upper[k] - low));
    const off = dot(normal, [point[0] - centre[0], point[1] - centre[1], point[2] - centre[2]]);
    const middle = centre.map((c, k) => c + off * normal[k]);
    /** @type {Vector[]} */
    let polygon = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([a, b]) =>
        /** @type {Vector} */ (middle.map((m, k) => m + size * (a * along[k] + b * across[k]))));
    // A wall that is itself a side of the box lies on it to rounding only, and must not be cut by it.
    const slack = SLACK * size;
    for (let axis = 0; axis < 3; axis++) {
        polygon = cut(polygon, axis, lower[axis] - slack, 1);
        polygon = cut(polygon, axis, upper[axis] + slack, -1);
    }
    return polygon;
}

/** @param {readonly number[]} a @param {readonly number[]} b @returns {Vector} */
function cross(a, b) {
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
}

/** Keeps the part of a polygon on one side of a plane across an axis. @param {Vector[]} polygon @param {number} axis @param {number} bound @param {1 | -1} side */
function cut(polygon, axis, bound, side) {
    /** @type {Vector[]} */
    const kept = [];
    polygon.forEach((corner, k) => {
        const next = polygon[(k + 1) % polygon.length];
        const [here, there] = [side * (corner[axis] - bound), side * (next[axis] - bound)];
        if (here >= 0) kept.push(corner);
        if (here < 0 !== there < 0) {
            const share = here / (here - there);
            kept.push(/** @type {Vector} */ (corner.map((c, i) => c + share * (next[i] - c))));
        }
    });
    return kept;
}

/**
 * A wall's surface in its own frame.
 * @param {any} surface of the description
 * @param {ArrayLike<number>} pose position and quaternion, to cut half-spaces
 * @param {Vector} lower corner of the box that is shown
 * @param {Vector} upper
 * @returns {Mesh}
 */
export function meshOfSurface(surface, pose, lower, upper) {
    if (surface === 'half_space') {
        const [px, py, pz, x, y, z, w] = Array.from(pose);
        const polygon = planeInBox([px, py, pz], turn([x, y, z, w], [0, 0, 1]), lower, upper);
        const local = polygon.map((corner) => turn([-x, -y, -z, w], [corner[0] - px, corner[1] - py, corner[2] - pz]));
        return local.length < 3
            ? { positions: [], normals: [], indices: [] }
            : meshOf({ polyhedron: { vertices: local, faces: [local.map((_, k) => k)] } }, 0);
    }
    if (surface.revolved) return revolved(surface.revolved.profile);
    if (surface.mesh) return meshOf({ polyhedron: { vertices: surface.mesh.vertices, faces: surface.mesh.triangles } }, 0);
    return { positions: [], normals: [], indices: [] };
}

/** A polyline turned about z: each line its own cone, with sharp edges between them; faces away from the axis. @param {[number, number][]} given */
function revolved(given) {
    const segments = 96;
    const climb = given.slice(1).reduce((sum, [r, z], k) => sum + (r + given[k][0]) * (z - given[k][1]), 0);
    const profile = climb < 0 ? given.toReversed() : given;
    /** @type {Mesh} */
    const mesh = { positions: [], normals: [], indices: [] };
    for (let i = 0; i + 1 < profile.length; i++) {
        const [[r, z], [s, t]] = [profile[i], profile[i + 1]];
        const length = Math.hypot(s - r, t - z) || 1;
        const [nr, nz] = [(t - z) / length, -(s - r) / length];
        const first = mesh.positions.length / 3;
        for (const [radius, height] of [profile[i], profile[i + 1]]) {
            for (let k = 0; k <= segments; k++) {
                const angle = (2 * Math.PI * k) / segments;
                mesh.positions.push(radius * Math.cos(angle), radius * Math.sin(angle), height);
                mesh.normals.push(nr * Math.cos(angle), nr * Math.sin(angle), nz);
            }
        }
        const row = segments + 1;
        for (let k = 0; k < segments; k++) {
            const [a, b, c, d] = [first + k, first + k + 1, first + row + k + 1, first + row + k];
            if (r > 0) mesh.indices.push(a, b, c);
            if (s > 0) mesh.indices.push(a, c, d);
        }
    }
    return mesh;
}
