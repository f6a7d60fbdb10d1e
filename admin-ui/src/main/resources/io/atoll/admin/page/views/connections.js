// How this rank reaches each rank, whom it has turned away, and what the fabric can do.
import { empty, facts, panel, rankLink, wayOf } from '../elements/pieces.js';
import { pageOf, pages, table } from '../elements/table.js';
import { html } from '../lib.js';
import { duration, nanos, whole } from '../words.js';

export const title = 'Connections';

const ROWS = 50;

export async function load(read) {
  const [connections, fabric] = await Promise.all([read('connections'), read('fabric', { atMostEvery: 60000 })]);
  return { connections, fabric };
}

const COLUMNS = [
  { label: 'rank', cell: (it) => rankLink(it.rank) },
  { label: 'by', cell: (it) => it.way === null ? html`<span class="bad">not there</span>` : wayOf(it) },
  { label: 'usable', figure: true, cell: (it) => whole(it.usable) },
  { label: 'broken', cell: (it) => it.broken.map((why) => html`<div class="bad">${why}</div>`) },
  { label: 'unanswered', figure: true, cell: (it) => whole(it.unanswered) },
  { label: 'round trip', figure: true, cell: (it) => nanos(it.roundTripNanos) },
  { label: 'silent for', figure: true, cell: (it) => it.silentMillis === null ? duration(null) : html`<span class="bad">${duration(it.silentMillis)}</span>` },
];

const DOMAINS = {
  COHERENT_WITH_CPU: 'atomic with the CPU\u2019s: an owner uses its own words directly',
  FABRIC_ONLY: 'atomic only among themselves: an owner, too, goes through the fabric',
};

// What is wrong comes first.
const badFirst = (one, other) => Number(other.silentMillis !== null || other.broken.length > 0 || other.way === null)
  - Number(one.silentMillis !== null || one.broken.length > 0 || one.way === null) || one.rank - other.rank;

export function draw({ connections, fabric }, { at, world }) {
  const page = pageOf(at);
  const ranks = [...connections.ranks].sort(badFirst);
  const refused = Object.entries(connections.refused).filter(([, attempts]) => attempts > 0);
  return html`<h1>Connections <span class="quiet">as rank ${world?.rank} reaches others</span></h1>
    ${table({ caption: 'Ranks', hidesCaption: true, at, columns: COLUMNS, rows: ranks.slice(page * ROWS, (page + 1) * ROWS), key: (it) => it.rank })}
    ${pages(at, { page, size: ROWS, total: ranks.length }, 'ranks')}
    ${panel('Refused', refused.length ? table({ caption: 'Attempts that were refused', hidesCaption: true, at, rows: refused, key: ([reason]) => reason,
    columns: [{ label: 'reason', cell: ([reason]) => reason }, { label: 'attempts', figure: true, cell: ([, attempts]) => whole(attempts) }] }) : empty('This rank has refused nobody.'))}
    ${panel('The fabric', facts([
    ['type', fabric.type],
    ['its atomics', `are ${DOMAINS[fabric.atomicDomain]}`],
    ['of one read', `${fabric.atomicReadBytes} bytes arrive whole`],
    ['reads of one batch', fabric.readsInOrder ? 'take effect in their order' : 'may take effect in any order'],
    ['setting bits', fabric.fetchOr ? 'is one verb' : 'is a read and a compare-and-exchange'],
  ]))}`;
}
