/** Light and clipping, shared by everything solid: GLSL that the materials include. All in the frame of the eye. */

import * as THREE from 'three';

/** What all materials of a page share; set before each picture. */
export const uniforms = {
    /** Normal and offset of the clip plane: what has a dot product below zero is cut away. */
    clip: { value: new THREE.Vector4(0, 0, 0, 1) },
    /** Upwards. */
    up: { value: new THREE.Vector3(0, 0, 1) },
    /** Colour of what is selected. */
    accent: { value: new THREE.Color(0xff5a1f) },
};

export const SHADING = /* glsl */ `
    uniform vec4 clip;
    uniform vec3 up;
    uniform vec3 accent;
    uniform mat4 projectionMatrix;

    bool isClipped(vec3 point) {
        return dot(clip.xyz, point) + clip.w < 0.0;
    }

    float depthOf(vec3 point) {
        vec4 projected = projectionMatrix * vec4(point, 1.0);
        return 0.5 * projected.z / projected.w + 0.5;
    }

    // Where a line of sight crosses the clip plane.
    vec3 onClipPlane(vec3 sight) {
        return sight * (-clip.w / dot(clip.xyz, sight));
    }

    vec3 toLinear(vec3 colour) {
        return mix(colour / 12.92, pow((colour + 0.055) / 1.055, vec3(2.4)), step(0.04045, colour));
    }

    // A soft key light over the viewer's left shoulder, sky above, a little bounce from below, and a darker rim that
    // sets neighbours of one colour apart.
    vec3 lit(vec3 base, vec3 normal, vec3 sight, float selected) {
        vec3 toEye = -sight;
        vec3 key = normalize(vec3(-0.45, 0.65, 0.75));
        float facing = max(dot(normal, toEye), 0.0);
        float sky = 0.5 + 0.5 * dot(normal, up);
        float direct = max(dot(normal, key), 0.0);
        float gloss = pow(max(dot(normal, normalize(key + toEye)), 0.0), 40.0);
        vec3 surface = mix(base, accent, selected * (0.35 + 0.65 * pow(1.0 - facing, 2.0)));
        vec3 light = vec3(0.24) + vec3(0.36, 0.38, 0.42) * sky + vec3(0.72, 0.70, 0.66) * direct;
        float rim = mix(0.62, 1.0, smoothstep(0.0, 0.55, facing));
        return surface * light * rim + 0.06 * gloss + accent * selected * 0.12;
    }

    // The face of a cut: even, a little lighter, no gloss.
    vec3 litCut(vec3 base, float selected) {
        return mix(base, accent, 0.5 * selected) * 0.86;
    }
`;
