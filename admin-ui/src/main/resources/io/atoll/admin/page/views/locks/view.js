import { element, rest, whole } from '../../element.js';

export const title = 'Locks';

export const load = (read) => read('locks');

const FIGURES = {
  localAcquisitions: 'by the owner', remoteAcquisitions: 'by others', passes: 'passed on', reacquisitions: 'reacquired',
  waits: 'waits', waitedMillis: 'waited, ms', longestWaitMillis: 'longest, ms', recoveries: 'recoveries',
};

function user({ rank, thread, sinceMillis }) {
  const seconds = Math.max(0, (Date.now() - sinceMillis) / 1000).toFixed(1);
  return element('div', {}, element('strong', {}, thread), ` of rank ${rank}, ${seconds} s`);
}

function row(lock) {
  return element('tr', {},
    element('th', { scope: 'row' }, element('strong', {}, `lock ${whole(lock.index)}`), ` at rank ${lock.owner}`),
    element('td', {}, ...lock.holders.map(user)),
    element('td', {}, ...lock.waiting.map(user)),
    ...Object.entries(FIGURES).map(([name, what]) => element('td', { class: 'figure', 'data-what': what }, whole(lock[name]))));
}

function rows(caption, locks) {
  const head = (text, figures) => element('th', { scope: 'col', class: figures ? 'figure' : null }, text);
  return locks.length === 0 ? '' : element('div', { class: 'scroll' }, element('table', { class: 'entries' },
    element('caption', {}, caption),
    element('thead', {}, element('tr', {}, element('td', {}), head('held by'), head('waiting'),
      ...Object.values(FIGURES).map((it) => head(it, true)))),
    element('tbody', {}, ...locks.map(row))));
}

function table({ name, locks, configuration, busy, hottest }) {
  return element('section', {}, element('h2', {}, name), element('p', { class: 'quiet' }, configuration),
    busy.length + hottest.length === 0
      ? element('p', { class: 'empty' }, `Nobody holds or has waited for any of its ${whole(locks)} locks.`)
      : '',
    rows('busy now', busy), rows('hottest so far', hottest));
}

export function draw(tables) {
  return tables.total === 0
    ? element('p', { class: 'empty' }, 'There is no table of locks.')
    : element('div', {}, ...tables.items.map(table), rest(tables, 'tables'));
}
