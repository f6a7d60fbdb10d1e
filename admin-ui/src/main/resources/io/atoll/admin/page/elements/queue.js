// One lock's queue: the cohort of the owner's threads and that of the others, who holds it and who waits.
import { html, nothing, repeat } from '../lib.js';
import { duration, isKnown, whole } from '../words.js';
import { rankLink } from './pieces.js';

const keyOf = (it) => `${it.rank} ${it.thread}`;

const age = (it) => it.heldMillis ?? it.waitedMillis ?? null;

function person(it, isHolder, place) {
  return html`<li class="person ${isHolder ? 'holder' : ''}"><span class="place">${isHolder ? 'holds' : place}</span><strong>${it.thread}</strong> of ${rankLink(it.rank)}
    <span class="age">${isHolder ? 'for' : 'waits for'} ${duration(age(it))}</span>${isHolder && it.key ? html`<span class="key-text">\u201c${it.key}\u201d</span>` : nothing}${isHolder && isKnown(it.token)
  ? html`<span class="quiet">token ${it.token}</span>` : nothing}</li>`;
}

// The cohort's holder is at its head, then those that wait, the longest first.
function cohort(isLocal, users, holders) {
  const held = holders.filter((it) => it.local === isLocal);
  return { holders: held, waiting: users.filter((it) => !held.some((holder) => keyOf(holder) === keyOf(it))) };
}

const cohortsOf = ({ local, remote, holders }) => ({ local: cohort(true, local, holders), remote: cohort(false, remote, holders) });

const LANES = { local: ['Threads of the owner', 'local'], remote: ['Threads of other ranks', 'remote'] };

const BUDGET_PIPS = 16;

function budget(left) {
  return html`<span class="budget">may hand on ${whole(left)} times more<span class="pips" aria-hidden="true">${Array.from({ length: Math.max(0, Math.min(BUDGET_PIPS, left)) }, () => html`<i></i>`)}</span></span>`;
}

function lane(name, cohort, lock) {
  const [title] = LANES[name];
  const has = cohort.holders.length > 0;
  return html`<section class="lane ${has ? 'has' : ''}"><h3>${title}${name === 'local' ? html` <span class="quiet">rank ${lock.owner}</span>` : nothing}
      ${lock.victim === name ? html`<span class="victim">victim: lets the others go first</span>` : nothing}${has && isKnown(lock.budget) ? budget(lock.budget) : nothing}</h3>
    ${cohort.holders.length + cohort.waiting.length === 0 ? html`<p class="quiet">nobody</p>` : html`<ol class="people">
      ${repeat(cohort.holders, keyOf, (it) => person(it, true))}${repeat(cohort.waiting, keyOf, (it, index) => person(it, false, index + 1))}</ol>`}</section>`;
}

export function queue(lock) {
  const { local, remote } = cohortsOf(lock);
  return html`<div class="queue">${lane('local', local, lock)}${lane('remote', remote, lock)}</div>`;
}
