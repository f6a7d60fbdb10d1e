// Who waits for whom: a drawing where it is small, and a list.
import { html, nothing, svg } from '../lib.js';
import { lockLink, rankLink } from './pieces.js';
import { table } from './table.js';

const MOST_DRAWN = 18;
const SIZE = 360;
const RADIUS = 128;
const NODE = 15;

const nameOf = (rank, thread) => `${rank} ${thread}`;

function nodesOf(edges) {
  const nodes = new Map();
  edges.forEach((it) => {
    nodes.set(nameOf(it.fromRank, it.fromThread), { rank: it.fromRank, thread: it.fromThread });
    nodes.set(nameOf(it.toRank, it.toThread), { rank: it.toRank, thread: it.toThread });
  });
  return [...nodes.values()];
}

// Those in a cycle stand beside each other.
function ordered(edges, cycles) {
  const first = cycles.flat().map((it) => nameOf(it.rank, it.thread));
  const place = (it) => {
    const found = first.indexOf(nameOf(it.rank, it.thread));
    return found < 0 ? first.length : found;
  };
  return nodesOf(edges).sort((one, other) => place(one) - place(other) || one.rank - other.rank);
}

function drawing(edges, cycles) {
  const nodes = ordered(edges, cycles);
  if (nodes.length > MOST_DRAWN) {
    return nothing;
  }
  const at = new Map(nodes.map((it, index) => {
    const angle = 2 * Math.PI * index / nodes.length - Math.PI / 2;
    return [nameOf(it.rank, it.thread), { ...it, x: SIZE / 2 + RADIUS * Math.cos(angle), y: SIZE / 2 + RADIUS * Math.sin(angle) }];
  }));
  const inCycle = new Set(cycles.flat().map((it) => nameOf(it.rank, it.thread)));
  const isCycle = (it) => inCycle.has(nameOf(it.fromRank, it.fromThread)) && inCycle.has(nameOf(it.toRank, it.toThread));
  const line = (it) => {
    const from = at.get(nameOf(it.fromRank, it.fromThread));
    const to = at.get(nameOf(it.toRank, it.toThread));
    const length = Math.hypot(to.x - from.x, to.y - from.y) || 1;
    const [x, y] = [(to.x - from.x) / length, (to.y - from.y) / length];
    const [startX, startY] = [from.x + x * NODE, from.y + y * NODE];
    const [endX, endY] = [to.x - x * (NODE + 3), to.y - y * (NODE + 3)];
    const head = `M${endX - 8 * x + 4 * y} ${endY - 8 * y - 4 * x}L${endX} ${endY}L${endX - 8 * x - 4 * y} ${endY - 8 * y + 4 * x}`;
    return `M${startX} ${startY}L${endX} ${endY}${head}`;
  };
  const paths = (which) => edges.filter((it) => isCycle(it) === which).map(line).join('');
  const circles = (which) => [...at.values()].filter((it) => inCycle.has(nameOf(it.rank, it.thread)) === which)
    .map((it) => `M${it.x - NODE} ${it.y}a${NODE} ${NODE} 0 1 0 ${2 * NODE} 0a${NODE} ${NODE} 0 1 0 ${-2 * NODE} 0`).join('');
  return html`<div class="graph" aria-hidden="true"><svg viewBox="0 0 ${SIZE} ${SIZE}"><path class="edge" d=${paths(false)}></path><path class="edge cycle" d=${paths(true)}></path>
    <path class="node" d=${circles(false)}></path><path class="node cycle" d=${circles(true)}></path>${[...at.values()].map((it, index) => svg`<text x=${it.x} y=${it.y}>${index + 1}</text>`)}</svg>
    <ol>${[...at.values()].map((it) => html`<li class=${inCycle.has(nameOf(it.rank, it.thread)) ? 'bad' : ''}>${it.thread} of rank ${it.rank}</li>`)}</ol></div>`;
}

export function graph({ edges, cycles }, at) {
  return html`${cycles.map((cycle) => html`<div class="banner critical" role="note"><span class="face" aria-hidden="true">\u21bb</span><div><strong>${cycle.length === 1 ? 'A thread waits for itself' : `${cycle.length} threads wait for each other`}, for ever:</strong>
      ${cycle.map((it) => html`${it.thread} of ${rankLink(it.rank)} \u2192 `)}${cycle[0].thread}. <span class="remedy">Take locks in one order, or together by lockAll; end one of the threads, or force its lock open.</span></div></div>`)}
    ${edges.length ? drawing(edges, cycles) : nothing}
    ${table({
    caption: 'Who waits for whom', hidesCaption: true, at, rows: edges.slice(0, 100), key: (it) => `${it.fromRank} ${it.fromThread} ${it.table} ${it.index}`, empty: 'Nobody waits for a lock.',
    columns: [
      { label: 'thread', cell: (it) => html`<strong>${it.fromThread}</strong> of ${rankLink(it.fromRank)}` },
      { label: 'waits for', cell: (it) => html`<strong>${it.toThread}</strong> of ${rankLink(it.toRank)}` },
      { label: 'with lock', cell: lockLink },
    ],
  })}`;
}
