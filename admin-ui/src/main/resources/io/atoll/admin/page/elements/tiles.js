// Hundreds of ranks on one screen: a tile for each, filled as its segment is.
import { to } from '../address.js';
import { html, nothing, repeat } from '../lib.js';
import { fill, level, percent } from '../words.js';
import { standing, standingInWords } from './pieces.js';
import { styled } from './styled.js';

function said(it, name, share) {
  const memory = share === null ? 'memory not known' : `${percent(share)} of its memory in use`;
  return `rank ${it.rank}, ${standingInWords(name)}, ${memory}${it.host ? `, at ${it.host}` : ''}`;
}

function tile(it, world, still) {
  const share = fill(it.usage);
  const name = standing(it, still);
  const label = said(it, name, share);
  return html`<li><a class="tile ${name} ${name === 'joined' ? level(share) : ''}" href=${to('ranks', [it.rank])} aria-label=${label} title=${label}
    aria-current=${it.rank === world?.rank ? 'true' : nothing} ${styled({ '--share': share ?? 0 })}><span class="number">${it.rank}</span><span class="figure">${name === 'joined' ? percent(share && Math.round(100 * share) / 100) : name}</span></a></li>`;
}

export const tiles = (ranks, world, still) => html`<ul class="tiles">${repeat(ranks, (it) => it.rank, (it) => tile(it, world, still))}</ul>`;
