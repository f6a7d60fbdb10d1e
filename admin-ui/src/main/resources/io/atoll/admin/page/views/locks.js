// Tables of locks and their contention; one lock's queue; who waits for whom.
import { to } from '../address.js';
import { query, readIfThere } from '../api.js';
import { actionButton } from '../elements/action.js';
import { emptyHistory, history, range, together } from '../elements/chart.js';
import { graph } from '../elements/graph.js';
import { crumbs, empty, facts, panel, rankLink } from '../elements/pieces.js';
import { queue } from '../elements/queue.js';
import { rate } from '../elements/rate.js';
import { pageOf, pages, search, table } from '../elements/table.js';
import { html, nothing } from '../lib.js';
import { duration, isKnown, rough, whole } from '../words.js';

export const title = 'Locks';

const ROWS = 20;
const SERIES = ['lock-waited-millis', 'lock-waits', 'lock-acquisitions'];

export async function load(read, at) {
  const [name, index] = at.path;
  if (index !== undefined) {
    return { lock: await readIfThere(`lock${query({ table: name, index })}`) };
  }
  if (name !== undefined) {
    return { table: await readIfThere(`lock-table${query({ name })}`) };
  }
  const [tables, waits, past] = await Promise.all([
    read(`locks${query({ q: at.query.q, sort: at.query.sort, size: ROWS, page: pageOf(at) })}`),
    readIfThere('locks/graph'),
    history(read, at, SERIES),
  ]);
  return { tables, waits: waits ?? { edges: [], cycles: [] }, past: past ?? emptyHistory };
}

// Waiting time a second.
const heat = (name, lock) => rate(`lock ${name} ${lock.index}`, lock.waitedMillis);

const user = (it) => html`<div><strong>${it.thread}</strong> of ${rankLink(it.rank)} <span class="quiet">${duration(it.heldMillis ?? it.waitedMillis)}</span>${it.key ? html` <span class="key-text">\u201c${it.key}\u201d</span>` : nothing}</div>`;

const FEW = 3;

const waiting = (it) => html`${it.waiting.slice(0, FEW).map(user)}${it.waiting.length > FEW ? html`<div class="quiet">and ${whole(it.waiting.length - FEW)} more</div>` : nothing}`;

const columns = (name) => [
  { label: 'lock', cell: (it) => html`<a href=${to('locks', [name, it.index])}><strong>lock ${whole(it.index)}</strong></a> <span class="quiet">at rank ${it.owner}</span>` },
  { label: 'held by', cell: (it) => it.holders.map(user) },
  { label: 'waiting', cell: waiting },
  { label: 'waited a second', figure: true, cell: (it) => isKnown(it.rate) ? duration(it.rate) : '' },
  { label: 'waited', figure: true, cell: (it) => duration(it.waitedMillis) },
  { label: 'waits', figure: true, cell: (it) => whole(it.waits) },
  { label: 'longest', figure: true, cell: (it) => duration(it.longestWaitMillis) },
  { label: 'taken', figure: true, cell: (it) => rough(it.localAcquisitions + it.remoteAcquisitions) },
  { label: 'recoveries', figure: true, cell: (it) => whole(it.recoveries) },
];

const rows = (name, locks) => locks.map((it) => ({ ...it, rate: heat(name, it) }));

const hotterFirst = (one, other) => (other.rate ?? 0) - (one.rate ?? 0) || other.waitedMillis - one.waitedMillis;

function drawTable({ name, busy, hottest }, at) {
  const hot = rows(name, hottest).sort(hotterFirst);
  return busy.length + hottest.length === 0 ? empty('Nobody holds or has waited for any of its locks.') : html`
    ${busy.length ? table({ caption: 'Busy now', at, rows: rows(name, busy), columns: columns(name), key: (it) => it.index, empty: '' }) : nothing}
    ${hot.length ? table({ caption: 'Hottest, by waiting time a second', at, rows: hot, columns: columns(name), key: (it) => it.index }) : nothing}`;
}

function drawTables({ tables, waits, past }, { at }) {
  return html`<div class="tools"><h1>Locks</h1>${range(at)}</div>
    ${waits.cycles.length ? panel('Deadlocks', graph(waits, at)) : nothing}
    <section class="panel"><h2>Contention</h2>${past.ranks.length === 0 ? empty('No rank has written a history that can be read.') : html`<div class="charts">
      ${together(past, { 'lock-waited-millis': 'waited' }, 'Waiting time a second, all threads of all ranks')}
      ${together(past, { 'lock-acquisitions': 'acquisitions', 'lock-waits': 'that had to wait' }, 'Acquisitions a second')}</div>`}</section>
    ${tables.total > FEW || at.query.q ? html`<div class="tools">${search(at, 'Search tables')}</div>` : nothing}
    ${tables.total === 0 ? empty('There is no table of locks.') : tables.items.map((it) => panel(html`<a href=${to('locks', [it.name])}>${it.name}</a>`, drawTable(it, at), `${whole(it.locks)} locks`))}
    ${pages(at, tables, 'tables')}
    ${waits.cycles.length ? nothing : panel('Who waits for whom', graph(waits, at))}`;
}

function drawOneTable({ table: it }, { at }) {
  return it ? html`${crumbs('locks', title, it.name)}<h1>${it.name} <span class="quiet">${whole(it.locks)} locks</span></h1><p class="quiet">${it.configuration}</p>${panel('Locks', drawTable(it, at))}`
    : html`${crumbs('locks', title, at.path[0])}<h1>${at.path[0]}</h1>${empty('Nobody has opened a table of locks of this name.')}`;
}

function force(name, lock) {
  const [holder] = lock.holders;
  return {
    label: 'Force unlock', title: `Take lock ${lock.index} from ${holder.thread} of rank ${holder.rank}?`,
    text: `The next one gets it, and is told that somebody may have died with it. ${holder.thread} may still be at work under it; whatever checks the fencing token ${holder.token} refuses it then.`,
    name, path: 'actions/force-unlock', body: () => ({ table: name, index: lock.index, token: holder.token }), done: () => `Lock ${lock.index} of ${name} was taken from ${holder.thread}.`,
  };
}

function drawLock({ lock }, { at, session, look }) {
  const [name, index] = at.path;
  const where = html`<nav class="crumbs" aria-label="Where this is"><a href=${to('locks')}>Locks</a> <span aria-hidden="true">\u203a</span> <a href=${to('locks', [name])}>${name}</a> <span aria-hidden="true">\u203a</span> ${index}</nav>`;
  if (!lock) {
    return html`${where}<h1>Lock ${index}</h1>${empty('There is no such lock.')}`;
  }
  const key = lock.holders[0]?.key;
  return html`${where}<div class="tools"><h1>Lock ${whole(lock.index)} of ${name}${key ? html` <span class="key-text">\u201c${key}\u201d</span>` : nothing}</h1>
      ${session.mayAct && lock.holders.length && isKnown(lock.holders[0].token) ? html`<div class="actions">${actionButton(force(name, lock), { session, look })}</div>` : nothing}</div>
    ${lock.holders.length ? nothing : html`<div class="banner good" role="note"><div>Nobody holds it.</div></div>`}
    ${panel('Its queue', queue(lock), `in the segment of rank ${lock.owner}`)}
    ${panel('Since ever', facts([
    ['taken by the owner', whole(lock.localAcquisitions)], ['taken by others', whole(lock.remoteAcquisitions)], ['handed on', whole(lock.passes)], ['handed on, the budget spent', whole(lock.reacquisitions)],
    ['waits', whole(lock.waits)], ['waited', duration(lock.waitedMillis)], ['waited a second', isKnown(heat(name, lock)) ? duration(heat(name, lock)) : null], ['longest wait', duration(lock.longestWaitMillis)],
    ['recoveries', whole(lock.recoveries)],
  ]))}`;
}

export const draw = (what, console) => 'lock' in what ? drawLock(what, console) : 'table' in what ? drawOneTable(what, console) : drawTables(what, console);
