/**
 * The grains of one run: one draw call a species. Balls are squares on which the fragment shader finds the ball that the
 * line of sight meets, so they are round at any size and cost two triangles; other shapes are instanced triangles. Each
 * grain is a place, a quaternion, a size and a colour in typed arrays; there is no object for a single grain.
 */

import * as THREE from 'three';
import { meshOf, segmentsFor } from '../look/shapes.js';
import { SHADING, uniforms } from './shading.js';

const BALL_VERTEX = /* glsl */ `
    attribute vec3 place;
    attribute float size;
    attribute vec4 colour;
    uniform float radius;
    varying vec3 seen;
    varying vec3 centre;
    varying float reach;
    varying vec4 base;

    void main() {
        centre = (modelViewMatrix * vec4(place, 1.0)).xyz;
        reach = radius * size;
        base = colour;
        float distance = length(centre);
        vec3 forward = centre / distance;
        vec3 right = normalize(cross(forward, vec3(0.0, 1.0, 0.0)));
        vec3 above = cross(right, forward);
        // The cone that touches the ball, cut at the ball's centre; a little more for the soft edge.
        float wide = 1.02 * reach * distance / sqrt(max(distance * distance - reach * reach, 1e-6 * distance * distance));
        seen = centre + wide * (position.x * right + position.y * above);
        gl_Position = projectionMatrix * vec4(seen, 1.0);
    }
`;

const BALL_FRAGMENT = /* glsl */ `
    varying vec3 seen;
    varying vec3 centre;
    varying float reach;
    varying vec4 base;
    ${SHADING}

    void main() {
        vec3 sight = normalize(seen);
        float along = dot(sight, centre);
        float chord = reach * reach - (dot(centre, centre) - along * along);
        // How much of the pixel the ball covers, for an edge without steps.
        float cover = clamp(chord / max(fwidth(chord), 1e-20) + 0.5, 0.0, 1.0);
        if (cover <= 0.0) discard;
        float half_chord = sqrt(max(chord, 0.0));
        vec3 point = sight * (along - half_chord);
        vec3 colour = toLinear(base.rgb);
        vec3 shown;
        if (isClipped(point)) {
            if (isClipped(sight * (along + half_chord))) discard;
            point = onClipPlane(sight);
            shown = litCut(colour, base.a);
        } else {
            shown = lit(colour, (point - centre) / reach, sight, base.a);
        }
        gl_FragDepth = depthOf(point);
        gl_FragColor = vec4(shown, cover);
        #include <colorspace_fragment>
    }
`;

const MESH_VERTEX = /* glsl */ `
    attribute vec3 place;
    attribute vec4 turned;
    attribute float size;
    attribute vec4 colour;
    varying vec3 seen;
    varying vec3 facing;
    varying vec4 base;

    vec3 turn(vec4 q, vec3 v) {
        return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
    }

    void main() {
        vec4 q = normalize(turned);
        seen = (modelViewMatrix * vec4(place + size * turn(q, position), 1.0)).xyz;
        facing = normalMatrix * turn(q, normal);
        base = colour;
        gl_Position = projectionMatrix * vec4(seen, 1.0);
    }
`;

const MESH_FRAGMENT = /* glsl */ `
    varying vec3 seen;
    varying vec3 facing;
    varying vec4 base;
    ${SHADING}

    void main() {
        if (isClipped(seen)) discard;
        vec3 sight = normalize(seen);
        vec3 colour = toLinear(base.rgb);
        // The inside of a convex body is seen only through a cut, and nothing stands between the cut and the inside:
        // painted evenly, it looks like the face of the cut.
        vec3 shown = gl_FrontFacing ? lit(colour, normalize(facing), sight, base.a) : litCut(colour, base.a);
        gl_FragColor = vec4(shown, 1.0);
        #include <colorspace_fragment>
    }
`;

/** One species: its geometry, and arrays that grow when more grains come. */
class Species {
    /** @param {any} shape @param {number} segments */
    constructor(shape, segments) {
        this.isBall = 'sphere' in shape;
        this.geometry = new THREE.InstancedBufferGeometry();
        /** @type {import('../look/shapes.js').Mesh} */
        this.triangles = { positions: [], normals: [], indices: [] };
        if (this.isBall) {
            const corners = new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0]);
            this.geometry.setAttribute('position', new THREE.BufferAttribute(corners, 3));
            this.geometry.setIndex([0, 1, 2, 0, 2, 3]);
        } else {
            this.triangles = meshOf(shape, segments);
            this.geometry.setAttribute('position', new THREE.Float32BufferAttribute(this.triangles.positions, 3));
            this.geometry.setAttribute('normal', new THREE.Float32BufferAttribute(this.triangles.normals, 3));
            this.geometry.setIndex(this.triangles.indices);
        }
        this.material = new THREE.ShaderMaterial({
            uniforms: { ...uniforms, radius: { value: this.isBall ? shape.sphere.radius : 0 } },
            vertexShader: this.isBall ? BALL_VERTEX : MESH_VERTEX,
            fragmentShader: this.isBall ? BALL_FRAGMENT : MESH_FRAGMENT,
            alphaToCoverage: this.isBall,
            side: THREE.FrontSide,
        });
        this.object = new THREE.Mesh(this.geometry, this.material);
        this.object.frustumCulled = false;
        this.capacity = 0;
        this.count = 0;
        /** @type {Uint32Array} places of this species' grains in the frame */
        this.places = new Uint32Array(0);
    }

    /** @param {number} count */
    reserve(count) {
        this.count = count;
        this.geometry.instanceCount = count;
        this.object.visible = count > 0;
        if (count <= this.capacity) return;
        this.capacity = Math.ceil(count * 1.25);
        this.geometry.dispose();
        /** @param {Float32Array | Int16Array | Uint8Array} array @param {number} size @param {boolean} normalized */
        const attribute = (array, size, normalized) => {
            const made = new THREE.InstancedBufferAttribute(array, size, normalized);
            made.setUsage(THREE.DynamicDrawUsage);
            return made;
        };
        this.place = attribute(new Float32Array(3 * this.capacity), 3, false);
        this.size = attribute(new Float32Array(this.capacity), 1, false);
        this.turned = attribute(new Int16Array(4 * this.capacity), 4, true);
        this.colour = attribute(new Uint8Array(4 * this.capacity), 4, true);
        this.geometry.setAttribute('place', this.place);
        this.geometry.setAttribute('size', this.size);
        this.geometry.setAttribute('turned', this.turned);
        this.geometry.setAttribute('colour', this.colour);
        this.places = new Uint32Array(this.capacity);
    }

    dispose() {
        this.geometry.dispose();
        this.material.dispose();
    }
}

export class Grains {
    /** @param {any} description @param {number} count about how many grains there will be */
    constructor(description, count) {
        this.group = new THREE.Group();
        const segments = segmentsFor(count);
        this.segments = segments;
        /** @type {Species[]} */
        this.species = description.species.map((/** @type {any} */ species) => new Species(species.shape, segments));
        for (const species of this.species) this.group.add(species.object);
        /** What a ray needs to know of each species. @type {import('../look/picking.js').Body[]} */
        this.bodies = description.species.map((/** @type {any} */ species, /** @type {number} */ k) => ({
            ball: species.shape.sphere?.radius ?? null,
            bound: species.bounding_radius,
            mesh: this.species[k].triangles,
        }));
    }

    /** Puts the grains where a frame has them. @param {import('../data/frame.js').Frame} frame */
    place(frame) {
        const counts = new Uint32Array(this.species.length);
        for (let k = 0; k < frame.count; k++) counts[frame.species[k]]++;
        this.species.forEach((species, s) => species.reserve(counts[s]));
        counts.fill(0);
        for (let k = 0; k < frame.count; k++) {
            const s = frame.species[k];
            const to = this.species[s];
            if (!to?.place || !to.size || !to.turned) continue;
            const at = counts[s]++;
            to.places[at] = k;
            const place = to.place.array;
            place[3 * at] = frame.position[3 * k];
            place[3 * at + 1] = frame.position[3 * k + 1];
            place[3 * at + 2] = frame.position[3 * k + 2];
            to.size.array[at] = frame.scale[k];
            if (to.isBall) continue;
            const turned = to.turned.array;
            turned[4 * at] = frame.orientation[4 * k];
            turned[4 * at + 1] = frame.orientation[4 * k + 1];
            turned[4 * at + 2] = frame.orientation[4 * k + 2];
            turned[4 * at + 3] = frame.orientation[4 * k + 3];
        }
        for (const { place, size, turned } of this.species) {
            for (const attribute of [place, size, turned]) if (attribute) attribute.needsUpdate = true;
        }
    }

    /** Colours the grains: four bytes each, in the order of the frame. @param {Uint8Array} colours */
    paint(colours) {
        const from = new Uint32Array(colours.buffer, colours.byteOffset, colours.byteLength >> 2);
        for (const species of this.species) {
            if (!species.colour) continue;
            const to = new Uint32Array(species.colour.array.buffer);
            for (let at = 0; at < species.count; at++) to[at] = from[species.places[at]];
            species.colour.needsUpdate = true;
        }
    }

    /** @param {boolean} clipped */
    setClipped(clipped) {
        for (const { material, isBall } of this.species) {
            const side = clipped ? THREE.DoubleSide : THREE.FrontSide;
            if (isBall || material.side === side) continue;
            material.side = side;
            material.needsUpdate = true;
        }
    }

    dispose() {
        for (const species of this.species) species.dispose();
    }
}
