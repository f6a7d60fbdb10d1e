// What is done with structures, and what of it goes to other ranks: verbs by kind, how long they take, and over time.
import { emptyHistory, history, range, byRank, together } from '../elements/chart.js';
import { empty, panel, rankLink, facts } from '../elements/pieces.js';
import { rate } from '../elements/rate.js';
import { pageOf, pages, table } from '../elements/table.js';
import { html, nothing } from '../lib.js';
import { bytes, isKnown, nanos, rough, whole } from '../words.js';

export const title = 'Traffic';

const ROWS = 50;

export async function load(read, at) {
  const [traffic, past] = await Promise.all([
    read('traffic'),
    history(read, at, ['operations', 'remote-reads', 'remote-writes', 'remote-atomics']),
  ]);
  return { traffic, past: past ?? emptyHistory };
}

const VERBS = [
  { label: 'verb', cell: (it) => html`<strong>${it.kind}</strong>` },
  { label: 'goes to', cell: (it) => it.locality === 'local' ? 'own segment' : isKnown(it.rank) ? rankLink(it.rank) : 'other ranks' },
  { label: 'a second', figure: true, cell: (it) => isKnown(it.rate) ? rough(it.rate) : '' },
  { label: 'count', figure: true, cell: (it) => rough(it.count) },
  { label: 'bytes', figure: true, cell: (it) => isKnown(it.bytes) ? bytes(it.bytes) : '' },
  { label: 'mean', figure: true, cell: (it) => nanos(it.meanNanos) },
  { label: 'half within', figure: true, cell: (it) => nanos(it.p50Nanos) },
  { label: '99 % within', figure: true, cell: (it) => nanos(it.p99Nanos) },
];

// Of the whole process, or by peer where those are counted.
function verbsOf(traffic) {
  const ofProcess = (traffic.verbs ?? []).map((it) => ({ ...it, key: `${it.locality} ${it.kind}` }));
  const peers = (traffic.peers ?? []).flatMap((peer) => Object.entries(peer.verbs ?? {}).map(([kind, it]) => ({ ...it, kind, rank: peer.rank, locality: 'remote', key: `${peer.rank} ${kind}` })));
  return [...ofProcess, ...peers].map((it) => ({ ...it, rate: rate(`verbs ${it.key}`, it.count) })).sort((one, other) => Number(one.locality === 'local') - Number(other.locality === 'local') || other.count - one.count);
}

const BATCHES = [
  { label: 'batches to', cell: (it) => html`<strong>${it.locality === 'local' ? 'own segment' : 'other ranks'}</strong>` },
  { label: 'batches', figure: true, cell: (it) => rough(it.count) },
  { label: 'verbs', figure: true, cell: (it) => rough(it.verbs) },
  { label: 'bytes', figure: true, cell: (it) => bytes(it.bytes) },
];

export function draw({ traffic, past }, { at, to, world }) {
  const verbs = verbsOf(traffic);
  const page = pageOf(at);
  const carried = traffic.connections;
  return html`<div class="tools"><h1>Traffic</h1>${range(at)}</div>
    ${past.ranks.length === 0 ? nothing : html`<section class="panel"><h2>Over time <span class="quiet">all ranks that count</span></h2><div class="charts">
      ${byRank(past, 'operations', 'Operations on structures, by the rank that does them', to)}
      ${together(past, { 'remote-reads': 'reads', 'remote-writes': 'writes', 'remote-atomics': 'atomics' }, 'Verbs to other ranks')}
      ${byRank(past, 'remote-reads', 'Reads, by the rank that reads', to)}</div></section>`}
    ${traffic.counted ? panel('Verbs', html`${table({ caption: 'Verbs by kind', hidesCaption: true, at, columns: VERBS, rows: verbs.slice(page * ROWS, (page + 1) * ROWS), key: (it) => it.key, empty: 'None yet.' })}
      ${verbs.length > ROWS ? pages(at, { page, size: ROWS, total: verbs.length }, 'kinds') : nothing}`, `of rank ${world?.rank}`) : empty('This rank does not count verbs: it does where meters are kept.')}
    ${traffic.batches?.length ? panel('Batches', table({ caption: 'Batches', hidesCaption: true, at, columns: BATCHES, rows: traffic.batches, key: (it) => it.locality })) : nothing}
    ${carried ? panel('Over connections', facts([['requests', whole(carried.requests)], ['writes', whole(carried.writes)], ['sent', bytes(carried.sentBytes)], ['received', bytes(carried.receivedBytes)],
    ['with unknown outcome', carried.unknownOutcomes ? whole(carried.unknownOutcomes) : null]])) : nothing}
    <p class="quiet">Verbs are what crosses the fabric: loads and stores of memory that is mapped here, as all of this host's is, are none. How this rank reaches others is in <a href=${to('connections')}>Connections</a>.</p>`;
}
