/** What is drawn of one run: its grains, walls and force chains, around the middle of its box. */

import * as THREE from 'three';
import { contactsOf, pick } from '../look/picking.js';
import { forceOf } from '../look/fields.js';
import { WALL } from '../data/frame.js';
import { boundsOf, isOutgrown, takeIn } from './bounds.js';
import { Chains } from './chains.js';
import { Grains } from './grains.js';
import { Walls } from './walls.js';

/** @typedef {import('../data/frame.js').Frame} Frame */
/** @typedef {import('../data/frame.js').Contacts} Contacts */

/** How many times its first size the box of a run may grow. */
const FURTHEST = 4;

export class RunView {
    /** @param {import('../data/source.js').Source} source */
    constructor(source) {
        this.source = source;
        this.scene = new THREE.Scene();
        this.root = new THREE.Group();
        this.scene.add(this.root, ...lights());
        /** @type {Frame | undefined} */
        this.frame = undefined;
        this.number = -1;
        this.generation = -1;
        /** @type {Grains | undefined} */
        this.grains = undefined;
        /** @type {Walls | undefined} */
        this.walls = undefined;
        this.chains = new Chains();
        this.colours = new Uint8Array(0);
        /** @type {import('./bounds.js').Box} */
        this.box = { lower: [-0.1, -0.1, -0.1], upper: [0.1, 0.1, 0.1] };
        this.centre = [0, 0, 0];
        /** The box may grow to these. @type {import('./bounds.js').Box} */
        this.limits = { lower: [-Infinity, -Infinity, -Infinity], upper: [Infinity, Infinity, Infinity] };
        /** Where grains have been, as far as it was looked at; the box is smaller where it ends at a plane. @type {import('./bounds.js').Box} */
        this.reached = structuredClone(this.box);
        this.wallLook = /** @type {import('./walls.js').WallLook} */ ('glass');
        this.dark = false;
        this.strongest = 0;
        /** Whether contacts that are wanted have not come yet. */
        this.lacked = false;
    }

    get radius() {
        return 0.5 * Math.hypot(...this.box.lower.map((low, k) => this.box.upper[k] - low));
    }

    /** Begins with a description, with some frames to tell the size of things. @param {Frame[]} frames */
    begin(frames) {
        this.clear();
        const { description, generation } = this.source;
        this.generation = generation;
        this.box = boundsOf(description, frames);
        this.centre = this.box.lower.map((low, k) => 0.5 * (low + this.box.upper[k]));
        const furthest = FURTHEST * this.radius;
        this.limits.lower = /** @type {import('./bounds.js').Vector} */ (this.centre.map((c) => c - furthest));
        this.limits.upper = /** @type {import('./bounds.js').Vector} */ (this.centre.map((c) => c + furthest));
        this.reached = structuredClone(this.box);
        this.grains = new Grains(description, Math.max(0, ...frames.map((frame) => frame.count)));
        this.root.add(this.grains.group, this.chains.object);
        this.makeWalls(frames[0]?.walls ?? new Float64Array(0));
    }

    /** @param {Float64Array} poses */
    makeWalls(poses) {
        this.walls?.dispose();
        if (this.walls) this.root.remove(this.walls.group);
        this.walls = new Walls(this.source.description, poses, this.box.lower, this.box.upper);
        this.walls.group.position.set(-this.centre[0], -this.centre[1], -this.centre[2]);
        this.walls.setLook(this.wallLook, this.dark);
        this.root.add(this.walls.group);
    }

    /** @param {import('./walls.js').WallLook} look @param {boolean} dark */
    setWallLook(look, dark) {
        this.wallLook = look;
        this.dark = dark;
        this.walls?.setLook(look, dark);
    }

    /** @param {Frame} frame @param {number} number */
    show(frame, number) {
        if (!this.grains || !this.walls) return;
        this.frame = frame;
        this.number = number;
        // The camera stays where it is: only what is cut to the box is made anew.
        if (isOutgrown(this.reached, frame, this.limits)) {
            takeIn(this.reached, frame, this.limits);
            if (this.growBox(frame)) this.makeWalls(frame.walls);
        }
        if (this.walls.differ(frame.walls)) this.makeWalls(frame.walls);
        const offset = frame.origin.map((c, k) => c - this.centre[k]);
        this.grains.group.position.set(offset[0], offset[1], offset[2]);
        this.chains.object.position.copy(this.grains.group.position);
        this.grains.place(frame);
        this.walls.place(frame.walls);
    }

    /** Takes a frame into the box, and returns whether it grew. @param {Frame} frame */
    growBox(frame) {
        const grown = boundsOf(this.source.description, [frame]);
        let changed = false;
        for (let k = 0; k < 3; k++) {
            // A grain that flies away for ever does not take the walls with it.
            const lower = Math.max(grown.lower[k], this.limits.lower[k]);
            const upper = Math.min(grown.upper[k], this.limits.upper[k]);
            changed ||= lower < this.box.lower[k] || upper > this.box.upper[k];
            this.box.lower[k] = Math.min(this.box.lower[k], lower);
            this.box.upper[k] = Math.max(this.box.upper[k], upper);
        }
        return changed;
    }

    /** @param {Contacts} contacts */
    showChains(contacts) {
        if (!this.frame) return;
        const forces = Float32Array.from({ length: contacts.count }, (_, c) => forceOf(contacts, c)).sort();
        // A blow that lasts a moment is not to make all others thin.
        const usual = forces.length > 0 ? forces[Math.floor(0.98 * (forces.length - 1))] : 0;
        this.strongest = Math.max(this.strongest, usual);
        const { species } = this.source.description;
        const thickness = 0.55 * Math.min(...species.map((/** @type {any} */ kind) => kind.bounding_radius));
        this.chains.place(this.frame, contacts, this.source.description.domain, this.strongest, thickness);
    }

    /**
     * The grain under a ray in the coordinates of the picture.
     * @param {THREE.Ray} ray
     * @param {(point: THREE.Vector3) => boolean} isShown
     */
    pick(ray, isShown) {
        if (!this.frame || !this.grains?.group.visible) return -1;
        const offset = this.grains.group.position;
        const from = ray.origin.clone().sub(offset).toArray();
        const point = new THREE.Vector3();
        return pick(this.frame, this.grains.bodies, from, ray.direction.toArray(), (at) =>
            isShown(point.set(at[0], at[1], at[2]).add(offset)));
    }

    /** Where a grain is, in the coordinates of the picture. @param {number} place */
    placeOf(place) {
        const position = /** @type {Frame} */ (this.frame).position;
        const at = new THREE.Vector3(position[3 * place], position[3 * place + 1], position[3 * place + 2]);
        return this.grains ? at.add(this.grains.group.position) : at;
    }

    /** What is known of a grain. @param {number} place @param {Contacts | undefined} contacts */
    stateOf(place, contacts) {
        const frame = /** @type {Frame} */ (this.frame);
        const { description } = this.source;
        /** @param {Float32Array} array */
        const vector = (array) => [array[3 * place], array[3 * place + 1], array[3 * place + 2]];
        return {
            id: frame.id[place],
            species: description.species[frame.species[place]]?.name ?? '?',
            size: (description.kinds[frame.species[place]]?.diameter ?? NaN) * frame.scale[place],
            position: vector(frame.position).map((c, k) => c + frame.origin[k]),
            velocity: vector(frame.velocity),
            spin: vector(frame.spin),
            contacts: contacts && contactsOf(contacts, place).map(({ partner, contact, force }) => ({
                place: partner >= WALL ? -1 : partner,
                name: partner >= WALL
                    ? description.walls[partner - WALL]?.name ?? 'wall'
                    : `grain ${frame.id[partner]}`,
                force,
                overlap: contacts.overlap[contact],
            })),
        };
    }

    clear() {
        this.grains?.dispose();
        this.walls?.dispose();
        this.root.clear();
        this.grains = undefined;
        this.walls = undefined;
        this.frame = undefined;
        this.number = -1;
        this.strongest = 0;
    }
}

/** Light for the walls; grains have their own. */
function lights() {
    const sky = new THREE.HemisphereLight(0xffffff, 0xc3cad3, 2.6);
    sky.position.set(0, 0, 1);
    const sun = new THREE.DirectionalLight(0xffffff, 0.7);
    sun.position.set(-2, -3, 5);
    return [sky, sun];
}
