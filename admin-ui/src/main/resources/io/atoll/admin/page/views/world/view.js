// The picture: ranks are columns, segments are bars that show where what lies, structures are rows.
import { bytes, element, hue, rest, swatch } from '../../element.js';

export const title = 'World';

export async function load(read) {
  const [segments, structures, view] = await Promise.all([read('segments?size=50'), read('structures?size=100'), read('view')]);
  return { segments, structures, view };
}

const percent = (part, whole) => `${100 * part / whole}%`;
const word = (segment) => (segment.refusal ? 'refused' : segment.standing.toLowerCase());

function head(segment, world) {
  return element('th', { class: `rank ${word(segment)}`, scope: 'col', 'aria-current': segment.rank === world.rank ? 'true' : null },
    element('span', { class: 'number' }, `rank ${segment.rank}`),
    element('span', { class: 'standing' }, word(segment)),
    element('span', { class: 'quiet' }, segment.incarnation > 1 ? `start ${segment.incarnation}` : ''));
}

function block({ structure, offset, bytes: size }, segment) {
  return element('span', {
    class: 'block',
    title: `${structure}: ${bytes(size)} at offset ${offset}`,
    style: { '--hue': hue(structure), top: percent(offset, segment.bytes), height: percent(size, segment.bytes) },
  });
}

function note(segment) {
  if (segment.usage) {
    return [element('strong', {}, bytes(segment.usage.totalBytes - segment.usage.freeBytes)), ` of ${bytes(segment.bytes)}`];
  }
  return [segment.refusal ?? (segment.standing === 'LOST' ? 'out of reach' : 'not here yet')];
}

function bar(segment) {
  return element('td', { class: 'bar' },
    element('div', { class: `segment ${segment.usage ? '' : 'absent'}` }, ...segment.blocks.map((it) => block(it, segment))),
    element('div', { class: 'quiet' }, ...note(segment)));
}

function share(structure, segment) {
  const found = segment.blocks.filter((it) => it.structure === structure.name);
  const total = found.reduce((sum, it) => sum + it.bytes, 0);
  return element('td', {}, total ? bytes(total) : element('span', { class: 'quiet' }, '–'));
}

function row(structure, segments) {
  return element('tr', {},
    element('th', { scope: 'row', title: structure.configuration },
      swatch(structure.name), element('strong', {}, structure.name), element('span', { class: 'quiet' }, structure.kind)),
    ...segments.map((segment) => share(structure, segment)));
}

const objectBytes = (segment) => segment.usage?.objectSlabBytes ?? 0;

// What has no name: the nodes of stacks and queues, elements that pointers lead to.
function objects(segments) {
  return segments.some((it) => objectBytes(it) > 0) ? [element('tr', {},
    element('th', { scope: 'row' }, element('strong', {}, 'objects'),
      element('span', { class: 'quiet' }, 'allocated one by one')),
    ...segments.map((it) => element('td', {}, it.usage ? bytes(objectBytes(it)) : element('span', { class: 'quiet' }, '–'))))] : [];
}

function noStructures(columns, world) {
  return element('tr', {}, element('td', { class: 'empty', colspan: columns + 1 },
    world.whole
      ? 'Nobody has opened a structure yet. It appears here with its first use.'
      : 'Structures can be used once every rank has joined.'));
}

// Who decides which ranks are dead, where the kernel does not know.
function decided(view) {
  if (!view.decided) {
    return [];
  }
  const unheard = Object.entries(view.suspicions).map(([rank, by]) => `${rank} (by ${by.join(', ')})`);
  const words = view.number
    ? [`view ${view.number}: ranks ${view.members.map((it) => it.rank).join(', ')}; decided by ${view.electors.join(', ')}`,
      ...(unheard.length ? [`not heard: ${unheard.join(', ')}`] : []), ...(view.waiting ? [view.waiting] : [])]
    : ['no view yet: all founding ranks must be there'];
  return [element('p', { class: 'quiet' }, words.join('; '))];
}

export function draw({ segments, structures, view }, world) {
  const columns = segments.items;
  const rows = structures.items.map((structure) => row(structure, columns));
  return element('div', {},
    element('div', { class: 'scroll' }, element('table', { class: 'picture', style: { '--ranks': columns.length } },
      element('thead', {}, element('tr', {}, element('td', {}), ...columns.map((it) => head(it, world)))),
      element('tbody', {},
        element('tr', {}, element('th', { scope: 'row', class: 'top' }, element('strong', {}, 'segment'),
          element('span', { class: 'quiet' }, 'offset 0 on top')), ...columns.map(bar)),
        ...(rows.length ? rows : [noStructures(columns.length, world)]), ...objects(columns)))),
    ...decided(view), rest(segments, 'ranks'), rest(structures, 'structures'));
}
