// Shows one view at a time and keeps it up to date, in place. A view exports
//   title                  what the navigation calls it
//   load(read, at)         promises what it shows; read(path) asks the API, at is the address
//   draw(what, console)    the template that shows it
import { address, to } from './address.js';
import { Refusal, read } from './api.js';
import { answerQuestion, drawQuestion, outcome } from './elements/action.js';
import { counted, duration, whole } from './words.js';
import { html, keyed, nothing, render, repeat } from './lib.js';
import { Live } from './live.js';
import { comeBack, leave, signOut, signing } from './signin.js';
import { views } from './views.js';

const INTERVAL_MILLIS = 2000;
const SESSION_MILLIS = 30000;
const STALE_MILLIS = 3 * INTERVAL_MILLIS;

comeBack();
const place = (id) => document.getElementById(id);
const modules = await Promise.all(views.map((name) => import(`./views/${name}.js`)));
const view = Object.fromEntries(views.map((name, index) => [name, modules[index]]));

const state = {
  at: address(),
  overview: null,
  what: null, // what the view shows, and the address that it belongs to
  shown: null,
  answeredAt: 0, // by performance.now()
  answeredTime: '',
  failure: '', // of the view
  silentSince: null,
  session: { mayAct: false },
  paused: false,
};

let timer = 0;
let round = 0; // answers of an earlier one are late
const scrolled = new Map();

const live = new Live((overview) => {
  state.overview = overview;
  answered();
  draw();
});

function answered() {
  state.answeredAt = performance.now();
  state.answeredTime = new Date().toLocaleTimeString();
  state.silentSince = null;
}

// Everything that views may know and do.
const surroundings = () => ({
  at: state.at,
  overview: state.overview,
  world: state.overview?.world ?? null,
  session: state.session,
  to,
  look: lookFromNowOn,
});

const placeOf = (at) => to(at.view, at.path);

async function look() {
  const at = state.at;
  const mine = ++round;
  try {
    const overview = live.connected && state.overview ? Promise.resolve(state.overview) : read('overview');
    const session = read('session', { atMostEvery: SESSION_MILLIS }).catch(() => ({ mayAct: false }));
    const [seen, what, who] = await Promise.all([overview, view[at.view].load(read, at), session]);
    if (mine !== round) {
      return;
    }
    // Whoever listens may not have heard anything yet.
    if (!live.connected || !state.overview) {
      state.overview = seen;
    }
    state.what = what;
    state.shown = at;
    state.session = who;
    state.failure = '';
    answered();
  } catch (failure) {
    if (!(failure instanceof Refusal)) {
      throw failure;
    }
    if (mine !== round) {
      return;
    }
    if (failure.status === 0) {
      state.silentSince ??= new Date().toLocaleTimeString();
    } else {
      state.failure = failure.message;
      state.silentSince = null;
    }
  } finally {
    if (mine === round) {
      draw();
    }
  }
}

async function lookFromNowOn() {
  clearTimeout(timer);
  try {
    await look();
  } finally {
    clearTimeout(timer);
    if (!state.paused && !document.hidden) {
      timer = setTimeout(lookFromNowOn, INTERVAL_MILLIS);
    }
  }
}

// --- what surrounds a view ---

const SEVERITIES = { good: 'well', warning: 'warning', critical: 'critical' };

function drawNavigation() {
  const problems = state.overview?.problems.length ?? 0;
  render(html`<ul>${views.map((name) => html`<li><a href=${to(name)}
      aria-current=${name === state.at.view ? 'page' : nothing}>${view[name].title}${name === 'overview' && problems
    ? html` <span class="count" aria-label=${counted(problems, 'problem')}>${problems}</span>` : nothing}</a></li>`)}</ul>`, place('views'));
}

function drawWorld({ world, severity }) {
  document.title = `${severity === 'good' ? '' : '! '}${view[state.at.view].title} \u00b7 ${world.name} \u00b7 Atoll`;
  render(html`<strong>${world.name}</strong>
    <a class="pill ${severity}" href=${to('overview')}>${SEVERITIES[severity] ?? severity}</a>
    <span class="quiet">${world.joined} of ${counted(world.size, 'rank')}, as rank ${world.rank} sees them</span>`, place('world'));
}

const isStale = () => performance.now() - state.answeredAt > STALE_MILLIS;

function pulse() {
  if (state.paused) {
    return 'paused';
  }
  if (state.silentSince || isStale()) {
    return 'lost';
  }
  return live.connected ? 'live' : 'asks';
}

const PULSES = { paused: 'Paused', lost: 'No answer', live: 'Live', asks: 'Asks every 2 s' };

function togglePause() {
  state.paused = !state.paused;
  if (state.paused) {
    live.stop();
    clearTimeout(timer);
    draw();
  } else {
    live.start();
    lookFromNowOn();
  }
}

function drawPulse() {
  render(html`<span class="beat ${pulse()}" aria-hidden="true"></span><span>${PULSES[pulse()]}</span>
    <button type="button" id="pause" aria-pressed=${state.paused} @click=${togglePause}>${state.paused ? 'Go on' : 'Pause'}</button>`, place('pulse'));
}

function trouble() {
  if (state.silentSince) {
    return `The node has not answered since ${state.silentSince}. What is shown is older; this page asks again by itself.`;
  }
  return state.failure;
}

// Said once, when it is news: what has got worse, and that all is well again. The same problem may have another title by now.
let told = null;
const MOST_TOLD = 3;
const identity = ({ kind, rank, structure, lock }) => [kind, rank, structure, lock?.table, lock?.index].join(' ');

function tellNews({ problems, sentence }) {
  const critical = problems.filter((it) => it.severity === 'critical');
  const fresh = critical.filter((it) => !told?.has(identity(it)));
  if (fresh.length) {
    const titles = fresh.slice(0, MOST_TOLD).map((it) => it.title).join('. ');
    render(html`${titles}${fresh.length > MOST_TOLD ? `. And ${whole(fresh.length - MOST_TOLD)} more` : ''}.`, place('news'));
  } else if (!critical.length && told?.size !== 0) {
    render(html`${sentence}`, place('news'));
  }
  told = new Set(critical.map(identity));
}

// A view is drawn into what it has drawn before, so that focus, selection and scrolling stay. Another view is made anew.
function drawView() {
  const { shown, what } = state;
  const isAwaited = !shown || placeOf(shown) !== placeOf(state.at);
  place('view').classList.toggle('stale', pulse() === 'lost');
  place('view').setAttribute('aria-busy', String(isAwaited && trouble() === ''));
  if (isAwaited) {
    if (trouble() !== '') {
      render(html`<h1>${view[state.at.view].title}</h1><p class="empty">There is nothing to show.</p>`, place('view'));
    }
    return;
  }
  // An event of the overview may come while another part of the same view is awaited.
  render(keyed(placeOf(shown), view[shown.view].draw(what, { ...surroundings(), at: shown })), place('view'));
  arrive();
}

let arriving = null; // where to scroll, once the view that was moved to is there

function arrive() {
  if (arriving !== null && placeOf(state.shown) === placeOf(state.at)) {
    scrollTo(0, arriving);
    arriving = null;
  }
}

function drawOutcome() {
  render(repeat(outcome.told, (it) => it.number, (it) => html`<p class=${it.isDone ? 'good' : 'bad'}>${it.text}
    <button type="button" class="plain" aria-label="Dismiss" @click=${() => outcome.dismiss(it)}>\u00d7</button></p>`), place('outcome'));
}

function draw() {
  drawNavigation();
  if (state.overview) {
    drawWorld(state.overview);
    tellNews(state.overview);
  }
  drawPulse();
  const said = trouble();
  render(said === '' ? nothing : html`<p>${said}${signing.at
    ? html` <button type="button" id="sign-in" @click=${leave}>Sign in</button>` : nothing}</p>`, place('trouble'));
  drawOutcome();
  drawView();
  drawQuestion(place('question'));
  const age = performance.now() - state.answeredAt;
  render(signing.outAt && state.session.user
    ? html`${state.session.user} <button type="button" class="plain" id="sign-out" @click=${leaveForGood}>Sign out</button>` : nothing, place('user'));
  render(state.answeredTime === '' ? nothing : html`as of ${state.answeredTime}${isStale() ? `, ${duration(age)} ago` : ''}`, place('looked'));
}

async function leaveForGood() {
  live.stop();
  clearTimeout(timer);
  try {
    await signOut();
  } catch (failure) {
    outcome.tell(`You are still signed in: ${failure.message}`, false);
    live.start();
    lookFromNowOn();
  }
}

// --- moving ---

let isClicked = false;

function move() {
  const before = state.at;
  state.at = address();
  const isElsewhere = placeOf(before) !== placeOf(state.at);
  if (isElsewhere) {
    state.failure = '';
    arriving = isClicked ? 0 : scrolled.get(location.hash) ?? 0;
    // Screen readers and the keyboard go on at the view, not at the link that is gone.
    if (isClicked) {
      place('view').focus({ preventScroll: true });
    }
  }
  isClicked = false;
  drawNavigation();
  lookFromNowOn();
}

addEventListener('click', (event) => {
  if (event.target.closest?.('a[href^="#"]')) {
    isClicked = true;
    scrolled.set(location.hash, scrollY);
  }
}, true);
place('skip').addEventListener('click', (event) => {
  event.preventDefault();
  place('view').focus();
});
addEventListener('hashchange', move);
addEventListener('atoll:moved', move);
outcome.changed = () => draw();
answerQuestion(place('question'));
document.addEventListener('visibilitychange', () => {
  if (document.hidden) {
    live.stop();
    clearTimeout(timer);
  } else if (!state.paused) {
    live.start();
    lookFromNowOn();
  }
});
history.scrollRestoration = 'manual';
setInterval(() => {
  if (state.paused || document.hidden) {
    return;
  }
  if (isStale()) {
    draw();
  }
}, INTERVAL_MILLIS);
drawNavigation();
drawPulse();
live.start();
lookFromNowOn();
