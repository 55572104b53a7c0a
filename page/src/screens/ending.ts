/** The screens on which nothing is asked any more: thanks, stopped, declined, waiting, elsewhere. */

import { actions, button, el, heading } from '../dom';
import { messages } from '../messages';
import type { Codes } from '../machine';
import type { ThanksWording } from '../wire.gen';
import type { View } from './view';

/** A title, a text, and perhaps something to do. */
export function plainScreen([name, text]: readonly [string, string], ...buttons: readonly HTMLElement[]): View {
  return [heading(name), el('p', { class: 'said' }, text), actions(...buttons)];
}

/** What stands apart from the words: codes, links, files. */
export function codesCard(words: ThanksWording, codes: Codes, withdrawalLink: (code: string) => string, ...more: readonly HTMLElement[]): HTMLElement {
  const apart = [...more];
  const { completion, withdrawal } = codes;
  if (completion !== null) apart.push(...codeLines(words.completion_label, completion, 'completion'));
  if (withdrawal !== null) {
    const link = withdrawalLink(withdrawal);
    apart.push(hint(words.withdrawal_label), el('p', {}, el('a', { href: link, id: 'withdrawal' }, link)));
  }
  return el('div', { class: 'card' }, ...apart);
}

/** What a code is for, and the code. */
export function codeLines(label: string, code: string, id: string): HTMLElement[] {
  return [hint(label), el('p', { class: 'code', id }, code)];
}

function hint(text: string): HTMLElement {
  return el('p', { class: 'hint' }, text);
}

/** The instrument's lines, and the card. */
export function thanksScreen({ title, lines: [lead = '', ...rest] }: ThanksWording, card: HTMLElement): View {
  return [heading(title), el('p', { class: 'lead' }, lead), ...rest.map((line) => el('p', {}, line)), card];
}

/** Static page: the answers leave the browser only as a file that the participant saves. */
export function handOverScreen(save: () => void): View {
  return plainScreen(messages.handOver, button(messages.saveButton, 'primary', save));
}
