import { bytes, element, rest, swatch, whole } from '../../element.js';

export const title = 'Structures';

export const load = (read) => read('structures?size=100');

function named(name, text) {
  return element('span', { class: 'setting' }, element('span', { class: 'quiet' }, `${name} `), text);
}

// "map keys=long capacity=1000": the kind, then its settings.
function setting(text) {
  const [name, ...value] = text.split('=');
  return named(name, value.length === 1 && /^\d+$/.test(value[0]) ? whole(value[0]) : value.join('='));
}

const SHARES = ['load', 'fill', 'false positive rate'];
const LEAST_SHARE = 0.0001;

// Counts whole, shares in percent, others with two digits that say something.
function amount(name, value) {
  if (SHARES.includes(name)) {
    return value > 0 && value < LEAST_SHARE ? `< ${100 * LEAST_SHARE} %` : `${Number((100 * value).toPrecision(2))} %`;
  }
  return Number.isInteger(value) ? whole(value) : value.toPrecision(2);
}

const figure = ([name, value]) => named(name, amount(name, value));

function row(structure, world) {
  const settings = structure.configuration.split(' ').slice(1);
  const repairs = structure.repairs > 0 ? [['repairs', structure.repairs]] : [];
  return element('tr', {},
    element('th', { scope: 'row' }, swatch(structure.name), element('strong', {}, structure.name)),
    element('td', {}, structure.kind),
    element('td', {}, ...settings.map(setting)),
    element('td', {}, ...Object.entries(structure.figures).concat(repairs).map(figure)),
    element('td', { class: 'figure', 'data-what': `at rank ${world.rank}` }, bytes(structure.bytes)));
}

export function draw(structures, world) {
  if (structures.total === 0) {
    return element('p', { class: 'empty' }, 'Nobody has opened a structure yet.');
  }
  const heads = ['name', 'kind', 'configuration', 'figures'].map((it) => element('th', { scope: 'col' }, it));
  return element('div', {},
    element('div', { class: 'scroll' }, element('table', { class: 'entries' },
      element('thead', {}, element('tr', {}, ...heads,
        element('th', { scope: 'col', class: 'figure' }, `bytes at rank ${world.rank}`))),
      element('tbody', {}, ...structures.items.map((it) => row(it, world))))),
    element('p', { class: 'quiet' }, 'Entries are counted, unless they are about so many, or below that; what else maps and filters show is estimated from a part of them.'),
    rest(structures, 'structures'));
}
