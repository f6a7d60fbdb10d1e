import { bytes, element, rest, swatch } from '../../element.js';

export const title = 'Structures';

export const load = (read) => read('structures?size=100');

// "map keys=long capacity=1000": the kind, then its settings.
function setting(text) {
  const [name, ...value] = text.split('=');
  return element('span', { class: 'setting' }, element('span', { class: 'quiet' }, `${name} `), value.join('='));
}

// Counts whole, shares in percent, what is small with two digits that say something.
function amount(name, value) {
  if (name === 'load' || name === 'fill') {
    return `${(100 * value).toFixed(value < 0.1 ? 1 : 0)} %`;
  }
  return Number.isInteger(value) ? value.toLocaleString('en') : value.toPrecision(2);
}

function figure([name, value]) {
  return element('span', { class: 'setting' }, element('span', { class: 'quiet' }, `${name} `), amount(name, value));
}

function row(structure) {
  const settings = structure.configuration.split(' ').slice(1);
  return element('tr', {},
    element('th', { scope: 'row' }, swatch(structure.name), element('strong', {}, structure.name)),
    element('td', {}, structure.kind),
    element('td', {}, ...settings.map(setting)),
    element('td', {}, ...Object.entries(structure.figures).map(figure)),
    element('td', { class: 'figure' }, bytes(structure.bytes)));
}

export function draw(structures, world) {
  if (structures.total === 0) {
    return element('p', { class: 'empty' }, 'Nobody has opened a structure yet.');
  }
  const heads = ['name', 'kind', 'configuration', 'figures'].map((it) => element('th', { scope: 'col' }, it));
  return element('div', {},
    element('div', { class: 'scroll' }, element('table', {},
      element('thead', {}, element('tr', {}, ...heads,
        element('th', { scope: 'col', class: 'figure' }, `bytes at rank ${world.rank}`))),
      element('tbody', {}, ...structures.items.map(row)))),
    rest(structures, 'structures'));
}
