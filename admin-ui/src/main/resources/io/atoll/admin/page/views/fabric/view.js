import { element } from '../../element.js';

export const title = 'Fabric';

export const load = (read) => read('fabric');

const DOMAINS = {
  COHERENT_WITH_CPU: 'atomic with the CPU\u2019s: an owner uses its own words directly',
  FABRIC_ONLY: 'atomic only among themselves: an owner, too, goes through the fabric',
};

export function draw(fabric) {
  const facts = {
    'The fabric\u2019s atomics': `are ${DOMAINS[fabric.atomicDomain]}`,
    'Of one read': `${fabric.atomicReadBytes} bytes arrive whole`,
    'Reads of one batch': fabric.readsInOrder ? 'take effect in their order' : 'may take effect in any order',
    'Setting bits': fabric.fetchOr ? 'is one verb' : 'is a read and a compare-and-exchange',
  };
  return element('div', {}, element('h2', {}, fabric.type),
    element('dl', {}, ...Object.entries(facts).flatMap(([name, text]) =>
      [element('dt', {}, name), element('dd', {}, text)])));
}
