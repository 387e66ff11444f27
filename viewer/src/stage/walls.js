/** The walls of one run, and the box of its domain. */

import * as THREE from 'three';
import { wallIsThere } from '../data/frame.js';
import { meshOfSurface } from '../look/surfaces.js';

/** Between faces that meet at more than this, an edge is drawn [degrees]. */
const EDGE_ANGLE = 25;

/** @typedef {'off' | 'glass' | 'solid'} WallLook */

export class Walls {
    /**
     * @param {any} description
     * @param {Float64Array} poses
     * @param {[number, number, number]} lower corner of the box that is shown
     * @param {[number, number, number]} upper
     */
    constructor(description, poses, lower, upper) {
        this.group = new THREE.Group();
        this.face = new THREE.MeshLambertMaterial({ side: THREE.DoubleSide, polygonOffset: true, polygonOffsetFactor: 1 });
        this.vessel = this.face.clone();
        this.edge = new THREE.LineBasicMaterial({ transparent: true });
        this.domainEdge = new THREE.LineBasicMaterial({ transparent: true, opacity: 0.55 });
        /** @type {boolean[]} which walls are there */
        this.there = description.walls.map((/** @type {any} */ _, /** @type {number} */ k) => wallIsThere(poses, k));
        /** @type {THREE.Group[]} */
        this.walls = description.walls.map((/** @type {any} */ wall, /** @type {number} */ k) => {
            const pose = poses.subarray(7 * k, 7 * k + 7);
            const group = new THREE.Group();
            if (!this.there[k]) return group;
            const mesh = meshOfSurface(wall.surface, pose, lower, upper);
            if (mesh.indices.length === 0) return group;
            const geometry = new THREE.BufferGeometry();
            geometry.setAttribute('position', new THREE.Float32BufferAttribute(mesh.positions, 3));
            geometry.setAttribute('normal', new THREE.Float32BufferAttribute(mesh.normals, 3));
            geometry.setIndex(mesh.indices);
            const face = new THREE.Mesh(geometry, wall.surface.revolved ? this.vessel : this.face);
            face.renderOrder = 2;
            const edges = new THREE.LineSegments(new THREE.EdgesGeometry(geometry, EDGE_ANGLE), this.edge);
            edges.renderOrder = 1;
            group.add(face, edges);
            return group;
        });
        for (const wall of this.walls) this.group.add(wall);
        this.box = boxOf(description.domain, lower, upper, this.domainEdge);
        if (this.box) this.group.add(this.box);
    }

    /** Whether other walls are there. @param {Float64Array} poses */
    differ(poses) {
        return this.there.some((there, k) => there !== wallIsThere(poses, k));
    }

    /** @param {Float64Array} poses */
    place(poses) {
        this.walls.forEach((wall, k) => {
            const [px, py, pz, x, y, z, w] = poses.subarray(7 * k, 7 * k + 7);
            wall.position.set(px, py, pz);
            wall.quaternion.set(x, y, z, w);
        });
    }

    /** @param {WallLook} look @param {boolean} dark */
    setLook(look, dark) {
        for (const wall of this.walls) wall.visible = look !== 'off';
        const solid = look === 'solid';
        for (const face of [this.face, this.vessel]) {
            face.transparent = !solid;
            face.opacity = solid ? 1 : dark ? 0.07 : 0.08;
            face.depthWrite = solid;
            face.color.set(dark ? (solid ? 0x555d68 : 0x9fb2cc) : solid ? 0xd9dde2 : 0x7488a3);
            face.needsUpdate = true;
        }
        // One looks into a solid box or drum, not at it: planes are shown where they face the viewer, the sides of
        // drums where they are behind the grains.
        this.face.side = solid ? THREE.FrontSide : THREE.DoubleSide;
        this.vessel.side = solid ? THREE.BackSide : THREE.DoubleSide;
        this.edge.color.set(dark ? 0x8b98a9 : 0x66758a);
        this.edge.opacity = solid ? 0.9 : 0.5;
        this.domainEdge.color.set(dark ? 0x7aa2ff : 0x2f62d9);
    }

    dispose() {
        this.group.traverse((object) => {
            if (object instanceof THREE.Mesh || object instanceof THREE.LineSegments) object.geometry.dispose();
        });
        for (const material of [this.face, this.vessel, this.edge, this.domainEdge]) material.dispose();
    }
}

/**
 * The edges of the domain, if it has periodic ones; where it has no end, that of what is shown.
 * @param {any} domain
 * @param {[number, number, number]} shownLower
 * @param {[number, number, number]} shownUpper
 * @param {THREE.Material} material
 */
function boxOf(domain, shownLower, shownUpper, material) {
    if (!domain.periodic.includes(true)) return null;
    const lower = shownLower.map((low, k) => domain.lower[k] ?? low);
    const upper = shownUpper.map((high, k) => domain.upper[k] ?? high);
    const [x, y, z] = upper.map((high, k) => high - lower[k]);
    const edges = new THREE.LineSegments(new THREE.EdgesGeometry(new THREE.BoxGeometry(x, y, z)), material);
    edges.position.set(0.5 * (lower[0] + upper[0]), 0.5 * (lower[1] + upper[1]), 0.5 * (lower[2] + upper[2]));
    return edges;
}
