// Shows one view at a time and keeps it up to date. A view exports
//   title              what the navigation calls it
//   load(read)         promises what it shows; read(path) asks the API
//   draw(what, world)  the element that shows it
import { element } from './element.js';
import { views } from './views.js';

const INTERVAL_MILLIS = 2000;
const TIMEOUT_MILLIS = 5000;

// What the API answers with a no; everything else that fails is silence.
class Refusal extends Error {}

const place = (id) => document.getElementById(id);
const modules = await Promise.all(views.map((name) => import(`./views/${name}/view.js`)));
const view = Object.fromEntries(views.map((name, at) => [name, modules[at]]));

let silentSince = null;
let timer = 0;

async function read(path) {
  let response;
  try {
    response = await fetch(`api/${path}`, { signal: AbortSignal.timeout(TIMEOUT_MILLIS) });
  } catch (silence) {
    silentSince ??= new Date();
    throw new Refusal(`The node has not answered since ${silentSince.toLocaleTimeString()}. What is shown is older.`);
  }
  silentSince = null;
  if (!response.ok) {
    const explained = response.headers.get('content-type')?.startsWith('application/problem+json');
    throw new Refusal(explained ? (await response.json()).detail : `The node answers ${response.status}.`);
  }
  return response.json();
}

function chosen() {
  const name = location.hash.slice(1);
  return views.includes(name) ? name : views[0];
}

function drawNavigation() {
  place('views').replaceChildren(...views.map((name) =>
    element('a', { href: `#${name}`, 'aria-current': name === chosen() ? 'page' : null }, view[name].title)));
}

function standing({ missing, lost, rejoining }) {
  const parts = rejoining ? [`joins again, waits for ${rejoining.waitsFor}`] : [];
  if (missing.length) {
    parts.push(`waiting for rank ${missing.join(', ')}`);
  }
  if (lost.length) {
    parts.push(`lost rank ${lost.join(', ')}`);
  }
  return parts.join(' · ') || 'whole';
}

function drawWorld(world) {
  document.title = `${world.name} · Atoll`;
  place('world').replaceChildren(
    element('strong', {}, world.name),
    element('span', { class: `pill ${world.whole && !world.rejoining ? 'good' : 'bad'}` }, standing(world)),
    element('span', { class: 'quiet' }, `${world.joined} of ${world.size} ranks, as rank ${world.rank} sees them`));
}

function drawTrouble(text) {
  place('trouble').hidden = text === '';
  place('trouble').textContent = text;
  place('view').classList.toggle('stale', text !== '');
}

async function look() {
  const name = chosen();
  try {
    const [world, what] = await Promise.all([read('world'), view[name].load(read)]);
    drawWorld(world);
    // The user may have moved on while the node answered.
    if (name === chosen()) {
      place('view').replaceChildren(view[name].draw(what, world));
    }
    drawTrouble('');
    place('looked').textContent = `as of ${new Date().toLocaleTimeString()}`;
    place('pulse').classList.toggle('beat');
  } catch (failure) {
    if (!(failure instanceof Refusal)) {
      throw failure;
    }
    drawTrouble(failure.message);
  }
}

async function lookFromNowOn() {
  clearTimeout(timer);
  try {
    await look();
  } finally {
    clearTimeout(timer);
    timer = setTimeout(lookFromNowOn, INTERVAL_MILLIS);
  }
}

addEventListener('hashchange', () => {
  drawNavigation();
  lookFromNowOn();
});
drawNavigation();
lookFromNowOn();
