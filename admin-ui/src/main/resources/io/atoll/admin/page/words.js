// Numbers as people read them.
export const NONE = '\u2013';

export const isKnown = (value) => value !== null && value !== undefined;

export const whole = (number) => isKnown(number) ? Math.round(Number(number)).toLocaleString('en') : NONE;

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function bytes(count) {
  if (!isKnown(count)) {
    return NONE;
  }
  const unit = Math.min(Math.floor(Math.log2(Math.max(Math.abs(count), 1)) / 10), UNITS.length - 1);
  const number = count / 1024 ** unit;
  return `${number < 10 && unit > 0 ? number.toFixed(1) : Math.round(number)} ${UNITS[unit]}`;
}

const STEPS = [[86400e3, 'd', 3600e3, 'h'], [3600e3, 'h', 60e3, 'min'], [60e3, 'min', 1e3, 's']];

// A duration: two units at most.
export function duration(millis) {
  if (!isKnown(millis)) {
    return NONE;
  }
  for (const [large, name, small, smallName] of STEPS) {
    if (millis >= large) {
      const rest = Math.floor(millis % large / small);
      return `${Math.floor(millis / large)} ${name}${rest ? ` ${rest} ${smallName}` : ''}`;
    }
  }
  return millis >= 1000 ? `${(millis / 1000).toFixed(1)} s` : `${Math.round(millis)} ms`;
}

export function nanos(count) {
  if (!isKnown(count)) {
    return NONE;
  }
  if (count < 1e3) {
    return `${Math.round(count)} ns`;
  }
  return count < 1e6 ? `${(count / 1e3).toFixed(1)} \u00b5s` : duration(count / 1e6);
}

// Two digits that say something, and a unit for many.
export function rough(number) {
  if (!isKnown(number)) {
    return NONE;
  }
  const size = Math.abs(number);
  if (size >= 1e9) {
    return `${Number((number / 1e9).toPrecision(3))} G`;
  }
  if (size >= 1e6) {
    return `${Number((number / 1e6).toPrecision(3))} M`;
  }
  if (size >= 1e4) {
    return `${Number((number / 1e3).toPrecision(3))} k`;
  }
  return size >= 100 || Number.isInteger(number) ? whole(number) : `${Number(number.toPrecision(2))}`;
}

const LEAST_SHARE = 0.0001;

export function percent(share) {
  if (!isKnown(share)) {
    return NONE;
  }
  return share > 0 && share < LEAST_SHARE ? `< ${100 * LEAST_SHARE} %` : `${Number((100 * share).toPrecision(share < 0.1 ? 2 : 3))} %`;
}

const FORMS = {
  bytes,
  millis: duration,
  nanos,
  percent: (number) => isKnown(number) ? `${Math.round(number)} %` : NONE,
  count: rough,
};

// How values of a unit are written; those of a total are rates.
export function form(unit, isTotal = false) {
  const write = FORMS[unit] ?? rough;
  return isTotal ? (value) => isKnown(value) ? `${write(value)}/s` : NONE : write;
}

// One "thing", more "things".
export const counted = (number, one, many = `${one}s`) => `${whole(number)} ${Number(number) === 1 ? one : many}`;

const GOLDEN_ANGLE = 137.508;
const MULTIPLIER = 0x01000193;

// A structure's colour: of its name, so that it is the same on every page and at every rank.
export function hue(name) {
  let hash = 0x811c9dc5;
  for (const letter of name) {
    hash = Math.imul(hash ^ letter.codePointAt(0), MULTIPLIER) >>> 0;
  }
  return Math.round(hash % 1024 * GOLDEN_ANGLE % 360);
}

export const used = (usage) => usage.totalBytes - usage.freeBytes;

// From 0 to 1, or null if nobody knows.
export const fill = (usage) => usage && usage.totalBytes > 0 ? used(usage) / usage.totalBytes : null;

const NEARLY_FULL = 0.8;
const FULL = 0.95;

export function level(share) {
  if (!isKnown(share)) {
    return 'unknown';
  }
  return share >= FULL ? 'critical' : share >= NEARLY_FULL ? 'warning' : 'good';
}
