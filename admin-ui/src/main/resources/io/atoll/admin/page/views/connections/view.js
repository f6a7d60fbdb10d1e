import { element, whole } from '../../element.js';

export const title = 'Connections';

export const load = (read) => read('connections');

const NONE = '\u2013';

const WAYS = { 'own-memory': 'its own memory', 'shared-memory': 'shared memory', tcp: 'TCP', verbs: 'RDMA' };

const figure = (text, what) => element('td', { class: 'figure', 'data-what': what }, text);

const head = (text, figures) => element('th', { scope: 'col', class: figures ? 'figure' : null }, text);

const roundTrip = (nanos) => nanos === null ? NONE : `${(nanos / 1e3).toFixed(1)} \u00b5s`;

const silence = (millis) => millis === null ? NONE : `${(millis / 1e3).toFixed(1)} s`;

function table(heads, rows) {
  return element('div', { class: 'scroll' }, element('table', { class: 'entries' },
    element('thead', {}, element('tr', {}, element('td', {}), ...heads)), element('tbody', {}, ...rows)));
}

function row(reached) {
  return element('tr', {},
    element('th', { scope: 'row' }, element('strong', {}, `rank ${reached.rank}`)),
    element('td', {}, reached.way === null ? 'not there' : WAYS[reached.way] ?? reached.way),
    figure(whole(reached.usable), 'usable'),
    element('td', {}, ...reached.broken.map((why) => element('div', { class: 'blocks' }, why))),
    figure(whole(reached.unanswered), 'unanswered'),
    figure(roundTrip(reached.roundTripNanos), 'round trip'),
    element('td', { class: reached.silentMillis === null ? 'figure' : 'figure blocks', 'data-what': 'silent for' },
      silence(reached.silentMillis)));
}

function refusals(refused) {
  const counted = Object.entries(refused).filter(([, attempts]) => attempts > 0);
  return counted.length
    ? table([head('attempts', true)], counted.map(([reason, attempts]) =>
      element('tr', {}, element('th', { scope: 'row' }, reason), figure(whole(attempts), 'attempts'))))
    : element('p', { class: 'empty' }, 'This rank has refused nobody.');
}

export function draw({ ranks, refused }, world) {
  return element('div', {},
    element('h2', {}, `as rank ${world.rank} reaches them`),
    table([head('by'), head('usable', true), head('broken'), head('unanswered', true), head('round trip', true),
      head('silent for', true)], ranks.map(row)),
    element('h2', {}, 'refused'), refusals(refused));
}
