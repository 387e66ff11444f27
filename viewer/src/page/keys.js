/** The keys of the page: what each does, and the sheet that lists them. */

import { make } from './elements.js';

/** @typedef {{ keys: string[], shown: string, does: string, act: (event: KeyboardEvent) => void }} Key */

/**
 * @param {Key[]} table
 * @param {HTMLElement} sheet
 */
export function bindKeys(table, sheet) {
    sheet.replaceChildren(...table.filter(({ shown }) => shown).flatMap(({ shown, does }) => [
        make('dt', {}, ...shown.split(' ').flatMap((key, k) => [...(k > 0 ? [' '] : []), make('kbd', {}, key)])),
        make('dd', {}, does),
    ]));
    document.addEventListener('keydown', (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || belongsToElement(event)) return;
        const found = table.find(({ keys }) => keys.includes(event.shiftKey && event.key.startsWith('Arrow') ? `Shift+${event.key}` : event.key));
        if (!found) return;
        event.preventDefault();
        found.act(event);
    });
}

/** Whether a key means something to the element that has the focus: letters in a text field, arrows on a slider. @param {KeyboardEvent} event */
function belongsToElement(event) {
    const element = /** @type {HTMLElement | null} */ (event.target instanceof HTMLElement ? event.target : null);
    if (!element) return false;
    if (element.closest('dialog')) return true;
    if (element instanceof HTMLSelectElement || (element instanceof HTMLInputElement && element.type === 'text')) return true;
    if (element instanceof HTMLButtonElement) return event.key === ' ' || event.key === 'Enter';
    if (element instanceof HTMLInputElement) {
        const arrows = event.key.startsWith('Arrow') || event.key === 'Home' || event.key === 'End';
        // The time line is a slider of frames: the keys of the page do just what it would do.
        if (element.id === 'scrub') return false;
        return arrows || (event.key === ' ' && element.type !== 'range');
    }
    return false;
}
