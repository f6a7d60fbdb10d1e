// Asks the API. Answers that have not changed since are not sent again.
import { note, reason } from './signin.js';

const TIMEOUT_MILLIS = 8000;
const MOST_KEPT = 96;

// What the node answers with a no, or its silence; whatever else fails is a mistake of this page.
export class Refusal extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

const kept = new Map();

function keep(path, answer) {
  kept.delete(path);
  kept.set(path, answer);
  if (kept.size > MOST_KEPT) {
    kept.delete(kept.keys().next().value);
  }
}

// The answer and its text: a node may fall silent in the middle of it.
async function ask(path, request) {
  try {
    const response = await fetch(`api/${path}`, {
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MILLIS),
      ...request,
      // A node that has a page to sign in need not let the browser ask for a password.
      headers: { 'Atoll-Page': 'true', ...request.headers },
    });
    note(response);
    return { response, text: await response.text() };
  } catch (silence) {
    throw new Refusal('The node does not answer.', 0);
  }
}

function refusal({ response, text }) {
  const type = response.headers.get('content-type') ?? '';
  const detail = /[/+]json/.test(type) ? JSON.parse(text).detail : null;
  const unknown = response.status === 401 ? reason : null;
  return new Refusal(unknown ?? (detail || `The node answers ${response.status}.`), response.status);
}

// The answer; one that is younger than so many milliseconds is not asked for again.
export async function read(path, { atMostEvery = 0 } = {}) {
  const known = kept.get(path);
  if (known && performance.now() - known.at < atMostEvery) {
    return known.answer;
  }
  const asked = await ask(path, { headers: known?.tag ? { 'If-None-Match': known.tag } : {} });
  const { response, text } = asked;
  if (response.status === 304 && known) {
    keep(path, { ...known, at: performance.now() });
    return known.answer;
  }
  if (!response.ok) {
    throw refusal(asked);
  }
  const answer = JSON.parse(text);
  keep(path, { answer, tag: response.headers.get('etag'), at: performance.now() });
  return answer;
}

// What the node does not have is null: it may be older than this page, or the thing is gone.
export async function readIfThere(path, options) {
  try {
    return await read(path, options);
  } catch (failure) {
    if (failure instanceof Refusal && failure.status === 404) {
      return null;
    }
    throw failure;
  }
}

export async function act(path, body) {
  const asked = await ask(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!asked.response.ok) {
    throw refusal(asked);
  }
  kept.clear();
  return asked.text === '' ? {} : JSON.parse(asked.text);
}

export function query(values) {
  const said = Object.entries(values).filter(([, value]) => value !== '' && value !== null && value !== undefined);
  return said.length ? `?${new URLSearchParams(said)}` : '';
}
