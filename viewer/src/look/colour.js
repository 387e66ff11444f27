/** Colour maps and the palette of kinds: the same colours as `tumble render` uses. */

const VIRIDIS = [0x440154, 0x482878, 0x3e4a89, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6dcd59, 0xb4de2c, 0xfde725];
const BATLOW = [0x011959, 0x103f60, 0x1c5a62, 0x3c6d56, 0x687b3e, 0x9d892b, 0xd29343, 0xf8a17b, 0xfdb7bc, 0xfaccfa];
const CIVIDIS = [0x00204d, 0x00336f, 0x39486b, 0x575c6d, 0x707173, 0x8a8779, 0xa69d75, 0xc4b56c, 0xe4cf5b, 0xffea46];
const DIVERGING = [0x3b4cc0, 0x8db0fe, 0xdddddd, 0xf49a7b, 0xb40426];
const GREY = [0xf4f4f4, 0x1c1c1c];

/** Kinds: the first seven of Okabe and Ito, then colours of Tol's that differ from them. */
const KINDS = [
    0x0072b2, 0xe69f00, 0x009e73, 0xd55e00, 0x56b4e9, 0xcc79a7, 0xf0e442, 0x882255, 0x44aa99, 0x999933, 0xbbbbbb,
    0x332288, 0xee8866, 0x117733,
];
/** For numbers that are none. */
const NOTHING = [128, 128, 128];
const STEPS = 256;

/** @typedef {'viridis' | 'batlow' | 'cividis' | 'diverging' | 'wheel' | 'grey'} MapName */
/** @type {MapName[]} */
export const MAP_NAMES = ['viridis', 'batlow', 'cividis', 'diverging', 'wheel', 'grey'];

/** @param {number} hex @returns {[number, number, number]} */
const bytesOf = (hex) => [(hex >> 16) & 255, (hex >> 8) & 255, hex & 255];
/** @param {number} byte */
const toLinear = (byte) => (byte <= 10.31475 ? byte / 3294.6 : ((byte / 255 + 0.055) / 1.055) ** 2.4);
/** @param {number} value */
const toByte = (value) => {
    const held = Math.min(Math.max(value, 0), 1);
    return Math.round(255 * (held <= 0.0031308 ? 12.92 * held : 1.055 * held ** (1 / 2.4) - 0.055));
};

/** @param {[number, number, number]} colour @returns {[number, number, number]} */
function oklabOf(colour) {
    const [r, g, b] = colour.map(toLinear);
    const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
    const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
    const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
    return [
        0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
    ];
}

/** @param {number[]} lab @returns {[number, number, number]} */
function bytesOfOklab([lightness, a, b]) {
    const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
    const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
    const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
    return [
        toByte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
        toByte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
        toByte(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
    ];
}

/** @param {number[]} stops @param {number} place */
function between(stops, place) {
    const along = place * (stops.length - 1);
    const first = Math.min(Math.floor(along), stops.length - 2);
    const [low, high] = [first, first + 1].map((stop) => oklabOf(bytesOf(stops[stop])));
    return bytesOfOklab(low.map((component, k) => component + (along - first) * (high[k] - component)));
}

/** @type {Record<MapName, (place: number) => [number, number, number]>} */
const MAPS = {
    viridis: (place) => between(VIRIDIS, place),
    batlow: (place) => between(BATLOW, place),
    cividis: (place) => between(CIVIDIS, place),
    diverging: (place) => between(DIVERGING, place),
    grey: (place) => between(GREY, place),
    wheel: (place) => bytesOfOklab([0.72, 0.13 * Math.cos(2 * Math.PI * place), 0.13 * Math.sin(2 * Math.PI * place)]),
};

/** @type {Map<MapName, Uint8Array>} */
const tables = new Map();

/** A map as 256 colours of three bytes. @param {MapName} name */
export function tableOf(name) {
    let table = tables.get(name);
    if (!table) {
        table = new Uint8Array(3 * STEPS);
        for (let k = 0; k < STEPS; k++) table.set(MAPS[name](k / (STEPS - 1)), 3 * k);
        tables.set(name, table);
    }
    return table;
}

/** The colour of a kind; after the last the first comes again. @param {number} kind */
export const colourOfKind = (kind) => bytesOf(KINDS[kind % KINDS.length]);

/** @param {readonly number[]} colour */
export const cssOf = (colour) => `rgb(${colour[0]} ${colour[1]} ${colour[2]})`;

/**
 * Paints numbers: four bytes each, the last left as it is (it marks what is selected).
 * @param {Float32Array} values
 * @param {readonly [number, number]} range
 * @param {MapName} map
 * @param {Uint8Array} out
 */
export function paint(values, [low, high], map, out) {
    const table = tableOf(map);
    const factor = (STEPS - 1) / (high - low || 1);
    for (let k = 0; k < values.length; k++) {
        const place = (values[k] - low) * factor;
        // NaN is neither.
        const step = place <= 0 ? 0 : place >= STEPS - 1 ? STEPS - 1 : Math.round(place);
        if (Number.isNaN(step)) {
            out[4 * k] = out[4 * k + 1] = out[4 * k + 2] = NOTHING[0];
        } else {
            out[4 * k] = table[3 * step];
            out[4 * k + 1] = table[3 * step + 1];
            out[4 * k + 2] = table[3 * step + 2];
        }
    }
}

/** Paints kinds. @param {Uint16Array} species @param {Uint8Array} out */
export function paintKinds(species, out) {
    for (let k = 0; k < species.length; k++) {
        const colour = KINDS[species[k] % KINDS.length];
        out[4 * k] = colour >> 16;
        out[4 * k + 1] = (colour >> 8) & 255;
        out[4 * k + 2] = colour & 255;
    }
}
