/** Round numbers for scales, and quantities with a fitting prefix. */

const PREFIXES = /** @type {const} */ ([
    [1e-9, 'n'], [1e-6, 'µ'], [1e-3, 'm'], [1, ''], [1e3, 'k'], [1e6, 'M'], [1e9, 'G'], [1e12, 'T'],
]);

/**
 * The factor and the prefix for numbers up to a largest. Angles and plain numbers have no prefixes.
 * @param {number} largest
 * @param {string} unit
 * @returns {readonly [number, string]}
 */
export function prefixFor(largest, unit) {
    if (unit === '' || unit === '°' || unit === 'rad/s' || !(largest > 0) || !Number.isFinite(largest)) return [1, ''];
    return PREFIXES.findLast(([factor]) => factor <= largest * (1 + 1e-9)) ?? PREFIXES[0];
}

/** With a true minus sign, and without one before zero. @param {number} value @param {number} decimals */
function plain(value, decimals) {
    const text = value.toFixed(decimals);
    return /^-[0.]+$/.test(text) ? text.slice(1) : text.replace('-', '\u2212');
}

/** @param {number} span @param {number} wanted */
function stepFor(span, wanted) {
    const rough = span / wanted;
    const power = 10 ** Math.floor(Math.log10(rough));
    return power * ([1, 2, 5].find((digit) => digit * power >= rough * (1 - 1e-9)) ?? 10);
}

/**
 * Ticks at multiples of 1, 2 or 5 times a power of ten, about as many as wanted.
 * @param {readonly [number, number]} range
 * @param {number} wanted
 * @param {string} unit
 * @returns {{ marks: { value: number, text: string }[], unit: string }}
 */
export function ticks([low, high], wanted, unit) {
    const span = high - low;
    if (!(span > 0) || !Number.isFinite(span)) return { marks: [{ value: low, text: plain(low, 3) }], unit };
    const [factor, prefix] = prefixFor(Math.max(Math.abs(low), Math.abs(high)), unit);
    const step = stepFor(span, wanted);
    const first = Math.ceil(low / step - 1e-9);
    const count = Math.floor(high / step + 1e-9) - first + 1;
    const decimals = Math.min(Math.max(Math.ceil(-Math.log10(step / factor) - 1e-9), 0), 9);
    const marks = Array.from({ length: count }, (_, k) => {
        const value = (first + k) * step;
        return { value, text: plain(value / factor, decimals) };
    });
    return { marks, unit: prefix + unit };
}

/** A quantity with three digits and a prefix, as in 1.25 mm. @param {number} value @param {string} unit */
export function quantity(value, unit) {
    if (!Number.isFinite(value)) return '\u2013';
    const [factor, prefix] = prefixFor(Math.abs(value), unit);
    const size = Math.abs(value / factor);
    const decimals = size === 0 ? 0 : Math.min(Math.max(2 - Math.floor(Math.log10(size)), 0), 6);
    const text = size !== 0 && (size < 1e-4 || size >= 1e6) ? (value / factor).toExponential(2) : plain(value / factor, decimals);
    const space = unit === '°' || unit === '' ? '' : '\u00a0';
    return `${text}${space}${prefix}${unit}`;
}
