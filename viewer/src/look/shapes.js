/**
 * Shapes of grains as triangles. Curved shapes have smooth normals, flat ones sharp edges. `segments` is the number of
 * parts a full circle is divided into.
 */

/** @typedef {{ positions: number[], normals: number[], indices: number[] }} Mesh */
/** @typedef {[number, number, number]} Vector */

/** @returns {Mesh} */
const empty = () => ({ positions: [], normals: [], indices: [] });

/** @param {Vector} v @returns {Vector} */
function unit([x, y, z]) {
    const length = Math.hypot(x, y, z) || 1;
    return [x / length, y / length, z / length];
}

/**
 * Turns a profile about the z axis. Between two points with the same place and another normal there is an edge.
 * @param {{ r: number, z: number, nr: number, nz: number }[]} profile from the lower end to the upper one
 * @param {number} segments
 * @returns {Mesh}
 */
export function revolve(profile, segments) {
    const mesh = empty();
    for (const { r, z, nr, nz } of profile) {
        for (let k = 0; k <= segments; k++) {
            const angle = (2 * Math.PI * k) / segments;
            mesh.positions.push(r * Math.cos(angle), r * Math.sin(angle), z);
            mesh.normals.push(nr * Math.cos(angle), nr * Math.sin(angle), nz);
        }
    }
    const row = segments + 1;
    for (let i = 0; i + 1 < profile.length; i++) {
        const [low, high] = [profile[i], profile[i + 1]];
        if (low.r === high.r && low.z === high.z) continue;
        for (let k = 0; k < segments; k++) {
            const [a, b, c, d] = [i * row + k, i * row + k + 1, (i + 1) * row + k + 1, (i + 1) * row + k];
            if (low.r > 0) mesh.indices.push(a, b, c);
            if (high.r > 0) mesh.indices.push(a, c, d);
        }
    }
    return mesh;
}

/** A quarter circle or half circle of a profile. @param {number} radius @param {number} z @param {number} from @param {number} to @param {number} parts */
function arc(radius, z, from, to, parts) {
    return Array.from({ length: parts + 1 }, (_, k) => {
        const angle = from + ((to - from) * k) / parts;
        // Exactly on the axis at the poles.
        const nr = k === 0 && from <= -Math.PI / 2 || k === parts && to >= Math.PI / 2 ? 0 : Math.cos(angle);
        return { r: radius * nr, z: z + radius * Math.sin(angle), nr, nz: Math.sin(angle) };
    });
}

/** A cone cut off flat. @param {number} lower @param {number} upper @param {number} lowerZ @param {number} upperZ @param {number} segments */
function frustum(lower, upper, lowerZ, upperZ, segments) {
    const [nr, , nz] = unit([upperZ - lowerZ, 0, lower - upper]);
    return revolve([
        { r: 0, z: lowerZ, nr: 0, nz: -1 }, { r: lower, z: lowerZ, nr: 0, nz: -1 },
        { r: lower, z: lowerZ, nr, nz }, { r: upper, z: upperZ, nr, nz },
        { r: upper, z: upperZ, nr: 0, nz: 1 }, { r: 0, z: upperZ, nr: 0, nz: 1 },
    ], segments);
}

/** @param {number} radius @param {number} length @param {number} segments */
function capsule(radius, length, segments) {
    const half = Math.max(length / 2 - radius, 0);
    const parts = Math.max(2, segments >> 2);
    return revolve([...arc(radius, -half, -Math.PI / 2, 0, parts), ...arc(radius, half, 0, Math.PI / 2, parts)], segments);
}

/** @param {number} radius @param {number} band @param {number} dome @param {number} segments */
function tablet(radius, band, dome, segments) {
    const ball = (radius * (radius / dome) + dome) / 2;
    const widest = Math.asin(Math.min(1, radius / ball));
    const parts = Math.max(3, segments >> 2);
    // From the rim to the tip, both met exactly; counted from the tip, so that flat domes lose nothing.
    const upper = Array.from({ length: parts + 1 }, (_, k) => {
        const angle = widest * (1 - k / parts);
        const [nr, nz] = k === parts ? [0, 1] : [Math.sin(angle), Math.cos(angle)];
        return { r: k === 0 ? radius : ball * nr, z: band / 2 + (k === 0 ? 0 : dome - (ball * nr * nr) / (1 + nz)), nr, nz };
    });
    const lower = upper.map(({ r, z, nr, nz }) => ({ r, z: -z, nr, nz: -nz })).reverse();
    const side = [-band / 2, band / 2].map((z) => ({ r: radius, z, nr: 1, nz: 0 }));
    return revolve([...lower, ...side, ...upper], segments);
}

/** @param {number} value @param {number} power */
const signedPower = (value, power) => Math.sign(value) * Math.abs(value) ** power;

/** @param {Vector} axes @param {number} n1 @param {number} n2 @param {number} segments */
function superquadric([a, b, c], n1, n2, segments) {
    const mesh = empty();
    const rows = Math.max(4, segments >> 1);
    for (let i = 0; i <= rows; i++) {
        const polar = -Math.PI / 2 + (Math.PI * i) / rows;
        const [ce, se] = i === 0 || i === rows ? [0, Math.sign(polar)] : [Math.cos(polar), Math.sin(polar)];
        for (let k = 0; k <= segments; k++) {
            const around = (2 * Math.PI * (k % segments)) / segments;
            const [cw, sw] = [Math.cos(around), Math.sin(around)].map((v) => (Math.abs(v) < 1e-12 ? 0 : v));
            const flat = signedPower(ce, 2 / n1);
            mesh.positions.push(
                a * flat * signedPower(cw, 2 / n2), b * flat * signedPower(sw, 2 / n2), c * signedPower(se, 2 / n1));
            const slope = signedPower(ce, 2 - 2 / n1);
            mesh.normals.push(...unit([
                (slope * signedPower(cw, 2 - 2 / n2)) / a, (slope * signedPower(sw, 2 - 2 / n2)) / b,
                signedPower(se, 2 - 2 / n1) / c]));
        }
    }
    const row = segments + 1;
    for (let i = 0; i < rows; i++) {
        for (let k = 0; k < segments; k++) {
            const [p, q, r, s] = [i * row + k, i * row + k + 1, (i + 1) * row + k + 1, (i + 1) * row + k];
            if (i > 0) mesh.indices.push(p, q, r);
            if (i < rows - 1) mesh.indices.push(p, r, s);
        }
    }
    return mesh;
}

/** @param {Vector[]} vertices @param {number[][]} faces */
function polyhedron(vertices, faces) {
    const mesh = empty();
    for (const face of faces) {
        // The sum over the corners (Newell) is sound for faces with many and with nearly aligned corners.
        /** @type {Vector} */
        const normal = [0, 0, 0];
        face.forEach((corner, k) => {
            const [x, y, z] = vertices[corner];
            const [u, v, w] = vertices[face[(k + 1) % face.length]];
            normal[0] += (y - v) * (z + w);
            normal[1] += (z - w) * (x + u);
            normal[2] += (x - u) * (y + v);
        });
        const first = mesh.positions.length / 3;
        for (const corner of face) {
            mesh.positions.push(...vertices[corner]);
            mesh.normals.push(...unit(normal));
        }
        for (let k = 1; k + 1 < face.length; k++) mesh.indices.push(first, first + k, first + k + 1);
    }
    return mesh;
}

/** @param {[number, number][]} corners @param {number} thickness */
function prism(corners, thickness) {
    const n = corners.length;
    /** @type {Vector[]} */
    const vertices = [-0.5, 0.5].flatMap((side) => corners.map(([x, y]) => /** @type {Vector} */ ([x, y, side * thickness])));
    const lower = corners.map((_, k) => n - 1 - k);
    const upper = corners.map((_, k) => n + k);
    const sides = corners.map((_, k) => [k, (k + 1) % n, n + ((k + 1) % n), n + k]);
    return polyhedron(vertices, [lower, upper, ...sides]);
}

/** Adds a mesh, turned and moved, to another. @param {Mesh} into @param {Mesh} part @param {number[]} position @param {number[]} quaternion */
function join(into, part, position, [x, y, z, w]) {
    const first = into.positions.length / 3;
    /** @param {number} vx @param {number} vy @param {number} vz */
    const turned = (vx, vy, vz) => {
        const [tx, ty, tz] = [2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)];
        return [vx + w * tx + y * tz - z * ty, vy + w * ty + z * tx - x * tz, vz + w * tz + x * ty - y * tx];
    };
    for (let k = 0; k < part.positions.length; k += 3) {
        const [px, py, pz] = turned(part.positions[k], part.positions[k + 1], part.positions[k + 2]);
        into.positions.push(px + position[0], py + position[1], pz + position[2]);
        into.normals.push(...turned(part.normals[k], part.normals[k + 1], part.normals[k + 2]));
    }
    for (const index of part.indices) into.indices.push(first + index);
}

/**
 * A shape of the description as triangles.
 * @param {any} shape
 * @param {number} segments
 * @returns {Mesh}
 */
export function meshOf(shape, segments) {
    const [kind, of] = Object.entries(shape)[0] ?? [];
    switch (kind) {
        case 'sphere': return revolve(arc(of.radius, 0, -Math.PI / 2, Math.PI / 2, Math.max(4, segments >> 1)), segments);
        case 'cylinder': return frustum(of.radius, of.radius, -of.height / 2, of.height / 2, segments);
        case 'capsule': return capsule(of.radius, of.length, segments);
        case 'cone': return frustum(of.lower_radius, of.upper_radius, of.lower_z, of.upper_z, segments);
        case 'tablet': return tablet(of.radius, of.band_height, of.dome_height, segments);
        case 'superquadric': return superquadric(of.half_axes, of.n1, of.n2, segments);
        case 'polyhedron': return polyhedron(of.vertices, of.faces);
        case 'disc': return frustum(of.radius, of.radius, -of.thickness / 2, of.thickness / 2, segments);
        case 'polygon': return prism(of.corners, of.thickness);
        case 'clump': {
            const mesh = empty();
            for (const part of of.parts) join(mesh, meshOf(part.shape, segments), part.frame.position, part.frame.orientation);
            return mesh;
        }
        // A kind of shape from a newer version: a small cross would lie; nothing is drawn and the page says so.
        default: return empty();
    }
}

/** How finely shapes are divided, by the number of grains. @param {number} count */
export function segmentsFor(count) {
    if (count > 60000) return 10;
    if (count > 20000) return 14;
    return count > 4000 ? 24 : 40;
}
