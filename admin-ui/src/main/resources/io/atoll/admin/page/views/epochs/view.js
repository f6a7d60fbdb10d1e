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

const amount = ({ objects, bytes: size }) => `${whole(objects)} objects${size ? `, ${bytes(size)}` : ''}`;

function limbo(list) {
  return element('div', {}, `epoch ${whole(list.epoch)}: ${amount(list)}`,
    ...list.owned.map((owned) => element('div', { class: 'owned' }, `of rank ${owned.rank}: ${amount(owned)}`)));
}

function row(name, epoch, what, manager) {
  return element('tr', {},
    element('th', { scope: 'row' }, element('strong', {}, name)),
    figure(epoch, what),
    element('td', {}, ...manager.tokens.map(token)),
    element('td', {}, ...manager.limbo.map(limbo)),
    ...Object.entries(FIGURES).map(([key, text]) => figure(manager[key], text)));
}

function table(epoch, rows) {
  const head = (text, figures) => element('th', { scope: 'col', class: figures ? 'figure' : null }, text);
  const heads = [element('td', {}), head(epoch, true), head('pinned tokens'), head('in limbo'),
    ...Object.values(FIGURES).map((it) => head(it, true))];
  return element('div', { class: 'scroll' }, element('table', { class: 'entries' },
    element('thead', {}, element('tr', {}, ...heads)),
    element('tbody', {}, ...rows)));
}

function ofTheWorld({ used, epoch, ranks }) {
  return used
    ? [element('h2', {}, `epoch ${whole(epoch)}`),
      table('cached epoch', ranks.map((rank) => row(`rank ${rank.rank}${rank.present ? '' : ', gone'}`, rank.cachedEpoch, 'cached epoch', rank)))]
    : [element('p', { class: 'empty' }, 'No rank has used epochs yet, or the one that has the epoch cannot be reached.')];
}

function ofThisProcess({ local }) {
  return local.length
    ? [element('h2', {}, 'of this process alone'),
      table('epoch', local.map((manager) => row(manager.name, manager.epoch, 'epoch', manager)))]
    : [];
}

export function draw(epochs) {
  return element('div', {}, ...ofTheWorld(epochs), ...ofThisProcess(epochs));
}
