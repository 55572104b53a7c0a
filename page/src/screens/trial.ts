/** A trial. Its elements stay from trial to trial and only the texts change, so that nothing moves. */

import { button, el, heading, paragraphs } from '../dom';
import { SLICES } from '../judging';
import { messages } from '../messages';
import type { InputKind, Response, TrialWording } from '../wire.gen';

export interface Texts {
  readonly context: string;
  readonly response_a: string;
  readonly response_b: string;
}

export type Answered = (response: Response, event: Event, input: InputKind) => void;

const NORMAL = 'F 1';
const OFF = 'J 2';

export type TrialScreen = ReturnType<typeof createTrialScreen>;

export function createTrialScreen(words: TrialWording, keysOn: boolean, keysChanged: (on: boolean) => void, answered: Answered) {
  const title = heading('');
  const progress = el('progress', { 'aria-label': messages.progress });
  const context = el('span', { dir: 'auto' });
  const a = el('div', { class: 'text' });
  const b = el('div', { class: 'text' });
  const slices = Array.from({ length: SLICES }, () => el('i'));
  const overlay = el('div', { class: 'slices', 'aria-hidden': 'true' }, ...slices);
  const bar = el('div', { class: 'bar' });
  const keysState = el('b', { 'aria-hidden': 'true' });
  const keysSwitch = button(messages.keys, 'quiet keys', () => {
    keysOn = !keysOn;
    showKeys();
    keysChanged(keysOn);
  });
  const asking = [
    el('p', { id: 'question' }, words.question),
    el(
      'div',
      { class: 'answers two', role: 'group', 'aria-labelledby': 'question' },
      answerButton(words.normal, 'NORMAL', NORMAL, answered),
      answerButton(words.off, 'SOMETHINGS_OFF', OFF, answered),
    ),
  ];

  const showKeys = (): void => {
    keysSwitch.setAttribute('aria-checked', String(keysOn));
    keysState.textContent = keysOn ? messages.on : messages.off;
    bar.classList.toggle('keyless', !keysOn);
  };

  // Keys work only while a trial asks and their switch is there to be seen (WCAG 2.1.4).
  document.addEventListener('keydown', (event) => {
    const held = event.repeat || event.ctrlKey || event.altKey || event.metaKey;
    if (held || !keysOn || !asking[0]?.isConnected || !keysSwitch.offsetParent) return;
    const key = keyOf(event);
    if (NORMAL.includes(key)) answered('NORMAL', event, 'key');
    if (OFF.includes(key)) answered('SOMETHINGS_OFF', event, 'key');
  });

  title.className = '';
  keysSwitch.setAttribute('role', 'switch');
  keysSwitch.append(keysState);
  showKeys();

  return {
    title,
    progress,
    keysSwitch,
    bar,
    slices,
    stimuli: [context, a, b],
    main: [
      el('p', { class: 'context' }, el('span', { class: 'label' }, words.context_label), ' ', context),
      el('div', { class: 'pair two' }, card('a', words.response_a_label, a), card('b', words.response_b_label, b)),
    ],

    /** Put a trial's words in place; `done` of `total` is behind the participant. */
    show(heading: string, texts: Texts, done: number, total: number): void {
      title.textContent = heading;
      progress.max = total;
      progress.value = done;
      context.textContent = texts.context;
      a.replaceChildren(...paragraphs(texts.response_a));
      b.replaceChildren(...paragraphs(texts.response_b), overlay);
      bar.replaceChildren(...asking);
    },

    /** In place of the question: what the protocol says of a practice trial. */
    showFeedback(text: string, goOn: () => void): HTMLElement {
      const said = el('p', { tabindex: '-1' }, text);
      bar.replaceChildren(said, button(words.break_button, 'primary', goOn));
      return said;
    },
  };
}

function answerButton(text: string, response: Response, keys: string, answered: Answered): HTMLButtonElement {
  const made = el(
    'button',
    { type: 'button', class: 'answer', id: response, 'aria-keyshortcuts': keys },
    el('span', {}, text),
    el('kbd', { 'aria-hidden': 'true' }, keys.charAt(0)),
  );
  let pointer: InputKind = 'pointer';
  made.addEventListener('pointerdown', ({ pointerType }) => {
    pointer = pointerType === 'touch' ? 'touch' : 'pointer';
  });
  made.addEventListener('click', (event) => {
    if (event.detail > 1) return; // the second half of a double click
    answered(response, event, event.detail === 0 ? 'key' : pointer);
  });
  return made;
}

function card(id: string, label: string, text: HTMLElement): HTMLElement {
  return el('section', { class: 'card', 'aria-labelledby': id }, el('h2', { id, class: 'label' }, label), text);
}

/** The letter or digit that was pressed; on keyboards without Latin letters, the place of the key decides. */
function keyOf({ key, code }: KeyboardEvent): string {
  const place = code.replace(/^(Key|Digit)/, '');
  return (/^[!-~]$/.test(key) ? key : place.length === 1 ? place : '?').toUpperCase();
}
