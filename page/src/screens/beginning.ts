/** The screens before the first trial: code, consent, screening, instructions. */

import { actions, button, choice, el, form, heading, question } from '../dom';
import { messages } from '../messages';
import type { BlindedConsent, BlindedScreening, InstructionsWording } from '../wire.gen';
import type { View } from './view';

/** Static page: which plan, by the code of the invitation, or any. */
export function codeScreen(continueWord: string, wrongLink: boolean, use: (code: string) => boolean, draw: () => void): View {
  const field = el('input', { autocomplete: 'off', 'aria-describedby': 'wrong' });
  const wrong = el('p', { role: 'alert', class: 'wrong', id: 'wrong' }, wrongLink ? messages.codeUnknown : '');
  const label = el('label', { class: 'field' }, el('span', {}, messages.codeLabel), field);
  const enter = el('button', { class: 'primary' }, continueWord);
  return [
    heading(messages.code[0]),
    el('p', { class: 'said' }, messages.code[1]),
    form([label, wrong, actions(enter, button(messages.noCode, '', draw))], () => {
      const known = use(field.value);
      wrong.textContent = known ? '' : messages.codeUnknown;
      field.setAttribute('aria-invalid', String(!known));
      if (!known) field.focus();
    }),
  ];
}

export function consentScreen(words: BlindedConsent, decided: (decision: 'consented' | 'declined') => void): View {
  return [
    heading(words.title),
    ...words.paragraphs.map((text) => el('p', {}, text)),
    actions(button(words.agree, 'primary', () => decided('consented')), button(words.decline, '', () => decided('declined'))),
  ];
}

export type Screened = Readonly<Record<string, 'yes' | 'no'>>;

export function screeningScreen(words: BlindedScreening, answered: (answers: Screened) => void): View {
  const questions = words.questions.map(({ id, text }) => {
    const yesNo = el('div', { class: 'two' }, choice('radio', id, 'yes', words.yes, true), choice('radio', id, 'no', words.no, true));
    return question(text, [yesNo]);
  });
  return [
    heading(words.title),
    el('p', { class: 'said' }, words.lead),
    form([...questions, actions(el('button', { class: 'primary' }, words.button))], (filled) => {
      answered(Object.fromEntries(filled) as Screened); // every question is required, and has no other answers
    }),
  ];
}

export function instructionsScreen(words: InstructionsWording, begin: () => void): View {
  const [lead = '', ...rest] = words.paragraphs;
  return [
    heading(words.title),
    el('p', { class: 'lead' }, lead),
    ...rest.map((text) => el('p', { class: 'lines' }, text)),
    el(
      'div',
      { class: 'card' },
      el('p', { class: 'hint' }, words.task_label),
      el('p', { class: 'asked' }, words.task_normal),
      el('p', { class: 'or' }, el('span', {}, words.task_or)),
      el('p', { class: 'asked' }, words.task_off),
    ),
    el('p', { class: 'hint' }, words.tips_label),
    el('ul', {}, ...words.tips.map((tip) => el('li', {}, tip))),
    actions(button(words.button, 'primary', begin)),
  ];
}
