// Where the user is, all of it in the URL: #structures/orders?sort=-bytes&page=2
import { views } from './views.js';

export function address(hash = location.hash) {
  const [path, query] = hash.replace(/^#\/?/, '').split('?');
  const [view, ...items] = path.split('/').map(decoded);
  return {
    view: views.includes(view) ? view : views[0],
    path: views.includes(view) ? items.filter((it) => it !== '') : [],
    query: Object.fromEntries(new URLSearchParams(query ?? '')),
  };
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch (mistake) {
    return part;
  }
}

// A query's empty values are left out, so that an address has one form.
export function to(view, path = [], query = {}) {
  const said = Object.entries(query).filter(([, value]) => value !== '' && value !== null && value !== undefined);
  const asked = said.length ? `?${new URLSearchParams(said)}` : '';
  return `#${[view, ...path].map((it) => encodeURIComponent(it)).join('/')}${asked}`;
}

// The same place, with another filter, sort or page. Whatever changes but the page begins at the first one.
export function changed(at, changes) {
  return to(at.view, at.path, { ...at.query, ...('page' in changes ? {} : { page: '' }), ...changes });
}

// A filter that is typed leaves no step for "back" at each letter.
export function replace(hash) {
  history.replaceState(history.state, '', hash);
  dispatchEvent(new Event('atoll:moved'));
}
