/**
 * The picture: one canvas, one camera, one field of it for each run, so that runs side by side are always seen alike. It
 * is drawn when something changes, not all the time.
 */

import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { uniforms } from './shading.js';

/** @typedef {import('./run_view.js').RunView} RunView */
/** @typedef {{ on: boolean, axis: 0 | 1 | 2, at: number, flip: boolean }} Clip */

/** The camera's angle of view [degrees]: long enough a lens that shapes look as they are. */
const ANGLE = 28;
/** How far the camera looks from: in front, a little to the right, from above. */
const USUAL = new THREE.Vector3(0.55, -1, 0.5);

export class Stage {
    /** @param {HTMLCanvasElement} canvas */
    constructor(canvas) {
        this.canvas = canvas;
        this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, powerPreference: 'high-performance' });
        this.renderer.setScissorTest(true);
        this.camera = new THREE.PerspectiveCamera(ANGLE, 1, 0.01, 100);
        this.camera.up.set(0, 0, 1);
        this.controls = new OrbitControls(this.camera, canvas);
        this.controls.enableDamping = false;
        this.controls.zoomToCursor = true;
        this.controls.addEventListener('change', () => this.request());
        /** @type {RunView[]} */
        this.views = [];
        this.background = new THREE.Color(0xffffff);
        /** @type {Clip} */
        this.clip = { on: false, axis: 1, at: 0, flip: false };
        this.planar = false;
        this.requested = 0;
        /** Called after each picture. @type {() => void} */
        this.drawn = () => {};
        new ResizeObserver(() => this.resize()).observe(canvas);
    }

    resize() {
        const { clientWidth, clientHeight } = this.canvas;
        // Twice as fine is as fine as eyes see; more would only be slow.
        this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
        this.renderer.setSize(clientWidth, clientHeight, false);
        this.request();
    }

    /** Where each run's field is, in CSS pixels from the top left. */
    fields() {
        const n = this.views.length;
        const columns = n <= 3 ? n : Math.ceil(Math.sqrt(n));
        const rows = Math.ceil(n / columns);
        const [width, height] = [this.canvas.clientWidth / columns, this.canvas.clientHeight / rows];
        return this.views.map((_, k) => ({ x: (k % columns) * width, y: Math.floor(k / columns) * height, width, height }));
    }

    request() {
        if (this.requested) return;
        this.requested = requestAnimationFrame(() => {
            this.requested = 0;
            this.draw();
            this.drawn();
        });
    }

    /** Looks at everything from the usual side. */
    resetView() {
        const radius = Math.max(1e-9, ...this.views.map((view) => view.radius));
        this.camera.up.set(0, this.planar ? 1 : 0, this.planar ? 0 : 1);
        // The controls read the camera's upwards once.
        this.controls.dispose();
        this.controls = new OrbitControls(this.camera, this.canvas);
        this.controls.zoomToCursor = true;
        this.controls.addEventListener('change', () => this.request());
        const field = this.fields()[0] ?? { width: 1, height: 1 };
        const narrow = Math.min(1, field.width / Math.max(field.height, 1));
        const distance = (1.06 * radius) / (Math.sin((ANGLE / 2) * (Math.PI / 180)) * narrow);
        this.controls.target.set(0, 0, 0);
        this.camera.position.copy(this.planar ? new THREE.Vector3(0, 0, 1) : USUAL).normalize().multiplyScalar(distance);
        this.controls.update();
        this.request();
    }

    /** Moves the point the camera turns about, and the camera with it. @param {THREE.Vector3} target */
    lookAt(target) {
        this.camera.position.add(target).sub(this.controls.target);
        this.controls.target.copy(target);
        this.controls.update();
        this.request();
    }

    /** Turns the camera about its target [rad], and comes nearer by a factor. @param {number} around @param {number} over @param {number} nearer */
    orbit(around, over, nearer) {
        const offset = this.camera.position.clone().sub(this.controls.target);
        const turned = new THREE.Quaternion().setFromUnitVectors(this.camera.up, new THREE.Vector3(0, 1, 0));
        const spherical = new THREE.Spherical().setFromVector3(offset.applyQuaternion(turned));
        spherical.theta += around;
        spherical.phi = Math.min(Math.max(spherical.phi + over, 1e-3), Math.PI - 1e-3);
        spherical.radius /= nearer;
        offset.setFromSpherical(spherical).applyQuaternion(turned.invert());
        this.camera.position.copy(this.controls.target).add(offset);
        this.controls.update();
        this.request();
    }

    /** The clip plane of a run in the coordinates of the picture: normal and offset. @param {RunView} view */
    clipPlane(view) {
        const { axis, at, flip } = this.clip;
        const sign = flip ? -1 : 1;
        const normal = new THREE.Vector3().setComponent(axis, sign);
        return { normal, offset: -sign * (at - view.centre[axis]) };
    }

    draw() {
        const { renderer, camera } = this;
        const size = renderer.getSize(new THREE.Vector2());
        renderer.setClearColor(this.background);
        renderer.setScissor(0, 0, size.x, size.y);
        renderer.setViewport(0, 0, size.x, size.y);
        renderer.clear();
        camera.updateMatrixWorld();
        uniforms.up.value.copy(camera.up).transformDirection(camera.matrixWorldInverse);
        this.fields().forEach(({ x, y, width, height }, k) => {
            const view = this.views[k];
            if (!view.grains || width < 1 || height < 1) return;
            const away = camera.position.length();
            const reach = 1.6 * view.radius;
            camera.near = Math.max(away - reach, 1e-3 * Math.max(away, view.radius));
            camera.far = away + reach;
            camera.aspect = width / height;
            camera.updateProjectionMatrix();
            if (this.clip.on) {
                const { normal, offset } = this.clipPlane(view);
                const point = normal.clone().multiplyScalar(-offset).applyMatrix4(camera.matrixWorldInverse);
                const turned = normal.transformDirection(camera.matrixWorldInverse);
                uniforms.clip.value.set(turned.x, turned.y, turned.z, -turned.dot(point));
            } else {
                uniforms.clip.value.set(0, 0, 0, 1);
            }
            view.grains.setClipped(this.clip.on);
            renderer.setViewport(x, size.y - y - height, width, height);
            renderer.setScissor(x, size.y - y - height, width, height);
            renderer.render(view.scene, camera);
        });
    }

    /** The run and the grain at a point of the page. @param {number} clientX @param {number} clientY */
    pick(clientX, clientY) {
        const bounds = this.canvas.getBoundingClientRect();
        const [px, py] = [clientX - bounds.left, clientY - bounds.top];
        const fields = this.fields();
        const run = fields.findIndex(({ x, y, width, height }) => px >= x && px < x + width && py >= y && py < y + height);
        if (run < 0) return { run: -1, grain: -1 };
        const { x, y, width, height } = fields[run];
        this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
        const caster = new THREE.Raycaster();
        caster.setFromCamera(new THREE.Vector2((2 * (px - x)) / width - 1, 1 - (2 * (py - y)) / height), this.camera);
        const view = this.views[run];
        const plane = this.clip.on ? this.clipPlane(view) : null;
        const grain = view.pick(caster.ray, (point) => !plane || plane.normal.dot(point) + plane.offset >= 0);
        return { run, grain };
    }
}
