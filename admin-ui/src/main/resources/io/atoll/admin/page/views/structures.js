// All structures, searched, filtered and sorted by the API; one structure with its settings, shares and entries.
import { changed, to } from '../address.js';
import { query, readIfThere } from '../api.js';
import { actionButton } from '../elements/action.js';
import { emptyHistory, together } from '../elements/chart.js';
import { structureSwatch } from '../elements/memory.js';
import { crumbs, empty, facts, panel, rankLink } from '../elements/pieces.js';
import { choices, pageOf, pages, search, table } from '../elements/table.js';
import { styled } from '../elements/styled.js';
import { html, nothing, repeat } from '../lib.js';
import { bytes, isKnown, level, percent, rough, whole } from '../words.js';

export const title = 'Structures';

const ROWS = 50;

const list = (read, at) => read(`structures${query({ q: at.query.q, kind: at.query.kind, sort: at.query.sort, size: ROWS, page: pageOf(at) })}`);

// What could not be read is said in its place: entries are confidential unless somebody allows it.
async function orWhy(promise) {
  try {
    return await promise;
  } catch (failure) {
    if (failure.status) {
      return { refused: failure.message };
    }
    throw failure;
  }
}

// A no is not asked for again with each look.
const refused = new Map();
const AGAIN_MILLIS = 60000;

async function entriesOfOrWhy(read, name, { rank, home }) {
  const known = refused.get(name);
  if (known && performance.now() - known.at < AGAIN_MILLIS) {
    return known.entries;
  }
  const entries = await orWhy(read(`entries${query({ structure: name, rank, home })}`, { atMostEvery: 5000 }));
  if (entries.refused) {
    refused.set(name, { entries, at: performance.now() });
  }
  return entries;
}

const FIGURES_MILLIS = 4500;

async function one(read, at) {
  const [name] = at.path;
  const { key } = at.query;
  const [structure, past, entries, found] = await Promise.all([
    readIfThere(`structure${query({ name })}`),
    readIfThere(`structure/figures${query({ name })}`, { atMostEvery: FIGURES_MILLIS }),
    entriesOfOrWhy(read, name, at.query),
    key ? orWhy(read(`entry${query({ structure: name, key })}`)) : null,
  ]);
  return { structure, past: past ?? emptyHistory, entries, found };
}

export const load = (read, at) => at.path.length ? one(read, at) : list(read, at);

const SHARES = ['load', 'fill', 'false positive rate'];

// Counts whole, shares in percent, others with two digits that say something.
const amount = (name, value) => SHARES.includes(name) ? percent(value) : Number.isInteger(value) ? whole(value) : rough(value);

const named = (name, text) => html`<span class="setting"><span class="quiet">${name}</span> ${text}</span>`;

const LISTED = ['entries', 'elements', 'about entries', 'load', 'fill'];

const shareOf = (it) => it.figures.load ?? it.figures.fill;

function entriesOf({ figures }) {
  const found = Object.entries(figures).find(([name]) => /entries|elements|values|length|size/.test(name));
  return found ? html`${whole(found[1])}${/about|below/.test(found[0]) ? html` <span class="quiet">${found[0]}</span>` : nothing}` : nothing;
}

const meter = (share) => isKnown(share) ? html`<span class="meter ${level(share)}" aria-hidden="true"><span ${styled({ '--share': Math.min(1, share) })}></span></span>${percent(share)}` : nothing;

// Of all ranks together.
const operations = (it) => isKnown(it.operationsPerSecond) ? `${rough(it.operationsPerSecond)}/s` : nothing;

const COLUMNS = [
  { label: 'name', sort: 'name', cell: (it) => html`${structureSwatch(it.name)}<a href=${to('structures', [it.name])}><strong>${it.name}</strong></a>` },
  { label: 'kind', sort: 'kind', cell: (it) => it.kind },
  { label: 'entries', figure: true, sort: 'entries', order: '-', cell: entriesOf },
  { label: 'full', figure: true, sort: 'load', order: '-', cell: (it) => meter(shareOf(it)) },
  { label: 'bytes, all ranks', figure: true, sort: 'totalBytes', order: '-', cell: (it) => bytes(it.totalBytes ?? it.bytes) },
  { label: 'skew', figure: true, sort: 'skew', order: '-', cell: (it) => isKnown(it.skew) ? html`<span class=${it.skew > 2 ? 'warned' : ''}>${it.skew.toFixed(2)}</span>` : nothing },
  { label: 'operations', figure: true, sort: 'operationsPerSecond', order: '-', cell: operations },
  { label: 'also', cell: (it) => Object.entries(it.figures).filter(([name]) => !LISTED.includes(name) && !/entries|elements/.test(name)).concat(it.repairs > 0 ? [['repairs', it.repairs]] : [])
    .slice(0, 3).map(([name, value]) => named(name, amount(name, value))) },
];

function drawList(structures, { at }) {
  const kinds = Object.entries(structures.kinds ?? {}).sort(([, one], [, other]) => other - one);
  return html`<h1>Structures</h1>
    <div class="tools">${search(at, 'Search by name')}${kinds.length ? choices(at, 'kind', 'Kind', [['', 'all'], ...kinds.map(([kind, count]) => [kind, kind, count])]) : nothing}</div>
    ${table({ caption: 'Structures', hidesCaption: true, at, columns: COLUMNS, rows: structures.items, key: (it) => it.name,
    empty: at.query.q || at.query.kind ? 'No structure is like that.' : 'Nobody has opened a structure yet. It appears here with its first use.' })}
    ${pages(at, structures, 'structures')}
    <p class="quiet">Entries are counted, unless they are about so many, or below that; what else maps and filters show is estimated from a part of them. Skew is the largest share of a rank over the mean one. Operations are those of all ranks, on memory of this host as well as across the fabric; of hundreds of structures the busiest are told.</p>`;
}

// --- one structure ---

const FIGURES = { entries: 'entries', 'load-percent': 'full', operations: 'operations' };

// What the rank that answers has of it: each rank looks at its own part.
function overTime(past) {
  const known = Object.entries(FIGURES).filter(([key]) => past.ranks.some((it) => it.values[key]?.some(isKnown)));
  return known.length === 0 ? empty('This rank has seen no figures of it. They are seen every 5 s at the ranks where it lies, if these have meters.')
    : html`<div class="charts">${known.map(([key, label]) => together(past, { [key]: label }, label))}</div>`;
}

const MOST_SHARES = 32;

function shares(structure) {
  const ranks = structure.ranks.filter((it) => it.bytes > 0);
  const most = Math.max(1, ...ranks.map((it) => it.bytes));
  const shown = [...ranks].sort((one, other) => other.bytes - one.bytes).slice(0, MOST_SHARES).sort((one, other) => one.rank - other.rank);
  return html`<ul class="shares">${repeat(shown, (it) => it.rank, (it) => html`<li>${rankLink(it.rank)}<span class="share" aria-hidden="true" ${styled({ '--share': it.bytes / most })}></span>
    <span class="figure">${bytes(it.bytes)}</span></li>`)}</ul>${shown.length < ranks.length ? html`<p class="quiet">The largest ${MOST_SHARES} of ${whole(ranks.length)} ranks.</p>` : nothing}`;
}

function lookUp(at, found) {
  const ask = (event) => {
    event.preventDefault();
    location.hash = to('structures', at.path, { ...at.query, key: new FormData(event.target).get('key').trim() });
  };
  const answer = found?.refused ? html`<p class="bad">${found.refused}</p>`
    : found ? html`<p>${found.found ? html`<strong>${at.query.key}</strong> \u2192 <code>${text(found.value)}</code>` : html`There is no <strong>${at.query.key}</strong>.`}</p>` : nothing;
  return html`<form class="lookup" @submit=${ask}><label>Key <input type="text" name="key" .value=${at.query.key ?? ''} autocomplete="off" spellcheck="false"></label>
    <button type="submit">Look up</button></form><div role="status">${answer}</div>`;
}

const text = (value) => typeof value === 'string' ? value : JSON.stringify(value);

function drawEntries(entries, at, found) {
  if (entries.refused) {
    return html`<p class="quiet">${entries.refused}</p>`;
  }
  const rows = (entries.items ?? []).map((it, index) => ({ ...it, index }));
  const isFirst = !at.query.rank && !at.query.home;
  return html`${lookUp(at, found)}${table({
    caption: isFirst ? 'The first entries' : `Entries from rank ${whole(Number(at.query.rank ?? 0))} on`, at, rows, key: (it) => it.index,
    empty: entries.next ? 'There are none as far as was read.' : isFirst ? 'It is empty.' : 'There are no more.',
    columns: [
      { label: rows.some((it) => 'key' in it) ? 'key' : 'place', cell: (it) => html`<code>${'key' in it ? text(it.key) : it.index}</code>` },
      { label: 'value', cell: (it) => html`<code>${text('value' in it ? it.value : it)}</code>` },
    ],
  })}${leftOut(entries.unread ?? [])}${isFirst && !entries.next ? nothing : html`<nav class="pages" aria-label="Pages of entries">
    ${isFirst ? nothing : html`<a href=${changed(at, { rank: '', home: '' })}>\u00ab From the beginning</a>`}
    ${entries.next ? html`<a href=${changed(at, entries.next)}>Go on \u203a</a>` : html`<span class="quiet">Here it ends.</span>`}</nav>`}`;
}

const leftOut = (ranks) => ranks.length === 0 ? nothing
  : html`<p class="bad">${ranks.length === 1 ? 'A rank' : `${whole(ranks.length)} ranks`} could not be read, and ${ranks.length === 1 ? 'its' : 'their'} entries are left out: ${ranks.map((rank, index) => html`${index > 0 ? ', ' : ''}${rankLink(rank)}`)}.</p>`;

const CACHE = /^cache /;

function actions({ name, kind, settings, ranks }) {
  const clear = { label: 'Clear', title: `Clear ${name}?`, text: 'All that is in it is gone, at every rank.', name, path: 'actions/clear', body: () => ({ name }), done: () => `${name} is cleared.` };
  if (CACHE.test(name)) {
    const cache = name.replace(CACHE, '');
    return [{ label: 'Evict all', title: `Evict all of cache ${cache}?`, text: 'Each value is computed again when it is asked for.', name: cache, path: 'actions/evict',
      body: () => ({ name: cache }), done: () => `Cache ${cache} is empty.` }];
  }
  if (kind === 'queue') {
    const most = Math.max(0, ...ranks.map((it) => it.rank));
    return [clear,
      { label: 'Resize', title: `Resize ${name}?`, text: `It holds ${settings.capacity ?? 'some'} now. What is in it stays.`, name, fields: [{ name: 'capacity', label: 'New capacity', min: 1 }],
        path: 'actions/resize', body: ({ capacity }) => ({ name, capacity: Number(capacity) }), done: () => `${name} is resized.` },
      { label: 'Migrate', title: `Move ${name} to another rank?`, text: 'It lies in the segment of that rank then. What is in it stays.', name, fields: [{ name: 'host', label: 'To rank', min: 0, max: most }],
        path: 'actions/migrate', body: ({ host }) => ({ name, host: Number(host) }), done: () => `${name} is moved.` }];
  }
  return kind === 'bloom-filter' ? [clear] : [];
}

function drawOne(what, { at, session, look }) {
  const { structure, past, entries, found } = what;
  if (!structure) {
    return html`${crumbs('structures', title, at.path[0])}<h1>${at.path[0]}</h1>${empty('Nobody has opened a structure of this name.')}`;
  }
  const possible = actions(structure);
  return html`${crumbs('structures', title, structure.name)}
    <div class="tools"><h1>${structureSwatch(structure.name)}${structure.name} <span class="quiet">${structure.kind}</span></h1>
      ${session.mayAct && possible.length ? html`<div class="actions">${possible.map((it) => actionButton(it, { session, look }))}</div>` : nothing}</div>
    ${facts([...Object.entries(structure.figures).map(([name, value]) => [name, SHARES.includes(name) ? meter(value) : amount(name, value)]),
    ['operations, all ranks', isKnown(structure.operationsPerSecond) ? operations(structure) : null], ['bytes, all ranks', bytes(structure.totalBytes)], ['skew between ranks', isKnown(structure.skew) ? structure.skew.toFixed(2) : null], ['repairs', structure.repairs > 0 ? whole(structure.repairs) : null]])}
    ${panel('Configuration', facts(Object.entries(structure.settings ?? {}).map(([name, value]) => [name, /^\d+$/.test(value) ? whole(value) : value])))}
    ${panel('Shares of ranks', structure.ranks.some((it) => it.bytes > 0) ? shares(structure) : empty('No rank that can be read has a share.'))}
    ${panel('Over time', overTime(past), past.ranks.length ? `what rank ${past.ranks[0].rank} has of it` : '')}
    ${panel('Entries', drawEntries(entries, at, found))}
    ${structure.kind === 'lock-table' ? html`<p><a href=${to('locks', [structure.name])}>Its locks</a></p>` : nothing}`;
}

export const draw = (what, console) => 'items' in what ? drawList(what, console) : drawOne(what, console);
