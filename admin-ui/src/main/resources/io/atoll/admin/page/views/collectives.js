// What all ranks do together: what is under way and who is late, and how long the others took.
import { panel, empty, rankLink } from '../elements/pieces.js';
import { table } from '../elements/table.js';
import { styled } from '../elements/styled.js';
import { html, nothing } from '../lib.js';
import { bytes, duration, nanos, whole } from '../words.js';

export const title = 'Collectives';

export const load = (read) => read('collectives');

const LATE_MILLIS = 1000;
const SHOWN_LATE = 8;

const named = (it) => html`<strong>${it.name}</strong> ${it.operation}`;

// Counts by the upper bound of their duration.
function histogram(counts) {
  const most = Math.max(1, ...counts.map((it) => it.count));
  const label = counts.filter((it) => it.count > 0).map((it) => `${whole(it.count)} up to ${nanos(it.upToNanos)}`).join(', ');
  return html`<span class="histogram" role="img" aria-label=${label} title=${label}>${counts.map((it) => html`<i ${styled({ '--share': it.count / most })}></i>`)}</span>`;
}

// The longest over the mean is a picture of two numbers, where no more is known.
const spread = (it) => it.histogram?.length ? histogram(it.histogram)
  : html`<span class="spread" aria-hidden="true"><i ${styled({ '--share': it.longestNanos > 0 ? it.meanNanos / it.longestNanos : 0 })}></i></span>`;

const RUNNING = [
  { label: 'collective', cell: named },
  { label: 'members', figure: true, cell: (it) => whole(it.members) },
  { label: 'size', figure: true, cell: (it) => bytes(it.bytes) },
  { label: 'for', figure: true, cell: (it) => html`<span class=${it.sinceMillis > LATE_MILLIS ? 'bad' : ''}>${duration(it.sinceMillis)}</span>` },
  { label: 'thread', cell: (it) => it.thread },
  { label: 'late', cell: (it) => it.late?.length ? html`<span class="bad">${it.late.slice(0, SHOWN_LATE).map((rank, index) => html`${index ? ', ' : nothing}${rankLink(rank.rank)} for ${duration(rank.sinceMillis)}`)}${it.late.length > SHOWN_LATE ? html` and ${whole(it.late.length - SHOWN_LATE)} more` : nothing}</span>` : '' },
];

const KINDS = [
  { label: 'collective', cell: named },
  { label: 'finished', figure: true, cell: (it) => whole(it.finished) },
  { label: 'failed', figure: true, cell: (it) => html`<span class=${it.failed ? 'bad' : ''}>${whole(it.failed)}</span>` },
  { label: 'bytes', figure: true, cell: (it) => bytes(it.bytes) },
  { label: 'mean time', figure: true, cell: (it) => nanos(it.meanNanos) },
  { label: 'longest', figure: true, cell: (it) => nanos(it.longestNanos) },
  { label: 'durations', cell: spread },
];

export function draw({ running, kinds }, { at, overview }) {
  const late = (overview?.world.waits ?? []).filter((it) => /barrier|broadcast|reduce|gather|scatter|exchange|collective|team/i.test(it.doing));
  return html`<h1>Collectives</h1>
    ${late.length ? html`<div class="banner warning" role="note"><span class="face" aria-hidden="true">\u25c6</span><div>${late.slice(0, 3).map((it) => html`<strong>${it.thread}</strong> waits for ${rankLink(it.rank)} in ${it.doing} for ${duration(it.waitedMillis)}. `)}</div></div>` : nothing}
    ${!running.length && !kinds.length ? empty('This rank has not begun a collective yet.') : html`
    ${panel('Under way', table({ caption: 'Collectives under way', hidesCaption: true, at, columns: RUNNING, rows: running, key: (it) => `${it.name} ${it.operation} ${it.thread}`, empty: 'None.' }), whole(running.length))}
    ${panel('Over', table({ caption: 'Collectives that are over', hidesCaption: true, at, columns: KINDS, rows: kinds, key: (it) => `${it.name} ${it.operation}` }))}`}`;
}
