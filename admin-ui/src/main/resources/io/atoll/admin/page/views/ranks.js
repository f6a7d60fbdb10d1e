// Hundreds of ranks as tiles, lost ones first; one rank with its memory.
import { query, readIfThere } from '../api.js';
import { byRank, emptyHistory, history, range, together } from '../elements/chart.js';
import { memory, parts, structureSwatch, summary, swatch } from '../elements/memory.js';
import { crumbs, empty, facts, panel, standing, standingInWords, stillRanks, structureLink } from '../elements/pieces.js';
import { choices, pageOf, pages, search, table } from '../elements/table.js';
import { eventTable } from '../elements/events.js';
import { tiles } from '../elements/tiles.js';
import { html, nothing } from '../lib.js';
import { bytes, duration, fill, percent, used, whole } from '../words.js';

export const title = 'Ranks';

const SLOW_MILLIS = 3800;
const AT_ONCE = 100; // what the API hands out
const TILES = 500;
const ROWS = 50;

async function tilesOf(read, asked, page) {
  const first = await read(`ranks${query({ ...asked, size: AT_ONCE, page: page * TILES / AT_ONCE })}`, { atMostEvery: SLOW_MILLIS });
  const here = Math.min(TILES, first.total - page * TILES);
  const more = await Promise.all(Array.from({ length: Math.max(0, Math.ceil(here / AT_ONCE) - 1) }, (_, index) =>
    read(`ranks${query({ ...asked, size: AT_ONCE, page: page * TILES / AT_ONCE + index + 1 })}`, { atMostEvery: SLOW_MILLIS })));
  return { page, size: TILES, total: first.total, items: [first, ...more].flatMap((it) => it.items) };
}

async function list(read, at) {
  const asked = { q: at.query.q, standing: at.query.standing, sort: at.query.sort };
  const page = pageOf(at);
  const ranks = at.query.as === 'table'
    ? await read(`ranks${query({ ...asked, size: ROWS, page })}`, { atMostEvery: SLOW_MILLIS / 2 })
    : await tilesOf(read, asked, page);
  return { ranks, decided: await readIfThere('view') };
}

const SERIES = ['heap-used-bytes', 'heap-object-bytes', 'retired-bytes', 'limbo-bytes', 'process-cpu-millis', 'resident-bytes'];

async function one(read, at) {
  const [rank] = at.path;
  const [segment, found, past, events] = await Promise.all([
    readIfThere(`segments/${encodeURIComponent(rank)}`),
    read(`ranks${query({ q: `rank ${rank}`, sort: 'rank', size: 1 })}`, { atMostEvery: SLOW_MILLIS }),
    history(read, at, SERIES, { rank }),
    read(`events${query({ rank, size: 20 })}`, { atMostEvery: SLOW_MILLIS }),
  ]);
  return { segment, rank: found.items.find((it) => String(it.rank) === rank) ?? null, past: past ?? emptyHistory, events };
}

export const load = (read, at) => at.path.length ? one(read, at) : list(read, at);

const STANDINGS = [['', 'all'], ['LOST', 'lost'], ['MISSING', 'missing'], ['JOINED', 'joined']];

// Who decides which ranks are dead, where the kernel does not know.
function membership(decided) {
  if (!decided?.decided) {
    return nothing;
  }
  const unheard = Object.entries(decided.suspicions).map(([rank, by]) => `${rank} (by ${by.join(', ')})`);
  return panel('Who decides', facts(decided.number ? [
    ['view', whole(decided.number)],
    ['members', `${decided.members.length} ranks`],
    ['decided by', `ranks ${decided.electors.join(', ')}; at least ${decided.quorum} of them`],
    ['not heard', unheard.join(', ')],
    ['waits for', decided.waiting],
  ] : [['view', 'none yet: all founding ranks must be there']]));
}

const columns = (still) => [
  { label: 'rank', sort: 'rank', cell: (it) => html`<a href=${`#ranks/${it.rank}`}><strong>rank ${it.rank}</strong></a>` },
  { label: 'standing', sort: 'standing', cell: (it) => html`<span class="standing ${standing(it, still)}">${standingInWords(standing(it, still))}</span>${it.refusal ? html` <span class="quiet">${it.refusal}</span>` : nothing}` },
  { label: 'host', sort: 'host', cell: (it) => it.host ?? '' },
  { label: 'process', figure: true, cell: (it) => it.pid ?? '' },
  { label: 'uptime', figure: true, sort: 'uptimeMillis', order: '-', cell: (it) => duration(it.uptimeMillis) },
  { label: 'start', figure: true, cell: (it) => whole(it.incarnation) },
  { label: 'resident', figure: true, sort: 'residentBytes', order: '-', cell: (it) => bytes(it.residentBytes) },
  { label: 'in use', figure: true, sort: 'usedBytes', order: '-', cell: (it) => it.usage ? html`${bytes(used(it.usage))} <span class="quiet">${percent(fill(it.usage))}</span>` : bytes(null) },
];

function drawList({ ranks, decided }, { at, overview, world }) {
  const still = stillRanks(overview);
  const isTable = at.query.as === 'table';
  return html`<h1>Ranks</h1>
    <div class="tools">${search(at, 'Search rank or host')}${choices(at, 'standing', 'Standing', STANDINGS)}${choices(at, 'as', 'Shown as', [['', 'tiles'], ['table', 'table']])}</div>
    ${ranks.items.length === 0 ? empty('No rank is like that.')
    : isTable ? table({ caption: 'Ranks', hidesCaption: true, at, columns: columns(still), rows: ranks.items, key: (it) => it.rank }) : tiles(ranks.items, world, still)}
    ${isTable ? nothing : html`<ul class="legend"><li><span class="swatch tile-key good"></span>below 80 %</li><li><span class="swatch tile-key warning"></span>from 80 %</li>
      <li><span class="swatch tile-key critical"></span>from 95 %</li><li><span class="swatch tile-key still"></span>stands still</li><li><span class="swatch tile-key lost"></span>lost, refused or missing</li></ul>`}
    ${pages(at, ranks, 'ranks')}${membership(decided)}`;
}

function drawMemory(segment, at) {
  if (!segment.usage) {
    return html`${memory(segment)}${empty(segment.refusal ?? (segment.standing === 'LOST' ? 'It is lost, and its segment is out of reach.' : 'It has not joined yet.'))}`;
  }
  return html`<p class="lead">${summary(segment)}.</p>${memory(segment)}
    ${table({
    caption: `What the memory of rank ${segment.rank} is used for`, hidesCaption: true, at, rows: parts(segment).sort((one, other) => other.bytes - one.bytes), key: (it) => `${it.kind} ${it.name}`,
    columns: [
      { label: 'part', cell: (it) => html`${it.kind === 'structure' ? structureSwatch(it.name) : swatch(it)}${it.kind === 'structure' ? structureLink(it.name) : it.name}` },
      { label: 'bytes', figure: true, cell: (it) => bytes(it.bytes) },
      { label: 'share', figure: true, cell: (it) => percent(it.bytes / segment.usage.totalBytes) },
    ],
  })}`;
}

function drawOne({ segment, rank, past, events }, { at, overview, to, world }) {
  if (!segment) {
    return html`${crumbs('ranks', title, at.path[0])}<h1>Rank ${at.path[0]}</h1>${empty('The world has no such rank.')}`;
  }
  const it = { ...segment, ...rank };
  const name = standing(segment, stillRanks(overview));
  return html`${crumbs('ranks', title, `rank ${segment.rank}`)}
    <h1>Rank ${segment.rank} <span class="standing ${name}">${standingInWords(name)}</span>${segment.rank === world?.rank ? html` <span class="quiet">answers this page</span>` : nothing}</h1>
    ${segment.refusal ? html`<div class="banner critical" role="note"><div>${segment.refusal}</div></div>` : nothing}
    ${facts([
    ['host', it.host], ['process', it.pid], ['version', it.version], ['up for', it.uptimeMillis && duration(it.uptimeMillis)], ['start', segment.incarnation > 0 ? `${whole(segment.incarnation)}.` : null],
    ['resident memory', it.residentBytes && bytes(it.residentBytes)], ['segment', bytes(segment.bytes)], ['objects', segment.usage && whole(segment.usage.objects)],
    ['lost', it.lostMillis && `${duration(it.lostMillis)} ago`], ['last seen', it.lastSeenMillis && `${duration(it.lastSeenMillis)} ago`],
  ])}
    ${panel('Memory', drawMemory(segment, at))}
    <section class="panel"><div class="tools"><h2>Over time</h2>${range(at)}</div>${past.ranks.length === 0 ? empty('This rank has written no history that can be read.') : html`<div class="charts">
      ${together(past, { 'heap-used-bytes': 'in use', 'heap-object-bytes': 'objects', 'retired-bytes': 'retired' }, 'Memory of the segment')}
      ${byRank(past, 'limbo-bytes', 'Retired by it, not freed yet')}
      ${together(past, { 'process-cpu-millis': 'processor time' }, 'Processor time a second')}
      ${together(past, { 'resident-bytes': 'resident' }, 'Memory of the process')}</div>`}</section>
    ${panel('Events', eventTable(events.items, at, to), html`<a href=${to('events', [], { rank: segment.rank })}>all</a>`)}`;
}

export const draw = (what, console) => 'ranks' in what ? drawList(what, console) : drawOne(what, console);
