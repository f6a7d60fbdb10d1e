// What has happened, as ranks have written it down.
import { html } from '../lib.js';
import { duration } from '../words.js';
import { rankLink } from './pieces.js';
import { table } from './table.js';

const KINDS = {
  joined: 'joined', lost: 'lost', refused: 'refused', repaired: 'repaired', 'lock-recovered': 'lock recovered', stranded: 'stranded', removed: 'removed', rejoined: 'joined again', view: 'view', grown: 'grown', moved: 'moved', 'promise-broken': 'promise broken',
};

export const kinds = Object.entries(KINDS);

const BAD = ['lost', 'refused', 'stranded', 'removed', 'promise-broken'];

export const eventTable = (events, at) => table({
  caption: 'Events, the newest first', hidesCaption: true, at, rows: events, key: (it) => `${it.rank} ${it.sequence}`, empty: 'Nothing of that kind has happened.',
  columns: [
    { label: 'ago', cell: (it) => html`<span class="age">${duration(it.ageMillis)}</span>` },
    { label: 'what', cell: (it) => html`<span class="event ${BAD.includes(it.kind) ? 'bad' : ''}">${KINDS[it.kind] ?? it.kind}</span>` },
    { label: 'about', cell: (it) => it.subject >= 0 ? rankLink(it.subject) : '' },
    { label: 'text', cell: (it) => it.text },
    { label: 'written by', cell: (it) => rankLink(it.rank) },
  ],
});
