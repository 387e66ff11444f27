/** Force chains: a rod from a grain's centre to each of its contacts, as thick as its force is large. */

import * as THREE from 'three';
import { WALL } from '../data/frame.js';
import { forceOf } from '../look/fields.js';
import { SHADING, uniforms } from './shading.js';

const SIDES = 8;

const VERTEX = /* glsl */ `
    attribute vec3 start;
    attribute vec3 end;
    attribute float strength;
    uniform float thickness;
    varying vec3 seen;
    varying vec3 facing;
    varying float share;

    void main() {
        vec3 along = end - start;
        vec3 direction = along / max(length(along), 1e-20);
        vec3 right = normalize(cross(direction, abs(direction.z) < 0.9 ? vec3(0.0, 0.0, 1.0) : vec3(1.0, 0.0, 0.0)));
        vec3 outwards = position.x * right + position.y * cross(direction, right);
        share = clamp(strength, 0.0, 1.0);
        seen = (modelViewMatrix * vec4(start + position.z * along + thickness * (0.06 + 0.94 * share) * outwards, 1.0)).xyz;
        facing = normalMatrix * outwards;
        gl_Position = projectionMatrix * vec4(seen, 1.0);
    }
`;

const FRAGMENT = /* glsl */ `
    uniform vec3 weak;
    uniform vec3 strong;
    varying vec3 seen;
    varying vec3 facing;
    varying float share;
    ${SHADING}

    void main() {
        if (isClipped(seen)) discard;
        gl_FragColor = vec4(lit(mix(weak, strong, sqrt(share)), normalize(facing), normalize(seen), 0.0), 1.0);
        #include <colorspace_fragment>
    }
`;

export class Chains {
    constructor() {
        const rod = new THREE.CylinderGeometry(1, 1, 1, SIDES, 1, true).rotateX(Math.PI / 2).translate(0, 0, 0.5);
        this.geometry = new THREE.InstancedBufferGeometry();
        this.geometry.setAttribute('position', rod.getAttribute('position'));
        this.geometry.setIndex(rod.getIndex());
        this.material = new THREE.ShaderMaterial({
            uniforms: {
                ...uniforms,
                thickness: { value: 1 },
                weak: { value: new THREE.Color(0xf2b134) },
                strong: { value: new THREE.Color(0xb3123f) },
            },
            vertexShader: VERTEX,
            fragmentShader: FRAGMENT,
            side: THREE.DoubleSide,
        });
        this.object = new THREE.Mesh(this.geometry, this.material);
        this.object.frustumCulled = false;
        this.object.visible = false;
        this.capacity = 0;
    }

    /**
     * @param {import('../data/frame.js').Frame} frame
     * @param {import('../data/frame.js').Contacts} contacts
     * @param {any} domain
     * @param {number} strongest the force that is drawn thickest [N]
     * @param {number} thickness of that [m]
     */
    place(frame, contacts, domain, strongest, thickness) {
        const most = 2 * contacts.count;
        if (most > this.capacity) {
            this.capacity = Math.ceil(1.25 * most);
            this.geometry.dispose();
            /** @param {number} size */
            const attribute = (size) => new THREE.InstancedBufferAttribute(new Float32Array(size * this.capacity), size);
            this.geometry.setAttribute('start', attribute(3));
            this.geometry.setAttribute('end', attribute(3));
            this.geometry.setAttribute('strength', attribute(1));
        }
        this.material.uniforms.thickness.value = thickness;
        const [start, end, strength] = ['start', 'end', 'strength'].map((name) => this.geometry.getAttribute(name));
        const lengths = [0, 1, 2].map((k) => (domain.periodic[k] ? domain.upper[k] - domain.lower[k] : 0));
        let count = 0;
        for (let c = 0; c < contacts.count; c++) {
            const share = strongest > 0 ? forceOf(contacts, c) / strongest : 0;
            for (const grain of [contacts.a[c], contacts.b[c]]) {
                if (grain >= WALL || grain >= frame.count) continue;
                for (let k = 0; k < 3; k++) {
                    const centre = frame.position[3 * grain + k];
                    let point = contacts.point[3 * c + k];
                    // Across a periodic edge the contact is at the grain's own side of the domain too.
                    if (lengths[k] > 0) point -= lengths[k] * Math.round((point - centre) / lengths[k]);
                    start.array[3 * count + k] = centre;
                    end.array[3 * count + k] = point;
                }
                strength.array[count++] = share;
            }
        }
        this.geometry.instanceCount = count;
        for (const attribute of [start, end, strength]) if (attribute) attribute.needsUpdate = true;
    }

    dispose() {
        this.geometry.dispose();
        this.material.dispose();
    }
}
