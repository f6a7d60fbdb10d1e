// What changes something: a button, a question in a dialog, and what came of it in a live region.
import { Refusal, act } from '../api.js';
import { html, nothing, render } from '../lib.js';

const SHOWN_MILLIS = 20000;

let numbers = 0;

export const outcome = {
  told: [],
  changed: () => {},
  tell(text, isDone) {
    const it = { number: ++numbers, text, isDone };
    this.told = [...this.told, it].slice(-3);
    this.changed();
    if (isDone) {
      setTimeout(() => this.dismiss(it), SHOWN_MILLIS);
    }
  },
  dismiss(it) {
    this.told = this.told.filter((other) => other !== it);
    this.changed();
  },
};

let question = null;

// A button for who may act, else nothing. An action has
//   label, title, text    of the button, and of the dialog
//   name                  what must be typed, if anything
//   fields                further inputs: {name, label, value, min, max}
//   path, body(values)    what is posted
//   done(answer)          what is said then
export function actionButton(action, { session, look }) {
  return session.mayAct
    ? html`<button type="button" class="act" @click=${() => ask(action, look)}>${action.label}\u2026</button>`
    : nothing;
}

function ask(action, look) {
  question = { action, look, typed: '', values: Object.fromEntries((action.fields ?? []).map((it) => [it.name, it.value ?? ''])), isUnderWay: false };
  outcome.changed();
}

const isSure = () => (!question.action.name || question.typed === question.action.name)
  && (question.action.fields ?? []).every((it) => String(question.values[it.name]).trim() !== '');

function type(event) {
  question.typed = event.target.value;
  outcome.changed();
}

function set(name, event) {
  question.values[name] = event.target.value;
  outcome.changed();
}

async function confirm(event) {
  event.preventDefault();
  const { action, look, values, isUnderWay } = question;
  if (!isSure() || isUnderWay) {
    return;
  }
  question.isUnderWay = true;
  outcome.changed();
  try {
    const answer = await act(action.path, action.body?.(values) ?? {});
    question = null;
    outcome.tell(action.done(answer), true);
    look();
  } catch (failure) {
    if (!(failure instanceof Refusal)) {
      throw failure;
    }
    question = null;
    outcome.tell(`${action.label}: ${failure.message}`, false);
  }
}

function leave() {
  question = null;
  outcome.changed();
}

export function answerQuestion(dialog) {
  dialog.addEventListener('close', () => question && leave());
}

export function drawQuestion(dialog) {
  if (!question) {
    if (dialog.open) {
      dialog.close();
    }
    render(nothing, dialog);
    return;
  }
  const { action, values, typed, isUnderWay } = question;
  render(html`<form method="dialog" @submit=${confirm}>
    <h2 id="asked">${action.title}</h2>
    <p>${action.text}</p>
    ${(action.fields ?? []).map((it) => html`<label>${it.label}
      <input type="number" name=${it.name} min=${it.min ?? nothing} max=${it.max ?? nothing} required .value=${values[it.name]}
        @input=${(event) => set(it.name, event)}></label>`)}
    ${action.name ? html`<label><span>Type <strong>${action.name}</strong> to confirm</span>
      <input type="text" name="typed" autocomplete="off" spellcheck="false" .value=${typed} @input=${type}></label>` : nothing}
    <div class="answers"><button type="button" @click=${leave}>Cancel</button>
      <button type="submit" class="act" ?disabled=${!isSure() || isUnderWay}>${action.label}</button></div>
  </form>`, dialog);
  if (!dialog.open) {
    dialog.showModal();
  }
}
