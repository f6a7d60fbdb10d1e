// The last events of each rank.
import { changed } from '../address.js';
import { query } from '../api.js';
import { eventTable, kinds } from '../elements/events.js';
import { choices } from '../elements/table.js';
import { html, nothing } from '../lib.js';

export const title = 'Events';

const SHOWN = 100;
const MORE = 1000;

export const load = (read, at) => read(`events${query({ rank: at.query.rank, kind: at.query.kind, size: at.query.more ? MORE : SHOWN })}`);

function ofRank(at) {
  const chosen = (event) => {
    location.hash = changed(at, { rank: event.target.value.trim() });
  };
  return html`<label class="search">Rank <input type="number" min="0" id="rank" .value=${at.query.rank ?? ''} @change=${chosen}></label>`;
}

export function draw({ items }, { at }) {
  return html`<h1>Events</h1>
    <div class="tools">${choices(at, 'kind', 'Kind', [['', 'all'], ...kinds])}${ofRank(at)}</div>
    ${eventTable(items, at)}
    ${items.length === SHOWN && !at.query.more ? html`<p><a href=${changed(at, { more: 1 })}>More of them</a></p>` : nothing}`;
}
