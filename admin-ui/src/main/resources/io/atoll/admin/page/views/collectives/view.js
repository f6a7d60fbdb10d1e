import { bytes, element, whole } from '../../element.js';

export const title = 'Collectives';

export const load = (read) => read('collectives');

const time = (nanos) => nanos < 1e6 ? `${(nanos / 1e3).toFixed(1)} \u00b5s` : `${(nanos / 1e6).toFixed(1)} ms`;

const figure = (text, what) => element('td', { class: 'figure', 'data-what': what }, text);

const head = (text, figures) => element('th', { scope: 'col', class: figures ? 'figure' : null }, text);

const named = (it) => element('th', { scope: 'row' }, element('strong', {}, it.name), ` ${it.operation}`);

function table(heads, rows) {
  return element('div', { class: 'scroll' }, element('table', { class: 'entries' },
    element('thead', {}, element('tr', {}, element('td', {}), ...heads)), element('tbody', {}, ...rows)));
}

function runningRow(it) {
  return element('tr', {}, named(it), figure(whole(it.members), 'members'), figure(bytes(it.bytes), 'size'),
    figure(`${(it.sinceMillis / 1000).toFixed(1)} s`, 'since'), element('td', {}, it.thread));
}

function kindRow(it) {
  return element('tr', {}, named(it), figure(whole(it.finished), 'finished'),
    element('td', { class: it.failed ? 'figure blocks' : 'figure', 'data-what': 'failed' }, whole(it.failed)),
    figure(bytes(it.bytes), 'bytes'), figure(time(it.meanNanos), 'mean time'), figure(time(it.longestNanos), 'longest'));
}

export function draw({ running, kinds }) {
  if (!running.length && !kinds.length) {
    return element('p', { class: 'empty' }, 'This rank has not begun a collective yet.');
  }
  return element('div', {},
    element('h2', {}, `${whole(running.length)} under way`),
    running.length ? table([head('members', true), head('size', true), head('since', true), head('thread')], running.map(runningRow)) : '',
    element('h2', {}, 'over'),
    table([head('finished', true), head('failed', true), head('bytes', true), head('mean time', true), head('longest', true)], kinds.map(kindRow)));
}
