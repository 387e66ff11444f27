/** Small ways to reach and make elements of the page. */

/**
 * The element of an id; every id is in index.html.
 * @param {string} id
 * @returns {any}
 */
export function byId(id) {
    const element = document.getElementById(id);
    if (!element) throw new Error(`the page has no #${id}`);
    return element;
}

/**
 * Makes an element. Text goes in as text, never as markup.
 * @param {string} tag
 * @param {Record<string, string>} attributes
 * @param {...(Node | string)} children
 */
export function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.append(...children);
    return element;
}

/** @param {string} tag @param {Record<string, string | number>} attributes @param {string} [text] */
export function makeSvg(tag, attributes, text) {
    const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
    if (text !== undefined) element.textContent = text;
    return element;
}

/** @param {HTMLSelectElement} select @param {[value: string, text: string][]} options */
export function setOptions(select, options) {
    select.replaceChildren(...options.map(([value, text]) => make('option', { value }, text)));
}
