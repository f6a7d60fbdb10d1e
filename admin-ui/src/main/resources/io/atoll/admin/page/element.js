// An element with its attributes and children; texts stay texts, whatever is in them. An attribute that is null is left out.
export function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (attribute === 'style') {
      Object.entries(value).forEach(([property, text]) => made.style.setProperty(property, text));
    } else if (value !== null) {
      made.setAttribute(attribute, value);
    }
  }
  made.append(...children);
  return made;
}

export const whole = (number) => Number(number).toLocaleString('en');

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function bytes(count) {
  const unit = Math.min(Math.floor(Math.log2(Math.max(count, 1)) / 10), UNITS.length - 1);
  const number = count / 1024 ** unit;
  return `${number < 10 && unit > 0 ? number.toFixed(1) : Math.round(number)} ${UNITS[unit]}`;
}

const hues = new Map();
const GOLDEN_ANGLE = 137.508;

// A structure's colour, the same wherever it is drawn, and far from that of the one before.
export function hue(name) {
  if (!hues.has(name)) {
    hues.set(name, (195 + hues.size * GOLDEN_ANGLE) % 360);
  }
  return hues.get(name);
}

export const swatch = (name) => element('span', { class: 'swatch', style: { '--hue': hue(name) } });

// Says that a list is longer than what is shown of it, if it is.
export function rest(list, what) {
  const hidden = list.items.length === list.total;
  return element('p', { class: 'quiet', hidden: hidden ? '' : null },
    `${list.items.length} of ${list.total} ${what} are shown; the API has the others.`);
}
