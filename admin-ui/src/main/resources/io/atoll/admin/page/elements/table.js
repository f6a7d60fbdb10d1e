// Tables: sorted, filtered and paged by the API, by what the address says.
import { changed, replace } from '../address.js';
import { html, live, nothing, repeat } from '../lib.js';
import { whole } from '../words.js';

const TYPING_MILLIS = 250;

// A column: {label, cell(row), figure, sort, order}. The first one names its row. sort is what the API calls it; order is '-' where the largest are looked for.
function head(column, at) {
  if (!column.sort) {
    return html`<th scope="col" role="columnheader" class=${column.figure ? 'figure' : ''}>${column.label}</th>`;
  }
  const sorted = at.query.sort ?? '';
  const isUp = sorted === column.sort;
  const isDown = sorted === `-${column.sort}`;
  const first = `${column.order ?? ''}${column.sort}`;
  const other = column.order ? column.sort : `-${column.sort}`;
  return html`<th scope="col" role="columnheader" class=${column.figure ? 'figure' : ''} aria-sort=${isUp ? 'ascending' : isDown ? 'descending' : nothing}><a
    href=${changed(at, { sort: sorted === first ? other : first })}>${column.label}<span class="arrow" aria-hidden="true">${isUp ? '\u25b4' : isDown ? '\u25be' : ''}</span></a></th>`;
}

function cell(column, row, index) {
  return index === 0
    ? html`<th scope="row" role="rowheader">${column.cell(row)}</th>`
    : html`<td role="cell" class=${column.figure ? 'figure' : ''} data-what=${column.label}>${column.cell(row)}</td>`;
}

// Roles are said, since narrow screens show rows as cards, and would lose them.
export function table({ caption, columns, rows, key, at, empty = 'There are none.', hidesCaption = false }) {
  return rows.length === 0 ? html`<p class="empty">${empty}</p>` : html`<div class="scroll" tabindex="0" role="region" aria-label=${caption}>
    <table class="entries" role="table">
      <caption class=${hidesCaption ? 'unseen' : ''}>${caption}</caption>
      <thead role="rowgroup"><tr role="row">${columns.map((it) => head(it, at))}</tr></thead>
      <tbody role="rowgroup">${repeat(rows, key, (row) => html`<tr role="row">${columns.map((it, index) => cell(it, row, index))}</tr>`)}</tbody>
    </table></div>`;
}

let typing = 0;

export function search(at, label) {
  const typed = (event) => {
    clearTimeout(typing);
    const text = event.target.value.trim();
    typing = setTimeout(() => replace(changed(at, { q: text })), TYPING_MILLIS);
  };
  // The address says what is sought, unless somebody is typing.
  const isTyped = document.activeElement?.id === 'q';
  return html`<label class="search"><span class="unseen">${label}</span><input type="search" id="q" placeholder=${label}
    .value=${isTyped ? live(document.activeElement.value) : live(at.query.q ?? '')} @input=${typed} autocomplete="off" spellcheck="false"></label>`;
}

// Choices as links, so that each is an address. options: [value, label, count]
export function choices(at, name, label, options) {
  const chosen = at.query[name] ?? '';
  return html`<div class="choices" role="group" aria-label=${label}>${options.map(([value, text, count]) => html`<a
    href=${changed(at, { [name]: value })} aria-current=${chosen === value ? 'true' : nothing}>${text}${count === undefined ? nothing
  : html` <span class="quiet">${whole(count)}</span>`}</a>`)}</div>`;
}

export function pages(at, { page, size, total }, what) {
  const last = Math.max(0, Math.ceil(total / size) - 1);
  const link = (number, text, name) => number < 0 || number > last
    ? nothing
    : html`<a href=${changed(at, { page: number === 0 ? '' : number })} aria-label=${name}>${text}</a>`;
  const from = total === 0 ? 0 : page * size + 1;
  return html`<nav class="pages" aria-label=${`Pages of ${what}`}>
    <span class="quiet">${whole(from)} to ${whole(Math.min(total, (page + 1) * size))} of ${whole(total)} ${what}</span>
    ${last === 0 ? nothing : html`${link(page === 0 ? -1 : 0, '\u00ab', 'First page')}${link(page - 1, '\u2039 Previous', 'Previous page')}
    <span>${whole(page + 1)} / ${whole(last + 1)}</span>${link(page + 1, 'Next \u203a', 'Next page')}${link(page === last ? -1 : last, '\u00bb', 'Last page')}`}</nav>`;
}

export const pageOf = (at) => Math.max(0, Number.parseInt(at.query.page ?? '0', 10) || 0);
