/** The optional questions after the last trial, and a pilot's comment. Each can be skipped. */

import { actions, button, choice, el, form, heading, question } from '../dom';
import { messages } from '../messages';
import type { Untabbed } from '../transport';
import type { Comment, DebriefWording, Demographics, Strategy } from '../wire.gen';
import type { View } from './view';

/** What is filled in but not yet sent, by the names of the fields; a reload must not lose it. */
export type Draft = Readonly<Record<string, string>>;

export interface Drafting {
  readonly draft: Draft;
  readonly changed: (draft: Draft) => void;
}

const LONGEST_TEXT = '2000';

export function strategyScreen(words: DebriefWording, drafting: Drafting, done: (answer: Untabbed<Strategy>) => void): View {
  const { title, question: asked, hint, options, other } = words.strategy;
  const boxes = options.map((text, index) => choice('checkbox', `option${index}`, String(index), text));
  const field = el('input', { name: 'other', maxlength: LONGEST_TEXT, autocomplete: 'off' });
  const otherLine = el('label', { class: 'choice field' }, el('span', {}, other), field);
  return debriefScreen(title, [question(asked, [...boxes, otherLine], hint)], words, drafting, (filled) => {
    const chosen = options.map((_, index) => index).filter((index) => filled?.has(`option${index}`));
    done({ options: chosen, other: String(filled?.get('other') ?? ''), skipped: filled === null });
  });
}

export function demographicsScreen(words: DebriefWording, drafting: Drafting, done: (answer: Untabbed<Demographics>) => void): View {
  const { title, age_question, age_options, use_question, use_options } = words.demographics;
  const group = (name: string, asked: string, options: readonly string[]): HTMLElement =>
    question(asked, options.map((text, index) => choice('radio', name, String(index), text)));
  const groups = [group('age', age_question, age_options), group('use', use_question, use_options)];
  return debriefScreen(title, groups, words, drafting, (filled) => {
    const chosen = (name: string): number | null => (filled?.has(name) ? Number(filled.get(name)) : null);
    done({ age: chosen('age'), use: chosen('use'), skipped: filled === null });
  });
}

export function commentScreen(words: DebriefWording, drafting: Drafting, done: (answer: Untabbed<Comment>) => void): View {
  const [title, asked] = messages.comment;
  const box = el('textarea', { name: 'text', rows: '6', maxlength: LONGEST_TEXT });
  const label = el('label', {}, el('span', { class: 'asked' }, asked), box);
  return debriefScreen(title, [label], words, drafting, (filled) => {
    done({ text: String(filled?.get('text') ?? '') });
  });
}

function debriefScreen(
  text: string,
  parts: readonly HTMLElement[],
  words: DebriefWording,
  drafting: Drafting,
  done: (filled: FormData | null) => void,
): View {
  const next = el('button', { class: 'primary' }, words.continue_button);
  const skip = button(words.skip_button, '', () => done(null));
  const made = form([...parts, actions(next, skip)], done);
  restore(made, drafting.draft);
  made.addEventListener('input', () => drafting.changed(draftOf(made)));
  return [heading(text), made];
}

function draftOf(made: HTMLFormElement): Draft {
  return Object.fromEntries(new FormData(made)) as Draft; // no field holds a file
}

function restore(made: HTMLFormElement, draft: Draft): void {
  for (const field of made.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')) {
    const value = draft[field.name];
    if (value === undefined) continue;
    if (field.type === 'radio' || field.type === 'checkbox') (field as HTMLInputElement).checked = field.value === value;
    else field.value = value;
  }
}
