import { bytes, element } from '../../element.js';

export const title = 'Epochs';

export const load = (read) => read('epochs');

const figure = (text) => element('td', { class: 'figure' }, String(text));

function token({ thread, epoch, ageMillis, blocks }) {
  return element('div', { class: blocks ? 'lost' : '' }, element('strong', {}, thread), ` since epoch ${epoch}, ${(ageMillis / 1000).toFixed(1)} s`,
    blocks ? ' \u2013 the epoch waits for it' : '');
}

function limbo({ epoch, objects, bytes: size }) {
  return element('div', {}, `epoch ${epoch}: ${objects} objects`, size ? `, ${bytes(size)}` : '');
}

function row(rank) {
  return element('tr', {},
    element('th', { scope: 'row' }, `rank ${rank.rank}`),
    figure(rank.cachedEpoch),
    element('td', {}, ...rank.tokens.map(token)),
    element('td', {}, ...rank.limbo.map(limbo)),
    figure(rank.retired), figure(rank.freed), figure(rank.lost), figure(rank.advances), figure(rank.failedElections));
}

export function draw(epochs) {
  if (!epochs.used) {
    return element('p', { class: 'empty' }, 'This rank has not retired an object yet.');
  }
  const heads = ['', 'cached epoch', 'pinned tokens', 'in limbo', 'retired', 'freed', 'lost', 'advances', 'failed elections'];
  return element('div', {}, element('h2', {}, `epoch ${epochs.epoch}`),
    element('div', { class: 'scroll' }, element('table', {},
      element('thead', {}, element('tr', {}, ...heads.map((it) => element('th', { scope: 'col' }, it)))),
      element('tbody', {}, ...epochs.ranks.map(row)))));
}
