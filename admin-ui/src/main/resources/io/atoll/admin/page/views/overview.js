// How the world is, in one sentence; what is wrong, why, and what helps; how it has been in the last minute.
import { to } from '../address.js';
import { query } from '../api.js';
import { lockLink, blocker, empty, panel, rankLink, severity, standing, standingInWords, stillRanks, structureLink } from '../elements/pieces.js';
import { sparkline, latest } from '../elements/chart.js';
import { memory } from '../elements/memory.js';
import { tiles } from '../elements/tiles.js';
import { table } from '../elements/table.js';
import { html, nothing, repeat } from '../lib.js';
import { bytes, duration, fill, form, isKnown, percent, used, whole } from '../words.js';

export const title = 'Overview';

const MOST_PICTURES = 8;
const MOST_TILES = 100;
const SLOW_MILLIS = 3800;

export async function load(read) {
  const [ranks, epochs] = await Promise.all([
    read(`ranks${query({ size: MOST_TILES })}`, { atMostEvery: SLOW_MILLIS }),
    read('epochs?summary=true', { atMostEvery: SLOW_MILLIS }),
  ]);
  const segments = ranks.total <= MOST_PICTURES ? await read(`segments${query({ size: MOST_PICTURES })}`, { atMostEvery: SLOW_MILLIS }) : null;
  return { ranks, epochs, segments };
}

const SPARKS = {
  operations: ['Operations', 'count', true, 'structures'],
  'remote-verbs': ['Remote verbs', 'count', true, 'traffic'],
  'memory-percent': ['Memory', 'percent', false, 'ranks'],
  'limbo-bytes': ['Limbo', 'bytes', false, 'epochs'],
};

// Where all ranks share memory there is no verb, and a line would say nothing.
const WHERE_NONE = { 'remote-verbs': 'Nothing crosses the fabric.' };

function spark(name, values, to) {
  const [label, unit, isRate, view] = SPARKS[name];
  const none = WHERE_NONE[name] && values.some(isKnown) && !values.some((it) => it > 0);
  return html`<li><a class="card" href=${to(view)}><span class="quiet">${label}</span>
    <strong>${form(unit, isRate)(latest(values))}</strong>${none ? html`<span class="quiet">${WHERE_NONE[name]}</span>` : sparkline(values)}<span class="unseen"> In the last minute.</span></a></li>`;
}

function place(problem) {
  const { lock, rank, structure } = problem;
  const links = [
    ...(lock ? [html`lock ${lockLink(lock)}`, html`<a href=${to('locks')}>who waits for whom</a>`] : []),
    ...(structure && !lock ? [structureLink(structure)] : []),
    ...(rank !== null && rank !== undefined ? [rankLink(rank)] : []),
  ];
  return links.length ? html`<span class="where">${links.map((it, index) => html`${index ? ' \u00b7 ' : nothing}${it}`)}</span>` : nothing;
}

// A cause may say itself how long.
const since = (it) => it.sinceMillis && !/ for \d/.test(it.cause) ? html` <span class="quiet">For ${duration(it.sinceMillis)}.</span>` : nothing;

// A command stays on one line, and can be copied.
const withCommands = (text) => text.split(/(kill -[A-Z]+)/).map((it, index) => index % 2 ? html`<code class="command">${it}</code>` : it);

const sentenceOf = ({ cause }) => `${cause.charAt(0).toUpperCase()}${cause.slice(1)}.`;

function problem(it) {
  return html`<li class="problem ${it.severity}">${severity(it.severity)}<div>
    <h3>${it.title}</h3><p>${sentenceOf(it)}${since(it)}</p><p class="remedy">${withCommands(it.remedy)}</p>${place(it)}</div></li>`;
}

const GROUPS = {
  'rank-lost': 'ranks are lost', 'rank-missing': 'ranks have not joined yet', 'rank-refused': 'ranks cannot be used', 'rank-still': 'ranks stand still', stranded: 'ranks have left objects that nobody frees',
  'segment-full': 'segments are nearly full', 'structure-full': 'structures are nearly full', wait: 'threads wait', 'hot-lock': 'locks are hot', pin: 'threads keep memory from being freed',
};
const MOST_ALONE = 2;
const MOST_LINKS = 40;

// What many have is said once, with the names of all.
function group({ severity: how, kind, remedy, of }) {
  return html`<li class="problem ${how}">${severity(how)}<div>
    <h3>${whole(of.length)} ${GROUPS[kind]}</h3><p>${of.slice(0, MOST_LINKS).map((it, index) => html`${index ? ', ' : nothing}${it.rank !== null && it.rank !== undefined ? rankLink(it.rank) : structureLink(it.structure)}`)}${of.length > MOST_LINKS ? ', \u2026' : ''}</p>
    <p class="remedy">${withCommands(remedy)}</p>
    <details><summary>Each of them</summary><ul>${of.map((it) => html`<li>${it.title}. ${sentenceOf(it)}${since(it)}</li>`)}</ul></details></div></li>`;
}

const hasPlace = (it) => (it.rank !== null && it.rank !== undefined) || it.structure;

function grouped(found) {
  const groups = new Map();
  found.forEach((it) => {
    const key = GROUPS[it.kind] && !it.lock && hasPlace(it) ? `${it.severity} ${it.kind}` : `${it.kind} ${it.title}`;
    const group = groups.get(key) ?? { key, severity: it.severity, kind: it.kind, remedy: it.remedy, of: [] };
    groups.set(key, group);
    group.of.push(it);
  });
  return [...groups.values()].flatMap((it) => it.of.length > MOST_ALONE && GROUPS[it.kind] ? [it]
    : it.of.map((one, index) => ({ ...one, key: `${it.key} ${one.rank} ${one.structure} ${index}` })));
}

function problems(found) {
  return found.length === 0 ? html`<p class="empty well">${severity('good')}No problem is known.</p>`
    : html`<ul class="problems">${repeat(grouped(found), (it) => it.key, (it) => it.of ? group(it) : problem(it))}</ul>`;
}

// Ranks are columns, segments are bars.
function pictures(segments, world, still) {
  return html`<ul class="pictures">${repeat(segments.items, (it) => it.rank, (it) => html`<li class=${standing(it, still)}>
    <a href=${`#ranks/${it.rank}`}><strong>rank ${it.rank}</strong></a>
    <span class="standing">${standingInWords(standing(it, still))}${it.rank === world.rank ? ', this one' : ''}</span>${memory(it, { isUpright: true })}
    <span class="quiet">${it.usage ? html`<strong>${percent(fill(it.usage))}</strong> ${bytes(used(it.usage))} of ${bytes(it.usage.totalBytes)}` : it.refusal ?? (it.standing === 'LOST' ? 'out of reach' : 'not here yet')}</span></li>`)}</ul>`;
}

function waits(world, at) {
  return world.waits.length ? panel('Who waits for whom', table({
    caption: 'Threads of this rank that wait for others', hidesCaption: true, at, rows: world.waits, key: (it) => `${it.thread} ${it.doing}`,
    columns: [
      { label: 'thread', cell: (it) => html`<strong>${it.thread}</strong>` },
      { label: 'waits in', cell: (it) => it.doing },
      { label: 'for', cell: (it) => rankLink(it.rank) },
      { label: 'since', figure: true, cell: (it) => duration(it.waitedMillis) },
    ],
  })) : nothing;
}

export function draw({ ranks, epochs, segments }, { overview, at, to }) {
  const { world } = overview;
  const still = stillRanks(overview);
  const limbo = epochs.ranks.reduce((sum, it) => sum + it.limboBytes, 0);
  return html`<h1 class="sentence ${overview.severity}">${severity(overview.severity)}${overview.sentence}</h1>
    ${world.refusal ? html`<div class="banner critical" role="note"><div>This rank takes part no more: ${world.refusal}</div></div>` : nothing}
    ${world.rejoining ? html`<div class="banner warning" role="note"><div>This rank joins again: ${world.rejoining.removal} It waits for ${world.rejoining.waitsFor}.</div></div>` : nothing}
    <div class="halves"><div>${panel('Problems', problems(overview.problems), overview.problems.length ? whole(overview.problems.length) : '')}</div>
    <div><ul class="cards">${Object.keys(SPARKS).filter((name) => overview.sparklines[name]).map((name) => spark(name, overview.sparklines[name], to))}</ul>
    ${panel('The epoch', epochs.used ? blocker(epochs.blocker, limbo ? bytes(limbo) : '') : empty('No rank has used epochs yet, or the one that has the epoch cannot be reached.'),
    epochs.used ? html`${whole(epochs.epoch)} \u00b7 <a href=${to('epochs')}>more</a>` : '')}
    ${panel('Memory', ranks.total === 0 ? empty('There is no rank.') : segments ? pictures(segments, world, still)
    : html`${tiles(ranks.items, world, still)}${ranks.total > ranks.items.length ? html`<p><a href=${to('ranks')}>All ${whole(ranks.total)} ranks</a></p>` : nothing}`,
    `${whole(overview.ranks.joined)} joined, ${whole(overview.ranks.lost)} lost, ${whole(overview.ranks.missing)} missing`)}
    ${waits(world, at)}</div></div>`;
}
