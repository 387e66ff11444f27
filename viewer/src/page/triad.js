/** The three axes in the corner, turned as the camera is. */

import * as THREE from 'three';
import { makeSvg } from './elements.js';

const AXES = /** @type {const} */ ([['x', '#d9483b'], ['y', '#3c9d4e'], ['z', '#3f7de0']]);

/** @param {SVGElement} svg @param {THREE.Camera} camera */
export function drawTriad(svg, camera) {
    const arms = AXES.map(([name, colour], k) => {
        const arm = new THREE.Vector3().setComponent(k, 1).transformDirection(camera.matrixWorldInverse);
        return { name, colour, arm };
    });
    // The arm that comes towards the viewer is drawn last.
    arms.sort((a, b) => a.arm.z - b.arm.z);
    svg.replaceChildren(...arms.flatMap(({ name, colour, arm }) => [
        makeSvg('line', { x1: 0, y1: 0, x2: 28 * arm.x, y2: -28 * arm.y, stroke: colour }),
        makeSvg('text', { x: 40 * arm.x, y: -40 * arm.y, fill: colour }, name),
    ]));
}
