// What is done with structures, and what of it goes to other ranks: verbs by kind and by rank, how long they take, and over time.
import { emptyHistory, history, range, byRank, together } from '../elements/chart.js';
import { query } from '../api.js';
import { empty, panel, rankLink, facts, wayOf } from '../elements/pieces.js';
import { rate } from '../elements/rate.js';
import { pageOf, pages, search, table } from '../elements/table.js';
import { html, nothing } from '../lib.js';
import { bytes, isKnown, nanos, rough, whole } from '../words.js';

export const title = 'Traffic';

const ROWS = 50;

export async function load(read, at) {
  const [traffic, peers, past] = await Promise.all([
    read('traffic'),
    read(`traffic/peers${query({ q: at.query.q, sort: at.query.sort, size: ROWS, page: pageOf(at) })}`),
    history(read, at, ['operations', 'remote-reads', 'remote-writes', 'remote-atomics']),
  ]);
  return { traffic, peers, past: past ?? emptyHistory };
}

const VERBS = [
  { label: 'verb', cell: (it) => html`<strong>${it.kind}</strong>` },
  { label: 'goes to', cell: (it) => it.locality === 'local' ? 'own segment' : 'other ranks' },
  { label: 'a second', figure: true, cell: (it) => isKnown(it.rate) ? rough(it.rate) : '' },
  { label: 'count', figure: true, cell: (it) => rough(it.count) },
  { label: 'mean', figure: true, cell: (it) => nanos(it.meanNanos) },
  { label: 'half within', figure: true, cell: (it) => nanos(it.p50Nanos) },
  { label: '99 % within', figure: true, cell: (it) => nanos(it.p99Nanos) },
];

const verbsOf = (traffic) => (traffic.verbs ?? []).map((it) => ({ ...it, key: `${it.locality} ${it.kind}` }))
  .map((it) => ({ ...it, rate: rate(`verbs ${it.key}`, it.count) }))
  .sort((one, other) => Number(one.locality === 'local') - Number(other.locality === 'local') || other.count - one.count);

const PEERS = [
  { label: 'rank', sort: 'rank', cell: (it) => html`<span class="whole">${rankLink(it.rank)}</span>` },
  { label: 'host', sort: 'host', cell: (it) => it.host ?? '' },
  { label: 'by', cell: (it) => it.way === null ? html`<span class="bad">not there</span>` : wayOf(it) },
  { label: 'a second', figure: true, cell: (it) => isKnown(it.rate) ? rough(it.rate) : '' },
  { label: 'verbs', figure: true, sort: 'verbs', order: '-', cell: (it) => rough(it.verbs) },
  { label: 'reads', figure: true, sort: 'reads', order: '-', cell: (it) => html`${rough(it.reads)} <span class="quiet">${bytes(it.readBytes)}</span>` },
  { label: 'writes', figure: true, sort: 'writes', order: '-', cell: (it) => html`${rough(it.writes)} <span class="quiet">${bytes(it.writtenBytes)}</span>` },
  { label: 'atomics', figure: true, sort: 'atomics', order: '-', cell: (it) => rough(it.atomics) },
  { label: 'half within', figure: true, sort: 'p50Nanos', order: '-', cell: (it) => nanos(it.p50Nanos) },
  { label: '99 % within', figure: true, sort: 'p99Nanos', order: '-', cell: (it) => nanos(it.p99Nanos) },
];

// Those first to which most goes, unless sorted.
function byPeer(peers, at) {
  const rows = peers.items.map((it) => ({ ...it, rate: rate(`peer ${it.rank}`, it.verbs) }));
  return html`<div class="tools">${search(at, 'Search rank or host')}</div>
    ${table({ caption: 'Verbs by the rank that they go to', hidesCaption: true, at, columns: PEERS, rows, key: (it) => it.rank,
    empty: at.query.q ? 'No rank is like that.' : 'No verb has crossed the fabric to any rank yet.' })}
    ${pages(at, peers, 'ranks')}`;
}

const BATCHES = [
  { label: 'batches to', cell: (it) => html`<strong>${it.locality === 'local' ? 'own segment' : 'other ranks'}</strong>` },
  { label: 'batches', figure: true, cell: (it) => rough(it.count) },
  { label: 'verbs', figure: true, cell: (it) => rough(it.verbs) },
  { label: 'bytes', figure: true, cell: (it) => bytes(it.bytes) },
];

export function draw({ traffic, peers, past }, { at, to, world }) {
  const carried = traffic.connections;
  return html`<div class="tools"><h1>Traffic</h1>${range(at)}</div>
    ${past.ranks.length === 0 ? nothing : html`<section class="panel"><h2>Over time <span class="quiet">all ranks that count</span></h2><div class="charts">
      ${byRank(past, 'operations', 'Operations on structures, by the rank that does them', to)}
      ${together(past, { 'remote-reads': 'reads', 'remote-writes': 'writes', 'remote-atomics': 'atomics' }, 'Verbs to other ranks')}
      ${byRank(past, 'remote-reads', 'Reads, by the rank that reads', to)}</div></section>`}
    ${traffic.counted ? html`${panel('By rank', byPeer(peers, at), `verbs of rank ${world?.rank}, since it began`)}
      ${panel('By kind', table({ caption: 'Verbs by kind', hidesCaption: true, at, columns: VERBS, rows: verbsOf(traffic), key: (it) => it.key, empty: 'None yet.' }), `verbs of rank ${world?.rank}, since it began`)}`
    : empty('This rank does not count verbs: it does where meters are kept.')}
    ${traffic.batches?.length ? panel('Batches', table({ caption: 'Batches', hidesCaption: true, at, columns: BATCHES, rows: traffic.batches, key: (it) => it.locality })) : nothing}
    ${carried ? panel('Over connections', facts([['requests', whole(carried.requests)], ['writes', whole(carried.writes)], ['sent', bytes(carried.sentBytes)], ['received', bytes(carried.receivedBytes)],
    ['with unknown outcome', carried.unknownOutcomes ? whole(carried.unknownOutcomes) : null]])) : nothing}
    <p class="quiet">Verbs are what crosses the fabric: loads and stores of memory that is mapped here, as all of this host's is, are none. Those used by themselves are timed, one in a thousand; those of batches are only counted. How this rank reaches others is in <a href=${to('connections')}>Connections</a>.</p>`;
}
