/** Elements in few words. Text is always set as text, never as markup. */

type Child = Node | string;
type Attributes = Readonly<Record<string, string | boolean>>;

/** Make an element; an attribute that is true has no value, one that is false is left out. */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== false) element.setAttribute(name, value === true ? '' : value);
  }
  element.append(...children);
  return element;
}

/** A button that does one thing; `look` is "primary", "quiet" or nothing. */
export function button(text: string, look: string, press: () => void): HTMLButtonElement {
  const made = el('button', { type: 'button', class: look }, text);
  made.addEventListener('click', press);
  return made;
}

/** A screen's title. It takes the focus when the screen comes, so that a screen reader says where one is. */
export function heading(text: string): HTMLHeadingElement {
  return el('h1', { tabindex: '-1', class: 'label' }, text);
}

/** Split a text at its blank lines; single line breaks stay within a paragraph. */
export function paragraphs(text: string): HTMLParagraphElement[] {
  return text
    .split(/\r?\n[^\S\n]*\r?\n\s*/)
    .filter((part) => part.trim() !== '')
    .map((part) => el('p', { dir: 'auto' }, part));
}

/** A row of buttons. */
export function actions(...buttons: readonly HTMLElement[]): HTMLElement {
  return el('div', { class: 'actions' }, ...buttons);
}

/** A form that is sent once it is filled in. */
export function form(children: readonly Child[], submit: (filled: FormData) => void): HTMLFormElement {
  const made = el('form', {}, ...children);
  made.addEventListener('submit', (event) => {
    event.preventDefault();
    submit(new FormData(made));
  });
  return made;
}

/** A line with a box to tick or a circle to choose. */
export function choice(type: 'checkbox' | 'radio', name: string, value: string, text: string, required = false): HTMLElement {
  return el('label', { class: 'choice' }, el('input', { type, name, value, required }), el('span', {}, text));
}

/** A question with its choices. */
export function question(text: string, choices: readonly HTMLElement[], hint = ''): HTMLElement {
  const legend = el('legend', {}, el('span', { class: 'asked' }, text));
  if (hint) legend.append(el('span', { class: 'hint' }, hint));
  return el('fieldset', {}, legend, ...choices);
}
