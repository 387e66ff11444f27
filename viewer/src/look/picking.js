/**
 * Which grain a ray meets first. Balls are met exactly, other shapes at the triangles they are drawn with. A ray that
 * misses a grain's bounding ball is done with it at once, so that a hundred thousand grains take a millisecond or two.
 */

/** @typedef {[number, number, number]} Vector */
/** @typedef {import('./shapes.js').Mesh} Mesh */
/** @typedef {{ ball: number | null, bound: number, mesh: Mesh }} Body the radius of a ball, the bounding radius, triangles */

/**
 * @param {import('../data/frame.js').Frame} frame
 * @param {Body[]} bodies one for each species
 * @param {Vector} from relative to the frame's origin
 * @param {Vector} direction of length 1
 * @param {(point: Vector) => boolean} isShown whether a point is not clipped away
 * @returns {number} place of the grain, -1 if there is none
 */
export function pick(frame, bodies, from, direction, isShown) {
    let nearest = Infinity;
    let picked = -1;
    const { position, scale, species, orientation } = frame;
    /** @param {number} t @returns {Vector} */
    const at = (t) => [from[0] + t * direction[0], from[1] + t * direction[1], from[2] + t * direction[2]];
    for (let k = 0; k < frame.count; k++) {
        const body = bodies[species[k]];
        if (!body) continue;
        const bound = body.bound * scale[k];
        const [x, y, z] = [position[3 * k] - from[0], position[3 * k + 1] - from[1], position[3 * k + 2] - from[2]];
        const along = x * direction[0] + y * direction[1] + z * direction[2];
        const chord = bound * bound - (x * x + y * y + z * z - along * along);
        if (chord < 0 || along - Math.sqrt(chord) > nearest) continue;
        if (body.ball !== null) {
            const half = Math.sqrt(Math.max(0, (body.ball * scale[k]) ** 2 - (x * x + y * y + z * z - along * along)));
            for (const t of [along - half, along + half]) {
                if (t > 0 && t < nearest && isShown(at(t))) {
                    nearest = t;
                    picked = k;
                }
            }
            continue;
        }
        const q = [orientation[4 * k], orientation[4 * k + 1], orientation[4 * k + 2], orientation[4 * k + 3]];
        const length = Math.hypot(...q) || 1;
        const back = [-q[0] / length, -q[1] / length, -q[2] / length, q[3] / length];
        const local = turned(back, [-x / scale[k], -y / scale[k], -z / scale[k]]);
        const heading = turned(back, direction);
        throughTriangles(body.mesh, local, heading, (t) => {
            const distance = t * scale[k];
            if (distance > 0 && distance < nearest && isShown(at(distance))) {
                nearest = distance;
                picked = k;
            }
        });
    }
    return picked;
}

/** @param {number[]} q @param {number[]} v @returns {Vector} */
function turned([x, y, z, w], [vx, vy, vz]) {
    const [tx, ty, tz] = [2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)];
    return [vx + w * tx + y * tz - z * ty, vy + w * ty + z * tx - x * tz, vz + w * tz + x * ty - y * tx];
}

/** Tells each place where a ray crosses a triangle, from either side (Möller and Trumbore). @param {Mesh} mesh @param {Vector} from @param {Vector} direction @param {(t: number) => void} met */
function throughTriangles({ positions: p, indices }, [fx, fy, fz], [dx, dy, dz], met) {
    for (let k = 0; k < indices.length; k += 3) {
        const [a, b, c] = [3 * indices[k], 3 * indices[k + 1], 3 * indices[k + 2]];
        const [ux, uy, uz] = [p[b] - p[a], p[b + 1] - p[a + 1], p[b + 2] - p[a + 2]];
        const [vx, vy, vz] = [p[c] - p[a], p[c + 1] - p[a + 1], p[c + 2] - p[a + 2]];
        const [nx, ny, nz] = [dy * vz - dz * vy, dz * vx - dx * vz, dx * vy - dy * vx];
        const volume = ux * nx + uy * ny + uz * nz;
        if (volume === 0) continue;
        const [sx, sy, sz] = [fx - p[a], fy - p[a + 1], fz - p[a + 2]];
        const share = (sx * nx + sy * ny + sz * nz) / volume;
        if (share < 0 || share > 1) continue;
        const [qx, qy, qz] = [sy * uz - sz * uy, sz * ux - sx * uz, sx * uy - sy * ux];
        const other = (dx * qx + dy * qy + dz * qz) / volume;
        if (other < 0 || share + other > 1) continue;
        met((vx * qx + vy * qy + vz * qz) / volume);
    }
}

/**
 * The contacts of one grain, the strongest first.
 * @param {import('../data/frame.js').Contacts} contacts
 * @param {number} place of the grain
 * @returns {{ partner: number, contact: number, force: number }[]}
 */
export function contactsOf(contacts, place) {
    const found = [];
    for (let c = 0; c < contacts.count; c++) {
        const isFirst = contacts.a[c] === place;
        if (!isFirst && contacts.b[c] !== place) continue;
        const force = Math.hypot(contacts.force[3 * c], contacts.force[3 * c + 1], contacts.force[3 * c + 2]);
        found.push({ partner: isFirst ? contacts.b[c] : contacts.a[c], contact: c, force });
    }
    return found.sort((a, b) => b.force - a.force);
}
