// Who blocks the epoch, what waits to be freed because of it, and when a segment will be full.
import { history, range, byRank, secondsOf, together } from '../elements/chart.js';
import { actionButton } from '../elements/action.js';
import { blocker, empty, panel, rankLink } from '../elements/pieces.js';
import { pageOf, pages, table } from '../elements/table.js';
import { html, nothing } from '../lib.js';
import { bytes, counted, duration, isKnown, whole } from '../words.js';

export const title = 'Epochs';

const ROWS = 50;

export async function load(read, at) {
  const [epochs, past] = await Promise.all([
    read('epochs?summary=true'),
    history(read, at, ['owned-limbo-bytes', 'limbo-bytes', 'epoch']),
  ]);
  return { epochs, past };
}

const RECLAIM = {
  label: 'Reclaim now', title: 'Reclaim now?', text: 'This rank advances the epoch if nobody blocks it, and frees what may be freed.', path: 'actions/reclaim',
  done: ({ freed }) => `${counted(freed ?? 0, 'object')} freed.`,
};

// By rank the time until its segment is full, if what is seen goes on.
function forecasts({ forecast }) {
  const soon = (forecast ?? []).filter((it) => isKnown(it.fullInMillis)).sort((one, other) => one.fullInMillis - other.fullInMillis).slice(0, 5);
  return soon.length ? html`<div class="banner warning" role="note"><span class="face" aria-hidden="true">\u25c6</span><div>If this goes on: ${soon.map((it, index) =>
    html`${index ? ', ' : nothing}the segment of ${rankLink(it.rank)} is full in <strong>${duration(it.fullInMillis)}</strong>`)}.</div></div>` : nothing;
}

const pins = (epochs, at) => table({
  caption: 'Who is pinned since when', hidesCaption: true, at, rows: (epochs.pinned ?? []).slice(0, 32), key: (it) => `${it.rank} ${it.thread} ${it.epoch}`, empty: 'Nobody is pinned.',
  columns: [
    { label: 'thread', cell: (it) => html`<strong>${it.thread}</strong>` },
    { label: 'of', cell: (it) => rankLink(it.rank) },
    { label: 'since epoch', figure: true, cell: (it) => whole(it.epoch) },
    { label: 'pinned for', figure: true, cell: (it) => duration(it.ageMillis) },
    { label: 'blocks', cell: (it) => it.blocks ? html`<span class="bad">the epoch waits for it</span>` : '' },
  ],
});

const pinned = (it) => Array.isArray(it.pinned) ? it.pinned.length : it.pinned;

// Of 300 ranks those first that have something in limbo.
const RANKS = [
  { label: 'rank', cell: (it) => html`${rankLink(it.rank)}${it.present ? '' : html` <span class="bad">gone</span>`}` },
  { label: 'epoch', figure: true, cell: (it) => whole(it.cachedEpoch) },
  { label: 'pinned', figure: true, cell: (it) => html`${whole(pinned(it))}${it.blocks ? html` <span class="bad">blocks</span>` : nothing}` },
  { label: 'it retired', figure: true, cell: (it) => html`${whole(it.limboObjects)} <span class="quiet">${bytes(it.limboBytes)}</span>` },
  { label: 'lies in its segment', figure: true, cell: (it) => html`${whole(it.ownedLimbo?.objects)} <span class="quiet">${bytes(it.ownedLimbo?.bytes)}</span>` },
  { label: 'retired since ever', figure: true, cell: (it) => whole(it.retired) },
  { label: 'freed', figure: true, cell: (it) => whole(it.freed) },
  { label: 'lost', figure: true, cell: (it) => it.lost > 0 ? html`<span class="bad">${whole(it.lost)}</span>` : whole(it.lost) },
  { label: 'advances', figure: true, cell: (it) => whole(it.advances) },
];

function byRanks(ranks, at) {
  const page = pageOf(at);
  const sorted = [...ranks].sort((one, other) => Number(other.blocks ?? false) - Number(one.blocks ?? false) || Number(one.present) - Number(other.present)
    || other.limboBytes - one.limboBytes || other.limboObjects - one.limboObjects || one.rank - other.rank);
  return html`${table({ caption: 'Ranks, those first that matter', hidesCaption: true, at, columns: RANKS, rows: sorted.slice(page * ROWS, (page + 1) * ROWS), key: (it) => it.rank })}
    ${pages(at, { page, size: ROWS, total: ranks.length }, 'ranks')}`;
}

const limboOf = (manager) => manager.limbo.reduce((sum, it) => ({ objects: sum.objects + it.objects, bytes: sum.bytes + it.bytes }), { objects: 0, bytes: 0 });

const locals = (local, at) => local?.length ? panel('Of this process alone', table({
  caption: 'Managers of this process', hidesCaption: true, at, rows: local, key: (it) => it.name,
  columns: [
    { label: 'name', cell: (it) => html`<strong>${it.name}</strong>` },
    { label: 'epoch', figure: true, cell: (it) => whole(it.epoch) },
    { label: 'pinned', cell: (it) => it.tokens.slice(0, 4).map((token) => html`<div class=${token.blocks ? 'bad' : ''}><strong>${token.thread}</strong> for ${duration(token.ageMillis)}${token.blocks ? ', blocks' : ''}</div>`) },
    { label: 'in limbo', figure: true, cell: (it) => html`${whole(limboOf(it).objects)} <span class="quiet">${bytes(limboOf(it).bytes)}</span>` },
    { label: 'freed', figure: true, cell: (it) => whole(it.freed) },
  ],
})) : nothing;

// No rank writes what others have retired in its segment: the node that answers has seen it, since it began to look.
function seenBy({ series }, at, world) {
  const millis = series.find((it) => it.key === 'owned-limbo-bytes')?.seenForMillis;
  return !isKnown(millis) ? `rank ${world?.rank} has not seen any yet`
    : millis < secondsOf(at) * 1000 ? `as rank ${world?.rank} has seen it, which began to look ${duration(millis)} ago` : `as rank ${world?.rank} has seen it`;
}

export function draw({ epochs, past }, { at, to, session, look, world }) {
  const limbo = epochs.ranks.reduce((sum, it) => sum + it.limboBytes, 0);
  return html`<div class="tools"><h1>Epochs ${epochs.used ? html`<span class="quiet">epoch ${whole(epochs.epoch)}</span>` : nothing}</h1>
      ${session.mayAct ? html`<div class="actions">${actionButton(RECLAIM, { session, look })}</div>` : nothing}</div>
    ${epochs.used ? html`${blocker(epochs.blocker, limbo ? bytes(limbo) : '')}${forecasts(epochs)}
      <section class="panel"><div class="tools"><h2>Limbo over time</h2>${range(at)}</div>
        ${past.ranks.length === 0 ? empty('No rank has written a history that can be read.') : html`<div class="charts">
        ${byRank(past, 'owned-limbo-bytes', 'Bytes that wait to be freed, by the rank in whose segment they lie', to, seenBy(past, at, world))}
        ${byRank(past, 'limbo-bytes', 'The same, by the rank that has retired them', to)}
        ${together(past, { epoch: 'advances, all ranks' }, 'Advances of the epoch as ranks see it')}</div>`}</section>
      ${panel('Who is pinned', pins(epochs, at))}${panel('By rank', byRanks(epochs.ranks, at))}`
    : empty('No rank has used epochs yet, or the one that has the epoch cannot be reached.')}
    ${locals(epochs.local, at)}`;
}
