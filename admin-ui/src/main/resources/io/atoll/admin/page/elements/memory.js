// The picture of a segment: what its memory is used for. Named blocks, objects, what waits to be freed, what is free.
import { to } from '../address.js';
import { html, nothing } from '../lib.js';
import { bytes, fill, hue, level, percent, used } from '../words.js';
import { styled } from './styled.js';

const MOST_NAMED = 24;

const KINDS = {
  structure: 'structure',
  more: 'structures',
  objects: 'objects',
  retired: 'retired, not free yet',
  room: 'room in slabs of objects',
  other: 'large objects and others',
  pending: 'reserved for a structure in the making',
  free: 'free',
};

function named(blocks) {
  const sizes = new Map();
  blocks.forEach(({ structure, bytes: size }) => sizes.set(structure, (sizes.get(structure) ?? 0) + size));
  return [...sizes].map(([name, size]) => ({ kind: 'structure', name, bytes: size }));
}

// Parts that together are the heap, the largest structures by themselves.
export function parts({ usage, blocks }) {
  const structures = named(blocks);
  const alone = new Set([...structures].sort((one, other) => other.bytes - one.bytes).slice(0, MOST_NAMED));
  const rest = structures.filter((it) => !alone.has(it));
  const inStructures = structures.reduce((sum, it) => sum + it.bytes, 0);
  const others = Math.max(0, used(usage) - inStructures - usage.objectSlabBytes - usage.pendingBytes);
  const retired = Math.min(usage.retiredBytes ?? 0, usage.objectBytes + others);
  const retiredObjects = Math.min(retired, usage.objectBytes);
  return [
    ...structures.filter((it) => alone.has(it)),
    { kind: 'more', name: `${rest.length} smaller structures`, bytes: rest.reduce((sum, it) => sum + it.bytes, 0) },
    { kind: 'objects', name: 'objects', bytes: usage.objectBytes - retiredObjects },
    { kind: 'other', name: 'large objects and others', bytes: others - (retired - retiredObjects) },
    { kind: 'retired', name: 'retired', bytes: retired },
    { kind: 'room', name: 'room for objects', bytes: Math.max(0, usage.objectSlabBytes - usage.objectBytes) },
    { kind: 'pending', name: 'pending', bytes: usage.pendingBytes },
    { kind: 'free', name: 'free', bytes: usage.freeBytes },
  ].filter((it) => it.bytes > 0);
}

const said = (part, usage) => `${part.name}: ${bytes(part.bytes)}, ${percent(part.bytes / usage.totalBytes)}${part.kind === 'structure' || part.kind === part.name ? '' : ` (${KINDS[part.kind]})`}`;

const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

// One stop of the tabulator; the arrows go from part to part.
function step(event) {
  const all = [...event.currentTarget.querySelectorAll('.part')];
  const now = all.indexOf(event.target);
  const next = event.key === 'Home' ? 0 : event.key === 'End' ? all.length - 1 : now + (STEPS[event.key] ?? NaN);
  if (now < 0 || Number.isNaN(next)) {
    return;
  }
  event.preventDefault();
  const chosen = all[Math.min(all.length - 1, Math.max(0, next))];
  all.forEach((it) => it.setAttribute('tabindex', it === chosen ? '0' : '-1'));
  chosen.focus();
}

function point(event) {
  const part = event.target.closest?.('.part');
  const line = event.currentTarget.parentElement.querySelector('.pointed');
  if (part && line) {
    line.textContent = part.getAttribute('aria-label');
  }
}

function piece(part, index, usage) {
  const stop = index === 0 ? '0' : '-1';
  const label = said(part, usage);
  return html`<li ${styled({ '--share': part.bytes / usage.totalBytes, '--hue': hue(part.name) })}>${part.kind === 'structure'
    ? html`<a class="part structure" href=${to('structures', [part.name])} tabindex=${stop} aria-label=${label} title=${label}></a>`
    : html`<span class="part ${part.kind}" role="img" tabindex=${stop} aria-label=${label} title=${label}></span>`}</li>`;
}

export const summary = ({ rank, usage }) => `Memory of rank ${rank}: ${bytes(used(usage))} of ${bytes(usage.totalBytes)} in use, ${percent(fill(usage))}`;

// A bar along, or upright to stand beside others.
export function memory(segment, { isUpright = false } = {}) {
  const { usage } = segment;
  if (!usage) {
    return html`<div class="memory ${isUpright ? 'upright' : ''}"><div class="bar absent"></div></div>`;
  }
  return html`<div class="memory ${isUpright ? 'upright' : ''}"><ul class="bar ${level(fill(usage))}" aria-label=${summary(segment)} @keydown=${step}
      @focusin=${point} @mouseover=${point}>${parts(segment).map((it, index) => piece(it, index, usage))}</ul>
    ${isUpright ? nothing : html`<p class="pointed quiet" aria-hidden="true">\u00a0</p>`}</div>`;
}

export const swatch = (part) => html`<span class="swatch part ${part.kind}" aria-hidden="true" ${styled({ '--hue': hue(part.name) })}></span>`;

export const structureSwatch = (name) => swatch({ kind: 'structure', name });
