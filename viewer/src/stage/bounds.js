/** The box around what is shown of a run: its grains, its walls of finite size, the periodic sides of its domain. */

import { wallIsThere } from '../data/frame.js';
import { turn } from '../look/surfaces.js';

/** @typedef {[number, number, number]} Vector */
/** @typedef {{ lower: Vector, upper: Vector }} Box */

/** Room around the grains, as a share of the box. */
const MARGIN = 0.04;
/** A plane is shown if it is no farther from the rest than this many diagonals. */
const REACH = 1.5;
/** A plane is taken to lie along the axes if its normal does to this. */
const ALIGNED = 1 - 1e-6;

/**
 * @param {any} description
 * @param {import('../data/frame.js').Frame[]} frames
 * @returns {Box}
 */
export function boundsOf(description, frames) {
    /** @type {Vector} */
    const lower = [Infinity, Infinity, Infinity];
    /** @type {Vector} */
    const upper = [-Infinity, -Infinity, -Infinity];
    /** @param {number} k @param {number} at @param {number} radius */
    const take = (k, at, radius) => {
        if (!Number.isFinite(at)) return;
        lower[k] = Math.min(lower[k], at - radius);
        upper[k] = Math.max(upper[k], at + radius);
    };
    for (const frame of frames) {
        for (let g = 0; g < frame.count; g++) {
            const radius = (description.species[frame.species[g]]?.bounding_radius ?? 0) * frame.scale[g];
            for (let k = 0; k < 3; k++) take(k, frame.origin[k] + frame.position[3 * g + k], radius);
        }
    }
    const poses = frames[0]?.walls ?? new Float64Array(0);
    /** @type {{ axis: number, sign: number, at: number }[]} */
    const planes = [];
    description.walls.forEach((/** @type {any} */ wall, /** @type {number} */ w) => {
        if (!wallIsThere(poses, w)) return;
        const pose = poses.subarray(7 * w, 7 * w + 7);
        const [position, quaternion] = [pose.subarray(0, 3), Array.from(pose.subarray(3, 7))];
        /** @param {number[]} point */
        const placed = (point) => turn(quaternion, point).forEach((c, k) => take(k, c + position[k], 0));
        if (wall.surface === 'half_space') {
            const normal = turn(quaternion, [0, 0, 1]);
            const axis = normal.findIndex((c) => Math.abs(c) > ALIGNED);
            if (axis >= 0) planes.push({ axis, sign: Math.sign(normal[axis]), at: position[axis] });
        } else if (wall.surface.mesh) {
            wall.surface.mesh.vertices.forEach(placed);
        } else if (wall.surface.revolved) {
            for (const [r, z] of wall.surface.revolved.profile) {
                for (const [x, y] of [[r, 0], [-r, 0], [0, r], [0, -r]]) placed([x, y, z]);
            }
        }
    });
    const { domain } = description;
    for (let k = 0; k < 3; k++) {
        if (domain.periodic[k] && domain.lower[k] !== null && domain.upper[k] !== null) {
            lower[k] = Math.min(lower[k], domain.lower[k]);
            upper[k] = Math.max(upper[k], domain.upper[k]);
        }
    }
    if (!lower.every(Number.isFinite)) {
        // Nothing to go by but planes: a unit around them.
        for (let k = 0; k < 3; k++) [lower[k], upper[k]] = Number.isFinite(lower[k]) ? [lower[k], upper[k]] : [-0.1, 0.1];
    }
    const diagonal = Math.hypot(...lower.map((low, k) => upper[k] - low));
    const snapped = new Set();
    for (const { axis, sign, at } of planes) {
        const gap = sign > 0 ? lower[axis] - at : at - upper[axis];
        if (gap > REACH * diagonal) continue;
        // Walls that lie along the axes meet at the corners of the box.
        if (sign > 0) lower[axis] = Math.min(at, upper[axis]);
        else upper[axis] = Math.max(at, lower[axis]);
        snapped.add(`${axis}${sign > 0 ? '-' : '+'}`);
    }
    for (let k = 0; k < 3; k++) {
        const margin = MARGIN * Math.max(upper[k] - lower[k], 0.05 * diagonal);
        const fixed = domain.periodic[k];
        if (!snapped.has(`${k}-`) && !fixed) lower[k] -= margin;
        if (!snapped.has(`${k}+`) && !fixed) upper[k] += margin;
    }
    return { lower, upper };
}

/**
 * Whether grains of a frame lie well outside a box. What lies beyond the limits counts as on them, and what is nowhere
 * as inside: neither can be brought in.
 * @param {Box} box
 * @param {import('../data/frame.js').Frame} frame
 * @param {Box} limits
 */
export function isOutgrown({ lower, upper }, frame, limits) {
    for (let k = 0; k < 3; k++) {
        const slack = 0.1 * (upper[k] - lower[k]);
        const [low, high] = [lower[k] - slack, upper[k] + slack];
        for (let g = 0; g < frame.count; g++) {
            const at = held(frame.origin[k] + frame.position[3 * g + k], limits, k);
            if (at < low || at > high) return true;
        }
    }
    return false;
}

/**
 * Takes the middles of a frame's grains into a box, as far as the limits.
 * @param {Box} box
 * @param {import('../data/frame.js').Frame} frame
 * @param {Box} limits
 */
export function takeIn({ lower, upper }, frame, limits) {
    for (let k = 0; k < 3; k++) {
        for (let g = 0; g < frame.count; g++) {
            const at = held(frame.origin[k] + frame.position[3 * g + k], limits, k);
            if (at < lower[k]) lower[k] = at;
            if (at > upper[k]) upper[k] = at;
        }
    }
}

/** A coordinate, within the limits; not a number if it is not finite. @param {number} at @param {Box} limits @param {number} k */
function held(at, limits, k) {
    return Number.isFinite(at) ? Math.min(Math.max(at, limits.lower[k]), limits.upper[k]) : NaN;
}
