/** What the parts of the page share. */

import { Playback } from '../data/playback.js';
import { fieldOf } from '../look/fields.js';
import { Stage } from '../stage/stage.js';
import { byId } from './elements.js';

/** @type {import('../data/source.js').Source[]} */
export const sources = [];
/** @type {import('../stage/run_view.js').RunView[]} */
export const views = [];
export const playback = new Playback();
export const stage = new Stage(byId('canvas'));

export const look = {
    field: fieldOf('species'),
    map: /** @type {import('../look/colour.js').MapName} */ ('viridis'),
    range: /** @type {[number, number]} */ ([0, 1]),
    /** Whether the range grows with what is shown. */
    fits: true,
    walls: /** @type {import('../stage/walls.js').WallLook} */ ('glass'),
    chains: false,
    dark: false,
};

export const page = {
    /** The grain that was picked, by its run and its name, which frames keep. @type {{ run: number, id: number } | null} */
    selected: null,
    /** Columns of each run's time series. @type {import('./plot.js').Column[][]} */
    series: [],
    /** Whether the server is there. */
    connected: true,
};
