// Small elements of several views.
import { to } from '../address.js';
import { html, nothing } from '../lib.js';
import { duration, whole } from '../words.js';

// The ranks whose processes live and do nothing. Only the problems tell, since such a rank's memory can be read.
export const stillRanks = (overview) => new Set((overview?.problems ?? []).filter((it) => it.kind === 'rank-still').map((it) => it.rank));

export function standing(it, still) {
  if (it.refusal && it.standing !== 'LOST') {
    return 'refused';
  }
  return it.standing === 'JOINED' && still.has(it.rank) ? 'still' : it.standing.toLowerCase();
}

// A standing as a part of a sentence.
export const standingInWords = (name) => name === 'still' ? 'stands still' : name;

const GLYPHS = { critical: '\u25b2', warning: '\u25c6', good: '\u25cf' };

// A severity is said, drawn and coloured.
export const severity = (name) => html`<span class="mark-of ${name}"><span aria-hidden="true">${GLYPHS[name]}</span><span class="unseen">${name}: </span></span>`;

export const rankLink = (rank) => html`<a href=${to('ranks', [rank])}>rank ${rank}</a>`;

const WAYS = { 'own-memory': 'its own memory', 'shared-memory': 'shared memory', tcp: 'TCP', rdma: 'RDMA' };

// How a rank is reached, in words.
export const wayOf = ({ way }) => WAYS[way] ?? way;

export const structureLink = (name) => html`<a href=${to('structures', [name])}>${name}</a>`;

export const lockLink = ({ table, index }) => html`<a href=${to('locks', [table, index])}>${table} ${whole(index)}</a>`;

// Facts that are not known are left out.
export const facts = (said) => html`<dl class="facts">${said.filter(([, value]) => value !== null && value !== undefined && value !== '')
  .map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;

export const crumbs = (view, title, name) => html`<nav class="crumbs" aria-label="Where this is"><a href=${to(view)}>${title}</a> <span aria-hidden="true">\u203a</span> ${name}</nav>`;

export const empty = (text) => html`<p class="empty">${text}</p>`;

export const panel = (title, content, note) => html`<section class="panel"><h2>${title}${note ? html` <span class="quiet">${note}</span>` : nothing}</h2>${content}</section>`;

// What the epoch waits for: the first thing that an operator has to know of memory that is not freed.
export function blocker(token, limboBytes) {
  return token ? html`<div class="banner critical" role="note"><span class="face" aria-hidden="true">\u25b2</span><div><strong>${token.thread}</strong> of ${rankLink(token.rank)} blocks the epoch:
    pinned since epoch ${whole(token.epoch)}, for <strong>${duration(token.ageMillis)}</strong>. ${limboBytes ? html`${limboBytes} wait to be freed.` : nothing}
    <span class="remedy">Let the thread end its operation, or close its pin; the jstack of that process shows where it is.</span></div></div>`
    : html`<div class="banner good" role="note"><span class="face" aria-hidden="true">\u25cf</span><div>Nobody blocks the epoch.</div></div>`;
}
