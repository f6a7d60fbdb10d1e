// Figures over time. A chart is a canvas, with its figures in words for who does not see it.
import { AsyncDirective, Plot, directive, html, nothing } from '../lib.js';
import { duration, form, isKnown } from '../words.js';
import { changed } from '../address.js';

const HEIGHT = 170;
const COLOURS = 8;
const BINARY = Array.from({ length: 45 }, (_, power) => 2 ** power);

const darkness = matchMedia('(prefers-color-scheme: dark)');

// What a custom property is in the theme of now: a canvas knows only colours.
function colour(property) {
  const probe = document.createElement('span');
  probe.style.color = `var(${property})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

const seriesColour = (index) => `--series-${index % COLOURS + 1}`;

// Each series on top of those before it; the topmost is drawn first. Where none is known there is a gap.
function stack(series) {
  const sums = [];
  let below = series[0]?.values.map((_, index) => series.some((it) => isKnown(it.values[index])) ? 0 : null);
  for (const { values } of series) {
    below = values.map((value, index) => isKnown(below[index]) ? below[index] + (value ?? 0) : null);
    sums.push(below);
  }
  return sums;
}

class Chart extends AsyncDirective {
  render() {}

  update(part, [spec]) {
    this.host = part.element;
    const shape = [spec.isStacked, spec.unit, spec.isTotal, ...spec.series.map((it) => it.label)].join('\n');
    if (this.plot && shape === this.shape) {
      if (spec.times !== this.spec.times || spec.series.some((it, index) => it.values !== this.spec.series[index].values)) {
        this.plot.setData(this.data(spec));
      }
      this.spec = spec;
      return;
    }
    this.spec = spec;
    this.shape = shape;
    this.make();
  }

  data(spec) {
    const values = spec.isStacked ? stack(spec.series).reverse() : spec.series.map((it) => it.values);
    return [spec.times, ...values];
  }

  options(width) {
    const { spec } = this;
    const write = form(spec.unit, spec.isTotal);
    const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false }, font: '12px system-ui, sans-serif' };
    const lines = spec.series.map((it, index) => {
      const stroke = colour(it.colour ?? seriesColour(index));
      return { label: it.label, stroke, width: spec.isStacked ? 1 : 2, fill: spec.isStacked ? stroke : undefined, points: { show: false }, spanGaps: false };
    });
    return {
      width,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: spec.isStacked ? { show: false } : {} },
      scales: { x: { time: false }, y: { range: (plot, least, highest) => [Math.min(0, least ?? 0), highest > 0 ? highest * 1.1 : 1] } },
      series: [{}, ...(spec.isStacked ? lines.reverse() : lines)],
      axes: [
        { ...axis, size: 26, values: (plot, ticks) => ticks.map((it) => it === 0 ? 'now' : `\u2212${duration(-it * 1000)}`), space: 70, incrs: [5, 10, 15, 30, 60, 120, 300] },
        { ...axis, size: 68, values: (plot, ticks) => ticks.map(write), ...(spec.unit === 'bytes' ? { incrs: BINARY } : {}) },
      ],
      hooks: { setCursor: [(plot) => this.point(plot)] },
    };
  }

  // What is under the pointer, in the line below the chart.
  point(plot) {
    const { idx } = plot.cursor;
    const line = this.host.parentElement?.querySelector('.pointed');
    if (!line) {
      return;
    }
    const { spec } = this;
    const write = form(spec.unit, spec.isTotal);
    line.textContent = isKnown(idx) && plot.cursor.left >= 0
      ? `${duration(-spec.times[idx] * 1000)} ago: ${spec.series.slice(0, COLOURS).map((it) => `${it.label} ${write(it.values[idx])}`).join(' \u00b7 ')}`
      : '';
  }

  make() {
    this.plot?.destroy();
    const width = Math.max(200, this.host.clientWidth || 400);
    this.plot = new Plot(this.options(width), this.data(this.spec), this.host);
    this.observer ??= new ResizeObserver(() => {
      const now = this.host.clientWidth;
      if (this.plot && now > 0 && now !== this.plot.width) {
        this.plot.setSize({ width: now, height: HEIGHT });
      }
    });
    this.observer.observe(this.host);
    this.retheme ??= () => this.make();
    darkness.addEventListener('change', this.retheme);
  }

  disconnected() {
    this.observer?.disconnect();
    darkness.removeEventListener('change', this.retheme);
    this.plot?.destroy();
    this.plot = null;
    this.shape = null;
  }

  reconnected() {
    if (this.spec) {
      this.make();
    }
  }
}

const plotted = directive(Chart);

const latest = (values) => values.findLast(isKnown) ?? null;

const most = (values) => values.reduce((sum, it) => isKnown(it) && !(sum >= it) ? it : sum, null);

// title, note, unit, isTotal, times in seconds before now, series: [{label, values, colour}], isStacked
export function chart(spec) {
  const write = form(spec.unit, spec.isTotal);
  const isEmpty = spec.series.every((it) => !it.values.some(isKnown));
  const words = spec.series.slice(0, COLOURS).map((it) => `${it.label}: ${write(latest(it.values))} now, ${write(most(it.values))} at most`).join('; ');
  return html`<figure class="chart"><figcaption>${spec.title}${spec.note ? html` <span class="quiet">${spec.note}</span>` : nothing}</figcaption>
    ${isEmpty ? html`<p class="empty">Nothing is known of it yet.</p>` : html`
    <div class="plot" role="img" aria-label=${`${spec.title}. ${words}.`} ${plotted(spec)}></div>
    <ul class="legend">${spec.series.slice(0, COLOURS + 1).map((it, index) => html`<li><svg class="key" viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" rx="2"
      class=${(it.colour ?? seriesColour(index)).slice(2)}></rect></svg>${it.href ? html`<a href=${it.href}>${it.label}</a>` : it.label} <strong>${write(latest(it.values))}</strong></li>`)}</ul>
    <p class="pointed quiet" aria-hidden="true"></p>`}</figure>`;
}

const SPARK_WIDTH = 120;
const SPARK_HEIGHT = 28;

// From the first point that is known to the last one, down to 0.
function under(values, step, scale) {
  const first = values.findIndex(isKnown);
  const points = values.slice(first).map((value, index) => `L${((first + index) * step).toFixed(1)} ${(SPARK_HEIGHT - 1.5 - (value ?? 0) * scale).toFixed(1)}`);
  return `M${(first * step).toFixed(1)} ${SPARK_HEIGHT}${points.join('')}L${((values.length - 1) * step).toFixed(1)} ${SPARK_HEIGHT}Z`;
}

// A line without axes, beside its figure.
export function sparkline(values) {
  const top = most(values);
  if (!isKnown(top)) {
    return nothing;
  }
  const scale = top > 0 ? (SPARK_HEIGHT - 3) / top : 0;
  const step = SPARK_WIDTH / Math.max(1, values.length - 1);
  let pen = 'M';
  const line = values.map((value, index) => {
    if (!isKnown(value)) {
      pen = 'M';
      return '';
    }
    const point = `${pen}${(index * step).toFixed(1)} ${(SPARK_HEIGHT - 1.5 - value * scale).toFixed(1)}`;
    pen = 'L';
    return point;
  }).join('');
  return html`<svg class="spark" viewBox="0 0 ${SPARK_WIDTH} ${SPARK_HEIGHT}" preserveAspectRatio="none" aria-hidden="true"><path class="under" d=${under(values, step, scale)}></path><path d=${line}></path></svg>`;
}

export { latest };

// --- of the history that ranks write ---

export const RANGES = [['60', '1 min'], ['300', '5 min'], ['', '10 min']];

export const secondsOf = (at) => Number(at.query.seconds) || 600;

const POINTS = 120;
const MOST_STACKED = 7;

const MOST_VALUES = 200000;

// The API's answer is asked for as often as it has another point, and not more often than a look. Of thousands of ranks fewer points are asked for.
export async function history(read, at, series, { rank = '' } = {}) {
  const seconds = secondsOf(at);
  const { size } = rank === '' ? await read('world', { atMostEvery: 60000 }) : { size: 1 };
  const points = Math.max(10, Math.min(POINTS, seconds, Math.floor(MOST_VALUES / series.length / size)));
  const everyMillis = Math.max(1900, seconds / points * 1000 - 100);
  return read(`history?${new URLSearchParams({ series: series.join(), seconds, points, ...(rank === '' ? {} : { rank }) })}`, { atMostEvery: everyMillis });
}

const timesKept = new WeakMap();

function times(past, count) {
  if (!timesKept.has(past)) {
    timesKept.set(past, Array.from({ length: count }, (_, index) => -((count - 1 - index) * past.intervalMillis + past.untilAgeMillis) / 1000));
  }
  return timesKept.get(past);
}

const ORIGINS = { file: ' (from its file)', seen: ' (last seen)' };

const sum = (lists) => lists[0].map((_, index) => lists.reduce((total, list) => isKnown(list[index]) ? (total ?? 0) + list[index] : total, null));

// Charts of a history are made once for each answer.
const made = new WeakMap();

function once(past, key, make) {
  const of = made.get(past) ?? new Map();
  made.set(past, of);
  if (!of.has(key)) {
    of.set(key, make());
  }
  return of.get(key);
}

function unitOf(past, key) {
  return past.series.find((it) => it.key === key) ?? { unit: 'count', isTotal: false };
}

// One series of all ranks: the largest by themselves, the others together.
export function byRank(past, key, title, to, note) {
  return chart(once(past, `${key} ${title}`, () => {
    const known = past.ranks.filter((it) => it.values[key]?.some(isKnown));
    const largest = [...known].sort((one, other) => (most(other.values[key]) ?? 0) - (most(one.values[key]) ?? 0));
    const alone = largest.length <= MOST_STACKED + 1 ? largest : largest.slice(0, MOST_STACKED);
    const rest = largest.slice(alone.length);
    const { unit, isTotal, seenForMillis } = unitOf(past, key);
    // What this node has seen itself goes on when a rank is lost.
    const origin = (it) => isKnown(seenForMillis) ? '' : ORIGINS[it.origin] ?? '';
    const series = alone.sort((one, other) => one.rank - other.rank)
      .map((it) => ({ label: `rank ${it.rank}${origin(it)}`, values: it.values[key], href: to?.('ranks', [it.rank]) }));
    if (rest.length) {
      series.push({ label: `${rest.length} other ranks`, values: sum(rest.map((it) => it.values[key])), colour: '--series-rest' });
    }
    return { title, note, unit, isTotal, isStacked: true, times: times(past, series[0]?.values.length ?? 0), series };
  }));
}

// Several series of the same unit, summed over all ranks that there are.
export function together(past, keys, title) {
  return chart(once(past, `${keys} ${title}`, () => {
    const count = past.ranks.reduce((longest, it) => Math.max(longest, ...Object.values(it.values).map((list) => list.length)), 0);
    const series = Object.entries(keys).map(([key, label]) => {
      const lists = past.ranks.map((it) => it.values[key]).filter((it) => it?.some(isKnown));
      return { label, values: lists.length ? sum(lists) : Array(count).fill(null) };
    });
    const { unit, isTotal } = unitOf(past, Object.keys(keys)[0]);
    return { title, unit, isTotal, isStacked: false, times: times(past, count), series };
  }));
}

export const emptyHistory = { series: [], ranks: [], intervalMillis: 1000, untilAgeMillis: 0 };

export const range = (at) => html`<div class="choices" role="group" aria-label="Time range">${RANGES.map(([value, text]) => html`<a
  href=${changed(at, { seconds: value })} aria-current=${(at.query.seconds ?? '') === value ? 'true' : nothing}>${text}</a>`)}</div>`;

