// Leads who is not signed in to where the node says, and back to the same view. A node that has no such place says
// nothing, and nothing happens.
const KEPT = 'atoll.view';
const LEFT = 'atoll.left';
const AT_ONCE_MILLIS = 10000;

// Why the page was led back without a user. It does not leave again by itself then.
const REASONS = {
  ended: 'You have signed out.',
  refused: 'The sign-in failed. The log of the node says why.',
  unasked: 'This node does not know of the sign-in, or it was long ago. Several nodes behind one address need session affinity.',
  unavailable: 'The sign-in cannot begin. The log of the node says why; often the identity provider does not answer.',
};

const told = REASONS[new URLSearchParams(location.search).get('sign-in')] ?? null;
// Whoever comes back at once, and is not known, would be led on and on.
const isBackAtOnce = Date.now() - Number(sessionStorage.getItem(LEFT) ?? 0) < AT_ONCE_MILLIS;

export const reason = told ?? (isBackAtOnce ? REASONS.unasked : null);

export const signing = { at: null, outAt: null };

// A provider's page forgets what stands after the #.
export function comeBack() {
  const kept = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  if (kept && location.hash === '') {
    history.replaceState(history.state, '', kept);
  }
}

let isLeaving = false; // for several answers may say so

export function leave() {
  isLeaving = true;
  sessionStorage.setItem(KEPT, location.hash);
  sessionStorage.setItem(LEFT, Date.now());
  location.assign(signing.at);
}

// What an answer says of signing in.
export function note(response) {
  signing.outAt = response.ok ? response.headers.get('Atoll-Sign-Out') ?? signing.outAt : signing.outAt;
  signing.at = response.status === 401 ? response.headers.get('Atoll-Sign-In') : null;
  if (signing.at && reason === null && !isLeaving) {
    leave();
  }
}

export async function signOut() {
  const response = await fetch(signing.outAt, { method: 'POST' });
  if (!response.ok) {
    throw new Error(`The node answers ${response.status}.`);
  }
  location.assign(response.headers.get('Location') ?? '?sign-in=ended');
}
