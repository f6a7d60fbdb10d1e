import { bytes, element, whole } from '../../element.js';

export const title = 'Epochs';

export const load = (read) => read('epochs');

const FIGURES = {
  retired: 'retired', freed: 'freed', lost: 'lost', advances: 'advances', failedElections: 'failed elections',
};

const figure = (number, what) => element('td', { class: 'figure', 'data-what': what }, whole(number));

function token({ thread, epoch, ageMillis, blocks }) {
  return element('div', { class: blocks ? 'blocks' : '' }, element('strong', {}, thread), ` since epoch ${whole(epoch)}, ${(ageMillis / 1000).toFixed(1)} s`,
    blocks ? ' \u2013 the epoch waits for it' : '');
}

function limbo({ epoch, objects, bytes: size }) {
  return element('div', {}, `epoch ${whole(epoch)}: ${whole(objects)} objects`, size ? `, ${bytes(size)}` : '');
}

function row(rank) {
  return element('tr', {},
    element('th', { scope: 'row' }, element('strong', {}, `rank ${rank.rank}`)),
    figure(rank.cachedEpoch, 'cached epoch'),
    element('td', {}, ...rank.tokens.map(token)),
    element('td', {}, ...rank.limbo.map(limbo)),
    ...Object.entries(FIGURES).map(([name, what]) => figure(rank[name], what)));
}

export function draw(epochs) {
  if (!epochs.used) {
    return element('p', { class: 'empty' }, 'This rank has not retired an object yet.');
  }
  const head = (text, figures) => element('th', { scope: 'col', class: figures ? 'figure' : null }, text);
  const heads = [element('td', {}), head('cached epoch', true), head('pinned tokens'), head('in limbo'),
    ...Object.values(FIGURES).map((it) => head(it, true))];
  return element('div', {}, element('h2', {}, `epoch ${whole(epochs.epoch)}`),
    element('div', { class: 'scroll' }, element('table', { class: 'entries' },
      element('thead', {}, element('tr', {}, ...heads)),
      element('tbody', {}, ...epochs.ranks.map(row)))));
}
